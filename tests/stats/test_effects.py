"""What tiles bring, from tallies whose games are known one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from balance.games.interventions import Act, ByChange, new_changes
from balance.games.outcome import BLOCKS, WIN_UNITS, ByGame, BySeat
from balance.stats.estimates import Blocks, Estimate
from balance.stats.interventions import Effects
from tests.naive.estimates import jackknife

TILES = ["fire", "parks", "roads", "never"]
SEATS, POLICIES = 3, 2


class Game(NamedTuple):
    """One game as it is, and as it is with each change that was tried."""

    policy: list[int]  # by seat
    score: list[int]
    wins: list[int]
    tried: dict[tuple[Act, int, int], tuple[int, int]]  # by act, tile and seat: VP and twelfths of the win

    def of(self, act: Act, tile: int) -> list[tuple[int, int, int]]:
        """Return the seats that a change concerned, with VP and win lost by it."""
        return [
            (seat, self.score[seat] - score, self.wins[seat] - wins)
            for (acted, of, seat), (score, wins) in self.tried.items()
            if (acted, of) == (act, tile)
        ]


def games_of(number: int, seed: int = 1) -> list[Game]:
    """Return games in which the two policies and the seats score unequally, and strong positions get the parks."""
    luck = np.random.default_rng(seed)
    games = []
    for _ in range(number):
        policy = [int(luck.integers(POLICIES)) for _ in range(SEATS)]
        score = [int(luck.integers(20, 60)) + 15 * policy[seat] + 5 * seat for seat in range(SEATS)]
        wins = [WIN_UNITS if seat == int(np.argmax(score)) else 0 for seat in range(SEATS)]
        tried = {}
        for act in (Act.OMIT, Act.BLANK, Act.TAKE):
            for tile in range(3):
                for seat in range(SEATS):
                    if luck.random() < (0.2, 0.7 if score[seat] > 50 else 0.2, 0.5)[tile]:
                        changed = score[seat] + int(luck.integers(-6, 3)) - tile
                        tried[act, tile, seat] = changed, int(luck.integers(0, 3)) * 6
        games.append(Game(policy, score, wins, tried))
    return games


def effects_of(games: list[Game]) -> Effects:
    """Return the tallies of games, each in the block of its number."""
    by_game = np.zeros((BLOCKS, len(ByGame)), dtype=np.int64)
    seats = np.zeros((BLOCKS, POLICIES, SEATS, len(BySeat)), dtype=np.int64)
    changes = new_changes(POLICIES, SEATS, len(TILES))
    for number, game in enumerate(games):
        block = number % BLOCKS
        by_game[block, ByGame.GAMES] += 1
        for seat, policy in enumerate(game.policy):
            score, wins = game.score[seat], game.wins[seat]
            row = seats[block, policy, seat]
            row[BySeat.GAMES] += 1
            row[BySeat.SCORE] += score
            row[BySeat.SCORE_SQUARED] += score**2
            row[BySeat.WINS] += wins
        for (act, tile, seat), (other, other_wins) in game.tried.items():
            score, wins = game.score[seat], game.wins[seat]
            counted = {
                ByChange.HOLDINGS: 1,
                ByChange.SCORE: score,
                ByChange.SCORE_SQUARED: score**2,
                ByChange.WINS: wins,
                ByChange.DIFFERENCE: score - other,
                ByChange.DIFFERENCE_SQUARED: (score - other) ** 2,
                ByChange.WINS_DIFFERENCE: wins - other_wins,
                ByChange.CHANGED_SQUARED: other**2,
            }
            for column, amount in counted.items():
                changes[block, game.policy[seat], seat, act, tile, column] += amount
    return Effects(Blocks({"games": by_game, "seats": seats, "changes": changes}), TILES)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return games_of(500)


@pytest.fixture(scope="module")
def effects(games: list[Game]) -> Effects:
    return effects_of(games)


SIGNS = {Act.OMIT: 1, Act.BLANK: 1, Act.TAKE: -1}


def by_block(games: list[Game]) -> list[list[Game]]:
    return [games[block::BLOCKS] for block in range(min(BLOCKS, len(games)))]


# Per holding, per game


@pytest.mark.parametrize("act", SIGNS)
def test_holdings_are_counted_once_for_each_seat_concerned(games: list[Game], effects: Effects, act: Act) -> None:
    expected = [sum(len(game.of(act, tile)) for game in games) for tile in range(4)]
    assert effects.holdings(act).tolist() == expected
    assert expected[3] == 0


@pytest.mark.parametrize("act", SIGNS)
def test_vp_per_holding_is_the_mean_of_what_the_holders_lose_without_the_tile(
    games: list[Game], effects: Effects, act: Act
) -> None:
    found = effects.vp(act)
    for tile in range(3):
        lost = [vp for game in games for _, vp, _ in game.of(act, tile)]
        assert found.value[tile] == pytest.approx(SIGNS[act] * np.mean(lost))


@pytest.mark.parametrize("act", SIGNS)
def test_win_share_per_holding_is_in_wins(games: list[Game], effects: Effects, act: Act) -> None:
    found = effects.wins(act)
    for tile in range(3):
        lost = [wins / 12 for game in games for _, _, wins in game.of(act, tile)]
        assert found.value[tile] == pytest.approx(SIGNS[act] * np.mean(lost))


def test_the_error_is_that_of_leaving_each_block_out(games: list[Game], effects: Effects) -> None:
    def per_holding(some: list[Game]) -> float:
        return float(np.mean([vp for game in some for _, vp, _ in game.of(Act.OMIT, 1)]))

    value, error = jackknife(by_block(games), per_holding)
    assert effects.vp(Act.OMIT).value[1] == pytest.approx(value)
    assert effects.vp(Act.OMIT).se[1] == pytest.approx(error)


@pytest.mark.parametrize("act", [Act.OMIT, Act.BLANK])
def test_effects_per_game_are_of_all_seats_together(games: list[Game], effects: Effects, act: Act) -> None:
    for tile in range(3):
        vp = [sum(vp for _, vp, _ in game.of(act, tile)) for game in games]
        wins = [sum(wins for _, _, wins in game.of(act, tile)) / 12 for game in games]
        assert effects.vp_per_game(act).value[tile] == pytest.approx(np.mean(vp))
        assert effects.wins_per_game(act).value[tile] == pytest.approx(np.mean(wins))


def test_the_error_per_game_of_one_game_a_block_is_that_of_a_mean() -> None:
    games = games_of(200)
    vp = [sum(vp for _, vp, _ in game.of(Act.OMIT, 2)) for game in games]
    assert effects_of(games).vp_per_game(Act.OMIT).se[2] == pytest.approx(stats.sem(vp))


def test_what_helps_is_positive_whatever_the_change() -> None:
    # with the tile 10 VP and the win, without it 7 and none; TAKE: the game as it is has no tile
    tried = {(Act.OMIT, 0, 0): (7, 0), (Act.BLANK, 0, 0): (7, 0), (Act.TAKE, 0, 1): (10, 12)}
    effects = effects_of([Game([0, 0, 0], [10, 7, 7], [12, 0, 0], tried)] * 5)
    for act in SIGNS:
        assert effects.vp(act).value[0] == 3
        assert effects.wins(act).value[0] == 1
        assert effects.vp(act).se[0] == 0


@pytest.mark.parametrize("act", SIGNS)
def test_a_tile_that_nobody_had_has_no_effect_per_holding_and_none_per_game(effects: Effects, act: Act) -> None:
    assert np.isnan(effects.vp(act).value[3])
    assert np.isnan(effects.wins(act).value[3])
    assert effects.vp_per_game(act).value[3] == 0
    for of_holders in (effects.win_rate_of_holders(), effects.score_of_holders(), effects.selection()):
        assert np.isnan(of_holders.value[3])
        assert np.isfinite(of_holders.value[:3]).all()


# Holders against their like


def usual(games: list[Game], policy: int, seat: int) -> tuple[float, float]:
    """Return the mean score and win share of a policy at a seat."""
    at = [game for game in games if game.policy[seat] == policy]
    return float(np.mean([game.score[seat] for game in at])), float(np.mean([game.wins[seat] / 12 for game in at]))


def gains(games: list[Game], tile: int) -> tuple[float, float]:
    """Return what holders score and win more than their policy does at their seat, on average over holders."""
    usuals = {(policy, seat): usual(games, policy, seat) for policy in range(POLICIES) for seat in range(SEATS)}
    score, wins = [], []
    for game in games:
        for seat, _, _ in game.of(Act.OMIT, tile):
            usual_score, usual_wins = usuals[game.policy[seat], seat]
            score.append(game.score[seat] - usual_score)
            wins.append(game.wins[seat] / 12 - usual_wins)
    return float(np.mean(score)), float(np.mean(wins))


def test_holders_are_compared_with_their_own_policy_and_seat(games: list[Game], effects: Effects) -> None:
    for tile in range(3):
        score, wins = gains(games, tile)
        assert effects.score_of_holders().value[tile] == pytest.approx(score)
        assert effects.win_rate_of_holders().value[tile] == pytest.approx(wins)


def test_the_error_of_what_holders_gain_counts_that_what_is_usual_is_estimated_too(
    games: list[Game], effects: Effects
) -> None:
    few = games[:60]
    value, error = jackknife(by_block(few), lambda some: gains(some, 1)[0])
    found = effects_of(few).score_of_holders()
    assert found.value[1] == pytest.approx(value)
    assert found.se[1] == pytest.approx(error)


def test_a_tile_that_only_the_better_policy_gets_is_no_better_for_it() -> None:
    luck = np.random.default_rng(3)
    games = []
    for _ in range(400):
        policy = [int(luck.integers(2)) for _ in range(SEATS)]
        score = [30 + 40 * policy[seat] for seat in range(SEATS)]
        best = [seat for seat in range(SEATS) if score[seat] == max(score)]
        wins = [12 // len(best) if seat in best else 0 for seat in range(SEATS)]
        tried = {(Act.OMIT, 0, seat): (score[seat], wins[seat]) for seat in range(SEATS) if policy[seat]}
        games.append(Game(policy, score, wins, tried))
    effects = effects_of(games)
    assert effects.score_of_holders().value[0] == pytest.approx(0, abs=1e-9)
    assert effects.win_rate_of_holders().value[0] == pytest.approx(0, abs=1e-9)


def test_where_everybody_holds_the_tile_holders_gain_nothing() -> None:
    held = {(Act.OMIT, 0, seat): (20, 0) for seat in range(SEATS)}
    games = [game._replace(tried=held) for game in games_of(100)]
    assert effects_of(games).score_of_holders().value[0] == pytest.approx(0, abs=1e-9)


def test_a_policy_that_never_sat_at_a_seat_spoils_nothing() -> None:
    games = [game._replace(policy=[0, 0, 1]) for game in games_of(100)]
    score, wins = (np.array(gain) for gain in zip(*(_gains_of_fixed(games, tile) for tile in range(3)), strict=True))
    effects = effects_of(games)
    assert effects.score_of_holders().value[:3] == pytest.approx(score)
    assert effects.win_rate_of_holders().value[:3] == pytest.approx(wins)


def _gains_of_fixed(games: list[Game], tile: int) -> tuple[float, float]:
    scores = np.array([game.score for game in games])
    wins = np.array([game.wins for game in games]) / 12
    held = np.array([[(Act.OMIT, tile, seat) in game.tried for seat in range(SEATS)] for game in games])
    return float((scores - scores.mean(axis=0))[held].mean()), float((wins - wins.mean(axis=0))[held].mean())


def test_the_selection_gap_is_the_association_less_the_effect(games: list[Game], effects: Effects) -> None:
    gap = effects.selection()
    for tile in range(3):
        effect = np.mean([wins / 12 for game in games for _, _, wins in game.of(Act.OMIT, tile)])
        assert gap.value[tile] == pytest.approx(gains(games, tile)[1] - effect)
    together: Estimate = effects.win_rate_of_holders()
    assert gap.replicates[:, :3] == pytest.approx((together.replicates - effects.wins(Act.OMIT).replicates)[:, :3])


def test_a_tile_without_effect_that_strong_positions_get_is_all_selection() -> None:
    games = [
        game._replace(
            tried={
                (Act.OMIT, 0, seat): (game.score[seat], game.wins[seat]) for seat in range(3) if game.score[seat] > 50
            }
        )
        for game in games_of(600)
    ]
    effects = effects_of(games)
    assert effects.wins(Act.OMIT).value[0] == 0
    assert effects.selection().value[0] == pytest.approx(effects.win_rate_of_holders().value[0])
    assert effects.selection().value[0] > 0.1


# Pairing


def saved(games: list[Game], act: Act, tile: int) -> float:
    """Return 1 less the variance of the paired difference by that of independent games, seat by seat."""
    paired, independent = 0.0, 0.0
    for seat in range(SEATS):
        x = np.array([game.score[seat] for game in games], dtype=float)
        lost = np.array([sum(vp for of, vp, _ in game.of(act, tile) if of == seat) for game in games])
        y = x - lost
        paired += (x - y).var()
        independent += x.var() + y.var()
    return 1 - paired / independent


@pytest.mark.parametrize("act", [Act.OMIT, Act.BLANK])
def test_what_pairing_saves_is_computed_over_all_games(games: list[Game], effects: Effects, act: Act) -> None:
    found = effects.saved_by_pairing(act)
    for tile in range(3):
        assert found[tile] == pytest.approx(saved(games, act, tile))
    assert np.isnan(found[3])
    assert (found[:3] > 0.9).all()


def test_pairing_saves_all_games_where_the_tile_changes_nothing() -> None:
    games = [
        game._replace(tried={(Act.OMIT, 0, seat): (game.score[seat], game.wins[seat]) for seat in (0, 2)})
        for game in games_of(50)
    ]
    assert effects_of(games).saved_by_pairing(Act.OMIT)[0] == 1


def test_pairing_saves_nothing_where_the_game_without_the_tile_is_quite_another() -> None:
    luck = np.random.default_rng(4)
    games = [
        game._replace(
            policy=[0] * 3,
            score=[int(luck.integers(20, 60)) for _ in range(SEATS)],
            tried={(Act.OMIT, 0, seat): (int(luck.integers(20, 60)), 0) for seat in range(SEATS)},
        )
        for game in games_of(2_000)
    ]
    assert effects_of(games).saved_by_pairing(Act.OMIT)[0] == pytest.approx(0, abs=0.05)
