"""Sections answer in plain words, from the same tables that they show; what is undefined is said, never nan."""

from __future__ import annotations

import re

import numpy as np
import pytest

from balance.jit import JIT_IS_DISABLED
from balance.report.sections import Section, caveats, headline, section_keys, sections
from balance.scenario.load import Scenario, load_scenario
from balance.stats.tests import holm
from balance.studies.run import simulate
from balance.studies.tables import Run

NAN = re.compile(r"\b(nan|none|inf|-inf)\b|\[\]", re.IGNORECASE)


def changed(*changes: str, without: list[str] | None = None) -> Scenario:
    """Return the printed game, changed."""
    return load_scenario("city-services", changes=changes, without=without or [])


def all_but(*tiles: str) -> list[str]:
    """Return all tiles but some."""
    return [tile for tile in changed().tiles if tile not in tiles]


def section(run: Run, key: str) -> Section:
    """Return one section of a run."""
    return next(part for part in sections(run) if part.key == key)


FEW = 4 if JIT_IS_DISABLED else 300
NO_POINTS = [f"services.{tile}.vp_per_zone=0" for tile in changed().services]


def only_zones(games: int) -> Run:
    return simulate(changed(without=list(changed().services)), games)


RUNS = {
    "a single game": lambda: simulate(changed(), 1),
    "two games": lambda: simulate(changed(), 2),
    "a single game of unequal policies": lambda: simulate(changed(), 1, players=2, policy="greedy,random"),
    "a block with games, all others empty": lambda: simulate(changed("players=2"), 3),
    "only Services": lambda: simulate(changed(without=list(changed().zones)), FEW),
    "a single Service type": lambda: simulate(changed(without=all_but("fire", "commercial")), FEW),
    "a single tile that scores nothing": lambda: simulate(
        changed("services.fire.count=1", without=all_but("fire")), FEW
    ),
    "nothing but ties": lambda: simulate(changed(*NO_POINTS), FEW, players=2, policy="random,random-fire"),
    "no limits": lambda: simulate(changed("placement.forbidden_beside={}", "revenue.never_score={}"), FEW),
    "a withheld tile": lambda: simulate(changed(), FEW, policy="random-fire"),
    "one leader from the start": lambda: simulate(changed("seats.handicap=[1000, 0, 0, 0]"), FEW),
    "all tiles dealt": lambda: simulate(changed("start.zones=20", "start.services=20"), FEW),
    "fixed seats": lambda: simulate(changed("players=2"), FEW, policy="random,random-fire", fixed_seats=True),
    "only Zones": lambda: only_zones(FEW),
    "a single game of Zones": lambda: only_zones(1),
    "nothing may be placed": lambda: simulate(changed("turn.place_zones=0", "turn.place_services=0"), FEW),
}


def assert_sound(run: Run) -> None:
    """Look at every cell and every sentence of a run."""
    for part in sections(run):
        texts = [part.title, part.explanation, *part.findings, *part.notes, *map(str, part.shown.columns)]
        texts += [str(cell) for cell in part.shown.to_numpy().ravel()]
        for text in texts:
            assert not NAN.search(text), (part.key, text)
            assert text.strip(), part.key
        assert len(part.findings) > 0
    assert not NAN.search(headline(run))
    assert all(caveats(run))


@pytest.mark.parametrize("name", RUNS)
def test_undefined_numbers_are_said_in_words(name: str) -> None:
    assert_sound(RUNS[name]())


def test_ordinary_runs_have_all_sections(small_run: Run) -> None:
    assert_sound(small_run)
    keys = [part.key for part in sections(small_run)]
    assert keys == section_keys(small_run.plan) == ["scores", "seats", "tiles", "services", "rules", "arc"]


@pytest.mark.jitted
def test_a_section_compares_policies_where_there_are_several(mixed_run: Run) -> None:
    assert_sound(mixed_run)
    assert [part.key for part in sections(mixed_run)] == section_keys(mixed_run.plan)
    assert "policies" in section_keys(mixed_run.plan)
    assert section(mixed_run, "policies").findings[0].startswith("greedy wins most often")


def test_sections_can_be_asked_for_by_key(small_run: Run) -> None:
    assert [part.key for part in sections(small_run, ["arc", "scores"])] == ["scores", "arc"]


def test_too_few_games_are_said_before_anything_else() -> None:
    few = caveats(simulate(changed(), 1))
    assert any("1 game: too few for sound intervals" in caveat for caveat in few)


