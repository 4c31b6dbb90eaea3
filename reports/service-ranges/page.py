"""The page of the study: sections and charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from ranges import CURVES, FOR_ALL, FRESH_SEED, PRINTED, RANGES, SEARCH_SEED, TILES, Case, Study

from balance.charts.chart import Chart
from balance.charts.rows import row_order, rows_height
from balance.charts.style import BLUE, GRID, INK, QUIET, SMALL, VERMILION, drawing_style, light_grid, new_figure
from balance.report.document import Document
from balance.report.method import versions
from balance.report.numbers import Row, counted, listed, number, signed
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.scenario.describe import tile_name
from balance.stats.verdicts import MARGIN

_COLOURS = {"random": BLUE, "greedy": VERMILION}
_MARKERS = {2: "o", 3: "s", 4: "^"}
_DASHES = {2: (0, (1.2, 1.2)), 3: (0, (5, 1.5)), 4: "solid"}


def study_document(study: Study) -> Document:
    """Return the page of a study."""
    scenario = next(iter(study.sweeps.values())).scenario
    return Document(
        title="City Services: which ranges are fair?",
        headline=(
            f"The ranges of all {len(TILES)} Services, {RANGES[0]} to {RANGES[-1]}, for "
            f"{listed([str(case) for case in study.cases])}; {study.games:,} games at each point, on the same luck."
        ),
        caveats=caveats_of_brains(scenario, [found.plan for found in study.sweeps.values()]),
        sections=[_line(study), _curves(study), _sets(study), _effects(study), _matrix(study), _checks(study)],
        facts={},
        scenarios=[scenario],
        method=[
            (
                "Out of line",
                f"own VP per tile less the mean of the other 13, margin {MARGIN:g} VP, Bonferroni over all rows",
            ),
            ("Even", "SD over mean of the 14 Services' own VP per tile, less what chance alone would make"),
            ("Search", f"balance tune, seed {SEARCH_SEED}; the mean score stays within 20% in every case"),
            ("Effects", f"on seed {FRESH_SEED}, which no search has seen; paired with the printed ranges"),
            ("Versions", versions()),
        ],
        draw=lambda: charts(study),
    )


def of_case(table: pd.DataFrame, case: Case) -> pd.DataFrame:
    """Return the rows of one case."""
    return table.xs(tuple(case), level=("policy", "players"))


def _line(study: Study) -> Section:
    table = study.out_of_line()
    words = {"overpowered": "strong", "underpowered": "weak"}
    shown = pd.DataFrame({"Service": [tile_name(tile) for tile in TILES]})
    for case in study.cases:
        rows: list[Row] = of_case(table, case).loc[list(TILES)].to_dict("records")
        shown[f"{case.policy}, {case.players}"] = [
            f"{signed(row['contrast'], 2)}{'*' if row['verdict'] in words else ''}" for row in rows
        ]
    findings = []
    for policy in dict.fromkeys(case.policy for case in study.cases):
        of_policy = table.loc[policy]
        for verdict, said in (("overpowered", "more"), ("underpowered", "less")):
            always = [
                tile_name(tile) for tile in TILES if (of_policy.xs(tile, level="tile")["verdict"] == verdict).all()
            ]
            if always:
                findings.append(
                    f"{policy.capitalize()}: {listed(always)} bring over {MARGIN:g} VP {said}, however many play."
                )
    balanced = int((table["verdict"] == "balanced").sum())
    findings.append(f"{balanced} of {len(table)} rows lie surely within {MARGIN:g} VP of the others.")
    explanation = (
        "VP a tile brings beyond the mean of the other Services, by policy and players; * surely off by more than "
        f"{MARGIN:g} VP. Intervals and the range that would be in line are in the CSV."
    )
    return Section("line", "Which printed ranges are out of line", findings, explanation, table, shown)


def _curves(study: Study) -> Section:
    table = study.out_of_line()
    shown = pd.DataFrame({"Service": [tile_name(tile) for tile in TILES]})
    shown["Printed"] = [str(table.xs(tile, level="tile")["printed"].iloc[0]) for tile in TILES]
    for case in study.cases:
        rows: list[Row] = of_case(table, case).loc[list(TILES)].to_dict("records")
        shown[f"{case.policy}, {case.players}"] = [
            f"{row['in_line']} ({signed(row['contrast_in_line'], 2)})" for row in rows
        ]
    never = [
        tile_name(tile) for tile in TILES if (table.xs(tile, level="tile")["contrast_in_line"].abs() > MARGIN).all()
    ]
    findings = [
        f"No range brings {listed(never)} within {MARGIN:g} VP of the others, in any case: other rules hold them there."
        if never
        else f"Every Service has a range with which it is within {MARGIN:g} VP of the others in some case."
    ]
    explanation = "The range with which each Service alone would be nearest to the others, and how far off it is then."
    rows_of_curves = [
        {"policy": case.policy, "players": case.players, "tile": tile, "range": value, "contrast": contrast}
        for case in study.cases
        for tile, curve in zip(TILES, study.curves(case), strict=True)
        for value, contrast in zip(RANGES, curve, strict=True)
    ]
    return Section("curves", "What a range does", findings, explanation, pd.DataFrame(rows_of_curves), shown)


def _sets(study: Study) -> Section:
    table = study.sets()
    shown = table.astype(str).reset_index()
    shown["tile"] = [tile_name(tile) for tile in table.index]
    shown = shown.rename(columns={"tile": "Service"})
    findings = [
        f"{_set_name(name).capitalize()}: {counted(len(found.changes), 'range')} changed."
        for name, found in study.tuned.items()
    ]
    changed = {name: table[name] != table[PRINTED] for name in study.tuned}
    always = [tile_name(tile) for tile in TILES if all(of[tile] for of in changed.values())]
    never = [tile_name(tile) for tile in TILES if not any(of[tile] for of in changed.values())]
    findings.append(f"Changed in every search: {listed(always)}; in none: {listed(never)}.")
    explanation = "The ranges that each search ends with: of those as good as the best, the fewest changes."
    return Section("sets", "Which ranges even the Services out", findings, explanation, table, shown)


def _effects(study: Study) -> Section:
    table = study.effects()
    rows = []
    for case in study.cases:
        for name in [PRINTED, str(case), FOR_ALL]:
            if (name, *case) in table.index:
                row = table.loc[(name, *case)]
                rows.append(
                    {
                        "Who plays": str(case),
                        "Ranges": "tuned for them" if name == str(case) else name,
                        "Unevenness": _with_limits(row, "evenness", 3),
                        "Mean score": number(row["score.mean"], 1),
                        "Spread": number(row["score.sd"], 1),
                        "Margin of victory": number(row["score.margin"], 1),
                        "First seat wins more than the last": _with_limits(row, "seats.first_less_last", 3),
                    }
                )
    findings = []
    for case in study.cases:
        before, after = (table.loc[(name, *case)] for name in (PRINTED, str(case)))
        findings.append(
            f"{str(case).capitalize()}: unevenness {number(before['evenness'], 3)} to {number(after['evenness'], 3)}, "
            f"mean score {signed(after['score.mean.change'], 1)}, first seat less last "
            f"{signed(100 * after['seats.first_less_last.change'], 1)} points of win share."
        )
    explanation = f"On seed {FRESH_SEED}; changes from the printed ranges, with paired intervals, are in the CSV."
    return Section("effects", "What that does to scores and seats", findings, explanation, table, pd.DataFrame(rows))


def _with_limits(row: pd.Series, name: str, digits: int) -> str:
    return f"{number(row[name], digits)} [{number(row[f'{name}_low'], digits)}, {number(row[f'{name}_high'], digits)}]"


def evenness_matrix(study: Study) -> pd.DataFrame:
    """Return the unevenness of each set of ranges (rows) in each case (columns)."""
    wide = study.effects()["evenness"].unstack(["policy", "players"])
    names = [name for name in (PRINTED, *study.tuned) if name in wide.index]
    return wide.loc[names, [tuple(case) for case in study.cases]]


def _matrix(study: Study) -> Section:
    table = evenness_matrix(study)
    shown = pd.DataFrame({"Ranges": [_set_name(name) for name in table.index]})
    for case in study.cases:
        shown[f"{case.policy}, {case.players}"] = [number(value, 3) for value in table[tuple(case)]]
    shown["Mean"] = [number(value, 3) for value in table.mean(axis=1)]
    best = table.mean(axis=1).idxmin()
    mean = table.mean(axis=1)
    findings = [
        f"Over all cases, the ranges {_set_name(best)} are the most even ({number(mean[best], 3)}; as printed "
        f"{number(mean[PRINTED], 3)}).",
        *_worse(study, table),
    ]
    explanation = "Unevenness of each set of ranges with each policy and number of players; the lower the better."
    return Section("matrix", "Do they serve others too", findings, explanation, table, shown)


def _worse(study: Study, table: pd.DataFrame) -> list[str]:
    """Say where ranges tuned for one policy are less even than the printed ones for another."""
    worse: dict[tuple[str, str], list[bool]] = {}
    for case in study.cases:
        for other in study.cases:
            is_worse = table.loc[str(case), tuple(other)] > table.loc[PRINTED, tuple(other)]
            worse.setdefault((case.policy, other.policy), []).append(bool(is_worse))
    return [
        f"Ranges tuned for {policy} players are less even than the printed ones for {other} players in {sum(found)} of "
        f"{len(found)} cases."
        for (policy, other), found in worse.items()
        if any(found)
    ] or ["Every set is more even than the printed ranges in every case."]


def _set_name(name: str) -> str:
    return name if name in (PRINTED, FOR_ALL) else f"tuned for {name}"


def _checks(study: Study) -> Section:
    effects = study.effects()
    rows = []
    for case in study.cases:
        found, optimum = (float(effects.loc[(name, *case), "evenness"]) for name in (str(case), CURVES))
        rows.append({"check": f"{case}: the optimum of the 14 curves", "optimum": optimum, "search": found})
    grid, tuned = study.three
    best = grid.best().iloc[0]
    rows.append(
        {
            "check": f"three Services, full grid of {len(grid.points)}",
            "optimum": best["value"],
            "search": tuned.searched[1],
        }
    )
    table = pd.DataFrame(rows).set_index("check")
    table["ratio"] = table["search"] / table["optimum"]
    shown = pd.DataFrame(
        {
            "Check": list(table.index),
            "Optimum": [number(value, 4) for value in table["optimum"]],
            "Search": [number(value, 4) for value in table["search"]],
            "Search over optimum": [number(value, 3) for value in table["ratio"]],
        }
    )
    names = [axis.name for axis in grid.axes]
    same = tuple(best[name] for name in names) == tuned.values
    findings = [
        f"Of the {len(grid.points)} points of the full grid the search tried {len(tuned.trials)}, and found "
        f"{'the best one' if same else 'one that cannot be told from the best'}.",
        "Against the optimum of the 14 curves the searches end at "
        f"{listed([f'{ratio:.3f} ({case})' for case, ratio in zip(study.cases, table['ratio'], strict=False)])} of it.",
    ]
    explanation = (
        "Under random players a range hardly changes what other Services score, so the 14 curves tell the optimum: all "
        "combinations are enumerated, exactly, and the best one is played "
        f"on seed {FRESH_SEED}. Greedy players answer to a range, so that their curves are a guess at the optimum."
    )
    return Section("checks", "Is it the optimum", findings, explanation, table, shown)


def charts(study: Study) -> list[Chart]:
    """Draw the charts of the page."""
    with drawing_style():
        return [_chart_of_line(study), _chart_of_curves(study), _chart_of_evenness(study)]


def _chart_of_line(study: Study) -> Chart:
    table = study.out_of_line()
    title = "What each Service brings beyond the others, at its printed range"
    figure, (axes,) = new_figure(title, rows_height(len(TILES)) + 0.3)
    axes.axvspan(-MARGIN, MARGIN, color=GRID, alpha=0.55, linewidth=0)
    axes.axvline(0, color=INK, linewidth=0.9)
    mean = table["contrast"].groupby(level="tile").mean()
    order = sorted(TILES, key=lambda tile: -mean[tile])
    row_order(axes, [tile_name(tile) for tile in order])
    for place, case in enumerate(study.cases):
        values = of_case(table, case).loc[order, "contrast"]
        heights = np.arange(len(order)) + 0.1 * (place - (len(study.cases) - 1) / 2)
        axes.plot(values, heights, _MARKERS[case.players], color=_COLOURS[case.policy], markersize=4, alpha=0.9)
    axes.set_xlabel(f"own VP per tile less the mean of the other Services; band: ±{MARGIN:g} VP", fontsize=SMALL)
    light_grid(axes, "x")
    _name_cases(figure, study.cases)
    said = "; ".join(f"{tile_name(tile)} {mean[tile]:+.2f}" for tile in order)
    return Chart("line", "line", title, f"{title}, mean over the cases, VP: {said}.", figure)


def _chart_of_curves(study: Study) -> Chart:
    title = "What each Service brings beyond the others, by its range (grey: as printed)"
    rows = -(-len(TILES) // 4)
    figure, panels = new_figure(title, 0.9 + 1.45 * rows, rows=rows, columns=4)
    curves = {case: study.curves(case) for case in study.cases}
    printed = study.sets()[PRINTED]
    for place, (panel, tile) in enumerate(zip(panels, TILES, strict=False)):
        if place > 0:
            panel.sharey(panels[0])
        panel.axvline(printed[tile], color=GRID, linewidth=5, zorder=0)
        panel.axhline(0, color=INK, linewidth=0.8)
        for case, curve in curves.items():
            _draw_case(panel, case, curve[place])
        panel.set_title(tile_name(tile), loc="left", fontsize=SMALL)
        panel.set_xticks(RANGES)
        light_grid(panel, "y")
    for panel in panels[len(TILES) :]:
        panel.set_visible(False)
    figure.supylabel("own VP per tile less the mean of the others", fontsize=SMALL)
    _name_cases(figure, study.cases)
    last = study.cases[-1]
    said = "; ".join(
        f"{tile_name(tile)} {', '.join(f'{value:+.1f}' for value in curve)}"
        for tile, curve in zip(TILES, curves[last], strict=True)
    )
    return Chart("curves", "curves", title, f"{title}. {last}, ranges 1 to 5: {said}.", figure)


def _draw_case(axes: Axes, case: Case, curve: np.ndarray) -> None:
    axes.plot(RANGES, curve, color=_COLOURS[case.policy], linestyle=_DASHES[case.players], linewidth=1.1)
    axes.plot(RANGES, curve, _MARKERS[case.players], color=_COLOURS[case.policy], markersize=2.5)


def _name_cases(figure: Figure, cases: Sequence[Case]) -> None:
    handles = [
        Line2D(
            [],
            [],
            color=_COLOURS[case.policy],
            linestyle=_DASHES[case.players],
            marker=_MARKERS[case.players],
            markersize=4,
        )
        for case in cases
    ]
    figure.legend(handles, [str(case) for case in cases], loc="outside lower center", ncols=3, frameon=False)


def _chart_of_evenness(study: Study) -> Chart:
    table = study.effects()
    title = "How uneven the Services are, before and after"
    figure, (axes,) = new_figure(title, rows_height(len(study.cases), 2))
    row_order(axes, [str(case) for case in study.cases])
    said = []
    looks = {PRINTED: ("o", QUIET), "tuned for them": ("D", VERMILION), FOR_ALL: ("s", BLUE)}
    for place, case in enumerate(study.cases):
        names = {PRINTED: PRINTED, "tuned for them": str(case), FOR_ALL: FOR_ALL}
        values = {
            word: table.loc[(name, *case), "evenness"] for word, name in names.items() if (name, *case) in table.index
        }
        axes.hlines(place, min(values.values()), max(values.values()), color=GRID, linewidth=2)
        for word, value in values.items():
            marker, colour = looks[word]
            axes.plot(value, place, marker, color=colour, markersize=6, label=word if place == 0 else None)
        said.append(f"{case}: " + ", ".join(f"{word} {value:.3f}" for word, value in values.items()))
    axes.set_xlim(left=0)
    axes.set_xlabel("SD over mean of the Services' own VP per tile (lower is more even)", fontsize=SMALL)
    light_grid(axes, "x")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return Chart("evenness", "effects", title, f"{title}. {'; '.join(said)}.", figure)
