"""Every command with good and bad input: what it prints, where, its exit code, and what it leaves on disk."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from balance.cli import main
from balance.cli import progress as progress_module
from balance.cli.duration import duration
from balance.cli.progress import announce_compiling, games_progress
from balance.report.document import Document
from balance.runs import spread
from balance.runs.city_services import CityServicesEngine
from balance.studies.run import read_run
from tests.conftest import SMALL

SMALL_GAME = [word for change in SMALL for word in ("--set", change)]
FEW = ["--games", "4"]


def balance(*words: str | Path) -> Result:
    """Run a command line."""
    return CliRunner().invoke(main, list(map(str, words)), prog_name="balance")


def good(*words: str | Path) -> Result:
    """Run a command line that is right."""
    result = balance(*words)
    assert result.exit_code == 0, result.output
    assert "Error" not in result.stderr
    return result


def refused(*words: str | Path, exit_code: int = 2) -> str:
    """Run a command line that is wrong; return its message."""
    result = balance(*words)
    assert result.exit_code == exit_code, (words, result.output)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "Internal error" not in result.stderr
    return result.stderr


def few_games(*words: str | Path) -> Result:
    """Play a few games of a small scenario."""
    return good("run", "city-services", *SMALL_GAME, *FEW, *words)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was kept."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    few_games("--out", folder, "--seed", "7")
    return folder


# run


def test_a_run_shows_its_tables_and_leaves_nothing_behind(here: Path) -> None:
    result = few_games()
    assert result.stdout.startswith("City Services: 4 games, 2 players, policy random, seed 1.")
    for title in ("Scores and length", "Seats", "Tiles", "Services against each other", "Rules", "The arc of a game"):
        assert f"\n{title}\n" in result.stdout
    assert "Not kept. Add --out FOLDER" in result.stderr
    assert list(here.iterdir()) == []


def test_a_run_is_kept_where_asked_for(here: Path) -> None:
    result = few_games("--out", "reports/mine")
    assert "Kept in reports/mine." in result.stderr
    assert "Next: balance report reports/mine" in result.stderr
    assert read_run(here / "reports" / "mine").games == 4


def test_options_reach_the_run(here: Path) -> None:
    few_games(
        "--policy",
        "random,random-fire",
        "--fixed-seats",
        "--seed",
        "9",
        "--jobs",
        "1",
        "--out",
        "r",
        "--without",
        "waste",
    )
    plan = read_run(here / "r").plan
    assert (plan.policy, plan.fixed_seats, plan.seed, plan.players) == ("random,random-fire", True, 9, 2)
    assert plan.scenario.services["waste"].count == 0
    assert plan.scenario.board.size == 6


@pytest.mark.parametrize("format_", ["--json", "--csv", "--md", None])
def test_standard_output_holds_the_tables_alone(here: Path, format_: str | None) -> None:
    result = few_games(*([format_] if format_ else []))
    assert "Not kept" not in result.stdout
    assert "Not kept" in result.stderr


def test_json_csv_and_markdown_agree(here: Path) -> None:
    content = json.loads(few_games("--json", "--table", "tiles").stdout)
    rows = list(csv.DictReader(io.StringIO(few_games("--csv", "--table", "tiles").stdout)))
    told = content["sections"]["tiles"]["rows"]
    assert list(content["sections"]) == ["tiles"]
    assert [row["tile"] for row in rows] == [row["tile"] for row in told]
    for row, other in zip(rows, told, strict=True):
        assert {name: cell == "" for name, cell in row.items()} == {
            name: value is None for name, value in other.items()
        }
        assert int(row["n"]) == other["n"]
        assert float(row["placed_per_game"]) == other["placed_per_game"]
    markdown = few_games("--md", "--table", "tiles").stdout
    assert markdown.startswith(f"# {content['summary']}")
    lines = [line for line in markdown.splitlines() if line.startswith("| ")][2:]
    assert [line.split(" | ")[0].strip("| ").lower() for line in lines] == [row["tile"] for row in told]
    for line, row in zip(lines, told, strict=True):
        assert line.split(" | ")[1] == f"{row['placed_per_game']:.2f}"


def test_tables_are_chosen_by_key(here: Path) -> None:
    shown = few_games("--table", "arc", "--table", "scores").stdout
    assert "Scores and length" in shown
    assert "The arc of a game" in shown
    assert "Services against each other" not in shown


def test_the_same_command_goes_on_and_gives_the_same_tables(here: Path) -> None:
    once = few_games("--json").stdout
    few_games("--out", "r", "--games", "2")
    assert few_games("--out", "r", "--json").stdout == once
    assert few_games("--out", "r", "--json").stdout == once


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], 'unknown scenario "nowhere"'),
        (["nowhere.toml"], "nowhere.toml: no such file"),
        (["city-services", "--games", "0"], "--games 0: a run has 1 to"),
        (["city-services", "--games", "-3"], "--games -3"),
        (["city-services", "--games", "1.5"], "not a valid integer"),
        (["city-services", "--games", "many"], "not a valid integer"),
        (["city-services", "--games", "1" + "0" * 30], "a run has 1 to"),
        (["city-services", "--players", "1"], "--players 1: this game is for 2 to 4 players"),
        (["city-services", "--players", "5"], "--players 5: this game is for 2 to 4 players"),
        (["city-services", "--policy", "gredy"], "Did you mean greedy?"),
        (["city-services", "--policy", "greedy,random"], "2 policies for 4 players"),
        (["city-services", "--policy", "random-fires"], "Did you mean fire?"),
        (["city-services", "--policy", "random-residential"], "only Services can be placed blank"),
        (["city-services", "--seed", "-1"], "--seed -1"),
        (["city-services", "--jobs", "0"], "--jobs 0: at least 1 worker"),
        (["city-services", "--backend", "gpu"], "'gpu' is not one of 'threads', 'processes'"),
        (["city-services", "--table", "tile"], "--table tile: unknown table\nDid you mean tiles?"),
        (["city-services", "--table", "policies"], "--table policies: unknown table"),
        (["city-services", "--set", "players"], "not of the form key=value"),
        (["city-services", "--set", "board.size=9"], "size 9 is odd"),
        (["city-services", "--set", "servces.fire.range=2"], "Did you mean services"),
        (["city-services", "--without", "capitol"], 'unknown tile "capitol"'),
        (["city-services", "--without", "fire", "--set", "services.fire.count=2"], "contradicts"),
        (["city-services", "--json", "--csv"], "--json and --csv contradict each other"),
        (["city-services", "--gmaes", "3"], "No such option"),
        (["city-services", "extra"], "unexpected extra argument"),
        ([], "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_run_is_refused_before_anything_is_played_or_written(
    here: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_args: object, **_options: object) -> None:
        raise AssertionError("games are played")

    monkeypatch.setattr(CityServicesEngine, "play", never)
    said = refused("run", *words, "--out", "run")
    assert message in said
    assert list(here.iterdir()) == []


def test_a_folder_in_the_way_is_refused_and_left_alone(here: Path) -> None:
    (here / "thesis").mkdir()
    (here / "thesis" / "chapter.txt").write_text("precious")
    (here / "file").write_text("precious")
    assert "the folder is not empty" in refused("run", "city-services", *FEW, "--out", "thesis")
    assert "this is a file, not a folder" in refused("run", "city-services", *FEW, "--out", "file")
    assert [path.name for path in (here / "thesis").iterdir()] == ["chapter.txt"]


@pytest.mark.jitted
def test_a_run_of_years_is_refused_with_an_estimate(here: Path) -> None:
    said = refused("run", "city-services", "--games", str(10**12), "--out", "run")
    assert "--games 1,000,000,000,000 would take about" in said
    assert any(unit in said for unit in ("days", "years"))
    assert "--yes" in said
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(7200, "2.0 hours"), (3600 * 47, "47.0 hours"), (86400 * 3, "3 days"), (86400 * 365 * 1000, "1,000 years")],
)
def test_long_times_are_told_in_hours_days_or_years(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_long_run_is_started_when_it_is_wanted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def stop(_plan: Any, games: int, **_options: Any) -> None:
        asked.append(games)
        raise spread.Interrupted({}, 0, games, None)

    monkeypatch.setattr(spread, "play_plan", stop)
    assert balance("run", "city-services", "--games", str(10**12), "--yes").exit_code == 130
    assert asked == [10**12]


def test_ctrl_c_shows_what_is_finished_and_ends_with_130(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = spread.Work.take

    def stopped(self: spread.Work, *args: Any) -> None:
        take(self, *args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(spread.Work, "take", stopped)
        result = balance("run", "city-services", *SMALL_GAME, *FEW, "--out", "r")
    assert result.exit_code == 130
    assert "City Services: 1 game, 2 players" in result.stdout
    assert "Stopped after 1 of 4 games. They are kept in r." in result.stderr
    assert "The same command goes on from there." in result.stderr
    assert few_games("--out", "r", "--json").stdout == few_games("--json").stdout


def test_ctrl_c_before_the_first_game_shows_no_tables(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_args: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CityServicesEngine, "play", stopped)
    result = balance("run", "city-services", *SMALL_GAME, *FEW)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert "Stopped after 0 of 4 games" in result.stderr


def test_a_full_disk_is_one_message(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    said = refused("run", "city-services", *SMALL_GAME, *FEW, "--out", "r")
    assert "No space left on device" in said
    assert "Free some space and start the same command again." in said


def test_an_error_of_ours_is_one_message_too(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_options: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(spread, "play_plan", broken)
    monkeypatch.delenv("BALANCE_TRACEBACK", raising=False)
    result = balance("run", "city-services", *FEW)
    assert result.exit_code == 1
    assert "Internal error: ZeroDivisionError" in result.stderr
    assert "Traceback" not in result.output


# Progress


def test_progress_prints_nothing_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with games_progress() as progress:
        for done in range(5):
            progress(done, 5)
    assert capsys.readouterr() == ("", "")
    result = few_games()
    assert "Games" not in result.stderr
    assert "\x1b" not in result.output
    assert "\r" not in result.output


def test_progress_shows_games_and_time_left_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert progress_module.sys.stderr is terminal
    with games_progress() as progress:
        progress(3, 5)
    assert "Games" in terminal.getvalue()
    assert "3/5" in terminal.getvalue()


@pytest.mark.parametrize("is_compiled", [True, False])
def test_compiling_is_announced_only_where_it_takes_long(is_compiled: bool, capsys: pytest.CaptureFixture[str]) -> None:
    announce_compiling(is_compiled=is_compiled)
    assert ("Compiling" in capsys.readouterr().err) is not is_compiled


# replay


def test_a_replay_is_text_or_data(kept: Path) -> None:
    text = good("replay", kept, "--game", "2").stdout
    assert text.startswith("City Services, 2 players, seed 7, game 2")
    data = json.loads(good("replay", kept, "--game", "2", "--json").stdout)
    assert f"Final scores: {' '.join(map(str, data['scores']))}" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "4"], "has the games 0 to 3"),
        (["--game", "-1"], "has the games 0 to 3"),
        (["--game", "x"], "not a valid integer"),
        ([], "Missing option '--game'"),
    ],
)
def test_a_wrong_replay_is_refused(kept: Path, words: list[str], message: str) -> None:
    assert message in refused("replay", kept, *words)


def test_a_replay_of_no_run_is_refused(here: Path) -> None:
    assert "missing: no such run folder" in refused("replay", "missing", "--game", "0")


# report


def test_a_run_can_be_reported_at_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Path] = []

    def note(document: Document, folder: Path) -> list[Path]:
        assert (document.facts["run"]["games"], document.sections[0].key) == (4, "scores")
        reported.append(folder)
        return [folder / "report.html"]

    monkeypatch.setattr("balance.report.html.write_report", note)
    said = few_games("--report").stderr
    (folder,) = (here / "reports").iterdir()
    assert reported == [Path("reports") / folder.name]
    assert folder.name.startswith("city-services-2p-random-seed1-")
    assert f"Kept in {Path('reports') / folder.name}." in said
    assert f"Report: {Path('reports') / folder.name / 'report.html'}" in said
    assert read_run(folder).games == 4


@pytest.mark.parametrize("folder", ["missing", "empty", "file"])
def test_a_report_of_no_run_is_refused_and_writes_nothing(here: Path, folder: str) -> None:
    (here / "empty").mkdir()
    (here / "file").write_text("precious")
    assert folder in refused("report", folder)
    assert list((here / "empty").iterdir()) == []


# show and list


def test_show_lists_every_value_and_what_is_unusual() -> None:
    shown = good("show", "city-services", "--set", "board.size=8").stdout
    assert shown.startswith("City Services. ")
    assert "Note: 100 tiles, but only 64 squares" in shown
    assert "services.police.range" in shown


def test_show_in_other_formats_is_the_table_alone() -> None:
    told = json.loads(good("show", "city-services", "--set", "services.police.range=4", "--json").stdout)
    values = {row["key"]: row["value"] for row in told}
    assert values["services.police.range"] == 4
    rows = list(csv.DictReader(io.StringIO(good("show", "city-services", "--csv").stdout)))
    assert [row["key"] for row in rows] == list(values)
    assert good("show", "city-services", "--md").stdout.startswith("| Key |")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "unknown scenario"),
        (["city-services", "--set", "x"], "not of the form key=value"),
        (["city-services", "--json", "--md"], "contradict each other"),
        ([], "Missing argument"),
    ],
)
def test_a_wrong_show_is_refused(words: list[str], message: str) -> None:
    assert message in refused("show", *words)


def test_a_broken_scenario_file_is_one_message(here: Path) -> None:
    (here / "broken.toml").write_text("players = = 3")
    (here / "latin.toml").write_bytes(b"title = '\xe9'")
    assert "not valid TOML" in refused("show", "broken.toml")
    assert "not a text file in UTF-8" in refused("run", "latin.toml", *FEW)


def test_list_names_every_scenario() -> None:
    assert "city-services-one-way" in good("list").stdout
    told = json.loads(good("list", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(good("list", "--csv").stdout)))
    assert [row["scenario"] for row in rows] == [row["scenario"] for row in told]
    assert [int(row["tiles"]) for row in rows] == [row["tiles"] for row in told]
    assert good("list", "--md").stdout.count("\n") == len(told) + 2
    assert "unexpected extra argument" in refused("list", "x")


# bench


@pytest.mark.parametrize("words", [["--repeats", "0"], ["--repeats", "x"], ["--jobs", "0"], ["x"]])
def test_a_wrong_bench_is_refused(words: list[str]) -> None:
    assert refused("bench", "--no-compile", *words)


@pytest.mark.jitted
def test_bench_measures_every_policy_and_number_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("balance.studies.bench.SECONDS_PER_MEASUREMENT", 0.01)
    monkeypatch.setattr("balance.studies.bench.FEWEST_GAMES", 8)
    told = json.loads(good("bench", "--repeats", "1", "--no-compile", "--jobs", "1", "--json").stdout)
    assert told["compile_seconds"] == {}
    assert [(row["scenario"], row["policy"], row["players"]) for row in told["speed"]] == [
        (scenario, policy, players)
        for scenario in ("city-services", "quadropolis-classic", "quadropolis-expert")
        for policy in ("random", "greedy")
        for players in (2, 3, 4)
    ]
    assert all(row["games_per_second"] > 0 for row in told["speed"])


# Anything else


def test_an_unknown_command_is_refused() -> None:
    assert "No such command 'rnu'" in refused("rnu")