@pytest.mark.jitted
def test_what_policies_stand_for_is_said(mixed_run: Run, random_run: Run) -> None:
    assert [caveat.split()[0] for caveat in caveats(random_run)] == ["random"]
    assert [caveat.split()[0] for caveat in caveats(mixed_run)] == ["greedy", "random"]


def test_more_tiles_than_squares_are_said() -> None:
    assert any("only 64 squares" in caveat for caveat in caveats(simulate(changed("board.size=8"), 1)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "policy random, seed 1"),
        ({"policy": "random,random-fire"}, "policy random,random-fire (rotating over the seats), seed 1"),
        ({"policy": "random,random-fire", "fixed_seats": True}, "policy random,random-fire (seats fixed), seed 1"),
    ],
)
def test_the_headline_says_what_was_played(small: Scenario, options: dict[str, object], words: str) -> None:
    run = simulate(small, 2, **options)  # type: ignore[arg-type]
    assert headline(run) == f"City Services: 2 games, 2 players, {words}."


# Each section shows its own table


@pytest.mark.jitted
def test_the_p_values_shown_are_the_corrected_ones_of_the_table(random_run: Run) -> None:
    part = section(random_run, "services")
    raw, corrected = part.table["p"].to_numpy(), part.table["p_holm"].to_numpy()
    assert corrected == pytest.approx(holm(raw), nan_ok=True)
    shown = ["< 0.001" if p < 0.001 else f"{p:.3f}" for p in corrected]
    assert part.shown["p (Holm)"].tolist() == shown
    assert shown != ["< 0.001" if p < 0.001 else f"{p:.3f}" for p in raw]


@pytest.mark.jitted
def test_verdicts_follow_from_the_corrected_p_and_the_sign(random_run: Run) -> None:
    part = section(random_run, "services")
    for (_, row), verdict in zip(part.table.iterrows(), part.shown["Verdict"], strict=True):
        if row["p_holm"] >= 0.05:
            assert verdict == "not told apart"
        else:
            assert verdict == ("above the others" if row["difference"] > 0 else "below the others")
    above = next(finding for finding in part.findings if finding.startswith("Above the mean of the others"))
    assert "Fire" in above
    assert "Roads" not in above


@pytest.mark.jitted
def test_a_service_that_is_rarely_placed_gets_no_verdict(printed: Scenario) -> None:
    run = simulate(printed, 30)
    part = section(run, "services")
    few = (part.table["n"] < 100).to_numpy()
    assert few.any()
    assert set(part.shown.loc[few, "Verdict"]) == {"too few"}
    assert np.isnan(part.table.loc[few, "p_holm"]).all()


@pytest.mark.jitted
def test_findings_name_the_best_and_the_worst_of_the_table(random_run: Run) -> None:
    tiles, seats = section(random_run, "tiles"), section(random_run, "seats")
    services = tiles.table[tiles.table["kind"] == "Service"]["vp_per_tile"]
    assert tiles.findings[0].startswith(f"{services.idxmax().capitalize()} scores most per tile")
    assert f"{services.idxmin().capitalize()} least" in tiles.findings[0]
    shares = seats.table["win_share"].droplevel("policy")
    assert seats.findings[0].startswith(f"Seat {shares.idxmax()} wins most often")
    assert f"seat {shares.idxmin()} least" in seats.findings[0]


@pytest.mark.jitted
def test_whether_seats_are_equal_is_said_with_its_test(random_run: Run) -> None:
    test = random_run.seats_test()
    assert f"F({test.df[0]}, {test.df[1]}) = {test.f:,.1f}" in section(random_run, "seats").findings[1]
    assert "do not win equally often" in section(random_run, "seats").findings[1]


def test_zones_show_no_points(small_run: Run) -> None:
    part = section(small_run, "tiles")
    zones = (part.table["kind"] == "Zone").to_numpy()
    assert (part.shown.loc[zones, ["VP per tile", "VP", "Share of VP", "Denies"]] == "-").all(axis=None)
    assert (part.shown.loc[~zones, "VP per tile"] != "-").all()


@pytest.mark.parametrize(
    ("players", "sentence"),
    [
        (2, "With 96 tiles in the cups after the deal, 2 players get 24 drawing turns: 12 for each seat"),
        (3, "With 94 tiles in the cups after the deal, 3 players get 24 drawing turns: 8 for each seat"),
        (4, "4 players get 23 drawing turns: 6 for seats 1, 2 and 3, one fewer for seat 4."),
    ],
)
def test_how_the_drawing_turns_fall_on_the_seats_is_said(printed: Scenario, players: int, sentence: str) -> None:
    run = simulate(printed, 1, players=players)
    assert any(sentence in finding for finding in section(run, "seats").findings)
