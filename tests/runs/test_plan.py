"""A plan is scenario, players, policies and seed; it is checked once and comes back from its data."""

from __future__ import annotations

import json

import pytest

from balance.errors import InputError
from balance.runs.plan import check_games, make_plan, plan_from_data
from balance.scenario.load import Scenario, load_scenario


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 10**30])
def test_the_game_is_for_2_to_4_players(printed: Scenario, players: int) -> None:
    with pytest.raises(InputError, match=f"--players {players}: this game is for 2 to 4 players"):
        make_plan(printed, players=players)


def test_the_scenario_says_how_many_play_unless_told_otherwise(printed: Scenario) -> None:
    assert make_plan(printed).players == printed.players
    assert make_plan(printed, players=2).players == 2


@pytest.mark.parametrize("seed", [-1, 2**63, 10**40])
def test_a_seed_beyond_63_bits_is_refused(printed: Scenario, seed: int) -> None:
    with pytest.raises(InputError, match=f"--seed {seed}: a seed is a whole number from 0"):
        make_plan(printed, seed=seed)


@pytest.mark.parametrize("games", [1, 10**15])
def test_a_run_has_at_least_one_game(games: int) -> None:
    check_games(games)


def test_a_zone_cannot_be_placed_blank(printed: Scenario) -> None:
    with pytest.raises(InputError, match="residential is a Zone") as refused:
        make_plan(printed, policy="random-residential")
    assert "--set experiments.withheld=keep" in str(refused.value)


def test_a_zone_can_be_kept_in_hand() -> None:
    scenario = load_scenario("city-services", changes=["experiments.withheld=keep"])
    assert make_plan(scenario, policy="random-residential").policies[0].withheld == ("residential",)


def test_policies_come_once_each_in_order_of_appearance(printed: Scenario) -> None:
    plan = make_plan(printed, policy="greedy,random,greedy,random-fire")
    assert [policy.name for policy in plan.policies] == ["greedy", "random", "random-fire"]
    assert [policy.name for policy in plan.seat_policies] == ["greedy", "random", "greedy", "random-fire"]


@pytest.mark.parametrize("fixed_seats", [True, False])
def test_a_plan_comes_back_from_json(printed: Scenario, fixed_seats: bool) -> None:
    plan = make_plan(printed, players=3, policy="greedy,random,random-fire", seed=2**63 - 1, fixed_seats=fixed_seats)
    assert plan_from_data(json.loads(json.dumps(plan.as_data())), "run.json") == plan
