"""Is the instrument right? How often verdicts are wrong where the truth is known, and how often it is found.

A check is repeated many times on fresh seeds. All repeats together tell what is true of each tile; each repeat is
then judged as if the tiles were off by nothing, or by exactly the margin: its estimates are moved by the known
difference, nothing else is touched. A planted tile is a real one with another printed VP: no estimate is moved there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from balance.errors import InputError
from balance.runs.engine import engine_of
from balance.runs.plan import Plan, check_games
from balance.runs.spread import Interrupted, Progress, play_plan
from balance.runs.tallies import Tallies, add_tallies
from balance.runs.workers import in_order, worker_count
from balance.scenario.load import Scenario, change_scenario
from balance.stats.estimates import Estimate, Floats, wilson
from balance.stats.planning import power_to_decide
from balance.stats.verdicts import ALPHA, DECIDED, MARGIN, Verdict, verdicts
from balance.studies.check import MOST_LOOKS, Judged, Question, ask, plans_of
from balance.studies.price import section_of
from balance.studies.run import run_of

REPEATS = 400
GAMES = 240
LOOKS = (1, 2, 4)
FEWEST_REPEATS = 2 * LOOKS[-1]  # two sequences of looks
MOST_REPEATS = 100_000
FORETOLD_POWER = 0.8
PLANTED_VP = 1

_OFF = (Verdict.STRONG, Verdict.WEAK, Verdict.OVERPOWERED, Verdict.UNDERPOWERED)


@dataclass(frozen=True)
class Calibration:
    """Verdicts where the truth is known.

    Attributes
    ----------
    question : Question
        Of one policy and number of players; each tile is judged alone, unless the row says otherwise.
    repeats, games : int
        Repeats, and games of each.
    truth : DataFrame
        Index tile; columns contrast and contrast_se from all repeats together.
    rates : DataFrame
        Index (case, what). Columns: rate with low and high (95%), promised, promise ("at most" or "near"), n
        (verdicts), kept (whether the rate may be what was promised, or less where that is "at most").
    """

    question: Question
    repeats: int
    games: int
    truth: pd.DataFrame
    rates: pd.DataFrame


_KEPT = ("games", "changes")
"""All that verdicts need: whole tallies of hundreds of repeats would fill the memory."""

Played = list[tuple[Tallies, Plan]]
"""Tallies of repeated games, each with its plan."""


def calibrate(  # noqa: PLR0913 (all but one are keywords)
    scenario: Scenario | str | Path = "city-services",
    *,
    policy: str = "random",
    players: int | None = None,
    repeats: int = REPEATS,
    games: int = GAMES,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    seed: int = 1,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Measure how often verdicts are wrong where the truth is known, and how often a planted tile is found.

    Parameters
    ----------
    scenario, policy, players, margin, alpha, seed, jobs
        As for `check`.
    repeats : int
        Checks on fresh seeds, of the scenario and of one with a planted tile.
    games : int
        Games of each check.
    progress : callable, optional
        Called with the games done and asked for.

    Raises
    ------
    BalanceError
        If something cannot be used.
    """
    question = ask(
        scenario, policies=[policy], players=[] if players is None else [players], margin=margin, alpha=alpha
    )
    check_games(games)
    if not FEWEST_REPEATS <= repeats <= MOST_REPEATS:
        problem = f"--repeats {repeats:,}: a calibration takes {FEWEST_REPEATS} to {MOST_REPEATS:,}"
        raise InputError(problem, f"{REPEATS} is a good start.")
    planted, tile = _with_planted_tile(question)
    report = progress or (lambda _done, _games: None)
    total = 2 * repeats * games
    played = _repeat(plans_of(question, seed)[0], repeats, games, jobs, lambda done: report(done, total))
    again = _repeat(
        plans_of(planted, seed + repeats)[0], repeats, games, jobs, lambda done: report(repeats * games + done, total)
    )
    known, estimates = _judge_all(question, played)
    rates = [
        *_rates_of_shifted(question, known, estimates),
        *_rates_until_decided(question, known, [part for part, _ in played]),
        *_rates_of_planted(planted, tile, again),
    ]
    truth = pd.DataFrame(
        {"contrast": known.value, "contrast_se": known.se}, index=pd.Index(list(question.studied), name="tile")
    )
    return Calibration(question, repeats, games, truth, pd.DataFrame(rates).set_index(["case", "what"]))


