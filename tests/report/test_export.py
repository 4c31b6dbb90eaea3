"""JSON, CSV, Markdown and the terminal tell the same numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from balance.report.export import as_csv, as_json, as_markdown, markdown_rows, print_as, records
from balance.report.run import run_document
from balance.report.sections import sections
from balance.report.terminal import WIDTH, console, print_document, print_table
from balance.scenario.describe import values_table
from balance.scenario.load import Scenario
from balance.studies.run import simulate
from balance.studies.tables import Run


@pytest.fixture(scope="module")
def run(small: Scenario) -> Run:
    """A run with undefined numbers in it."""
    return simulate(small, 3, policy="random,random-fire")


def plain_rows(text: str) -> list[dict[str, str]]:
    """Read CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def test_json_has_every_number_of_every_table_unrounded(run: Run) -> None:
    content = json.loads(as_json(run_document(run)))
    for part in sections(run):
        written = content["sections"][part.key]
        assert written["title"] == part.title
        assert written["findings"] == part.findings
        flat = part.table.reset_index()
        assert len(written["rows"]) == len(flat)
        for row, (_, expected) in zip(written["rows"], flat.iterrows(), strict=True):
            assert list(row) == [str(column) for column in flat.columns]
            for name, value in row.items():
                told = expected[name]
                if isinstance(told, float) and math.isnan(told):
                    assert value is None
                else:
                    assert value == told


def test_json_is_json_without_nan(run: Run) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(as_json(run_document(run)), parse_constant=refuse)


def test_json_says_what_was_played_and_tested(run: Run) -> None:
    content = json.loads(as_json(run_document(run)))
    assert content["run"] == {**json.loads(json.dumps(run.plan.as_data())), "games": 3}
    assert set(content["tests"]) == {"seats", "policies", "services"}
    assert content["tests"]["services"]["p"] is None
    assert content["summary"].startswith("City Services: 3 games")
    assert content["caveats"]


def test_csv_and_json_agree(run: Run) -> None:
    content = json.loads(as_json(run_document(run)))
    for part in sections(run):
        rows = plain_rows(as_csv([part]))
        for row, expected in zip(rows, content["sections"][part.key]["rows"], strict=True):
            assert list(row) == list(expected)
            for name, cell in row.items():
                value = expected[name]
                if value is None:
                    assert cell == ""
                elif isinstance(value, float):
                    assert float(cell) == value
                else:
                    assert cell == str(value)


def test_several_tables_of_csv_are_told_apart_by_a_comment(run: Run) -> None:
    parts = sections(run)
    titles = [line for line in as_csv(parts).splitlines() if line.startswith("# ")]
    assert titles == [f"# {part.key}: {part.title}" for part in parts]
    assert "#" not in as_csv(parts[:1])


def test_markdown_tables_have_a_cell_in_every_column(run: Run) -> None:
    text = as_markdown(run_document(run))
    widths = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    heads = [f"## {part.title}" for part in sections(run)]
    assert [line for line in text.splitlines() if line.startswith("## ")] == heads
    expected = [len(part.shown.columns) + 1 for part in sections(run) for _ in range(len(part.shown) + 2)]
    assert widths == expected
    for part in sections(run):
        for cell in part.shown.to_numpy().ravel():
            assert str(cell) in text


def test_a_bar_in_a_cell_does_not_break_a_markdown_table() -> None:
    assert markdown_rows(pd.DataFrame({"a|b": ["c|d"]})) == ["| a/b |", "| --- |", "| c/d |"]


def on_terminal(run: Run) -> str:
    """Return what is printed of a run where there is no terminal."""
    out = Console(file=io.StringIO(), width=WIDTH, highlight=False)
    print_document(run_document(run), out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@pytest.mark.jitted
def test_the_terminal_shows_every_row_within_100_columns(random_run: Run) -> None:
    text = on_terminal(random_run)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "\x1b" not in text
    lines = {re.sub(r"\s+", " ", line).strip() for line in text.splitlines()}
    for part in sections(random_run):
        for row in part.shown.astype(str).itertuples(index=False):
            assert re.sub(r"\s+", " ", " ".join(row)) in lines


def test_few_games_fit_100_columns_too(run: Run) -> None:
    assert max(map(len, on_terminal(run).splitlines())) <= WIDTH


@pytest.mark.jitted
def test_no_name_is_broken_in_two(printed: Scenario) -> None:
    out = Console(file=io.StringIO(), width=WIDTH, highlight=False)
    print_table(sections(simulate(printed, 30), ["tiles"])[0].shown, out)
    assert isinstance(out.file, io.StringIO)
    assert {tile.capitalize() for tile in printed.tiles} <= set(out.file.getvalue().split())


def test_the_console_has_100_columns_where_it_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "237")
    assert console().width == WIDTH


def test_colours_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert console().no_color


def test_numbers_stand_to_the_right_and_names_to_the_left() -> None:
    out = Console(file=io.StringIO(), width=40)
    print_table(pd.DataFrame({"Tile": ["Fire", "Residential"], "VP": ["4.91 ±0.10", "-"]}), out)
    assert isinstance(out.file, io.StringIO)
    lines = [line.rstrip() for line in out.file.getvalue().splitlines()]
    assert lines[1].startswith("Fire ")
    assert lines[2].endswith("         -")


def test_an_empty_table_is_printed_as_its_heads() -> None:
    out = Console(file=io.StringIO(), width=40)
    print_table(pd.DataFrame({"Tile": [], "VP": []}), out)
    assert isinstance(out.file, io.StringIO)
    assert "Tile" in out.file.getvalue()


def test_records_are_plain_data() -> None:
    table = pd.DataFrame(
        {"n": np.array([1], dtype=np.int64), "x": [np.nan], "y": [np.inf], "s": ["a"]},
        index=pd.Index(["fire"], name="tile"),
    )
    assert records(table) == [{"tile": "fire", "n": 1, "x": None, "y": None, "s": "a"}]
    assert type(records(table)[0]["n"]) is int


def test_the_values_of_a_scenario_are_the_same_in_every_format(
    printed: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    table = values_table(printed)
    print_as(table, "json")
    told = json.loads(capsys.readouterr().out)
    assert {row["key"]: row["value"] for row in told} == table["value"].to_dict()
    assert {row["key"]: row["off"] for row in told if row["off"] is not None} == table["off"].dropna().to_dict()
    print_as(table, "csv")
    assert [row["key"] for row in plain_rows(capsys.readouterr().out)] == list(table.index)
    print_as(table, "md")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == list(table.index)
    print_as(table, None)
    shown = capsys.readouterr().out
    flat = re.sub(r"\s+", "", shown)
    assert all(source.replace(" ", "") in flat for source in table["source"])
    assert not re.search(r"\bnan\b", shown, re.IGNORECASE)


def test_no_key_of_a_scenario_is_broken_in_two(printed: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    table = values_table(printed)
    print_as(table, None)
    assert set(table.index) <= set(capsys.readouterr().out.split())
