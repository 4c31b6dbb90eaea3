"""Whether a tile is balanced, for whom, and how sure we are (design: Verdicts)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balance.errors import InputError, nearest
from balance.games.interventions import Act
from balance.runs.folder import games_kept
from balance.runs.plan import Plan, check_games, make_plan
from balance.runs.spread import Interrupted, Progress, play_plan
from balance.runs.workers import Backend
from balance.scenario.load import Scenario, load_scenario, pooled_tiles
from balance.scenario.policies import BRAINS, parse_policy
from balance.stats.estimates import TOO_FEW, Estimate, Floats, put
from balance.stats.interventions import Effects
from balance.stats.tests import each_against_its_pool, equivalence_p, holm, two_sided_p
from balance.stats.verdicts import ALPHA, DECIDED, MARGIN, Verdict, games_for_verdict, verdicts
from balance.studies.run import AnyRun, run_of

FIRST_GAMES = 2400
MOST_LOOKS = 12


@dataclass(frozen=True)
class Question:
    """What is judged, and how strictly.

    Attributes
    ----------
    scenario : Scenario
    tiles : tuple of str
        The tiles that are judged.
    policies : tuple of str
        Each plays against its like.
    players : tuple of int
    margin : float
        VP below which a difference does not matter.
    alpha : float
        Chance that any of all the verdicts is wrong.
    looks : int
        How often the games are looked at before all are played.
    """

    scenario: Scenario
    tiles: tuple[str, ...]
    policies: tuple[str, ...]
    players: tuple[int, ...]
    margin: float = MARGIN
    alpha: float = ALPHA
    looks: int = 1

    @property
    def pools(self) -> dict[str, list[str]]:
        """The pools that the judged tiles belong to, by name."""
        return {name: pool for name, pool in self.scenario.pools.items() if set(pool) & set(self.tiles)}

    @property
    def studied(self) -> dict[str, str]:
        """All tiles of these pools, with the names of their pools."""
        return {tile: name for name, pool in self.pools.items() for tile in pool}

    @property
    def alpha_of_each(self) -> float:
        """The alpha of one interval at one look: Bonferroni over tiles, policies, player counts and looks."""
        return self.alpha / (len(self.tiles) * len(self.policies) * len(self.players) * self.looks)


@dataclass(frozen=True)
class Judged:
    """One policy at one number of players: what each tile of the pools brings, against the others.

    Attributes
    ----------
    question : Question
    run : AnyRun
        Its plan studied the tiles of the pools.
    """

    question: Question
    run: AnyRun

    @cached_property
    def effects(self) -> Effects:
        """The interventions."""
        return Effects(self.run.blocks, self.run.plan.studied)

    @cached_property
    def contrast(self) -> Estimate:
        """What each tile brings less the mean of the others of its pool, in restricted play, VP per holding."""
        return self._against_pool(self.effects.vp(Act.OMIT), self.effects.holdings(Act.OMIT))

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each tile that is judged."""
        question = self.question
        words = verdicts(self.contrast, self.effects.holdings(Act.OMIT), question.alpha_of_each, question.margin)
        found = dict(zip(self.run.plan.studied, words, strict=True))
        return {tile: found[tile] for tile in question.tiles}

    @property
    def all_decided(self) -> bool:
        """Tell whether every tile is decided."""
        return all(word in DECIDED for word in self.verdicts.values())

    def table(self) -> pd.DataFrame:
        """Return the evidence on each tile that is judged; see `Check.table`."""
        effects, question = self.effects, self.question
        held = effects.holdings(Act.OMIT)
        columns: dict[str, Any] = {
            "pool": list(question.studied.values()),
            "holdings": held.astype(np.int64),
            "holdings_per_game": held / self.run.games,
        }
        put(columns, "contrast", self.contrast, held)
        columns["decision_low"], columns["decision_high"] = self.contrast.interval(1 - question.alpha_of_each)
        columns["games_to_decide"] = games_for_verdict(
            self.contrast, held, self.run.games, question.alpha_of_each, question.margin
        )
        for act in (Act.OMIT, Act.BLANK, Act.TAKE):
            tried = effects.holdings(act)
            name = act.name.lower()
            put(columns, f"{name}_vp", effects.vp(act), tried)
            put(columns, f"{name}_win_share", effects.wins(act), tried)
            if act != Act.TAKE:
                put(columns, f"{name}_vp_per_game", effects.vp_per_game(act), tried)
                put(columns, f"{name}_win_share_per_game", effects.wins_per_game(act), tried)
                columns[f"{name}_saved"] = effects.saved_by_pairing(act)
            columns[f"{name}_n"] = tried.astype(np.int64)
        for name, (estimate, n) in self._others().items():
            put(columns, name, estimate, n)
        columns["p_equivalence"] = np.where(held >= TOO_FEW, equivalence_p(self.contrast, question.margin), np.nan)
        columns["p"] = np.where(held >= TOO_FEW, two_sided_p(self.contrast), np.nan)
        table = pd.DataFrame(columns, index=pd.Index(list(question.studied), name="tile")).loc[list(question.tiles)]
        table["verdict"] = [str(word) for word in self.verdicts.values()]
        return table

    def _others(self) -> dict[str, tuple[Estimate, Floats]]:
        """Return the measures that confirm or contradict restricted play, each with its occurrences."""
        effects = self.effects
        held = effects.holdings(Act.OMIT)
        found = {
            "win_share_contrast": (self._against_pool(effects.wins(Act.OMIT), held), held),
            "blank_contrast": (self._against_pool(effects.vp(Act.BLANK), effects.holdings(Act.BLANK)), held),
            "win_rate_gain": (effects.win_rate_of_holders(), held),
            "win_rate_gain_contrast": (self._against_pool(effects.win_rate_of_holders(), held), held),
            "score_gain": (effects.score_of_holders(), held),
            "selection_gap": (self._against_pool(effects.selection(), held), held),
        }
        counted = self.run.tiles_counted(self.run.plan.studied)
        for name, statistic in self.run.tile_values(self.run.plan.studied).items():
            estimate = self.run.blocks.estimate(statistic)
            found[name] = (estimate, counted)
            found[f"{name}_contrast"] = (self._against_pool(estimate, counted), counted)
        return found

    def _against_pool(self, estimate: Estimate, n: Floats) -> Estimate:
        return each_against_its_pool(estimate, list(self.question.studied.values()), n >= TOO_FEW)


