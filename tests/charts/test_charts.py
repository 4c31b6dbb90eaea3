"""Charts show what the tables say: checked on their artists' data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.figure import Figure

from balance.charts.board import PLACED, VP, Heat, draw_board
from balance.charts.catalogue import Chart, charts
from balance.charts.rules import draw_placement_limits, draw_revenue, placement_limit_rows
from balance.charts.scores import draw_arc, draw_margins, draw_scores, step_width
from balance.charts.seats import draw_seats
from balance.charts.style import LOOKS, as_png, as_svg, end_labels
from balance.charts.tiles import draw_vp_per_tile, draw_win_share_per_copy
from balance.scenario.load import Scenario, check_scenario, load_scenario
from balance.studies.run import simulate
from balance.studies.tables import Run

NAMES = [
    "scores",
    "margins",
    "seats",
    "win-share-per-copy",
    "board",
    "vp-per-tile",
    "revenue",
    "placement-limits",
    "arc",
]


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate("city-services", 480, players=4)


@pytest.fixture(scope="module")
def mixed() -> Run:
    return simulate("city-services", 480, players=2, policy="greedy,random")


@pytest.fixture
def axes() -> Axes:
    return Figure().subplots()


def scenario_of(services: int) -> Scenario:
    data = load_scenario("city-services").model_dump()
    fire = data["services"]["fire"]
    data["services"] = {f"a_service_with_the_name_{number}": fire for number in range(services)}
    data["placement"]["forbidden_beside"] = {name: ["residential"] for name in list(data["services"])[:8]}
    data["revenue"]["never_score"] = {}
    return check_scenario(data, "test")


def dots(axes: Axes) -> dict[float, float]:
    """Return the value at each row."""
    return {
        float(row): float(value)
        for line in axes.lines
        if line.get_linestyle() == "None"
        for value, row in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def intervals(axes: Axes) -> dict[float, tuple[float, float]]:
    """Return the interval at each row."""
    segments = itertools.chain.from_iterable(
        part.get_segments() for part in axes.collections if isinstance(part, LineCollection)
    )
    return {float(start[1]): (float(start[0]), float(end[0])) for start, end in segments}


def rows(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def written(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def test_the_services_are_drawn_from_the_highest_to_the_lowest_at_the_values_of_the_table(axes: Axes, run: Run) -> None:
    table = run.services()
    draw_vp_per_tile(axes, table, 4.0)
    order = table.sort_values("vp_per_tile", ascending=False, kind="stable")
    assert rows(axes) == [str(tile).capitalize() for tile in order.index]
    assert list(dots(axes).values()) == list(order["vp_per_tile"])
    assert list(intervals(axes).values()) == list(zip(order["vp_per_tile_low"], order["vp_per_tile_high"], strict=True))


def test_the_reference_line_stands_at_the_given_mean(axes: Axes, run: Run) -> None:
    draw_vp_per_tile(axes, run.services(), 4.25)
    line = next(line for line in axes.lines if line.get_linestyle() != "None")
    assert list(line.get_xdata()) == [4.25, 4.25]


def test_rows_of_too_few_are_hollow_without_interval_and_say_so(axes: Axes, run: Run) -> None:
    table = run.services()
    table.loc["fire", ["vp_per_tile_low", "vp_per_tile_high"]] = math.nan
    table.loc["fire", "evidence"] = "too few"
    draw_vp_per_tile(axes, table, 4.0)
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white"]
    row = rows(axes).index("Fire")
    assert [list(line.get_ydata()) for line in hollow] == [[row]]
    assert row not in intervals(axes)
    assert f"{table.loc['fire', 'vp_per_tile']:.2f} too few" in [text.get_text() for text in axes.texts]
    assert "too few" in axes.get_xlabel()


def test_zones_and_services_differ_in_their_markers_too(axes: Axes, run: Run) -> None:
    table = run.tiles()
    draw_win_share_per_copy(axes, table)
    order = table.sort_values("win_share_per_copy", ascending=False, kind="stable")
    assert [dots(axes)[row] for row in range(len(order))] == list(order["win_share_per_copy"])
    markers = {
        order["kind"].iloc[int(row)]: line.get_marker()
        for line in axes.lines
        if line.get_linestyle() == "None"
        for row in line.get_ydata()
    }
    assert markers["Zone"] != markers["Service"]


def test_seats_are_drawn_at_win_share_and_score_with_their_intervals(mixed: Run) -> None:
    win_share, score = Figure().subplots(1, 2)
    table = mixed.seats()
    draw_seats(win_share, score, table)
    named = [place for place, label in enumerate(rows(win_share)) if label]  # the others are headings
    for axes, column in ((win_share, "win_share"), (score, "score")):
        assert [dots(axes)[place] for place in named] == list(table[column])
        expected = list(zip(table[f"{column}_low"], table[f"{column}_high"], strict=True))
        assert [intervals(axes)[place] for place in named] == expected
    assert [text.get_text() for text in win_share.texts if text.get_fontweight() == "bold"] == ["greedy", "random"]


def test_the_steps_of_the_score_chart_add_up_to_all_games(axes: Axes, run: Run) -> None:
    histogram = run.histogram()["random"]
    draw_scores(axes, histogram, 5)
    for patch, seat in zip(axes.patches, histogram.columns, strict=True):
        values, edges, _ = patch.get_data()
        assert values.sum() == pytest.approx(1)
        inside = (histogram.index >= edges[3]) & (histogram.index < edges[4])
        assert values[3] == pytest.approx(histogram.loc[inside, seat].sum())


def test_steps_are_as_narrow_as_can_still_be_seen() -> None:
    assert step_width(pd.RangeIndex(0, 60)) == 1
    assert step_width(pd.RangeIndex(0, 61)) == 2
    assert step_width(pd.RangeIndex(0, 5000)) == 100


def test_margins_are_the_shares_of_the_table(axes: Axes, run: Run) -> None:
    margins = run.margins()
    draw_margins(axes, margins, 1)
    assert list(axes.patches[0].get_data().values) == list(margins["share"])


def test_the_arc_is_the_mean_of_the_table_and_ends_with_its_last_value(axes: Axes, run: Run) -> None:
    arc = run.arc().xs("random", level="policy")
    draw_arc(axes, arc)
    for number, (seat, line) in enumerate(arc.groupby(level="seat")):
        assert list(axes.lines[number].get_ydata()) == list(line["score"])
        assert f"seat {seat}: {line['score'].iloc[-1]:.1f}" in [text.get_text() for text in axes.texts]


def test_seats_differ_without_colour_too() -> None:
    assert len({look.marker for look in LOOKS}) == len(LOOKS) == 4
    assert len({look.dashes for look in LOOKS}) == 4


def test_labels_at_line_ends_keep_their_order_and_distance(axes: Axes) -> None:
    axes.set_ylim(0, 100)
    end_labels(axes, [(50.0, "b", "k"), (49.9, "a", "k"), (50.1, "c", "k"), (90.0, "d", "k")])
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert heights["d"] == 90
    ordered = [heights[name] for name in "abcd"]
    assert min(np.diff(ordered)) >= 8.5 - 1e-9


def test_bars_of_rules_are_as_long_as_the_table_says(run: Run) -> None:
    top, bottom = Figure().subplots(2, 1)
    rules = run.rules()
    revenue = rules.xs("revenue", level="part").iloc[:-1]
    draw_revenue(top, rules)
    assert [bar.get_width() for bar in top.patches] == list(revenue["per_game"])
    assert [bar.get_hatch() or "" for bar in top.patches] == ["", "///", "///"]
    limits = placement_limit_rows(rules)
    draw_placement_limits(bottom, limits)
    assert [bar.get_width() for bar in bottom.patches] == list(limits["share"])
    assert list(intervals(bottom).values()) == list(zip(limits["share_low"], limits["share_high"], strict=True))


def test_single_limits_are_drawn_without_their_sums_and_none_where_there_are_no_limits(run: Run) -> None:
    everything = run.rules().xs("placement limits", level="part")
    limits = placement_limit_rows(run.rules())
    assert set(limits.index) == set(everything.index[:-2])
    assert limits["share"].is_monotonic_decreasing
    assert limits["share"].sum() == pytest.approx(everything["share"].iloc[-2])
    unlimited = everything.iloc[-3:]
    assert placement_limit_rows(pd.concat({"placement limits": unlimited}, names=["part"])).empty


@pytest.mark.parametrize("heat", [PLACED, VP])
def test_a_board_shows_each_square_in_its_place(axes: Axes, run: Run, heat: Heat) -> None:
    board = run.board().sort_index()
    board.loc[("fire", 1, 2), "vp_per_tile"] = math.nan
    mesh = draw_board(axes, board, "fire", heat)
    assert isinstance(mesh, QuadMesh)
    shown = mesh.get_array().reshape(10, 10)
    for row, column in ((1, 1), (3, 7), (10, 2)):
        assert shown[row - 1, column - 1] == board.loc[("fire", row, column), heat.column]
    assert np.ma.getmaskarray(shown)[0, 1] == (heat is VP)
    assert axes.yaxis_inverted()


def test_a_run_has_all_charts_and_its_texts_give_numbers(run: Run) -> None:
    drawn = charts(run)
    assert [chart.name for chart in drawn] == NAMES
    services = run.services()["vp_per_tile"]
    text = next(chart.alt for chart in drawn if chart.name == "vp-per-tile")
    assert text.startswith(f"{services.idxmax().capitalize()} scores {services.max():.2f}")
    assert f"{services.idxmin().capitalize()} the least: {services.min():.2f}" in text
    assert f"{services.mean():.2f}" in text
    for chart in drawn:
        assert any(letter.isdigit() for letter in chart.alt), chart.name


def test_several_policies_get_a_chart_and_panels_of_their_own(mixed: Run) -> None:
    drawn = {chart.name: chart for chart in charts(mixed)}
    assert "policies" in drawn
    assert [axes.get_title(loc="left") for axes in drawn["scores"].figure.axes] == ["greedy", "random"]


@pytest.mark.parametrize(
    ("scenario", "games", "players"),
    [
        (load_scenario("city-services"), 1, 2),
        (load_scenario("city-services"), 1, 4),
        (load_scenario("city-services"), 2, 3),
        (scenario_of(1), 24, 3),
        (scenario_of(40), 24, 4),
        (load_scenario("city-services", changes=["board.size=16"]), 24, 4),
        (load_scenario("city-services", changes=["board.size=4"]), 24, 2),
        (load_scenario("city-services", changes=["revenue.coverage=off"]), 1, 2),
    ],
)
def test_small_and_large_runs_are_drawn_without_warnings_and_without_nan(
    scenario: Scenario, games: int, players: int
) -> None:
    for chart in charts(simulate(scenario, games, players=players)):
        as_png(chart.figure)  # lays out and draws; warnings are errors here
        for text in [chart.alt, chart.title, *written(chart.figure)]:
            assert "nan" not in text.lower().split(), (chart.name, text)


def test_no_two_row_labels_of_forty_services_meet() -> None:
    drawn = charts(simulate(scenario_of(40), 24, players=4))
    chart = next(chart for chart in drawn if chart.name == "vp-per-tile")
    as_png(chart.figure)
    boxes = [label.get_window_extent() for label in chart.figure.axes[0].get_yticklabels()]
    assert len(boxes) == 40
    for upper, lower in itertools.pairwise(boxes):
        assert lower.y1 <= upper.y0 or upper.y1 <= lower.y0


def test_the_same_run_gives_the_same_svg_without_a_date(run: Run) -> None:
    first, second = (as_svg(_chart(charts(run), "seats").figure) for _ in range(2))
    assert first == second
    assert "<dc:date>" not in first
    assert "<metadata" not in first


def test_the_png_is_16_cm_wide_at_150_dots_per_inch(run: Run) -> None:
    png = as_png(_chart(charts(run), "seats").figure)
    assert int.from_bytes(png[16:20], "big") == pytest.approx(16 / 2.54 * 150, abs=1)


def _chart(drawn: list[Chart], name: str) -> Chart:
    return next(chart for chart in drawn if chart.name == name)