def _repeat(plan: Plan, repeats: int, games: int, jobs: int | None, progress: Callable[[int], None]) -> Played:
    """Play the plan's first games again and again, each time with the next seed."""
    plans = [replace(plan, seed=plan.seed + number) for number in range(repeats)]
    play_plan(plans[0], 1)  # compiles once, before the workers start
    tasks = (partial(_play_kept, of_repeat, games) for of_repeat in plans)
    played: Played = []
    try:
        with closing(in_order(tasks, worker_count(jobs))) as results:
            for of_repeat, tallies in zip(plans, results, strict=True):
                played.append((tallies, of_repeat))
                progress(len(played) * games)
    except KeyboardInterrupt:
        raise Interrupted({}, len(played) * games, repeats * games, None) from None
    return played


def _play_kept(plan: Plan, games: int) -> Tallies:
    tallies = engine_of(plan).play(0, games)
    return {name: tallies[name] for name in _KEPT}


def _with_planted_tile(question: Question) -> tuple[Question, str]:
    """Return the same question of a scenario in which one tile of the pool prints more VP."""
    scenario, tile = question.scenario, question.tiles[0]
    if tile in scenario.pools.get("base", []):
        raise InputError(f"{scenario.title} has no expansion, and a planted tile is one of it", "Take a game with it.")
    section = section_of(scenario, tile)
    data = scenario.model_dump()[section][tile]
    changed = change_scenario(scenario, [f"{section}.{tile}.printed_vp={data['printed_vp'] + PLANTED_VP}"])
    return replace(question, scenario=changed), tile


def _judge_all(question: Question, played: Played) -> tuple[Estimate, list[Estimate]]:
    """Return the contrasts from all repeats together, and from each."""
    estimates = [_contrast(question, plan, tallies) for tallies, plan in played]
    return _contrast(question, played[0][1], _sum([tallies for tallies, _ in played])), estimates


def _contrast(question: Question, plan: Plan, tallies: Tallies) -> Estimate:
    return Judged(question, run_of(plan, tallies)).contrast


def _moved(estimate: Estimate, known: Estimate, to: float) -> Estimate:
    """Return an estimate of tiles that are off by `to`, where they are known to be off by what `known` says."""
    shift = to - known.value
    return Estimate(estimate.value + shift, estimate.replicates + shift)


def _rates_of_shifted(question: Question, known: Estimate, estimates: Sequence[Estimate]) -> list[dict[str, Any]]:
    """Return the rates of wrong verdicts at no effect and at the margins, and the coverage of intervals."""
    margin, alpha = question.margin, question.alpha

    def rates(to: float, words: Sequence[Verdict]) -> Floats:
        return np.array([_share(_moved(estimate, known, to), words, alpha, margin) for estimate in estimates])

    covered = np.array([np.mean(_covers(estimate, known)) for estimate in estimates])
    family = [
        any(word in _OFF for word in _words(_moved(estimate, known, 0.0), alpha / len(known.value), margin))
        for estimate in estimates
    ]
    tiles = len(known.value)
    up, down, balanced = [Verdict.OVERPOWERED], [Verdict.UNDERPOWERED], [Verdict.BALANCED]
    return [
        _rate("no effect", "called strong, weak or worse", rates(0.0, _OFF), tiles, alpha, "at most"),
        _rate("no effect", "any of all tiles so called", np.array(family, dtype=float), 1, alpha, "at most"),
        _rate("exactly the margin above", "called overpowered", rates(margin, up), tiles, alpha, "at most"),
        _rate("exactly the margin above", "called balanced", rates(margin, balanced), tiles, alpha, "at most"),
        _rate("exactly the margin below", "called underpowered", rates(-margin, down), tiles, alpha, "at most"),
        _rate("exactly the margin below", "called balanced", rates(-margin, balanced), tiles, alpha, "at most"),
        _rate("95% intervals", "cover the truth", covered, tiles, 0.95, "near"),
    ]