@dataclass(frozen=True)
class Check:
    """Verdicts with their evidence.

    Attributes
    ----------
    question : Question
    runs : tuple of AnyRun
        One for each policy and number of players.
    """

    question: Question
    runs: tuple[AnyRun, ...]

    @cached_property
    def judged(self) -> list[Judged]:
        """The runs, judged; the strongest policy first."""
        strongest_first = sorted(self.runs, key=lambda run: -_rank(run.plan.policy))
        return [Judged(self.question, run) for run in strongest_first]

    def table(self) -> pd.DataFrame:
        """Return verdicts and evidence.

        Returns
        -------
        DataFrame
            Index (policy, players, tile), the strongest policy first. Columns: pool; holdings (games in which a seat
            held the tile, once for each such seat) and holdings_per_game; contrast (VP per holding that the tile
            brings in restricted play, less the mean of the others of its pool; with _se and the 95% interval _low,
            _high), decision_low and decision_high (the wider interval that decides), games_to_decide, verdict;
            p_equivalence (that it lies within the margin); p and p_holm (of the contrast, Holm over the table). For
            omit (restricted play), blank (ablation) and take (must-take): _vp and _win_share per holding, _n, and for
            the first two _vp_per_game, _win_share_per_game and _saved (share of games that pairing saved). own_vp,
            and marginal_vp where the game has it; win_rate_gain and score_gain of holders (associations),
            selection_gap (win_rate_gain_contrast less win_share_contrast); contrasts of all these as _contrast.
        """
        tables = {(judged.run.plan.policy, judged.run.plan.players): judged.table() for judged in self.judged}
        table = pd.concat(tables, names=["policy", "players"])
        table["p_holm"] = holm(table["p"].to_numpy())
        return table

    def verdicts(self) -> pd.DataFrame:
        """Return the verdict on each tile: that of the strongest policy; random decides only where it is alone.

        Returns
        -------
        DataFrame
            Index (tile, players). Columns verdict, policy, is_policy_dependent (two policies, none of them random,
            decide and differ).
        """
        table = self.table()
        rows = []
        for players in dict.fromkeys(run.plan.players for run in self.runs):
            for tile in self.question.tiles:
                found = table.xs((players, tile), level=("players", "tile"))["verdict"]
                decided = {word for policy, word in found.items() if _rank(policy) > 0 and word in DECIDED}
                rows.append((tile, players, found.iloc[0], found.index[0], len(decided) > 1))
        names = ["tile", "players", "verdict", "policy", "is_policy_dependent"]
        return pd.DataFrame(rows, columns=names).set_index(["tile", "players"])


