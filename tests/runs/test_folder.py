"""Run folders survive a full disk, a killed process and a damaged file; nothing that was there is ever lost."""

from __future__ import annotations

import gc
import io
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from balance.errors import RunFolderError
from balance.runs.engine import engine_of
from balance.runs.folder import load_run, locked, save_tallies
from balance.runs.plan import Plan, make_plan
from balance.runs.sealed import write_atomically, write_bytes, write_json
from balance.runs.spread import Interrupted, play_plan
from balance.runs.tallies import same_tallies
from balance.runs.versions import rules_digest
from balance.scenario.city_services import CityServices
from balance.scenario.load import Scenario, load_scenario
from balance.studies.replay import replay
from balance.studies.run import read_run

GAMES = 5
MORE_GAMES = 9


@pytest.fixture(scope="module")
def plan(small: Scenario) -> Plan:
    return make_plan(small, seed=4)


@pytest.fixture(scope="module")
def finished(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    play_plan(plan, GAMES, folder=folder)
    return contents(folder)


@pytest.fixture
def run_folder(finished: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with a finished run."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name, content in finished.items():
        (folder / name).write_bytes(content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder, but for its lock."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def refusal_of(call: Callable[[], object]) -> str:
    """Return the message with which a folder is refused; every refusal is wrong usage."""
    with pytest.raises(RunFolderError) as refused:
        call()
    assert refused.value.exit_code == 2
    return str(refused.value)


def assert_refused_and_unchanged(folder: Path, plan: Plan, words: str, games: int = MORE_GAMES) -> None:
    """Ask for more games in a folder; it is refused and stays as it was."""
    before = contents(folder)
    message = refusal_of(lambda: play_plan(plan, games, folder=folder))
    assert words in message
    assert str(folder) in message
    assert contents(folder) == before


def damaged(run_folder: Path, name: str, content: bytes) -> Path:
    """Damage a file of a run."""
    (run_folder / name).write_bytes(content)
    return run_folder


def manifest_with(run_folder: Path, **values: Any) -> Path:
    """Change values of run.json; None takes one out."""
    manifest = json.loads((run_folder / "run.json").read_text(encoding="utf-8"))
    manifest |= values
    kept = {key: value for key, value in manifest.items() if key != "sha256" and value is not ...}
    write_json(run_folder / "run.json", kept)
    return run_folder


# What a run folder holds


def test_a_run_folder_holds_the_plan_and_the_tallies_and_nothing_else(run_folder: Path, plan: Plan) -> None:
    assert set(contents(run_folder)) == {"run.json", "tallies.npz"}
    saved = load_run(run_folder)
    assert (saved.plan, saved.games, saved.done) == (plan, GAMES, GAMES)
    assert same_tallies(saved.tallies, engine_of(plan).play(0, GAMES))


def test_a_run_folder_is_made_with_its_parents(plan: Plan, tmp_path: Path) -> None:
    folder = tmp_path / "reports" / "new" / "run"
    play_plan(plan, 1, folder=folder)
    assert set(contents(folder)) == {"run.json", "tallies.npz"}


def test_an_empty_folder_is_as_good_as_a_new_one(plan: Plan, tmp_path: Path) -> None:
    play_plan(plan, 1, folder=tmp_path)
    assert load_run(tmp_path).done == 1


def test_the_same_run_gives_the_same_tallies_file(plan: Plan, run_folder: Path, tmp_path: Path) -> None:
    play_plan(plan, GAMES, folder=tmp_path / "again")
    assert contents(tmp_path / "again") == contents(run_folder)


# Folders that are refused, and stay as they were


def test_a_folder_with_other_files_is_refused_and_left_alone(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    assert_refused_and_unchanged(tmp_path, plan, "the folder is not empty")


def test_a_file_in_place_of_the_folder_is_refused_and_left_alone(plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "run"
    file.write_text("precious")
    assert "this is a file, not a folder" in refusal_of(lambda: play_plan(plan, GAMES, folder=file))
    assert file.read_text() == "precious"


def test_a_folder_below_a_file_cannot_be_made(plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    message = refusal_of(lambda: play_plan(plan, GAMES, folder=file / "run"))
    assert "cannot be made: Not a directory" in message
    assert "Choose another folder." in message
    assert file.read_text() == "precious"


def test_a_folder_that_may_not_be_made_is_refused(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_args: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", deny)
    message = refusal_of(lambda: play_plan(plan, GAMES, folder=tmp_path / "run"))
    assert "cannot be made: Permission denied" in message
    monkeypatch.undo()
    assert not (tmp_path / "run").exists()


def test_a_folder_that_may_not_be_written_is_refused(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_args: object, **_options: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)  # as for others than root
    assert "cannot be written" in refusal_of(lambda: play_plan(plan, GAMES, folder=tmp_path))
    assert contents(tmp_path) == {}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_read_only_folder_is_refused(plan: Plan, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert "cannot be written" in refusal_of(lambda: play_plan(plan, GAMES, folder=tmp_path))
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    "options",
    [{"seed": 5}, {"seed": 4, "policy": "greedy"}, {"seed": 4, "players": 3}, {"seed": 4, "fixed_seats": True}],
)
def test_a_folder_with_another_run_is_refused_and_left_alone(
    run_folder: Path, small: Scenario, options: dict[str, Any]
) -> None:
    assert_refused_and_unchanged(run_folder, make_plan(small, **options), "holds another run")


def test_a_run_of_another_scenario_is_another_run(run_folder: Path, small: Scenario) -> None:
    data = small.model_dump()
    data["services"]["fire"]["range"] = 2
    other = make_plan(CityServices.model_validate(data), seed=4)
    assert_refused_and_unchanged(run_folder, other, "holds another run")


def test_fewer_games_than_there_are_already_are_refused(run_folder: Path, plan: Plan) -> None:
    assert_refused_and_unchanged(run_folder, plan, f"already holds {GAMES} games of this run, more than 2", games=2)


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_a_run_that_does_not_exist_is_not_read(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("precious")
    assert "no such run folder" in refusal_of(lambda: read_run(tmp_path / folder))


def test_a_folder_without_a_plan_is_no_run(tmp_path: Path) -> None:
    assert "run.json is missing" in refusal_of(lambda: read_run(tmp_path))


# Runs that are not finished


def test_a_plan_without_tallies_is_a_run_that_starts_from_the_beginning(run_folder: Path, plan: Plan) -> None:
    (run_folder / "tallies.npz").unlink()
    assert "no games are finished yet" in refusal_of(lambda: read_run(run_folder))
    assert same_tallies(play_plan(plan, GAMES, folder=run_folder), engine_of(plan).play(0, GAMES))


def stopped_before_the_first_game(plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C while the kernels are being compiled."""
    engine = type(engine_of(plan))

    def stop(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(engine, "play", stop)
        play_plan(plan, GAMES, folder=folder)


def test_a_run_stopped_before_its_first_game_has_no_games_to_show(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_before_the_first_game(plan, tmp_path, monkeypatch)
    assert "no games are finished yet" in refusal_of(lambda: read_run(tmp_path))


def test_a_run_stopped_before_its_first_game_goes_on(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_before_the_first_game(plan, tmp_path, monkeypatch)
    assert same_tallies(play_plan(plan, GAMES, folder=tmp_path), engine_of(plan).play(0, GAMES))


def test_a_part_that_a_killed_process_left_alone_in_the_folder_does_not_stop_its_run(
    plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / ".run.json.12345.part").write_bytes(b"{")
    assert same_tallies(play_plan(plan, GAMES, folder=tmp_path), engine_of(plan).play(0, GAMES))


# A full disk


class FullFile(io.BytesIO):
    """A file that takes the first bytes only."""

    def write(self, content: Any) -> int:
        """Write as a full disk does."""
        super().write(bytes(content)[:10])
        raise OSError(28, "No space left on device")


def fill_disk(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Let the disk be full when a file is written, flushed to it, or put in its place."""

    def no_space(*_args: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    if at == "write":
        is_open = Path.open

        def open_full(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
            if "w" not in mode:
                return is_open(path, mode, *args, **options)
            is_open(path, mode).close()
            return FullFile()

        monkeypatch.setattr(Path, "open", open_full)
    elif at == "flush":
        monkeypatch.setattr(os, "fsync", no_space)
    else:
        monkeypatch.setattr(Path, "replace", no_space)
        monkeypatch.setattr(os, "replace", no_space)


@pytest.mark.parametrize("at", ["write", "flush", "replace"])
def test_a_full_disk_is_said_what_was_there_stays_and_no_part_is_left(
    run_folder: Path, plan: Plan, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(run_folder)
    with monkeypatch.context() as patch:
        fill_disk(patch, at)
        message = refusal_of(lambda: play_plan(plan, MORE_GAMES, folder=run_folder))
    assert "cannot be written: No space left on device" in message
    assert "Free some space and start the same command again." in message
    assert contents(run_folder) == before
    assert same_tallies(play_plan(plan, MORE_GAMES, folder=run_folder), engine_of(plan).play(0, MORE_GAMES))


@pytest.mark.parametrize("at", ["write", "flush", "replace"])
def test_a_disk_that_fills_up_during_a_run_keeps_the_games_that_were_there(
    run_folder: Path, plan: Plan, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(run_folder)

    def fill_up(_done: int, _games: int) -> None:
        fill_disk(monkeypatch, at)

    refusal_of(lambda: play_plan(plan, MORE_GAMES, folder=run_folder, progress=fill_up))
    monkeypatch.undo()
    assert contents(run_folder).keys() == before.keys()
    assert contents(run_folder)["tallies.npz"] == before["tallies.npz"]
    assert same_tallies(play_plan(plan, MORE_GAMES, folder=run_folder), engine_of(plan).play(0, MORE_GAMES))


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old and long")
    write_atomically(path, b"new")
    assert contents(tmp_path) == {"file": b"new"}


def test_other_errors_of_the_disk_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    message = refusal_of(lambda: write_atomically(tmp_path / "file", b"new"))
    assert f"{tmp_path / 'file'}: cannot be written" in message
    assert "Choose another folder." in message
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# Damaged files


def npz(**arrays: Any) -> bytes:
    """Return an archive of arrays."""
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def npy() -> bytes:
    """Return a single array as a file."""
    content = io.BytesIO()
    np.save(content, np.arange(3))
    return content.getvalue()


DAMAGED_TALLIES = {
    "empty": b"",
    "garbage": b"garbage" * 100,
    "pickle": b"\x80\x04K\x03.",
    "an archive without the number of games": npz(games=np.arange(3)),
    "an archive of something else": npz(x=np.arange(3)),
}


@pytest.mark.parametrize("content", DAMAGED_TALLIES.values(), ids=DAMAGED_TALLIES)
def test_damaged_tallies_are_refused_by_name(run_folder: Path, plan: Plan, content: bytes) -> None:
    damaged(run_folder, "tallies.npz", content)
    message = refusal_of(lambda: read_run(run_folder))
    assert "tallies.npz: damaged" in message
    assert "Delete the folder and run again" in message
    assert_refused_and_unchanged(run_folder, plan, "damaged")


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.9999])
def test_truncated_tallies_are_refused(run_folder: Path, plan: Plan, share: float) -> None:
    content = (run_folder / "tallies.npz").read_bytes()
    damaged(run_folder, "tallies.npz", content[: int(share * len(content))])
    assert "tallies.npz: damaged" in refusal_of(lambda: read_run(run_folder))
    assert_refused_and_unchanged(run_folder, plan, "damaged")


@pytest.mark.parametrize("name", ["run.json", "tallies.npz"])
def test_every_flipped_bit_is_noticed(run_folder: Path, name: str) -> None:
    content = bytearray((run_folder / name).read_bytes())
    whole = load_run(run_folder)
    for number in range(0, 8 * len(content), 8 * len(content) // 1_000 + 1):
        content[number // 8] ^= 1 << number % 8
        try:
            read = load_run(damaged(run_folder, name, bytes(content)))
        except RunFolderError:
            pass
        else:
            assert name == "run.json"  # white space between values, or a sign written in another way
            assert (read.plan, read.games, read.done) == (whole.plan, whole.games, whole.done)
        content[number // 8] ^= 1 << number % 8


def test_no_array_is_read_that_the_run_does_not_have(
    run_folder: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO()
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, dtype=np.int64), (10**4, 10**4), (0, 0))
    np.savez_compressed(content, games_done=np.int64(GAMES), games=huge[:100])
    write_bytes(run_folder / "tallies.npz", content.getvalue())

    def never(*_args: object, **_options: object) -> None:
        raise AssertionError("read before its shape was known")

    monkeypatch.setattr(np, "load", never)
    assert "its arrays are not those of this run" in refusal_of(lambda: read_run(run_folder))


def test_a_plan_changed_by_hand_is_damaged(run_folder: Path, plan: Plan) -> None:
    text = (run_folder / "run.json").read_text(encoding="utf-8")
    damaged(run_folder, "run.json", text.replace('"seed": 4', '"seed": 5').encode())
    assert_refused_and_unchanged(run_folder, plan, "run.json: damaged")


def test_a_single_array_in_place_of_the_tallies_is_refused(run_folder: Path) -> None:
    damaged(run_folder, "tallies.npz", npy())
    assert "tallies.npz: damaged" in refusal_of(lambda: read_run(run_folder))


def other_tallies(plan: Plan, kind: str) -> dict[str, Any]:
    """Return tallies that are no tallies of a plan."""
    tallies: dict[str, Any] = engine_of(plan).play(0, GAMES)
    if kind == "an array missing":
        del tallies["tiles"]
    elif kind == "another shape":
        tallies["tiles"] = tallies["tiles"][:, :, :, :-1]
    elif kind == "fractions":
        tallies["tiles"] = tallies["tiles"] / 2
    elif kind == "fewer games":
        tallies["games"] = tallies["games"] * 0
    return tallies


@pytest.mark.parametrize("kind", ["an array missing", "another shape", "fractions", "fewer games"])
def test_tallies_that_do_not_fit_the_plan_are_refused(run_folder: Path, plan: Plan, kind: str) -> None:
    save_tallies(run_folder, other_tallies(plan, kind), GAMES)
    assert "tallies.npz: damaged" in refusal_of(lambda: read_run(run_folder))


def test_a_damaged_file_is_closed(run_folder: Path) -> None:
    damaged(run_folder, "tallies.npz", (run_folder / "tallies.npz").read_bytes()[:-10])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        refusal_of(lambda: read_run(run_folder))
        gc.collect()
    assert [str(warning.message) for warning in said] == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"3", b"\xff\xfe", b'{"format": 2}', b"{}"])
def test_a_damaged_plan_is_refused_by_name(run_folder: Path, plan: Plan, content: bytes) -> None:
    damaged(run_folder, "run.json", content)
    assert "run.json: damaged" in refusal_of(lambda: read_run(run_folder))
    assert_refused_and_unchanged(run_folder, plan, "run.json: damaged")


@pytest.mark.parametrize("key", ["scenario", "players", "policy", "seed", "fixed_seats", "games", "rules"])
def test_a_plan_with_a_value_missing_is_damaged(run_folder: Path, plan: Plan, key: str) -> None:
    manifest_with(run_folder, **{key: ...})
    assert "run.json: damaged" in refusal_of(lambda: read_run(run_folder))
    assert_refused_and_unchanged(run_folder, plan, "run.json: damaged")


@pytest.mark.parametrize("format_", [0, 1, "2", None])
def test_a_folder_of_another_format_is_refused(run_folder: Path, plan: Plan, format_: object) -> None:
    manifest_with(run_folder, format=format_)
    assert "is not one that this version reads" in refusal_of(lambda: read_run(run_folder))
    assert_refused_and_unchanged(run_folder, plan, "is not one that this version reads")


@pytest.mark.parametrize(
    "values",
    [{"policy": None}, {"policy": 5}, {"policy": ["random"]}, {"scenario": None}, {"scenario": []}, {"scenario": "x"}],
    ids=str,
)
def test_a_plan_with_a_value_of_another_kind_is_damaged(run_folder: Path, values: dict[str, Any]) -> None:
    assert "run.json" in refusal_of(lambda: read_run(manifest_with(run_folder, **values)))


@pytest.mark.parametrize(
    "values", [{"players": "two"}, {"players": []}, {"players": 7}, {"seed": None}, {"seed": "x"}, {"policy": "gredy"}]
)
def test_a_plan_with_an_impossible_value_is_refused(run_folder: Path, values: dict[str, Any]) -> None:
    from balance.errors import BalanceError

    with pytest.raises(BalanceError):
        read_run(manifest_with(run_folder, **values))


# Other versions of the rules


def test_games_of_another_version_of_the_rules_are_read_but_neither_added_to_nor_replayed(
    run_folder: Path, plan: Plan
) -> None:
    manifest_with(run_folder, rules="0123456789abcdef")
    assert read_run(run_folder).games == GAMES
    assert_refused_and_unchanged(run_folder, plan, "made by another version of balance")
    assert "made by another version of balance" in refusal_of(lambda: replay(run_folder, 0))


def test_the_version_of_the_rules_is_kept_with_the_run(run_folder: Path) -> None:
    manifest = json.loads((run_folder / "run.json").read_text(encoding="utf-8"))
    assert manifest["rules"] == rules_digest()
    assert manifest["format"] == 2


# A killed process

PLAY = """
import sys
from balance.runs import pace, spread
from balance.runs.plan import make_plan
from balance.scenario.load import load_scenario
from pathlib import Path
spread.SAVE_SECONDS = 0.0
pace.CHUNK_SECONDS = 0.01
pace.SMALLEST_CHUNK = 240
pace.PILOT_SECONDS = 1e-9
spread.SAVES_SHARE = 0
def progress(done, games):
    print(done, flush=True)
plan = make_plan(load_scenario("city-services"), policy="random,random-fire,random,random", seed=8)
spread.play_plan(plan, 10_000_000, jobs=2, folder=Path(sys.argv[1]), progress=progress)
"""


@pytest.mark.jitted
@pytest.mark.skipif(os.name != "posix", reason="kills as on Unix")
def test_a_killed_run_goes_on_and_gives_the_same_bits(tmp_path: Path) -> None:
    plan = make_plan(load_scenario("city-services"), policy="random,random-fire,random,random", seed=8)
    folder = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", PLAY, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = (int(line) for line in process.stdout)
        next(done for done in lines if done >= 1_000)
        next(lines)  # a chunk is written after it is told
        process.send_signal(signal.SIGKILL)
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert manifest["games"] == 10_000_000
    done = load_run(folder).done
    assert 1_000 <= done
    assert same_tallies(load_run(folder).tallies, engine_of(plan).play(0, done))
    goal = done + 1_000
    assert same_tallies(play_plan(plan, goal, folder=folder), engine_of(plan).play(0, goal))


# Two processes


def test_a_folder_that_another_process_writes_is_refused_and_left_alone(run_folder: Path, plan: Plan) -> None:
    part = run_folder / ".tallies.npz.1.part"
    with locked(run_folder):
        part.write_bytes(b"being written")
        assert_refused_and_unchanged(run_folder, plan, "another process is writing into it")
        assert part.exists()
    part.unlink()
    assert read_run(run_folder).games == GAMES
    play_plan(plan, MORE_GAMES, folder=run_folder)


def test_the_lock_goes_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), locked(tmp_path / "run"):
        raise KeyboardInterrupt
    with locked(tmp_path / "run"):
        pass


@pytest.mark.jitted
def test_of_two_processes_that_start_together_one_plays_and_the_other_says_so(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from balance.runs.folder import locked\n"
        "with locked(pathlib.Path(sys.argv[1])):\n    print('mine', flush=True)\n    sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"mine\n"
        second = subprocess.run(command, input=b"", capture_output=True, check=False)
        first.kill()
        first.communicate()
    assert b"another process is writing into it" in second.stderr
    assert subprocess.run(command, input=b"", capture_output=True, check=True).stdout == b"mine\n"
