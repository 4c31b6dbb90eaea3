"""Interventions equal the games of plans that say the same: a seat may not use a tile, has to, or finds it blank."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from balance.errors import InputError, RunFolderError
from balance.games.interventions import ACTS, TAKE_EVERY, Act, ByChange
from balance.games.outcome import BLOCKS, BySeat
from balance.games.record import Ints
from balance.runs import pace
from balance.runs.engine import engine_of
from balance.runs.folder import load_run
from balance.runs.plan import Plan, make_plan, plan_from_data
from balance.runs.spread import Interrupted, play_plan
from balance.runs.tallies import Tallies, same_tallies
from balance.runs.workers import Backend
from balance.scenario.load import Scenario, load_scenario
from balance.studies.replay import replay_game

pytestmark = pytest.mark.jitted

CITY, ONE_WAY = "city-services", "city-services-one-way"
CLASSIC, EXPERT = "quadropolis-classic", "quadropolis-expert"
CLASSIC_BASE, EXPERT_BASE = "quadropolis-classic-base", "quadropolis-expert-base"

Key = tuple[int, int, int, int, int]  # block, policy, seat, act, column


@functools.cache
def loaded(name: str, changes: tuple[str, ...] = ()) -> Scenario:
    return load_scenario(name, changes=changes)


class Case(NamedTuple):
    """Games of one stretch of 240, so that each has a block of its own and no seat changes its policy."""

    scenario: str
    policy: str
    players: int
    tiles: tuple[str, ...] = ()  # the first pool where there are none
    first: int = 0
    games: int = 16
    changes: tuple[str, ...] = ()

    @property
    def studied(self) -> list[str]:
        pools = loaded(self.scenario, self.changes).pools
        return list(self.tiles) or next(iter(pools.values()))


CASES = {
    "City Services, 4 random": Case(CITY, "random", 4, ("roads", "waste", "fire", "health", "religious"), games=24),
    "City Services, 2 random": Case(CITY, "random", 2, ("fire", "power", "parks", "transportation"), games=20),
    "City Services, 2 greedy": Case(CITY, "greedy", 2, ("water", "police", "education", "entertainment"), games=20),
    "City Services, 4 greedy": Case(CITY, "greedy", 4, ("parks", "fire", "roads", "waste"), games=24),
    "City Services, unequal and rotated": Case(
        ONE_WAY, "greedy,random-power,random+parks", 3, ("fire", "waste", "roads"), first=500, games=24
    ),
    "City Services, withheld are kept": Case(
        CITY, "random,greedy", 2, ("roads", "fire"), games=20, changes=("experiments.withheld=keep",)
    ),
    "Classic, 4 random": Case(CLASSIC, "random", 4, ("school", "shop", "fire_station", "park"), games=24),
    "Classic, 2 greedy": Case(CLASSIC, "greedy", 2, ("school", "city_hall", "harbor", "maternity_ward"), games=24),
    "Classic, unequal and rotated": Case(
        CLASSIC, "greedy-park,random,random+harbor", 3, ("tv_station", "tower_block"), first=255, games=24
    ),
    "Expert, 2 random": Case(EXPERT, "random", 2, games=24),
    "Expert, 2 greedy": Case(EXPERT, "greedy", 2, ("congress_center", "capitol", "monument"), games=16),
    "Expert, 4 greedy": Case(EXPERT, "greedy", 4, ("maternity_ward", "capitol"), games=9),
}


def plan_of(case: Case, *, policy: str = "", studied: Sequence[str] = (), changes: Sequence[str] = ()) -> Plan:
    """Return the games of a case; with policies of their own the seats keep them."""
    return make_plan(
        loaded(case.scenario, (*case.changes, *changes)),
        players=case.players,
        policy=policy or case.policy,
        seed=7,
        fixed_seats=bool(policy),
        studied=list(studied),
    )


@functools.cache
def replays(case: Case) -> list[dict[str, Any]]:
    """Return the games of a case as they are."""
    plan = plan_of(case)
    return [replay_game(plan, game) for game in range(case.first, case.first + case.games)]


@functools.cache
def changes_of(case: Case) -> Ints:
    """Return what the studied plan counted."""
    return played(plan_of(case, studied=case.studied), case)["changes"]


def played(plan: Plan, case: Case) -> Tallies:
    """Play the games of a case."""
    assert case.first // BLOCKS == (case.first + case.games - 1) // BLOCKS
    return engine_of(plan).play(case.first, case.first + case.games)


def results(plan: Plan, case: Case) -> Ints:
    """Return VP and twelfths of the win, (games, seats, 2)."""
    seats = played(plan, case)["seats"][..., [BySeat.SCORE, BySeat.WINS]].sum(axis=1)
    return seats[[game % BLOCKS for game in range(case.first, case.first + case.games)]]


@functools.cache
def results_as_they_are(case: Case) -> Ints:
    return results(plan_of(case), case)


@functools.cache
def results_of_one(case: Case, seat: int, restriction: str) -> Ints:
    """Return the results where one seat has a restriction, such as "-fire" or "+fire"."""
    return results(plan_of(case, policy=one_seat(case, seat, restriction)), case)


def one_seat(case: Case, seat: int, restriction: str) -> str:
    """Return the policies of all seats, one of them restricted."""
    names = list(replays(case)[0]["policies"])
    names[seat] += restriction
    return ",".join(names)


@functools.cache
def results_of_all(case: Case, restriction: str, changes: tuple[str, ...] = ()) -> Ints:
    """Return the results where every seat has a restriction, or the scenario is another."""
    names = ",".join(f"{name}{restriction}" for name in replays(case)[0]["policies"])
    return results(plan_of(case, policy=names, changes=changes), case)


def holds(data: dict[str, Any], seat: int, tile: str) -> bool:
    """Tell whether a seat drew a tile of City Services, or has the building in its city of Quadropolis."""
    if "cities" in data:
        return any(space["building"] == tile for space in data["cities"][seat]["spaces"])
    hands = [turn["hand"] for turn in data["turns"] if turn["seat"] == seat + 1]
    return any(hand.get(tile, 0) > 0 for hand in [*hands, data["dealt"][seat], data["left_in_hand"][seat]])


def could_have(data: dict[str, Any], seat: int, tile: str) -> bool:
    """Tell whether a tile was to be had: drawn; or of the base game, or visible in some round."""
    if "cities" not in data:
        return holds(data, seat, tile)
    return tile not in data["scenario"]["pool"] or any(tile in entry["visible"] for entry in data["rounds"])


def added_up(case: Case, entries: Iterator[tuple[Key, tuple[Ints, Ints]]]) -> Ints:
    """Add up (VP, win) as it is and as it is with a change, at the places of the tally."""
    policies, tiles = len(plan_of(case).policies), len(case.studied)
    total = np.zeros((BLOCKS, policies, case.players, ACTS, tiles, len(ByChange)), dtype=np.int64)
    for key, ((score, wins), (other, other_wins)) in entries:
        gained = score - other
        total[key] += [1, score, score**2, wins, gained, gained**2, wins - other_wins, other**2]
    return total


def booked(case: Case, act: Act, changed: Callable[[int, str], Ints]) -> Iterator[tuple[Key, tuple[Ints, Ints]]]:
    """Return what one act books: for each game, seat and tile concerned the result as it is and as it is changed."""
    names = [policy.name for policy in plan_of(case).policies]
    for place, data in enumerate(replays(case)):
        game = case.first + place
        is_tried = act != Act.TAKE or (game + game // BLOCKS) % TAKE_EVERY == 0
        for column, tile in enumerate(case.studied):
            for seat in range(case.players) if is_tried else ():
                if (could_have if act == Act.TAKE else holds)(data, seat, tile):
                    key = game % BLOCKS, names.index(data["policies"][seat]), seat, int(act), column
                    yield key, (results_as_they_are(case)[place, seat], changed(seat, tile)[place, seat])


# One seat


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_omitting_a_tile_is_one_seat_never_using_it(case: Case) -> None:
    expected = added_up(case, booked(case, Act.OMIT, lambda seat, tile: results_of_one(case, seat, f"-{tile}")))
    assert expected[..., ByChange.HOLDINGS].any()
    assert expected[..., ByChange.DIFFERENCE].any()
    assert (changes_of(case)[:, :, :, Act.OMIT] == expected[:, :, :, Act.OMIT]).all()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_taking_a_tile_is_one_seat_building_it_whenever_it_can(case: Case) -> None:
    expected = added_up(case, booked(case, Act.TAKE, lambda seat, tile: results_of_one(case, seat, f"+{tile}")))
    assert expected[..., ByChange.HOLDINGS].any()
    assert (changes_of(case)[:, :, :, Act.TAKE] == expected[:, :, :, Act.TAKE]).all()


@pytest.mark.parametrize("name", ["City Services, 4 greedy", "Classic, 2 greedy"])
def test_a_change_equals_the_replay_of_a_plan_that_makes_it(name: str) -> None:
    case = CASES[name]
    holdings = [
        (place, seat, tile)
        for place, data in enumerate(replays(case))
        for seat in range(case.players)
        for tile in case.studied
        if holds(data, seat, tile)
    ]
    for place, seat, tile in holdings[:: len(holdings) // 4]:
        data = replays(case)[place]
        again = replay_game(plan_of(case, policy=one_seat(case, seat, f"-{tile}")), case.first + place)
        row = changes_of(case)[place, 0, seat, Act.OMIT, case.studied.index(tile)]
        assert row[ByChange.HOLDINGS] == 1
        assert row[ByChange.SCORE] == data["scores"][seat]
        assert row[ByChange.DIFFERENCE] == data["scores"][seat] - again["scores"][seat]
        assert row[ByChange.WINS_DIFFERENCE] == 12 * (data["win_shares"][seat] - again["win_shares"][seat])


# Everybody


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("City Services")])
def test_a_blank_service_is_one_that_nobody_may_use(name: str) -> None:
    case = CASES[name]
    blank = ("experiments.withheld=blank",)
    if case.changes == ("experiments.withheld=keep",):
        case = case._replace(changes=())
        kept = changes_of(case._replace(changes=("experiments.withheld=keep",)))
        assert (kept[:, :, :, Act.BLANK] == changes_of(case)[:, :, :, Act.BLANK]).all()
    expected = added_up(case, booked(case, Act.BLANK, lambda _, tile: results_of_all(case, f"-{tile}", blank)))
    assert expected[..., ByChange.DIFFERENCE].any()
    assert (changes_of(case)[:, :, :, Act.BLANK] == expected[:, :, :, Act.BLANK]).all()


WITHOUT_EFFECT = {
    "city_hall": ["vp=0"],
    "customs_office": ["vp=0"],
    "city_planning": ["vp=0", "vp_full_city=0"],
    "electric_utility": ["gives_energy=0"],
    "fire_station": ["vp=0", "inhabitants=1"],
    "maternity_ward": ["gives_inhabitants=0"],
    "park_district": ["vp=0", "inhabitants=1"],
    "police_station": ["vp=0"],
    "school": ["vp=0"],
    "tv_station": ["inhabitants_per_shop=0"],
}
"""What makes a tile a standard Public Service of 0 VP; nothing does of the Reprocessing Plant, which takes energy."""

BLANKED = {
    "Classic, 4 random": Case(CLASSIC, "random", 4, tuple(WITHOUT_EFFECT), games=24),
    "Classic, 2 greedy": Case(CLASSIC, "greedy", 2, tuple(WITHOUT_EFFECT), games=24),
    "Expert, 2 random": Case(EXPERT, "random", 2, tuple(WITHOUT_EFFECT)[:6], games=32),
    "Expert, 4 greedy": Case(EXPERT, "greedy", 4, ("fire_station", "school", "maternity_ward"), games=8),
}


@pytest.mark.parametrize("case", BLANKED.values(), ids=BLANKED)
def test_a_blank_tile_of_the_expansion_is_one_that_does_what_a_standard_of_0_vp_does(case: Case) -> None:
    def without_effect(tile: str) -> tuple[str, ...]:
        return tuple(f"pool.{tile}.{change}" for change in WITHOUT_EFFECT[tile])

    expected = added_up(case, booked(case, Act.BLANK, lambda _, tile: results_of_all(case, "", without_effect(tile))))
    assert expected[..., ByChange.DIFFERENCE].any()
    assert (changes_of(case)[:, :, :, Act.BLANK] == expected[:, :, :, Act.BLANK]).all()


VP_COLUMNS = [column for column in ByChange if column not in (ByChange.WINS, ByChange.WINS_DIFFERENCE)]
BLANKED_BASE = {
    "park": (Case(CLASSIC_BASE, "greedy", 2, ("park",), games=24), ("score.park=[0]", "score.park_absorbs=0")),
    "monument": (
        Case(EXPERT_BASE, "greedy", 2, ("monument",), games=24),
        tuple(
            f"score.monument_per_{building}=0" for building in ("park", "shop", "public_service", "factory", "harbor")
        ),
    ),
}


@pytest.mark.parametrize(("case", "changes"), BLANKED_BASE.values(), ids=BLANKED_BASE)
def test_a_blank_tile_of_the_base_game_scores_like_one_that_counts_for_nothing(
    case: Case, changes: tuple[str, ...]
) -> None:
    # the VP alone: a blank does not decide ties either, which these do
    expected = added_up(case, booked(case, Act.BLANK, lambda _, tile: results_of_all(case, "", changes)))
    found = changes_of(case)[:, :, :, Act.BLANK]
    assert found[..., ByChange.DIFFERENCE].any()
    assert (found[..., VP_COLUMNS] == expected[:, :, :, Act.BLANK][..., VP_COLUMNS]).all()


# What could not have mattered


def course(data: dict[str, Any]) -> dict[str, Any]:
    """Return a replay without what it says of the plan."""
    return {
        name: part
        for name, part in data.items()
        if name not in ("policy", "policies", "fixed_seats", "studied", "scenario")
    }


@pytest.mark.parametrize("name", ["City Services, 4 random", "City Services, 4 greedy", "Classic, 2 greedy"])
def test_a_seat_that_never_had_a_tile_plays_the_same_game_without_it(name: str) -> None:
    case = CASES[name]
    compared = 0
    for place, data in enumerate(replays(case)[:5]):
        for seat, tile in ((seat, tile) for seat in range(case.players) for tile in case.studied[:4]):
            if not holds(data, seat, tile):
                again = replay_game(plan_of(case, policy=one_seat(case, seat, f"-{tile}")), case.first + place)
                assert course(again) == course(data)
                compared += 1
    assert compared >= 5


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_results_of_seats_that_never_had_a_tile_are_those_without_it(case: Case) -> None:
    free = 0
    for seat, tile in ((seat, tile) for seat in range(case.players) for tile in case.studied):
        never = [place for place, data in enumerate(replays(case)) if not holds(data, seat, tile)]
        without = results_of_one(case, seat, f"-{tile}")
        assert (without[never] == results_as_they_are(case)[never]).all()
        free += len(never)
    assert free > 0


def test_a_tile_that_was_never_to_be_had_changes_nothing_for_a_seat_that_must_build_it() -> None:
    case = Case(EXPERT, "greedy", 2, ("capitol", "school"), games=12, changes=("public_services.visible=1",))
    compared = 0
    for place, data in enumerate(replays(case)):
        for tile in case.studied:
            if not could_have(data, 0, tile):
                again = replay_game(plan_of(case, policy=f"greedy+{tile},greedy"), place)
                assert course(again) == course(data)
                compared += 1
    assert compared >= 5


def test_must_take_is_tried_in_one_game_of_eight_of_every_block() -> None:
    plan = make_plan(load_scenario(CITY), players=2, studied=["roads"])
    holdings = engine_of(plan).play(0, TAKE_EVERY * BLOCKS)["changes"][:, 0, :, :, 0, ByChange.HOLDINGS]
    takes, omits = holdings[..., Act.TAKE], holdings[..., Act.OMIT]
    assert takes.max() == 1  # once in the 8 games of a block
    assert omits.max() == TAKE_EVERY
    assert takes.sum() > 0.9 * takes.size  # where it was drawn, which nearly every seat does


# What is counted besides


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_else_is_counted_as_if_nothing_were_studied(case: Case) -> None:
    studied = played(plan_of(case, studied=case.studied), case)
    plain = played(plan_of(case), case)
    assert plain.pop("changes").size == 0
    assert studied.pop("changes").any()
    assert same_tallies(studied, plain)


def test_tiles_are_counted_in_the_order_in_which_they_are_studied() -> None:
    case = CASES["Expert, 2 random"]
    forwards = changes_of(case)
    backwards = changes_of(case._replace(tiles=tuple(reversed(case.studied))))
    assert not (forwards == backwards).all()
    assert (forwards == np.flip(backwards, axis=4)).all()
    alone = changes_of(case._replace(tiles=(case.studied[3],)))
    assert (alone[..., 0, :] == forwards[..., 3, :]).all()


def test_a_tile_studied_twice_is_studied_once() -> None:
    plan = make_plan(load_scenario(CITY), studied=["fire", "parks", "fire"])
    assert plan.studied == ("fire", "parks")


def test_a_recorded_game_is_the_one_as_it_is() -> None:
    case = CASES["Classic, 2 greedy"]
    recorded = replay_game(plan_of(case, studied=case.studied), 3)
    assert course(recorded) == course(replays(case)[3])


# Spread over workers, interrupted


class Spread(NamedTuple):
    plan: Plan
    games: int


@functools.cache
def spread_plan(game: str) -> Spread:
    """Return enough games for several chunks, unequal policies so that rotation shows."""
    if game == "city-services":
        plan = make_plan(loaded(CITY), players=2, policy="random,random-fire", seed=5, studied=["parks", "roads"])
        return Spread(plan, 600)
    plan = make_plan(loaded(CLASSIC), players=2, policy="random,random-shop", seed=5, studied=["school", "park"])
    return Spread(plan, 600)


@functools.cache
def in_one_go(game: str) -> Tallies:
    plan, games = spread_plan(game)
    return engine_of(plan).play(0, games)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work finely."""
    monkeypatch.setattr(pace, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(pace, "SMALLEST_CHUNK", 8)
    monkeypatch.setattr(pace, "PILOT_SECONDS", 1e-9)


def stop_at(games: int) -> Callable[[int, int], None]:
    """Return a progress callback that presses Ctrl-C once so many games are done."""

    def progress(done: int, _games: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    return progress


GAMES_OF = ["city-services", "quadropolis"]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("game", GAMES_OF)
@pytest.mark.parametrize(("backend", "jobs"), [("threads", 1), ("threads", 2), ("processes", 2)])
def test_studied_games_are_counted_the_same_for_any_number_of_workers(game: str, backend: Backend, jobs: int) -> None:
    plan, games = spread_plan(game)
    assert in_one_go(game)["changes"].any()
    assert same_tallies(play_plan(plan, games, jobs=jobs, backend=backend), in_one_go(game))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("game", GAMES_OF)
def test_an_interrupted_run_that_studies_goes_on_where_it_was(game: str, tmp_path: Path) -> None:
    plan, games = spread_plan(game)
    for stop in (1, 300):
        with pytest.raises(Interrupted):
            play_plan(plan, games, jobs=2, folder=tmp_path, progress=stop_at(stop))
        assert stop <= load_run(tmp_path).done < games
    assert same_tallies(play_plan(plan, games, jobs=1, folder=tmp_path), in_one_go(game))
    saved = load_run(tmp_path)
    assert saved.plan.studied == plan.studied
    assert same_tallies(saved.tallies, in_one_go(game))


@pytest.mark.parametrize("game", GAMES_OF)
def test_tallies_of_studied_games_can_be_gone_on_from(game: str) -> None:
    plan, games = spread_plan(game)
    first = play_plan(plan, 250, jobs=1)
    assert same_tallies(play_plan(plan, games, jobs=1, so_far=first), in_one_go(game))


def test_a_run_that_studies_other_tiles_is_another_run(small: Scenario, tmp_path: Path) -> None:
    play_plan(make_plan(small, studied=["fire"]), 3, folder=tmp_path)
    for studied in ([], ["parks"], ["fire", "parks"]):
        with pytest.raises(RunFolderError):
            play_plan(make_plan(small, studied=studied), 5, folder=tmp_path)


# What can be studied


def test_a_plan_that_studies_comes_back_from_json() -> None:
    plan = make_plan(load_scenario(EXPERT), players=3, policy="greedy", studied=["capitol", "shop"])
    assert plan_from_data(json.loads(json.dumps(plan.as_data())), "run.json") == plan


def test_a_tile_that_is_not_in_the_game_cannot_be_studied() -> None:
    with pytest.raises(InputError, match='no tile "fyre" to judge') as refused:
        make_plan(load_scenario(CITY), studied=["fire", "fyre"])
    assert "Did you mean fire?" in str(refused.value)
    with pytest.raises(InputError, match='no tile "capitol" to judge'):
        make_plan(load_scenario(CLASSIC), studied=["capitol"])  # it has no copies


def test_a_zone_is_in_no_pool_and_cannot_be_studied() -> None:
    with pytest.raises(InputError, match='no tile "residential" to judge'):
        make_plan(load_scenario(CITY), studied=["residential"])