def check(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    tiles: Sequence[str] = (),
    *,
    policies: Sequence[str] = ("greedy",),
    players: Sequence[int] = (),
    games: int = FIRST_GAMES,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    until_decided: bool = False,
    max_games: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    out: Path | str | None = None,
    progress: Progress | None = None,
) -> Check:
    """Judge tiles against the others of their pool.

    Parameters
    ----------
    scenario : Scenario, str or Path
    tiles : sequence of str
        All of the first pool by default: the expansion's tiles, or the Services.
    policies : sequence of str
        Each plays all seats; one seat, each in turn, is restricted.
    players : sequence of int
        The scenario's own number by default.
    games : int
        Games of each policy and number of players, before any is played again; the first batch with `until_decided`.
    margin : float
        VP below which a difference does not matter.
    alpha : float
        Chance that any verdict is wrong.
    until_decided : bool
        Go on until every tile is decided, looking when the games reach 1, 2, 4, ... times `games`.
    max_games : int, optional
        Where to stop, decided or not.
    seed, jobs, backend, progress
        See `simulate`.
    out : Path or str, optional
        A folder with a run folder for each policy and number of players, to go on from.

    Raises
    ------
    BalanceError
        If something cannot be used.
    Interrupted
        On Ctrl-C; its `result` is the Check of the games played so far, if there are any.

    Examples
    --------
    >>> found = check("city-services", ["fire", "parks"], policies=["random"], games=480)
    >>> list(found.table().loc[("random", 4)].index)
    ['fire', 'parks']
    """
    question = ask(
        scenario,
        tiles,
        policies=policies,
        players=players,
        margin=margin,
        alpha=alpha,
        looks=MOST_LOOKS if until_decided else 1,
    )
    check_games(games)
    most = games if not until_decided else games * 2 ** (MOST_LOOKS - 1) if max_games is None else max_games
    if max_games is not None and not until_decided:
        raise InputError(f"--max-games {max_games:,} says where --until-decided stops", "Add --until-decided.")
    if most < games:
        raise InputError(f"--max-games {most:,} is less than --games {games:,}", "Ask for fewer games at first.")
    looks = _looks(games, most)
    how = {"jobs": jobs, "backend": backend, "progress": progress}
    runs: list[AnyRun] = []
    for plan in plans_of(question, seed):
        folder = Path(out) / f"{plan.policy}-{plan.players}p" if out is not None else None
        try:
            runs.append(_play_until_decided(question, plan, looks, folder, **how))
        except Interrupted as stop:
            played = [*runs, *([run_of(plan, stop.tallies)] if stop.done else [])]
            stop.result = Check(question, tuple(played)) if played else None
            raise
    return Check(question, tuple(runs))


def ask(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    tiles: Sequence[str] = (),
    *,
    policies: Sequence[str] = ("greedy",),
    players: Sequence[int] = (),
    margin: float = MARGIN,
    alpha: float = ALPHA,
    looks: int = 1,
) -> Question:
    """Check what is to be judged.

    Raises
    ------
    InputError
        If there is no such tile, a margin or alpha makes no sense, or there is nothing to compare.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    if not 0 < margin < float("inf"):
        raise InputError(f"--margin {margin:g}: a margin is more than 0 VP", f"The default is {MARGIN:g}.")
    if not 0 < alpha < 1:
        raise InputError(f"--alpha {alpha:g}: a chance lies between 0 and 1", f"The default is {ALPHA:g}.")
    pools = {name: pool for name, pool in scenario.pools.items() if pool}
    known = pooled_tiles(scenario)
    for tile in tiles:
        if tile not in known:
            raise InputError(f'--tile {tile}: no tile "{tile}" to judge in this game', nearest(tile, known))
    chosen = tuple(dict.fromkeys(tiles)) or tuple(next(iter(pools.values()), ()))
    question = Question(
        scenario,
        chosen,
        tuple(dict.fromkeys(policies)),
        tuple(dict.fromkeys(players)) or (scenario.players,),
        margin,
        alpha,
        looks,
    )
    if not chosen:
        raise InputError(f"{scenario.title} has no tiles to judge", "Put some into the game.")
    if not question.policies:
        raise InputError("no policy is asked for", "Add --policy greedy.")
    for name, pool in question.pools.items():
        if len(pool) < 2:
            raise InputError(f"{pool[0]} is alone in its pool ({name}): there is nothing to compare it with")
    for policy in question.policies:
        if "," in policy:
            raise InputError(f"--policy {policy}: one policy for all seats", "Repeat --policy to check several.")
        parsed = parse_policy(policy, scenario.names)
        for tile in {*parsed.withheld, *parsed.preferred} & question.studied.keys():
            raise InputError(
                f"--policy {policy}: it is bound with {tile}, which is to be judged", "Drop one of the two."
            )
    return question


def plans_of(question: Question, seed: int) -> list[Plan]:
    """Return the games that answer a question: a plan for each policy and number of players."""
    return [
        make_plan(question.scenario, players=players, policy=policy, seed=seed, studied=list(question.studied))
        for policy in question.policies
        for players in question.players
    ]


def _looks(games: int, most: int) -> list[int]:
    """Return the numbers of games at which to look: 1, 2, 4, ... times the first batch."""
    looks = [games]
    while len(looks) < MOST_LOOKS and 2 * looks[-1] <= most:
        looks.append(2 * looks[-1])
    return looks if looks[-1] == most or len(looks) == MOST_LOOKS else [*looks, most]


def _play_until_decided(
    question: Question, plan: Plan, looks: Sequence[int], folder: Path | None, **how: Any
) -> AnyRun:
    """Play a plan's games until its tiles are decided at one of the looks, or none is left."""
    kept = games_kept(folder, plan) if folder is not None else 0
    tallies = None
    for games in looks:
        if games < kept and games != looks[-1]:
            continue  # it was looked at before, and more games were wanted
        tallies = play_plan(plan, games, folder=folder, so_far=tallies, **how)
        if Judged(question, run_of(plan, tallies)).all_decided:
            break
    return run_of(plan, tallies or {})


def _rank(policy: str) -> int:
    """Return how strong a policy is: random is the floor."""
    brain = next(brain for brain in BRAINS if policy.startswith(brain))
    return BRAINS.index(brain)
