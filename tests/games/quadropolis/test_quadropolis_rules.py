"""The rules of Quadropolis, one sentence each: Construction Site, building, Public Services, the end, policies."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from balance.games.outcome import WIN_UNITS, Course, share_win
from balance.games.quadropolis.components import NO_SQUARE
from balance.games.quadropolis.construction_site import legal_slots, reached_square
from balance.games.record import new_record
from tests.games.quadropolis.quadropolis_table import (
    CLASSIC,
    CLASSIC_BASE,
    EXPERT,
    EXPERT_BASE,
    SCENARIOS,
    Bench,
    Game,
    Turn,
    bits,
    engine_for,
    games,
    only_tiles,
    plain,
    record,
    record_games,
    variant,
    varied,
    word_of,
)
from tests.naive import quadropolis as naive
from tests.naive.quadropolis import SIDES, City, Slot, Space, Stack, best_activation, forbidden_slots

KINDS_OF_GAMES = [
    (name, policy, players) for name in (CLASSIC, EXPERT) for policy in ("random", "greedy") for players in (2, 3, 4)
]


@functools.cache
def some_games(name: str, policy: str, players: int) -> list[Game]:
    """Play a few games once for all rules."""
    engine = engine_for(variant(name), policy, players)
    return list(record_games(engine, range(games(6, int(policy == "random" and players < 4)))))


def all_games() -> Iterator[Game]:
    """List games of both modes, all numbers of players and both policies."""
    for name, policy, players in KINDS_OF_GAMES:
        yield from some_games(name, policy, players)


def rounds_of(game: Game) -> Iterator[tuple[int, list[Turn]]]:
    """List the rounds of a game."""
    for number in range(game.scenario.rounds):
        yield number, game.of_round(number)


# Architects and slots


@pytest.mark.parametrize(
    ("side", "line", "number", "square"),
    [
        ("left", 1, 1, (1, 0)),
        ("left", 1, 4, (1, 3)),
        ("right", 1, 1, (1, 4)),
        ("right", 4, 5, (4, 0)),
        ("top", 2, 1, (0, 2)),
        ("top", 2, 5, (4, 2)),
        ("bottom", 2, 1, (4, 2)),
        ("bottom", 0, 4, (1, 0)),
    ],
)
def test_an_architect_reaches_the_square_of_its_number_from_its_slot(
    side: str, line: int, number: int, square: Space
) -> None:
    assert divmod(int(reached_square(5 * SIDES.index(side) + line, number)), 5) == square


def test_all_slots_are_legal_while_the_urbanist_is_off_the_board() -> None:
    assert len(slots_with_urbanist(None)) == 20


@pytest.mark.parametrize("square", [(0, 0), (2, 3), (4, 4), (1, 1)])
def test_slots_of_the_urbanists_row_and_column_are_forbidden_at_both_ends(square: Space) -> None:
    row, column = square
    forbidden = {("left", row), ("right", row), ("top", column), ("bottom", column)}
    assert slots_with_urbanist(square) == set(naive.slots()) - forbidden


def test_no_slot_is_forbidden_where_the_urbanist_is_switched_off() -> None:
    assert len(slots_with_urbanist((2, 2), {"site.urbanist": False})) == 20


def slots_with_urbanist(square: Space | None, changes: dict[str, Any] | None = None) -> set[Slot]:
    """Return the legal slots with all slots free."""
    bench = Bench(varied(CLASSIC, changes))
    state: Any = bench.state
    state["free_slots"] = word_of(range(20))
    state["urbanist"] = NO_SQUARE if square is None else 5 * square[0] + square[1]
    return {(SIDES[slot // 5], slot % 5) for slot in bits(legal_slots(bench.rules, bench.state))}


def test_no_slot_is_used_twice_in_a_round() -> None:
    for game in all_games():
        for _, turns in rounds_of(game):
            assert len({turn.slot for turn in turns}) == len(turns)


def test_the_urbanist_stands_where_the_player_before_reached_and_forbids_these_slots_to_the_next_player_only() -> None:
    forbidden_before = 0
    for game in all_games():
        for _, turns in rounds_of(game):
            for place in range(1, len(turns)):
                assert turns[place].slot not in forbidden_slots(turns[place - 1].square)
                earlier = [forbidden_slots(turn.square) for turn in turns[: place - 1]]
                forbidden_before += any(turns[place].slot in slots for slots in earlier)
    assert forbidden_before > 0


def test_each_turn_reaches_the_square_of_its_slot_and_number() -> None:
    for game in all_games():
        for turn in game.turns:
            assert turn.square == naive.reached_square(*turn.slot, turn.number, 5)


def test_in_classic_each_player_uses_each_own_architect_once_a_round() -> None:
    for game in all_games():
        if game.scenario.site.architects == "own":
            for _, turns in rounds_of(game):
                for seat in range(game.players):
                    assert sorted(turn.number for turn in turns if turn.seat == seat) == [1, 2, 3, 4]


def test_in_expert_players_share_one_architect_of_each_number_per_player() -> None:
    twice = 0
    for game in all_games():
        if game.scenario.site.architects == "shared":
            for _, turns in rounds_of(game):
                assert max(Counter(turn.number for turn in turns).values()) <= game.players
                assert {turn.number for turn in turns} <= {1, 2, 3, 4, 5}
                own = Counter((turn.seat, turn.number) for turn in turns)
                twice += max(own.values()) > 1
    assert twice > 0


# Rounds, turns and the Mayor


@pytest.mark.parametrize(("name", "rounds"), [(CLASSIC, 4), (EXPERT, 5)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_player_takes_four_turns_in_each_round(name: str, rounds: int, players: int) -> None:
    for game in some_games(name, "random", players):
        assert len(game.turns) == rounds * players * 4
        for _, turns in rounds_of(game):
            assert Counter(turn.seat for turn in turns) == dict.fromkeys(range(players), 4)


def test_turns_go_clockwise_from_the_mayor_and_seat_1_is_the_first_mayor() -> None:
    for game in all_games():
        assert game.mayors[0] == 0
        for number, turns in rounds_of(game):
            seats = [(game.mayors[number] + place) % game.players for place in range(len(turns))]
            assert [turn.seat for turn in turns] == seats


def test_who_took_the_tile_with_the_mayor_icon_starts_the_next_round_else_the_mayor_stays() -> None:
    cases: Counter[str] = Counter()
    for game in all_games():
        for number, turns in rounds_of(game):
            if number + 1 == game.scenario.rounds:
                continue
            square = game.mayor_squares[number]
            takers = [turn for turn in turns if turn.square == square]
            if takers:
                assert game.mayors[number + 1] == takers[0].seat
                cases["built" if takers[0].built else "declined"] += 1
            else:
                assert game.mayors[number + 1] == game.mayors[number]
                cases["nobody" if square else "no icon"] += 1
    assert cases["built"] > 0
    assert cases["nobody"] > 0


def test_the_icon_counts_for_who_declines_the_tile() -> None:
    rounds = {"tower_block_1": ["M", ""], "public_service_0": ["", "-"]}
    scenario = only_tiles(CLASSIC_BASE, rounds)
    declined = 0
    for game in record_games(engine_for(scenario, "random-tower_block", 3), range(games(60, 20))):
        takers = [turn.seat for turn in game.of_round(0) if turn.reached is not None]
        assert game.mayors[1] == (takers[0] if takers else 0)
        declined += bool(takers) and takers[0] != 0
    assert declined > 0


def test_seat_1_always_starts_where_the_mayor_is_switched_off() -> None:
    scenario = variant(CLASSIC, {"site.mayor": False})
    for game in record_games(engine_for(scenario, players=4), range(games(10, 1))):
        assert set(game.mayors) == {0}


# Tiles of the Construction Site


@pytest.mark.parametrize("name", [CLASSIC, EXPERT])
@pytest.mark.parametrize(("players", "face_up"), [(2, 16), (3, 20), (4, 25)])
def test_tiles_for_more_players_stay_face_down(name: str, players: int, face_up: int) -> None:
    fewest = {"M": 2, "-": 2, "a": 3, "b": 4}
    for game in some_games(name, "random", players):
        for number, site in enumerate(game.sites):
            on_site = Counter(site.values())
            assert on_site.total() == face_up
            for kind, tile in game.scenario.tiles.items():
                assert on_site[kind] == sum(players >= fewest[mark] for mark in tile.rounds[number])


def test_a_tile_is_taken_once_and_an_empty_or_face_down_square_gives_nothing() -> None:
    nothing = 0
    for game in all_games():
        for number, turns in rounds_of(game):
            site = dict(game.sites[number])
            for turn in turns:
                assert turn.reached == site.pop(turn.square, None)
                if turn.reached is None:
                    nothing += 1
                    assert (turn.built, turn.discarded, turn.space) == (None, None, None)
    assert nothing > 0


def test_the_tiles_lie_at_random_in_each_round_of_each_game() -> None:
    sites = [tuple(sorted(site.items())) for game in some_games(CLASSIC, "random", 4) for site in game.sites]
    assert len(set(sites)) == len(sites)


def test_built_tiles_give_their_resources_and_nothing_else_does() -> None:
    for game in all_games():
        data = plain(game.scenario)
        inhabitants, energy = [0] * game.players, [0] * game.players
        for turn in game.turns:
            if turn.built is not None:
                tile = data["tiles"].get(turn.built) or data["pool"][turn.built]
                inhabitants[turn.seat] += (
                    tile.get("inhabitants", 0) if turn.built in data["tiles"] else tile["gives_inhabitants"]
                )
                energy[turn.seat] += tile.get("energy", 0) if turn.built in data["tiles"] else tile["gives_energy"]
            assert (turn.inhabitants, turn.energy) == (inhabitants[turn.seat], energy[turn.seat])


# Where a tile may be built


def test_an_empty_space_matches_by_its_row_or_column_in_classic() -> None:
    bench = Bench(varied(CLASSIC))
    bench.put_down(City({(1, 1): Stack("shop", 1, 0)}))
    second = {(1, 0), (1, 2), (1, 3), (0, 1), (2, 1), (3, 1)}
    assert bench.legal("harbor", 2) == second
    assert bench.legal("tower_block", 2) == second


def test_an_empty_space_matches_by_its_district_or_number_in_expert() -> None:
    bench = Bench(varied(EXPERT))
    bench.put_down(City())
    first_district = {(0, 0), (0, 1), (1, 0), (1, 1)}
    number_1 = {(0, 2), (0, 3), (2, 3), (2, 0)}
    assert bench.legal("shop", 1) == first_district | number_1


@pytest.mark.parametrize("name", SCENARIOS)
def test_spaces_are_those_of_the_naive_game(name: str) -> None:
    data = varied(name)
    bench = Bench(data)
    stacks = {(0, 0): Stack("tower_block", 2, 0), (1, 2): Stack("tower_block", 4, 0), (3, 3): Stack("park", 1, 0)}
    if "office_tower" in data["tiles"]:
        stacks |= {(2, 2): Stack("office_tower", 1, 0), (2, 1): Stack("office_tower", 5, 0)}
    city = City(stacks)
    bench.put_down(city)
    for building in (
        "tower_block",
        "shop",
        "city_hall",
        *(("office_tower",) if "office_tower" in data["tiles"] else ()),
    ):
        for number in range(1, data["site"]["highest_architect"] + 1):
            assert bench.legal(building, number) == naive.legal_spaces(data, city, building, number)


def stacked(name: str, building: str, below: str, floors: int, number: int, space: Space = (0, 0)) -> bool:
    """Tell whether an Architect may build on a stack."""
    bench = Bench(varied(name))
    bench.put_down(City({space: Stack(below, floors, 0)}))
    return space in bench.legal(building, number)


def test_a_tower_block_goes_onto_a_tower_block_where_the_space_or_the_new_floors_number_matches() -> None:
    assert stacked(CLASSIC, "tower_block", "tower_block", 3, 1)
    assert stacked(CLASSIC, "tower_block", "tower_block", 3, 4)
    assert not stacked(CLASSIC, "tower_block", "tower_block", 3, 3)
    assert stacked(EXPERT, "tower_block", "tower_block", 4, 5)
    assert not stacked(EXPERT, "tower_block", "tower_block", 4, 4)
    assert not stacked(EXPERT, "tower_block", "tower_block", 2, 4)


def test_towers_are_never_mixed_and_nothing_else_is_stacked() -> None:
    assert stacked(EXPERT, "office_tower", "office_tower", 1, 2)
    assert not stacked(EXPERT, "office_tower", "tower_block", 1, 2)
    assert not stacked(EXPERT, "tower_block", "office_tower", 1, 2)
    for building in ("shop", "harbor", "public_service", "city_hall"):
        assert not stacked(EXPERT, building, building, 1, 1)


@pytest.mark.parametrize(("name", "highest"), [(CLASSIC, 4), (EXPERT, 5)])
def test_a_tower_has_at_most_four_floors_in_classic_and_five_in_expert(name: str, highest: int) -> None:
    assert stacked(name, "tower_block", "tower_block", highest - 1, highest)
    for number in range(1, 6):
        assert not stacked(name, "tower_block", "tower_block", highest, number)


def test_games_build_on_legal_spaces_only_and_random_builds_whenever_it_can() -> None:
    floors: Counter[int] = Counter()
    for game in all_games():
        data = plain(game.scenario)
        cities = [City() for _ in range(game.players)]
        for turn in game.turns:
            city = cities[turn.seat]
            if turn.built is not None and turn.space is not None:
                building = naive.building_of(data, turn.built)
                assert turn.space in naive.legal_spaces(data, city, building, turn.number)
                cities[turn.seat] = naive.city_after(data, city, turn.built, turn.space)
                floors[cities[turn.seat].stacks[turn.space].floors] += 1
            elif turn.reached is not None and game.policies[turn.seat] == "random":
                building = naive.building_of(data, turn.reached)
                assert not naive.legal_spaces(data, city, building, turn.number)
    assert floors[2] > 0


# Public Services


def exchanges_of(game: Game) -> Iterator[tuple[Turn, Counter[str]]]:
    """List the turns with the Public Services that are visible at their start."""
    for number, turns in rounds_of(game):
        visible = Counter(game.visible[number])
        for turn in turns:
            yield turn, visible.copy()
            if turn.discarded is not None:
                visible[turn.discarded] -= 1
            if turn.built in game.scenario.tiles_of_pool:
                visible[turn.built] -= 1
            visible = +visible


def test_a_standard_public_service_is_built_for_a_discard_or_exchanged_for_a_visible_tile() -> None:
    cases: Counter[str] = Counter()
    for game in all_games():
        for turn, visible in exchanges_of(game):
            if turn.built is None:
                assert turn.discarded is None
                continue
            is_standard = game.scenario.tiles[turn.reached or ""].building == "public_service"
            if not is_standard or not visible:
                assert (turn.built, turn.discarded) == (turn.reached, None)
                cases["none visible" if is_standard else "no Public Service"] += 1
            elif turn.built == turn.reached:
                assert turn.discarded is not None
                assert visible[turn.discarded] > 0
                cases["built"] += 1
            else:
                assert turn.discarded is None
                assert visible[turn.built] > 0
                cases["exchanged"] += 1
    assert cases["built"] > 0
    assert cases["exchanged"] > 0


def test_a_standard_public_service_is_built_as_it_is_where_none_is_visible() -> None:
    rounds = {"public_service_2": ["-" * 25]}
    scenario = only_tiles(CLASSIC, rounds, {"public_services.visible": 1})
    seen = 0
    for game in record_games(engine_for(scenario, players=4), range(games(10, 2))):
        for turn, visible in exchanges_of(game):
            if turn.built is not None and not visible:
                assert (turn.built, turn.discarded) == ("public_service_2", None)
                seen += 1
    assert seen > 0


def test_declining_discards_the_standard_tile_only() -> None:
    scenario = only_tiles(CLASSIC, {"public_service_0": ["-" * 25] * 4})
    pool = "-".join(scenario.tiles_of_pool)
    declined = 0
    for game in record_games(engine_for(scenario, f"random-public_service-{pool}", 4), range(games(5, 1))):
        for turn in game.turns:
            assert (turn.built, turn.discarded) == (None, None)
            declined += turn.reached is not None
    assert declined > 0


def test_four_public_services_are_revealed_each_round_and_no_tile_of_the_pool_is_lost_or_doubled() -> None:
    reshuffled = 0
    for game in all_games():
        stack = Counter({name: tile.count for name, tile in game.scenario.tiles_of_pool.items()})
        discards: Counter[str] = Counter()
        for number, turns in rounds_of(game):
            shown = Counter(game.visible[number])
            assert shown.total() == 4
            if shown - stack:
                assert stack <= shown  # the old stack is drawn to its end first
                stack, discards = stack + discards, Counter()
                reshuffled += 1
            assert shown <= stack
            stack -= shown
            for turn in turns:
                if turn.discarded is not None:
                    discards[turn.discarded] += 1
                    shown[turn.discarded] -= 1
                if turn.built in game.scenario.tiles_of_pool:
                    shown[turn.built] -= 1
            assert min(shown.values(), default=0) >= 0
            discards += shown
    assert reshuffled > 0


@pytest.mark.parametrize("copies", [0, 1, 2, 3, 4])
def test_a_pool_of_few_tiles_is_revealed_as_far_as_it_goes(copies: int) -> None:
    counts = {f"pool.{name}.count": 0 for name in variant(CLASSIC).tiles_of_pool}
    scenario = variant(CLASSIC, {**counts, "pool.school.count": copies})
    for game in record_games(engine_for(scenario, players=3), range(games(10, 1))):
        left = copies
        for number, turns in rounds_of(game):
            assert game.visible[number] == ["school"] * min(4, left)
            left -= sum(turn.built == "school" for turn in turns)


def test_the_stack_is_in_another_order_in_each_game() -> None:
    first = {tuple(game.visible[0]) for game in some_games(EXPERT, "random", 4)}
    assert len(first) == len(some_games(EXPERT, "random", 4))


def test_without_the_expansion_nothing_is_revealed_nor_built_of_the_pool() -> None:
    for name in (CLASSIC_BASE, EXPERT_BASE):
        game = record(variant(name), "random", games(4, 2))
        assert game.visible == [[]] * game.scenario.rounds
        assert all(turn.built in (None, turn.reached) and turn.discarded is None for turn in game.turns)


# Cities with a known score (rules, part 6)


@pytest.mark.parametrize(
    ("text", "left_over", "score"),
    [
        ("T3 P T1 _ | P T2 _ _ | H S F S | H3 H H2 F", 0, 59),
        ("U2 T1 U1 H | T1 P T2 H | P T1 P H3 | _ U2 U H", 1, 58),
    ],
)
def test_the_cities_of_the_rules_page_score_what_it_says(text: str, left_over: int, score: int) -> None:
    names = {"T": "tower_block", "P": "park", "H": "harbor", "S": "shop", "F": "factory", "U": "public_service"}
    stacks = {}
    for row, line in enumerate(text.split("|")):
        for column, word in enumerate(line.split()):
            if word != "_":
                number = int(word[1:] or 0)
                floors, printed = (number, 0) if word[0] == "T" else (1, number)
                stacks[row, column] = Stack(names[word[0]], floors, printed)
    data = varied(CLASSIC_BASE)
    needs = [naive.cost_of(data, stack.building) for stack in stacks.values()]
    customers = 7 if "S" in text else 0
    city = City(stacks, sum(need[0] for need in needs) + customers + left_over, sum(need[1] for need in needs))
    assert Bench(data).activate(city).score == score


# The end of the game


@pytest.mark.jitted
def test_each_city_scores_as_activated_best_and_the_handicap_counts_on_top() -> None:
    for name in (CLASSIC, EXPERT):
        game = record(variant(name, {"seats.handicap": [0, 7, 3, 11]}), "random", 4)
        for seat, city in enumerate(game.cities()):
            best = best_activation(plain(game.scenario), city)
            assert game.scores[seat] == best.score + (0, 7, 3, 11)[seat]
            assert game.active[seat] == best.active
            assert game.rules[seat] == best.rules
            assert {space: number for space, number in best.customers.items() if number} == game.customers[seat]


def test_the_value_after_a_turn_is_the_score_if_the_game_ended_then() -> None:
    for game in some_games(CLASSIC, "random", 2) + some_games(EXPERT, "random", 2):
        last = {turn.seat: turn.value for turn in game.turns}
        assert game.scores == [last[seat] for seat in range(game.players)]


def standing(game: Game, seat: int) -> tuple[int, int, int]:
    """Return what decides the win: score, active buildings that need an inhabitant, active buildings."""
    city, data = game.cities()[seat], plain(game.scenario)
    needing = sum(naive.needs_inhabitants(data, city, space) for space in game.active[seat])
    return game.scores[seat], needing, len(game.active[seat])


def assert_won_by_the_best(game: Game) -> str:
    """Check who wins; return what decided."""
    standings = [standing(game, seat) for seat in range(game.players)]
    best = max(standings)
    winners = standings.count(best)
    assert game.wins == [WIN_UNITS // winners if own == best else 0 for own in standings]
    if winners > 1:
        return f"shared by {winners}"
    rivals = [own for own in standings if own != best]
    for level, name in enumerate(("score", "buildings that need an inhabitant", "buildings")):
        if all(own[: level + 1] < best[: level + 1] for own in rivals):
            return name
    raise AssertionError(standings)


def test_the_highest_score_wins() -> None:
    for game in all_games():
        assert_won_by_the_best(game)


@pytest.mark.jitted
def test_ties_go_to_more_buildings_that_need_an_inhabitant_then_to_more_buildings_then_the_win_is_shared() -> None:
    data = varied(EXPERT_BASE)
    tables = {
        f"score.{name}": [0] for name in ("tower_block", "shop", "districts", "park", "harbor_row", "harbor_column")
    }
    others = {f"score.{name}": 0 for name in data["score"] if f"score.{name}" not in tables}
    nothing_scores = {**tables, **others, "score.office_tower": [[0]]}
    nothing_scores |= {f"tiles.{name}.printed_vp": 0 for name in data["tiles"]}
    decided: Counter[str] = Counter()
    for game in record_games(engine_for(variant(EXPERT_BASE, nothing_scores), players=4), range(120)):
        assert game.scores == [0] * 4
        decided[assert_won_by_the_best(game)] += 1
    assert set(decided) >= {"buildings that need an inhabitant", "buildings", "shared by 2"}


@pytest.mark.parametrize("winners", [1, 2, 3, 4])
def test_a_tie_on_every_level_shares_the_win_in_equal_parts(winners: int) -> None:
    course: Any = new_record(Course)
    course["seats"] = 4
    course["score"][:] = [50] * winners + [49] * (4 - winners)
    course["tie_breaker"][:] = [130] * winners + [500] * (4 - winners)
    assert share_win(course) == winners
    assert course["wins"].tolist() == [WIN_UNITS // winners] * winners + [0] * (4 - winners)


# Restricted policies


@pytest.mark.parametrize("brain", ["random", "greedy"])
@pytest.mark.parametrize("building", ["shop", "public_service", "school", "tower_block"])
def test_a_policy_never_builds_what_it_withholds(brain: str, building: str) -> None:
    for game in record_games(
        engine_for(variant(EXPERT), f"{brain}-{building}", 2), range(games(5, int(brain == "random")))
    ):
        data = plain(game.scenario)
        built = [naive.building_of(data, turn.built) for turn in game.turns if turn.built is not None]
        assert built
        assert building not in built


@pytest.mark.jitted
def test_a_policy_may_discard_what_it_never_builds() -> None:
    discarded = [
        turn.discarded
        for game in record_games(engine_for(variant(CLASSIC), "random-school", 4), range(games(30, 5)))
        for turn in game.turns
    ]
    assert "school" in discarded


@pytest.mark.parametrize("brain", ["random", "greedy"])
@pytest.mark.parametrize("building", ["harbor", "city_hall"])
def test_a_policy_builds_what_it_prefers_whenever_a_legal_move_does(brain: str, building: str) -> None:
    could = 0
    for game in record_games(engine_for(variant(CLASSIC), f"{brain}+{building}", games(3, 2)), range(games(4, 1))):
        data = plain(game.scenario)
        for turn, position in positions_of(game):
            moves = [move for move in naive.complete_moves(data, position) if move.built is not None]
            wanted = [move for move in moves if naive.building_of(data, str(move.built)) == building]
            if wanted:
                assert turn.built is not None
                assert naive.building_of(data, turn.built) == building
                could += 1
    assert could > 0


def positions_of(game: Game) -> Iterator[tuple[Turn, naive.Position]]:
    """List the turns with what the player had before them."""
    data = plain(game.scenario)
    cities = [City() for _ in range(game.players)]
    visible_before = {id(turn): list(visible.elements()) for turn, visible in exchanges_of(game)}
    is_shared = game.scenario.site.architects == "shared"
    for number, turns in rounds_of(game):
        site = dict(game.sites[number])
        used: set[Slot] = set()
        urbanist: Space | None = None
        numbers = Counter(range(1, game.scenario.site.highest_architect + 1))
        left = (
            [Counter(dict.fromkeys(numbers, game.players))] * game.players
            if is_shared
            else [numbers.copy() for _ in cities]
        )
        for turn in turns:
            free = set(naive.slots()) - used - forbidden_slots(urbanist)
            city = cities[turn.seat]
            yield turn, naive.Position(city, dict(site), visible_before[id(turn)], set(+left[turn.seat]), free)
            left[turn.seat][turn.number] -= 1
            used.add(turn.slot)
            urbanist = turn.square
            site.pop(turn.square, None)
            if turn.built is not None and turn.space is not None:
                cities[turn.seat] = naive.city_after(data, city, turn.built, turn.space)


@pytest.mark.parametrize("name", [CLASSIC, EXPERT])
def test_greedy_makes_a_move_after_which_its_city_scores_most(name: str) -> None:
    for game in record_games(engine_for(variant(name), "greedy,random"), range(games(1, 0))):
        data = plain(game.scenario)
        for turn, position in positions_of(game):
            if game.policies[turn.seat] == "greedy" and turn.round < 3:
                assert turn.value == naive.best_value(data, position)


def test_greedy_that_prefers_takes_the_best_of_the_preferred_moves() -> None:
    for game in record_games(engine_for(variant(CLASSIC), "greedy+harbor", 2), range(games(1, 0))):
        data = plain(game.scenario)
        for turn, position in positions_of(game):
            if turn.built is not None and turn.built.startswith("harbor"):
                cities = [
                    naive.city_after(data, position.city, str(move.built), move.space)
                    for move in naive.complete_moves(data, position)
                    if move.built is not None and move.built.startswith("harbor") and move.space is not None
                ]
                unlike = {naive.key_of(city): city for city in cities}.values()
                assert turn.value == max(best_activation(data, city).score for city in unlike)
