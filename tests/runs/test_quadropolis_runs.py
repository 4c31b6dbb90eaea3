"""Runs of Quadropolis: any cut of the games counts the same, all rows add up, and known values come out."""

from __future__ import annotations

import functools
import itertools
import pickle

import numpy as np
import pytest

from balance.games.outcome import BLOCKS, WIN_UNITS, ByGame, BySeat
from balance.games.quadropolis.components import FIRST_OF_POOL, Building
from balance.games.quadropolis.shares import PART, Rule
from balance.games.quadropolis.tally import ByBuilding, ByOffer, ByRule, BySpace, ByTaken, ByTurn
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.plan import make_plan
from balance.runs.tallies import Tallies, same_tallies
from balance.scenario.load import load_scenario

CLASSIC_BASE, CLASSIC, EXPERT = "quadropolis-classic-base", "quadropolis-classic", "quadropolis-expert"
RUNS = [
    (CLASSIC, "random", 2),
    (CLASSIC_BASE, "random", 4),
    (EXPERT, "random", 3),
    (EXPERT, "random,greedy", 2),
    (CLASSIC, "greedy-shop,greedy,random+harbor", 3),
]
GAMES = 2 if JIT_IS_DISABLED else 150
if JIT_IS_DISABLED:
    RUNS = RUNS[:1]


@functools.cache
def played(name: str, policy: str, players: int, games: int = GAMES, seed: int = 1) -> Tallies:
    """Play games once for all tests."""
    return engine_of(make_plan(load_scenario(name), players=players, policy=policy, seed=seed)).play(0, games)


