"""Every command has help with examples; every example, in help or README, is a command that runs as written."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from balance.cli import main
from balance.studies import bench, check

README = Path(__file__).parents[2] / "README.md"
COMMANDS = sorted(main.commands)


def help_of(command: str) -> str:
    """Return the help of a command."""
    result = CliRunner().invoke(main, [command, "--help"], prog_name="balance")
    assert result.exit_code == 0
    return result.output


def example_lines(text: str) -> list[str]:
    """Return the `balance ...` lines of a text, without what a shell does with their output."""
    found = re.findall(r"^ {0,4}(?:\$ )?balance ((?!\[|COMMAND).+)$", text, re.MULTILINE)
    return [re.sub(r"\s+>\s*\S+$", "", line) for line in found]


def written_examples(text: str) -> list[list[str]]:
    """Return them taken apart."""
    return [shlex.split(line) for line in example_lines(text)]


def inline_examples(text: str) -> list[list[str]]:
    """Return the `balance ...` in backticks of a text, with a value in place of words in capitals."""
    values = {
        "SCENARIO": "city-services",
        "RUN": "run",
        "N": "0",
        "KEY": "tiles",
        "NAME": "coverage" if "--objective" not in text else "even-seats",
        "KEY=VALUES": "players=2:3",
    }
    found = re.findall(r"`balance ([^`]+)`", text)
    return [[values.get(word, word) for word in shlex.split(line)] for line in found]


def options_of(command: click.Command) -> set[str]:
    """Return all options of a command."""
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


EXAMPLES = [
    (command, example)
    for command in COMMANDS
    for example in written_examples(help_of(command).partition("\n  Example")[2])
]
README_TEXT = README.read_text(encoding="utf-8")
README_EXAMPLES = written_examples(README_TEXT) + inline_examples(README_TEXT)


def parse(words: list[str]) -> None:
    """Read a command line as click does, without running it."""
    command = main.commands[words[0]]
    if "--help" not in words:
        command.make_context(words[0], list(words[1:]))


# Help


def test_the_commands_are_those_of_the_readme() -> None:
    assert set(re.findall(r"^\| `balance (\w+)", README_TEXT, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(command: str) -> None:
    assert main.commands[command].help
    assert (main.commands[command].help or "").strip().endswith(".")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_does(command: str) -> None:
    for parameter in main.commands[command].params:
        if isinstance(parameter, click.Option):
            assert parameter.help or isinstance(parameter.type, click.Choice), parameter.name


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_of_itself(command: str) -> None:
    assert any(example[0] == command for other, example in EXAMPLES if other == command)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_all_commands_and_where_to_start(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments, prog_name="balance")
    assert result.exit_code == (0 if arguments else 2)
    for command in COMMANDS:
        assert f"  {command} " in result.output
    assert "balance run city-services --report" in result.output


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(main, ["--version"], prog_name="balance")
    assert result.exit_code == 0
    assert re.fullmatch(r"balance, version \d+\.\d+\.\d+\n", result.output)


def test_this_test_would_notice_a_command_without_an_example() -> None:
    assert written_examples("Usage: balance run [OPTIONS] SCENARIO\n") == []
    assert written_examples("  balance run x --csv > y.csv\n$ balance list") == [["run", "x", "--csv"], ["list"]]
    with pytest.raises(click.NoSuchOption):
        parse(["run", "city-services", "--gmaes", "3"])


# Examples


@pytest.mark.parametrize("words", [example for _, example in EXAMPLES] + README_EXAMPLES, ids=" ".join)
def test_every_example_can_be_read(words: list[str]) -> None:
    parse(words)


@pytest.mark.parametrize("text", [README_TEXT, *map(help_of, COMMANDS)], ids=["README", *COMMANDS])
def test_a_shell_takes_examples_as_they_are_meant(text: str) -> None:
    for line in example_lines(text):
        said = subprocess.run(["bash", "-c", f"printf '%s\\n' {line}"], check=True, capture_output=True, text=True)
        assert said.stdout.splitlines() == shlex.split(line)


def test_every_option_that_the_readme_names_exists() -> None:
    known = {"--help"}.union(*(options_of(command) for command in main.commands.values()))
    text = re.sub(r"^.*\bpip install\b.*$", "", README_TEXT, flags=re.MULTILINE)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
    assert named >= {"--set", "--without", "--policy", "--out", "--json"}
    assert named <= known


def shortened(words: list[str]) -> list[str]:
    """Return an example with a few games in place of many: the last --games counts."""
    if words[0] == "run":
        return [*words, "--games", "300"]
    if words[0] == "check":
        return [*words, "--games", "24", *(["--max-games", "48"] if "--max-games" in words else [])]
    if words[0] == "plan":
        return [*words, "--pilot", "24"]
    if words[0] in ("compare", "ablate", "sweep", "price"):
        return [*words, "--games", "12" if words[0] == "price" else "24"]  # a price is looked for in many runs
    if words[0] == "tune":
        return [*words, "--games", "240", "--trials", "4", "--keep", "score.mean=50+-200"]
    if words[0] == "calibrate":
        return [*words, "--repeats", "8", "--games", "24"]
    if words[0] == "bench":
        return [*words, "--no-compile", "--repeats", "1"]
    return words


def in_order(examples: list[list[str]]) -> Iterator[list[str]]:
    """Yield examples once each, runs first, as others need their folders."""
    seen = []
    for words in sorted(examples, key=lambda words: words[0] != "run"):
        if words not in seen and "--help" not in words:
            seen.append(words)
            yield words


@pytest.mark.jitted
def test_every_example_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "SECONDS_PER_MEASUREMENT", 0.01)
    monkeypatch.setattr(bench, "FEWEST_GAMES", 8)
    monkeypatch.setattr(bench, "BENCHMARKED", ("city-services",))
    monkeypatch.setattr(check, "TOO_FEW", 1)  # so that a few games find a price
    for name in ("my-variant.toml", "wider-police.toml"):
        Path(name).write_text('extends = "city-services"\n[services.police]\nrange = 4\n', encoding="utf-8")
    examples = [example for _, example in EXAMPLES] + written_examples(README_TEXT)
    examples += [["run", "city-services", "--out", f"reports/{name}"] for name in ("first", "second")]
    ran = set()
    for words in in_order(examples):
        result = CliRunner().invoke(main, shortened(words), prog_name="balance")
        assert result.exit_code == 0, (words, result.output)
        assert result.stdout.strip()
        if words[0] == "report":
            assert all(Path(path).is_file() for path in result.stdout.splitlines())
            monkeypatch.setattr("balance.report.html.as_png", lambda _figure: b"")  # drawn once, that takes long
        ran.add(words[0])
    assert ran == set(COMMANDS)
