"""All charts of a run, each with a text that says what it shows."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from balance.charts import alt, quadropolis
from balance.charts.board import draw_boards
from balance.charts.chart import Chart
from balance.charts.rows import reading_note, rows_height
from balance.charts.rules import SUMS, draw_placement_limits, draw_revenue, limit_name, placement_limit_rows, rules_of
from balance.charts.scores import draw_arc, draw_margins, draw_scores, step_width
from balance.charts.seats import draw_policies, draw_seats, rows_of_seats
from balance.charts.style import SMALL, drawing_style, name_lines, new_figure
from balance.charts.tiles import draw_vp_per_tile, draw_win_share_per_copy
from balance.scenario.describe import tile_name
from balance.studies.city_services import CityServicesRun
from balance.studies.run import AnyRun
from balance.studies.tables import Run


def charts(run: AnyRun) -> list[Chart]:
    """Draw all charts that a run has data for.

    Parameters
    ----------
    run : Run

    Returns
    -------
    list of Chart
        In the order of the report.
    """
    with drawing_style():
        first = [chart for draw in (_scores, _seats, _policies) for chart in draw(run)]
        if isinstance(run, CityServicesRun):
            of_game = [chart for draw in (_tiles, _board, _services, _rules) for chart in draw(run)]
        else:
            of_game = quadropolis.charts(run)
        return [*first, *of_game, *_arc(run)]


def _scores(run: Run) -> list[Chart]:
    histogram, margins = run.histogram(), run.margins()
    title = "How often each final score comes, by seat"
    width = step_width(histogram.index)

    def draw(axes: Axes, policy: str) -> None:
        draw_scores(axes, histogram[policy], width)

    figure = _panel_for_each_policy(title, run.policies, "final score, VP", draw)
    name_lines(figure)
    means = run.seats() if len(run.policies) == 1 else run.by_policy()
    spread = Chart("scores", "scores", title, alt.scores_alt(means, histogram), figure)
    title = "By how much games are won"
    figure, (axes,) = new_figure(title, 2.6)
    draw_margins(axes, margins, step_width(margins.index))
    return [spread, Chart("margins", "scores", title, alt.margins_alt(margins), figure)]


def _seats(run: Run) -> list[Chart]:
    seats = run.seats()
    by_policy = " by policy and seat" if len(run.policies) > 1 else " by seat"
    title = f"Games won and mean score{by_policy}"
    figure, (win_share, score) = new_figure(title, rows_height(rows_of_seats(seats)), columns=2)
    draw_seats(win_share, score, seats)
    figure.supxlabel(reading_note(seats, "score"), fontsize=SMALL)
    return [Chart("seats", "seats", title, alt.seats_alt(seats), figure)]


def _policies(run: Run) -> list[Chart]:
    if len(run.policies) < 2:
        return []
    policies = run.by_policy()
    title = "Games won and mean score by policy, all seats together"
    figure, (win_share, score) = new_figure(title, rows_height(len(policies), lines=2), columns=2)
    draw_policies(win_share, score, policies)
    figure.supxlabel(reading_note(policies, "score"), fontsize=SMALL)
    return [Chart("policies", "policies", title, alt.policies_alt(policies), figure)]


def _tiles(run: CityServicesRun) -> list[Chart]:
    tiles = run.tiles()
    shown = tiles["win_share_per_copy"].notna()
    if not shown.any():  # a single game has no slope
        return []
    title = "How the win share goes with each copy that a seat places"
    figure, (axes,) = new_figure(title, rows_height(int(shown.sum())))
    draw_win_share_per_copy(axes, tiles)
    return [Chart("win-share-per-copy", "tiles", title, alt.win_share_alt(tiles), figure)]


def _board(run: CityServicesRun) -> list[Chart]:
    services = run.services()
    if services.empty:
        return []
    tiles = _most_and_least(services)
    board = run.board()
    squares = run.scenario.board.size**2
    each = min(services.loc[tile, "n"] for tile in tiles) / squares
    if each < 1:
        return []
    few = f" (about {each:.2g} tiles a square: differences may be chance)" if each < 100 else ""
    title = f"{' and '.join(tile_name(tile) for tile in tiles)}: squares where placed, and where scoring{few}"
    figure, panels = new_figure(title, 2.9 * len(tiles) + 0.3, rows=len(tiles), columns=2)
    draw_boards(figure, panels, board, tiles)
    return [Chart("board", "tiles", title, alt.board_alt(board, tiles), figure)]


def _services(run: CityServicesRun) -> list[Chart]:
    services = run.services()
    if services.empty:
        return []
    mean = float(services["vp_per_tile"].mean())
    title = "VP that each Service scores per tile"
    figure, (axes,) = new_figure(title, rows_height(len(services)))
    draw_vp_per_tile(axes, services, mean)
    return [Chart("vp-per-tile", "services", title, alt.services_alt(services, mean), figure)]


def _rules(run: CityServicesRun) -> list[Chart]:
    rules = run.rules()
    title = "Zones in range: points given, and points that rules deny"
    revenue = rules_of(rules, "revenue").iloc[:-1]
    figure, (axes,) = new_figure(title, rows_height(len(revenue)) + 0.1)
    draw_revenue(axes, rules)
    drawn = [Chart("revenue", "rules", title, alt.revenue_alt(revenue), figure)]
    limits = placement_limit_rows(rules)
    if limits.empty:
        return drawn
    title = "How much of the board each placement limit closes"
    lines = 2 if any("\n" in limit_name(str(rule)) for rule in limits.index) else 1
    figure, (axes,) = new_figure(title, rows_height(len(limits), lines))
    draw_placement_limits(axes, limits)
    text = alt.limits_alt(limits, rules_of(rules, "placement limits").iloc[-SUMS])
    return [*drawn, Chart("placement-limits", "rules", title, text, figure)]


def _arc(run: Run) -> list[Chart]:
    arc = run.arc()
    step = "turn" if isinstance(run, CityServicesRun) else "round"
    title = f"How scores grow: mean score after each {step}"

    def draw(axes: Axes, policy: str) -> None:
        draw_arc(axes, arc.xs(policy, level="policy"))

    figure = _panel_for_each_policy(title, run.policies, f"{step} of the seat", draw)
    return [Chart("arc", "arc", title, alt.arc_alt(arc), figure)]


def _panel_for_each_policy(title: str, policies: list[str], words: str, draw: Callable[[Axes, str], None]) -> Figure:
    """Return a figure with a panel for each policy, one below the other, over the same turns or scores."""
    several = len(policies) > 1
    figure, panels = new_figure(title, 0.6 + (1.9 if several else 2.7) * len(policies), rows=len(policies))
    for axes, policy in zip(panels, policies, strict=True):
        axes.sharex(panels[0])
        draw(axes, policy)
        if several:
            axes.set_title(textwrap.shorten(policy, 70, placeholder="…"), loc="left", fontweight="bold")
    panels[-1].set_xlabel(words)
    return figure


def _most_and_least(services: pd.DataFrame) -> list[str]:
    """Return the Services that score most and least per tile."""
    most, least = services["vp_per_tile"].idxmax(), services["vp_per_tile"].idxmin()
    return list(dict.fromkeys([str(most), str(least)]))
