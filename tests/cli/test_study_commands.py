"""The commands that study, with good and bad input: what is printed, written, refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.test_commands import balance, good, refused

pytestmark = pytest.mark.jitted

FEW = ["--games", "24", "--policy", "random"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = {
    "check": ["check", "city-services", "--tile", "fire", *FEW],
    "plan": ["plan", "city-services", "--tile", "fire", "--policy", "random", "--pilot", "24", "--games", "1000"],
    "compare": ["compare", "city-services", "city-services-one-way", *FEW],
    "ablate": ["ablate", "city-services", "--rule", "coverage", *FEW],
    "sweep": ["sweep", "city-services", "--vary", "services.roads.range=1:2", *FEW],
    "one at a time": ["sweep", "city-services", "--vary", "services.{roads,fire}.range=1:2", "--one-at-a-time", *FEW],
    "tune": [
        "tune",
        "city-services",
        "--vary",
        "services.{roads,fire}.range=2:3",
        "--objective",
        "even-services",
        *FEW,
    ],
    "price": ["price", "city-services", "--tile", "roads", "--policy", "random", "--games", "240"],
    "calibrate": ["calibrate", "city-services", "--repeats", "8", "--games", "24"],
}


@pytest.mark.parametrize(
    ("words", "form"),
    [(words, form) for words in COMMANDS.values() for form in ("", "--json")]
    + [(COMMANDS["check"], form) for form in ("--csv", "--md")],
)
def test_every_study_prints_in_every_form_and_leaves_nothing(here: Path, words: list[str], form: str) -> None:
    text = good(*words, *([form] if form else [])).stdout
    assert list(here.iterdir()) == []
    if form == "--json":
        content = json.loads(text)
        assert content["sections"]
        assert "NaN" not in text
    elif form == "--csv":
        assert all(len(row) > 2 for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#"))
    else:
        assert " nan" not in text.lower()
        assert text.startswith(("# ", "> ") if form == "--md" else ("City Services", "A: "))


@pytest.mark.parametrize("name", ["check", "compare", "sweep", "one at a time", "tune", "price"])
def test_a_page_with_charts_is_written_on_request(here: Path, name: str) -> None:
    report = {"compare": ["--report", "page"], "price": ["--report", "page"], "tune": ["--out", "page"]}.get(
        name, ["--out", "page", "--report"]
    )
    assert "report.html" in good(*COMMANDS[name], *report).stderr
    assert "<svg" in (here / "page" / "report.html").read_text()
    assert list((here / "page" / "charts").glob("*.png"))
    assert list((here / "page" / "tables").glob("*.csv"))


def test_a_kept_check_goes_on_and_says_the_same(here: Path) -> None:
    words = ["check", "city-services", "--tile", "fire", "--policy", "random", "--csv"]
    good(*words, "--games", "240", "--out", "kept")
    assert good(*words, "--games", "480", "--out", "kept").stdout == good(*words, "--games", "480").stdout


def test_finished_runs_are_compared(here: Path) -> None:
    for seed in ("1", "2"):
        good("run", "city-services", "--games", "240", "--seed", seed, "--out", f"seed{seed}")
    assert "independently, seeds 1 and 2" in " ".join(good("compare", "seed1", "seed2").stdout.split())


WRONG = {
    "unknown tile": (["check", "city-services", "--tile", "fyre"], "Did you mean fire?"),
    "a Zone": (["check", "city-services", "--tile", "residential"], "no tile"),
    "no margin": (["check", "city-services", "--margin", "0"], "more than 0 VP"),
    "impossible alpha": (["plan", "city-services", "--alpha", "1.5"], "between 0 and 1"),
    "fewer games than at first": (["check", "city-services", "--until-decided", "--max-games", "5"], "--max-games 5"),
    "years of games": (["check", "city-services", "--games", "1000000000000"], "years on this machine"),
    "years of comparing": (["compare", "city-services", "city-services", "--games", "1000000000000"], "years"),
    "years of planning": (["plan", "city-services", "--pilot", "1000000000000"], "years on this machine"),
    "years of pricing": (["price", "city-services", "--tile", "fire", "--games", "1000000000000"], "years"),
    "years of searching": (
        ["tune", "city-services", "--vary", "services.fire.range=1:3", "--objective", "even-services",
         "--games", "1000000000000"],
        "without a --time",
    ),
    "no games": (["ablate", "city-services", "--rule", "coverage", "--games", "0"], "--games 0"),
    "5 players": (["check", "city-services", "--players", "5"], "2 to 4 players"),
    "unknown policy": (["plan", "city-services", "--policy", "gready"], "greedy"),
    "policies by seat": (["check", "city-services", "--policy", "greedy,random"], "Repeat --policy"),
    "two games": (["compare", "city-services", "quadropolis-expert"], "different games"),
    "unknown scenario": (["compare", "city-services", "city-servces"], "city-services"),
    "unknown rule": (["ablate", "city-services", "--rule", "coverag"], "coverage"),
    "two rules": (["ablate", "quadropolis-expert", "--rule", "energy"], "several rules"),
    "a rule that is off": (
        ["ablate", "city-services", "--set", "revenue.coverage=off", "--rule", "coverage"], "off already"
    ),
    "nothing to vary": (["sweep", "city-services"], "nothing to vary"),
    "unknown key": (["sweep", "city-services", "--vary", "services.roads.rnge=1:2"], "services.roads.range"),
    "braces without quotes": (
        ["sweep", "city-services", "--vary", "services.roads.range=1:2", "services.fire.range=1:2"], "in quotes"
    ),
    "inverted span": (["sweep", "city-services", "--vary", "services.roads.range=2:1"], "inverted"),
    "too large a grid": (
        ["sweep", "city-services", *[word for tile in ("roads", "power", "water", "fire", "parks", "waste")
         for word in ("--vary", f"services.{tile}.range=1:5")]],
        "15,625 points",
    ),
    "unknown measure": (
        ["sweep", "city-services", "--vary", "players=2:3", "--measure", "score.meen", "--games", "24"],
        "score.mean",
    ),
    "no price": (["price", "city-services", "--tile", "fire", "--vary", "revenue.coverage=own,off"], "is a number"),
    "too few repeats": (["calibrate", "city-services", "--repeats", "0"], "--repeats 0"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_refused_with_a_remedy_and_nothing_is_written(
    here: Path, words: list[str], message: str
) -> None:
    assert message in refused(*words)
    assert list(here.iterdir()) == []


def test_a_file_in_the_way_is_told(here: Path) -> None:
    (here / "page").write_text("mine")
    result = balance(*COMMANDS["compare"], "--report", "page")
    assert result.exit_code == 2
    assert "page" in result.stderr
    assert (here / "page").read_text() == "mine"
