"""`balance score`: a city file in, a table or JSON out, and one message for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import balance
from balance.cli import main

EMPTY = 'scenario = "quadropolis-classic"\ninhabitants = {}\nenergy = 0\ncity = [{}]\n'


def command(*words: str | Path) -> Result:
    """Run a command line."""
    return CliRunner().invoke(main, list(map(str, words)), prog_name="balance")


def empty_city(folder: Path, inhabitants: int) -> Path:
    """Write a city without buildings."""
    path = folder / "mine.toml"
    path.write_text(EMPTY.format(inhabitants, ", ".join([str(["_"] * 4)] * 4)), encoding="utf-8")
    return path


def test_a_city_is_shown_with_its_score() -> None:
    result = command("score", "classic-58")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("classic-58: 58 points in Quadropolis Classic")
    assert "  1 PS+2 T1   PS+1 H\n" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["Leftover", "inhabitants", "-1"] in lines
    assert ["Score", "58"] in lines
    assert ["Public", "service", "1", "1", "1", "-", "yes", "2", "5.50", "8"] in lines
    assert "Without a use: 1 inhabitants and 0 energy." in result.stdout
    assert "No inhabitants or energy are taken away" in " ".join(result.stdout.split())


@pytest.mark.jitted
def test_json_holds_all() -> None:
    data = json.loads(command("score", "expert-services", "--json").stdout)
    assert sum(data["rules"].values()) == data["total"]
    assert (data["inhabitants"], data["energy"], data["remarks"]) == (15, 6, [])
    assert data["unused"] == {"inhabitants": 0, "energy": 0}
    assert data["tiles"][0] == {
        "row": 1,
        "column": 1,
        "building": "tower_block",
        "floors": 2,
        "printed_vp": 0,
        "active": True,
        "customers": 0,
        "own_vp": 3.0,
        "marginal_vp": 8,
    }
    assert [tile["building"] for tile in data["tiles"] if not tile["active"]] == ["capitol"]


def test_a_city_without_buildings_is_shown_too(tmp_path: Path) -> None:
    result = command("score", empty_city(tmp_path, 2))
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("mine: -2 points")
    assert "Note: the tiles of this city give 0 to 0 inhabitants, not 2." in result.stdout
    assert json.loads(command("score", empty_city(tmp_path, 0), "--json").stdout)["tiles"] == []


def test_what_is_wrong_is_one_message(tmp_path: Path) -> None:
    for words, message in (
        ((empty_city(tmp_path, -1),), "inhabitants = -1"),
        (("clasic-59",), 'unknown city "clasic-59"\nDid you mean classic-59'),
        ((tmp_path / "none.toml",), "no such file"),
    ):
        result = command("score", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert "Compiling" not in result.stderr


def test_cities_are_no_scenarios() -> None:
    assert "classic-59" not in command("list").stdout
    assert command("show", "classic-59").exit_code == 2


def test_the_library_scores_cities_too() -> None:
    assert balance.score_city("classic-59").total == 59
