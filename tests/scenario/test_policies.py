"""Policies by name: a brain, then tiles that it never or always builds."""

from __future__ import annotations

import pytest

from balance.errors import InputError
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.policies import BRAINS, Policy, parse_policy, seat_policies

TILES = ["residential", "fire", "parks", "roads"]


def refusal_of(name: str) -> str:
    """Return the message with which a policy is refused; every refusal is wrong usage."""
    with pytest.raises(InputError) as refused:
        parse_policy(name, TILES)
    assert refused.value.exit_code == 2
    assert f"--policy {name}" in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("brain", BRAINS)
def test_a_brain_alone_is_unrestricted(brain: str) -> None:
    assert parse_policy(brain, TILES) == Policy(brain, brain, (), ())


def test_minus_withholds_and_plus_prefers() -> None:
    policy = parse_policy("greedy-fire+parks-roads+residential", TILES)
    assert policy.brain == "greedy"
    assert policy.withheld == ("fire", "roads")
    assert policy.preferred == ("parks", "residential")
    assert policy.name == "greedy-fire+parks-roads+residential"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gredy", ['unknown policy "gredy"', "Did you mean greedy?"]),
        ("", ['unknown policy ""', "random", "greedy"]),
        ("Greedy", ["Did you mean greedy?"]),
        ("-fire", ['unknown policy ""']),
        ("greedy-fires", ['unknown tile "fires"', "Did you mean fire?"]),
        ("greedy-", ['"-" is not a list of -tile and +tile', "greedy-fire"]),
        ("greedy--fire", ["is not a list of -tile and +tile"]),
        ("greedy-fire,", ["is not a list of -tile and +tile"]),
        ("greedy-Fire", ["is not a list of -tile and +tile"]),
        ("greedy-fire parks", ["is not a list of -tile and +tile"]),
        ("greedy-fire\n", ["is not a list of -tile and +tile"]),
        ("random-fire+fire", ["fire is both withheld and preferred"]),
    ],
)
def test_a_wrong_policy_is_refused_with_the_reason(name: str, words: list[str]) -> None:
    message = refusal_of(name)
    for word in words:
        assert word in message


@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_policy_is_for_all_seats(players: int) -> None:
    assert [policy.name for policy in seat_policies("greedy", players, TILES)] == ["greedy"] * players


def test_several_policies_are_for_one_seat_each_in_order() -> None:
    policies = seat_policies("greedy, random-fire ,random", 3, TILES)
    assert [policy.name for policy in policies] == ["greedy", "random-fire", "random"]


@pytest.mark.parametrize(("names", "players"), [("greedy,random", 3), ("random,random,random", 2), ("greedy,", 3)])
def test_neither_one_policy_nor_one_for_each_seat_is_refused(names: str, players: int) -> None:
    with pytest.raises(InputError, match=f"policies for {players} players|unknown policy"):
        seat_policies(names, players, TILES)


def test_a_policy_for_a_seat_that_is_left_empty_is_refused() -> None:
    with pytest.raises(InputError, match='unknown policy ""'):
        seat_policies("greedy,", 2, TILES)


@pytest.mark.parametrize("name", load_scenario("city-services").tiles)
def test_every_tile_of_the_printed_game_can_be_named(name: str, printed: Scenario) -> None:
    assert parse_policy(f"random-{name}", printed.tiles).withheld == (name,)