def _rates_until_decided(question: Question, known: Estimate, played: Sequence[Tallies]) -> list[dict[str, Any]]:
    """Return the rates of wrong verdicts where the games are looked at again and again until all is decided."""
    alpha, batches = question.alpha / MOST_LOOKS, LOOKS[-1]
    sequences = [played[start : start + batches] for start in range(0, len(played) - batches + 1, batches)]
    plan = plans_of(question, 0)[0]
    found: dict[tuple[str, str], list[float]] = {}
    for sequence in sequences:
        looks = [_contrast(question, plan, _sum(sequence[:look])) for look in LOOKS]
        for case, to, what, words in (
            ("no effect, until decided", 0.0, "called strong, weak or worse", _OFF),
            ("the margin above, until decided", question.margin, "called overpowered", (Verdict.OVERPOWERED,)),
            ("the margin above, until decided", question.margin, "called balanced", (Verdict.BALANCED,)),
            ("the margin below, until decided", -question.margin, "called underpowered", (Verdict.UNDERPOWERED,)),
            ("the margin below, until decided", -question.margin, "called balanced", (Verdict.BALANCED,)),
        ):
            final = _first_decided([_words(_moved(look, known, to), alpha, question.margin) for look in looks])
            found.setdefault((case, what), []).append(float(np.mean([word in words for word in final])))
    return [
        _rate(case, what, np.array(rates), len(known.value), question.alpha, "at most")
        for (case, what), rates in found.items()
    ]


def _first_decided(looks: Sequence[Sequence[Verdict]]) -> list[Verdict]:
    """Return each tile's verdict at the first look that decides it, else at the last one."""
    return [next((word for word in words if word in DECIDED), words[-1]) for words in zip(*looks, strict=True)]


def _rates_of_planted(planted: Question, tile: str, played: Played) -> list[dict[str, Any]]:
    """Return how often a planted tile is found overpowered, against the chance foretold from the first half.

    The margin is such that the chance is 0.8.
    """
    known, estimates = _judge_all(planted, played)
    place = list(planted.studied).index(tile)
    pilots, estimates = estimates[: len(estimates) // 2], estimates[len(estimates) // 2 :]
    pilot = float(np.sqrt(np.mean([estimate.se[place] ** 2 for estimate in pilots])))
    quantiles = special.ndtri(1 - planted.alpha / 2) + special.ndtri(FORETOLD_POWER)
    margin = float(known.value[place] - quantiles * pilot)
    if not margin > 0:
        what = f"worth {known.value[place]:.2f} VP: too little to be found in so few games"
        return [_rate(f"{tile} with {PLANTED_VP} VP more", what, np.zeros(2), 1, 0.0, "near")]
    foretold = float(power_to_decide(np.array([known.value[place] - margin]), np.array([pilot]), planted.alpha)[0])
    found = [_words(estimate, planted.alpha, margin)[place] == Verdict.OVERPOWERED for estimate in estimates]
    what = f"called overpowered (worth {known.value[place]:.2f} VP, margin {margin:.2f})"
    return [_rate(f"{tile} with {PLANTED_VP} VP more", what, np.array(found, dtype=float), 1, foretold, "near")]


def _words(estimate: Estimate, alpha: float, margin: float) -> list[Verdict]:
    """Return verdicts as if there were occurrences enough: how many there are is not what is calibrated."""
    return verdicts(estimate, np.full(len(estimate.value), np.inf), alpha, margin)


def _share(estimate: Estimate, words: Sequence[Verdict], alpha: float, margin: float) -> float:
    return float(np.mean([word in words for word in _words(estimate, alpha, margin)]))


def _covers(estimate: Estimate, known: Estimate) -> Floats:
    low, high = estimate.interval()
    return ((low <= known.value) & (known.value <= high)).astype(np.float64)


def _sum(parts: Sequence[Tallies]) -> Tallies:
    total = {name: sums.copy() for name, sums in parts[0].items()}
    for part in parts[1:]:
        add_tallies(total, part)
    return total


def _rate(case: str, what: str, rates: Floats, each: int, promised: float, promise: str) -> dict[str, Any]:
    """Return a row: the mean over repeats, its interval from their spread, Wilson's where all say the same."""
    n = len(rates)
    rate = float(rates.mean())
    se = float(rates.std(ddof=1) / np.sqrt(n))
    effective = rate * (1 - rate) / se**2 if se > 0 else float(n)
    low, high = (float(limit[0]) for limit in wilson(np.array([rate]), np.array([effective]), special.ndtri(0.975)))
    kept = low <= promised if promise == "at most" else low <= promised <= high
    return {
        "case": case, "what": what, "rate": rate, "low": max(low, 0.0), "high": min(high, 1.0), "promise": promise,
        "promised": promised, "n": n * each, "kept": bool(kept),
    }  # fmt: skip
