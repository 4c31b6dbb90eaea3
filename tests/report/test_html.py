"""The page is well-formed, self-contained, speaks to screen readers, and says what the sections say."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from balance.charts.catalogue import Chart, charts
from balance.errors import RunFolderError
from balance.report import html
from balance.report.html import report_html, write_report
from balance.report.method import scenario_changes
from balance.report.run import run_document
from balance.report.sections import Section, sections
from balance.scenario.load import load_scenario
from balance.studies.run import simulate
from balance.studies.tables import Run

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Collects what the tests ask about; refuses tags that do not pair."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.tables: list[list[list[str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append(int(tag[1]))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> without start"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"td", "th"}:
            self.tables[-1][-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(
        load_scenario("city-services", changes=["services.fire.range=4"]), 240, policy="greedy,random", players=2
    )


@pytest.fixture(scope="module")
def drawn(run: Run) -> list[Chart]:
    return charts(run)


@pytest.fixture(scope="module")
def text(run: Run, drawn: list[Chart]) -> str:
    return report_html(run_document(run), drawn)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


@pytest.fixture(scope="module")
def written(run: Run, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of a report, written into a folder that was not there."""
    return write_report(run_document(run), tmp_path_factory.mktemp("written") / "new" / "report")


def test_every_id_is_unique_and_every_reference_finds_one(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        targets = [attributes.get("href") or "", attributes.get("xlink:href") or ""]
        targets += [f"#{name}" for name in (attributes.get("aria-labelledby") or "").split()]
        for key in ("clip-path", "style", "fill"):
            value = attributes.get(key) or ""
            targets += [value.partition("url(")[2].partition(")")[0]] if "url(" in value else []
        for target in filter(None, targets):
            assert target.startswith("#")
            assert target[1:] in ids


def test_nothing_is_loaded_from_elsewhere_and_no_script_runs(page: Page, text: str) -> None:
    assert not [tag for tag, _ in page.tags if tag in {"script", "link", "img", "iframe", "object", "image"}]
    for tag, attributes in page.tags:
        for key, value in attributes.items():
            if not key.startswith("xmlns"):
                assert "http" not in (value or ""), (tag, key, value)
    assert "@import" not in text
    assert "url(http" not in text


def test_every_chart_has_a_text_alternative(page: Page, drawn: list[Chart]) -> None:
    pictures = page.all("svg")
    assert len(pictures) == len(drawn) == len(page.all("figure")) == len(page.all("figcaption"))
    assert all(picture["role"] == "img" for picture in pictures)
    named = [picture["aria-labelledby"] for picture in pictures]
    assert named == [f"chart-{name}-title chart-{name}-desc" for name in (chart.name for chart in drawn)]


def test_the_alternative_is_the_charts_own_text(text: str, drawn: list[Chart]) -> None:
    for chart in drawn:
        assert f'<desc id="chart-{chart.name}-desc">{chart.alt}</desc>' in text


def test_headings_start_at_one_and_skip_no_level(page: Page) -> None:
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))


def test_the_page_has_language_main_captions_and_scopes(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("main")) == 1
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(heading.get("scope") in {"row", "col"} for heading in page.all("th"))


def test_tables_are_what_the_sections_show(page: Page, run: Run) -> None:
    parts = sections(run)
    assert len(parts) > 5
    for part, table in zip(parts, page.tables, strict=False):
        assert table[0] == list(part.shown.columns)
        assert table[1:] == part.shown.astype(str).to_numpy().tolist()


def test_findings_come_before_the_first_table(text: str, run: Run) -> None:
    finding = sections(run)[0].findings[0]
    assert text.index(finding.split("(")[0]) < text.index("<table")


def test_a_changed_value_is_told_with_the_packaged_one(page: Page) -> None:
    assert page.tables[-1] == [["Value", "Packaged", "Here"], ["services.fire.range", "3", "4"]]


def test_an_unchanged_scenario_has_no_changes() -> None:
    for name in ("city-services", "city-services-one-way"):
        assert scenario_changes(load_scenario(name))[1:] == (name, [])


def test_text_from_outside_is_escaped(run: Run) -> None:
    table = pd.DataFrame({"n": [1]}, index=pd.Index(["x"], name="tile"))
    shown = pd.DataFrame({"Tile": ["<b>x</b>"], "N": ["1"]})
    part = Section("odd", "A <i>title</i>", ["1 < 2 & 3"], "why", table, shown, [])
    text = report_html(replace(run_document(run), sections=[part]), [])
    assert "<b>x</b>" not in text
    assert "<i>title" not in text
    assert "1 &lt; 2 &amp; 3" in text
    assert Page(text).tables[0][1] == ["<b>x</b>", "1"]


def test_page_charts_and_full_tables_are_written(written: list[Path], run: Run, drawn: list[Chart]) -> None:
    parts = sections(run)
    folder = written[0].parent
    assert written[0] == folder / "report.html"
    assert folder.parts[-2:] == ("new", "report")
    assert {path for path in folder.rglob("*") if path.is_file()} == set(written)
    assert {path.stem for path in (folder / "charts").glob("*.png")} == {chart.name for chart in drawn}
    for part in parts:
        saved = pd.read_csv(folder / "tables" / f"{part.key}.csv")
        flat = part.table.reset_index()
        assert list(saved.columns) == list(flat.columns)
        numbers = flat.select_dtypes("number")
        pd.testing.assert_frame_equal(saved[numbers.columns], numbers, check_dtype=False, check_exact=True)


def test_the_same_run_gives_the_same_bytes(written: list[Path], tmp_path: Path, run: Run) -> None:
    for one, other in zip(written, write_report(run_document(run), tmp_path), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_each_file_is_replaced_as_a_whole(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "report.html"
    old.write_text("old")

    def fails_at_the_page(path: Path, content: bytes) -> None:
        if path.name == "report.html":
            raise RunFolderError("the disk is full")
        path.write_bytes(content)

    monkeypatch.setattr(html, "write_atomically", fails_at_the_page)
    with pytest.raises(RunFolderError):
        write_report(replace(run_document(run), draw=list), tmp_path)
    assert old.read_text() == "old"
    assert (tmp_path / "tables" / "seats.csv").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="cannot be made"):
        write_report(run_document(run), tmp_path / "file" / "report")


@pytest.mark.parametrize("players", [2, 4])
def test_one_game_makes_a_whole_page(players: int) -> None:
    run = simulate("city-services", 1, players=players)
    text = report_html(run_document(run), charts(run))
    assert len(Page(text).all("svg")) >= 6
    assert "nan" not in text.lower().replace(">", " ").replace("<", " ").split()
