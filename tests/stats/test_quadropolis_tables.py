"""Tables of Quadropolis against plain counts of the same games, and sums that must add up."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from balance.games.outcome import WIN_UNITS, ByGame, BySeat
from balance.games.quadropolis.play import Line
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.quadropolis import QuadropolisEngine
from balance.scenario.quadropolis_rules import kind_names
from balance.studies.quadropolis import QuadropolisRun
from balance.studies.run import simulate

pytestmark = pytest.mark.jitted
GAMES = 2 if JIT_IS_DISABLED else 300


@pytest.fixture(scope="module")
def run() -> QuadropolisRun:
    played = simulate("quadropolis-expert", GAMES, policy="greedy,random,random-shop,greedy+capitol", seed=4)
    assert isinstance(played, QuadropolisRun)
    return played


@pytest.fixture(scope="module")
def turns(run: QuadropolisRun) -> pd.DataFrame:
    """All turns of all games, one row each, with the names of what was reached and built."""
    engine = engine_of(run.plan)
    assert isinstance(engine, QuadropolisEngine)
    names = [*kind_names(run.scenario), ""]  # the last one, at -1, for nothing
    parts = []
    for game in range(run.games):
        part = pd.DataFrame(engine.record(game).script.turns, columns=[line.name for line in Line])
        parts.append(part.assign(game=game))
    table = pd.concat(parts)
    tiles = run.scenario.tiles
    building = [tiles[name].building if name in tiles else name for name in names]
    for column in ("REACHED", "BUILT", "DISCARDED"):
        table[column] = [building[kind] for kind in table[column]]
    return table


def test_tiles_built_equal_a_plain_count(run: QuadropolisRun, turns: pd.DataFrame) -> None:
    counted = Counter(turns["BUILT"])
    assert run.tiles()["n"].to_dict() == {tile: counted[tile] for tile in run.scenario.buildings}


def test_tiles_built_by_seat_equal_a_plain_count(run: QuadropolisRun, turns: pd.DataFrame) -> None:
    counted = Counter(zip(turns["SEAT"] + 1, turns["BUILT"], strict=True))
    assert all(n == counted[key] for key, n in run.tiles(by="seat")["n"].items())


def test_declined_exchanged_and_discarded_tiles_equal_a_plain_count(run: QuadropolisRun, turns: pd.DataFrame) -> None:
    tiles = run.tiles()
    reached = turns[turns["REACHED"] != ""]
    declined = Counter(reached[reached["BUILT"] == ""]["REACHED"])
    exchanged = Counter(reached[(reached["BUILT"] != "") & (reached["BUILT"] != reached["REACHED"])]["REACHED"])
    discarded = Counter(turns["DISCARDED"])
    for tile in tiles.index:
        assert tiles.loc[tile, "declined_per_game"] * run.games == pytest.approx(declined[tile])
        assert tiles.loc[tile, "exchanged_per_game"] * run.games == pytest.approx(exchanged[tile])
        assert tiles.loc[tile, "discarded_per_game"] * run.games == pytest.approx(discarded[tile])


def test_the_pick_rate_is_built_of_revealed_in_every_round(run: QuadropolisRun, turns: pd.DataFrame) -> None:
    rounds = run.rounds()
    counted = Counter(zip(turns["BUILT"], turns["ROUND"] + 1, strict=True))
    for key, row in rounds.iterrows():
        if row["n"]:
            assert row["pick_rate"] == pytest.approx(counted[key] / row["n"])
    assert (rounds["pick_rate"].dropna() <= 1).all()


def test_turns_that_reached_nothing_equal_a_plain_count(run: QuadropolisRun, turns: pd.DataFrame) -> None:
    per_player = (turns["REACHED"] == "").sum() / (4 * run.games)
    assert run.turns()["value"]["turns that reached nothing"] == pytest.approx(per_player)


def test_the_rules_add_up_to_the_score(run: QuadropolisRun) -> None:
    rules = run.rules()
    assert rules["vp"].drop("score").sum() == pytest.approx(rules.loc["score", "vp"])
    assert rules.loc["score", "vp"] == pytest.approx(run.scores()["value"]["mean score"])
    assert rules["share"].drop("score").sum() == pytest.approx(1)


def test_own_vp_of_all_tiles_and_leftovers_add_up_to_the_score(run: QuadropolisRun) -> None:
    own = run.tiles()["vp_per_game"].sum() / 4
    leftovers = run.rules()["vp"][["leftover_inhabitants", "leftover_energy"]].sum()
    assert own + leftovers == pytest.approx(run.scores()["value"]["mean score"])


def test_winners_score_more_than_all(run: QuadropolisRun) -> None:
    rules = run.rules()
    assert rules.loc["score", "vp_of_winners"] > rules.loc["score", "vp"]


def test_spaces_add_up_to_buildings_and_their_vp(run: QuadropolisRun) -> None:
    spaces, tiles = run.spaces(), run.tiles()
    by_tile = spaces["buildings_per_game"].groupby(level="tile").sum()
    assert by_tile[tiles.index].to_numpy() == pytest.approx(tiles["buildings_per_game"].to_numpy())
    vp = (spaces["buildings_per_game"] * spaces["vp_per_building"].fillna(0)).groupby(level="tile").sum()
    assert vp[tiles.index].to_numpy() == pytest.approx(tiles["vp_per_game"].to_numpy())


def test_what_feeds_a_park_or_a_monument_is_what_their_rules_give(run: QuadropolisRun) -> None:
    feeds, rules = run.feeds(), run.rules()["vp"] * 4
    assert feeds["park"].sum() == pytest.approx(rules["parks"])
    assert feeds["factory"].sum() == pytest.approx(rules["factories"])
    assert feeds["monument"].sum() == pytest.approx(rules["monuments"] + rules["monument_penalties"])
    assert feeds["city_hall"].sum() == pytest.approx(rules["city_hall"])
    assert feeds["harbor"].sum() <= rules["harbor_rows"] + rules["harbor_columns"] + 1e-9


def test_the_expected_win_rate_is_standardised_over_seat_and_policy(run: QuadropolisRun) -> None:
    seats = run.tallies["seats"].sum(axis=0)
    rate = seats[..., BySeat.WINS] / np.maximum(1, WIN_UNITS * seats[..., BySeat.GAMES])
    held = run.tallies["buildings"].sum(axis=0)[..., 1, 5]  # games in which a seat had a Shop
    expected = (held * rate).sum() / held.sum()
    assert run.tiles().loc["shop", "expected_win_rate"] == pytest.approx(expected)


def test_a_policy_that_never_builds_shops_has_none_and_one_that_prefers_the_capitol_has_more(
    run: QuadropolisRun,
) -> None:
    by_policy = run.tiles(by="policy")["n"]
    assert by_policy["random-shop", "shop"] == 0
    assert by_policy["greedy+capitol", "capitol"] > by_policy["greedy", "capitol"]


def test_the_arc_is_of_the_games_whose_course_was_followed(run: QuadropolisRun) -> None:
    followed = run.tallies["games"][:, ByGame.FOLLOWED].sum()
    assert followed == min(run.games, 240)  # with a random seat, one in 64 rounds of 240 games
    arc = run.arc()["score"]
    assert len(arc.xs("greedy", level="policy").xs(1, level="seat")) == run.scenario.rounds