def added(*parts: Tallies) -> Tallies:
    """Add tallies up."""
    return {name: np.sum([part[name] for part in parts], axis=0) for name in parts[0]}


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_any_cut_of_the_games_counts_the_same(name: str, policy: str, players: int) -> None:
    engine = engine_of(make_plan(load_scenario(name), players=players, policy=policy))
    whole = played(name, policy, players)
    for cuts in ([0, 1, GAMES], [0, GAMES // 3, GAMES // 2, GAMES]):
        parts = [engine.play(first, last) for first, last in itertools.pairwise(cuts)]
        assert same_tallies(added(*parts), whole)
    assert same_tallies(added(engine.empty_tallies(), whole), whole)


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_a_recount_is_equal(name: str, policy: str, players: int) -> None:
    engine = engine_of(make_plan(load_scenario(name), players=players, policy=policy))
    assert same_tallies(engine.play(0, GAMES), played(name, policy, players))
    sent = pickle.loads(pickle.dumps(engine))
    assert same_tallies(sent.play(0, GAMES), played(name, policy, players))


@pytest.mark.jitted
@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("name", [CLASSIC, EXPERT])
def test_there_are_as_many_distinct_games_as_games(name: str, policy: str) -> None:
    engine = engine_of(make_plan(load_scenario(name), players=2, policy=policy))
    assert len({engine.record(number).script.turns.tobytes() for number in range(60)}) == 60


def test_another_seed_plays_other_games() -> None:
    assert not same_tallies(played(CLASSIC, "random", 2), played(CLASSIC, "random", 2, seed=2))


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_the_rows_add_up(name: str, policy: str, players: int) -> None:
    tallies = played(name, policy, players)
    scores = tallies["seats"][..., BySeat.SCORE]
    rules = tallies["rules"][..., ByRule.VP]
    assert (rules.sum(axis=-1) == scores).all()
    leftovers = rules[..., [Rule.LEFTOVER_INHABITANTS, Rule.LEFTOVER_ENERGY]].sum(axis=-1)
    own = tallies["buildings"][..., ByBuilding.OWN_VP].sum(axis=-1)
    assert (own + PART * leftovers == PART * scores).all()
    assert tallies["spaces"][..., BySpace.OWN_VP].sum() == own.sum()
    assert tallies["spaces"][..., BySpace.BUILDINGS].sum() == tallies["buildings"][..., ByBuilding.BUILDINGS].sum()
    left = tallies["turns"][..., [ByTurn.LEFT_INHABITANTS, ByTurn.LEFT_ENERGY]].sum(axis=-1)
    assert (leftovers == -left).all()


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_each_game_is_won_once(name: str, policy: str, players: int) -> None:
    tallies = played(name, policy, players)
    assert tallies["games"][:, ByGame.GAMES].sum() == GAMES
    assert tallies["seats"][..., BySeat.WINS].sum() == WIN_UNITS * GAMES
    assert tallies["seats"][..., BySeat.GAMES].sum() == players * GAMES
    assert tallies["scores"].sum() == players * GAMES
    assert tallies["margins"].sum() == GAMES
    winners_vp = tallies["rules"][..., ByRule.VP_OF_WINNERS].sum()
    assert 0 < winners_vp < WIN_UNITS * tallies["seats"][..., BySeat.SCORE].sum()


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_no_more_tiles_are_taken_than_revealed(name: str, policy: str, players: int) -> None:
    tallies = played(name, policy, players)
    revealed = tallies["offers"][..., ByOffer.REVEALED].sum(axis=0)
    taken = tallies["taken"].sum(axis=(0, 1, 2))
    assert (taken[:, :FIRST_OF_POOL].sum(axis=-1) <= revealed[:, :FIRST_OF_POOL]).all()
    of_pool = taken[:, FIRST_OF_POOL:]
    assert (of_pool[..., [ByTaken.BUILT, ByTaken.DISCARDED]].sum(axis=-1) <= revealed[:, FIRST_OF_POOL:]).all()
    assert not of_pool[..., [ByTaken.DECLINED, ByTaken.EXCHANGED]].any()
    standard = taken[:, Building.PUBLIC_SERVICE]
    assert standard[:, ByTaken.EXCHANGED].sum() == of_pool[..., ByTaken.BUILT].sum()
    assert not taken[:, :FIRST_OF_POOL, ByTaken.DISCARDED].any()
    turns = tallies["turns"].sum(axis=(0, 1, 2))
    built = taken[..., ByTaken.BUILT].sum()
    assert built + turns[ByTurn.DECLINED] + turns[ByTurn.NOTHING_REACHED] == turns[ByTurn.TURNS]
    assert taken[..., ByTaken.DECLINED].sum() == turns[ByTurn.DECLINED]


@pytest.mark.parametrize(("name", "policy", "players"), RUNS)
def test_buildings_add_up(name: str, policy: str, players: int) -> None:
    tallies = played(name, policy, players)
    rows = tallies["buildings"].sum(axis=(0, 1, 2))
    tiles = tallies["taken"][..., ByTaken.BUILT].sum(axis=(0, 1, 2, 3))
    stacked = [Building.TOWER_BLOCK, Building.OFFICE_TOWER]
    single = [building for building in Building if building not in stacked]
    assert (rows[single, ByBuilding.BUILDINGS] == tiles[single]).all()
    assert (rows[stacked, ByBuilding.BUILDINGS] <= tiles[stacked]).all()
    assert (rows[:, ByBuilding.ACTIVE] <= rows[:, ByBuilding.BUILDINGS]).all()
    assert (rows[:, ByBuilding.HOLDERS] <= players * GAMES).all()
    assert (rows[:, ByBuilding.HOLDERS_WINS] <= WIN_UNITS * rows[:, ByBuilding.HOLDERS]).all()


def test_what_is_followed_in_every_game_of_greedy_values_every_tile() -> None:
    tallies = played(CLASSIC, "greedy", 2, games=1 if JIT_IS_DISABLED else 60)
    valued = tallies["buildings"][..., ByBuilding.TILES_VALUED].sum(axis=(0, 1, 2))
    assert (valued == tallies["taken"][..., ByTaken.BUILT].sum(axis=(0, 1, 2, 3))).all()
    assert tallies["games"][:, ByGame.FOLLOWED].sum() == tallies["games"][:, ByGame.GAMES].sum()


def test_games_of_random_players_are_followed_in_whole_turns_of_all_blocks() -> None:
    tallies = played(CLASSIC_BASE, "random", 4, games=1 if JIT_IS_DISABLED else BLOCKS + 20)
    assert tallies["games"][:, ByGame.FOLLOWED].sum() == min(BLOCKS, tallies["games"][:, ByGame.GAMES].sum())


def test_handicaps_are_in_the_scores_but_in_no_rule() -> None:
    scenario = load_scenario(CLASSIC, changes=["seats.handicap=[5,0,0,0]"])
    games = 2 if JIT_IS_DISABLED else 100
    tallies = engine_of(make_plan(scenario, players=2)).play(0, games)
    plain = played(CLASSIC, "random", 2, games=games)
    more = (tallies["seats"] - plain["seats"])[..., BySeat.SCORE].sum(axis=(0, 1))
    assert more.tolist() == [5 * games, 0]
    assert (tallies["rules"][..., ByRule.VP] == plain["rules"][..., ByRule.VP]).all()


# Known values: means of long runs of another implementation of the same rules

KNOWN = {
    "Classic without expansion, random": (CLASSIC_BASE, "random", 20_000, [17.99, 17.62, 17.16, 16.68], []),
    "Classic, greedy": (CLASSIC, "greedy", 2_000, [45.75, 44.01], [0.569, 0.431]),
    "Expert, greedy": (EXPERT, "greedy", 800, [79.0, 78.4, 77.3, 76.2], [0.289, 0.271, 0.237, 0.204]),
}
ERRORS = 4
ROUNDED = 0.06


@pytest.mark.jitted
@pytest.mark.parametrize("run", KNOWN)
def test_known_values_come_out(run: str) -> None:
    name, policy, games, scores, shares = KNOWN[run]
    seats = played(name, policy, len(scores), games)["seats"].sum(axis=(0, 1))
    means = seats[:, BySeat.SCORE] / games
    errors = np.sqrt((seats[:, BySeat.SCORE_SQUARED] / games - means**2) / games)
    assert (np.abs(means - scores) < ERRORS * errors + ROUNDED).all(), (means, errors)
    for seat, share in enumerate(shares):
        found = seats[seat, BySeat.WINS] / WIN_UNITS / games
        assert abs(found - share) < ERRORS * np.sqrt(share * (1 - share) / games)
