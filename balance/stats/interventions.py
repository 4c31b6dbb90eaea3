"""What tiles bring: the same games with and without them (design: Verdicts).

Effects are per holding: the mean change over the games in which a seat held the tile, a ratio of sums. All
effects are signed so that what helps is positive: the game with the tile less the game without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from balance.games.interventions import Act, ByChange
from balance.games.outcome import WIN_UNITS, ByGame, BySeat
from balance.stats.estimates import Blocks, Estimate, Floats, Sums, ratio

_WITH_LESS_WITHOUT = {Act.OMIT: 1.0, Act.BLANK: 1.0, Act.TAKE: -1.0}
"""The game as it is has the tile, unless the change is to take it."""


@dataclass(frozen=True)
class Effects:
    """Interventions on some tiles, from the tallies of a run that studied them.

    Attributes
    ----------
    blocks : Blocks
    tiles : sequence of str
        In the order of the tally.
    """

    blocks: Blocks
    tiles: Sequence[str]

    def holdings(self, act: Act) -> Floats:
        """Return the games played again, once for each seat concerned, (tiles,)."""
        return _sum(self.blocks.total, act, ByChange.HOLDINGS)[0]

    def vp(self, act: Act) -> Estimate:
        """Return VP that a tile brings per holding."""
        sign = _WITH_LESS_WITHOUT[act]
        return self._per_holding(act, ByChange.DIFFERENCE, sign)

    def wins(self, act: Act) -> Estimate:
        """Return the share of the win that a tile brings per holding."""
        return self._per_holding(act, ByChange.WINS_DIFFERENCE, _WITH_LESS_WITHOUT[act] / WIN_UNITS)

    def vp_per_game(self, act: Act) -> Estimate:
        """Return VP that a tile brings per game, all seats together; not for Act.TAKE, which few games try."""
        return self._per_game(act, ByChange.DIFFERENCE, _WITH_LESS_WITHOUT[act])

    def wins_per_game(self, act: Act) -> Estimate:
        """Return the share of the win that a tile moves per game; see `vp_per_game`."""
        return self._per_game(act, ByChange.WINS_DIFFERENCE, _WITH_LESS_WITHOUT[act] / WIN_UNITS)

    def win_rate_of_holders(self) -> Estimate:
        """Return how much more often holders win than their seats and policies do: an association."""
        return self.blocks.estimate(_win_rate_gain)

    def score_of_holders(self) -> Estimate:
        """Return how much more holders score than their seats and policies do: an association."""
        return self.blocks.estimate(_score_gain)

    def selection(self) -> Estimate:
        """Return the win rate of holders less what the tile brings: strong positions get the tile, or weak ones do."""

        def gap(sums: Sums) -> Floats:
            wins = _sum(sums, Act.OMIT, ByChange.WINS_DIFFERENCE) / WIN_UNITS
            return _win_rate_gain(sums) - ratio(wins, _sum(sums, Act.OMIT, ByChange.HOLDINGS))

        return self.blocks.estimate(gap)

    def saved_by_pairing(self, act: Act) -> Floats:
        r"""Return the share of games that playing on the same luck saves against independent games, (tiles,).

        .. math:: 1 - \frac{\operatorname{Var}(X - Y)}{\operatorname{Var}(X) + \operatorname{Var}(Y)}

        over all games, within seats, X being the score with the tile and Y that without it.
        """
        seats = self.blocks.total("seats")[0].sum(axis=0)[:, np.newaxis]
        games, score, squares = (seats[..., by] for by in (BySeat.GAMES, BySeat.SCORE, BySeat.SCORE_SQUARED))
        changed = self.blocks.total("changes")[0].sum(axis=0)[:, act]
        other = score - changed[..., ByChange.DIFFERENCE]
        other_squares = squares - changed[..., ByChange.SCORE_SQUARED] + changed[..., ByChange.CHANGED_SQUARED]
        paired = _variance(changed[..., ByChange.DIFFERENCE], changed[..., ByChange.DIFFERENCE_SQUARED], games)
        independent = _variance(score, squares, games) + _variance(other, other_squares, games)
        saved: Floats = 1 - ratio(paired.sum(axis=0), independent.sum(axis=0))
        return np.where(changed[..., ByChange.HOLDINGS].sum(axis=0) > 0, saved, np.nan)

    def _per_holding(self, act: Act, column: ByChange, factor: float) -> Estimate:
        return self.blocks.estimate(
            lambda sums: ratio(factor * _sum(sums, act, column) + 0.0, _sum(sums, act, ByChange.HOLDINGS))
        )

    def _per_game(self, act: Act, column: ByChange, factor: float) -> Estimate:
        return self.blocks.estimate(
            lambda sums: ratio(factor * _sum(sums, act, column), sums("games")[:, [ByGame.GAMES]])
        )


def _sum(sums: Sums, act: Act, column: ByChange) -> Floats:
    """Return a sum over policies and seats, (rows, tiles)."""
    return sums("changes")[:, :, :, act, :, column].sum(axis=(1, 2))


def _variance(total: Floats, squares: Floats, games: Floats) -> Floats:
    return ratio(squares, games) - np.square(ratio(total, games))


def _win_rate_gain(sums: Sums) -> Floats:
    wins = sums("seats")[..., BySeat.WINS] / WIN_UNITS
    return _gain(sums, wins, ByChange.WINS, 1 / WIN_UNITS)


def _score_gain(sums: Sums) -> Floats:
    return _gain(sums, sums("seats")[..., BySeat.SCORE], ByChange.SCORE, 1.0)


def _gain(sums: Sums, of_all: Floats, column: ByChange, factor: float) -> Floats:
    """Return what holders had less what the same seats and policies have at all: indirect standardisation.

    References
    ----------
    Keiding & Clayton 2014, doi:10.1214/13-STS453.
    """
    holdings = sums("changes")[:, :, :, Act.OMIT, :, ByChange.HOLDINGS]
    usual = ratio(of_all, sums("seats")[..., BySeat.GAMES])[..., np.newaxis]
    expected = np.nansum(holdings * usual, axis=(1, 2))
    total = holdings.sum(axis=(1, 2))
    return ratio(factor * _sum(sums, Act.OMIT, column) - expected, total)
