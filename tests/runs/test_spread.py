"""How games are spread over workers, cut up, interrupted and gone on with never shows in the tallies."""

from __future__ import annotations

import gc
import itertools
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.errors import InputError
from balance.games.outcome import BLOCKS, WIN_UNITS, ByGame, BySeat
from balance.jit import JIT_IS_DISABLED
from balance.runs import folder as folder_module
from balance.runs import spread, tallies
from balance.runs.city_services import CityServicesEngine
from balance.runs.engine import engine_of
from balance.runs.folder import load_run
from balance.runs.plan import MOST_GAMES, Plan, make_plan
from balance.runs.spread import Backend, Interrupted, play_plan, seconds_needed, worker_count
from balance.runs.tallies import Tallies, add_tallies, same_tallies
from balance.scenario.city_services import CityServices
from balance.scenario.load import Scenario

GAMES = 30 if JIT_IS_DISABLED else 2_000


@pytest.fixture(scope="module")
def plan(small: Scenario) -> Plan:
    """Two unequal policies, so that rotation shows."""
    return make_plan(small, policy="random,random-fire", seed=11)


@pytest.fixture(scope="module")
def expected(plan: Plan) -> Tallies:
    """The tallies of all games, played in one go."""
    return engine_of(plan).play(0, GAMES)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work finely, not along rounds of blocks."""
    monkeypatch.setattr(spread, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(spread, "PILOT_SECONDS", 1e-9)
    monkeypatch.setattr(spread, "SMALLEST_CHUNK", BLOCKS - 17)


@pytest.fixture
def ranges_played(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Note which games are played, in which calls."""
    played: list[tuple[int, int]] = []
    play = CityServicesEngine.play

    def noted(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        played.append((first, last))
        return play(self, first, last, **options)

    monkeypatch.setattr(CityServicesEngine, "play", noted)
    return played


def numbers(ranges: list[tuple[int, int]]) -> list[int]:
    """Return the numbers of all games played, in order."""
    return sorted(number for first, last in ranges for number in range(first, last))


def stop_at(games: int) -> Callable[[int, int], None]:
    """Return a progress callback that presses Ctrl-C once so many games are done."""

    def progress(done: int, _games: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    return progress


# Workers and chunks


@pytest.mark.jitted
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("backend", "jobs"), [("threads", 1), ("threads", 2), ("threads", 7), ("processes", 1), ("processes", 2)]
)
def test_the_result_is_the_same_for_any_number_of_workers(
    plan: Plan, expected: Tallies, backend: Backend, jobs: int
) -> None:
    assert same_tallies(play_plan(plan, GAMES, jobs=jobs, backend=backend), expected)


@pytest.mark.jitted
@pytest.mark.parametrize("seconds", [1e-9, 3e-3, 2e-2, 60.0])
@pytest.mark.parametrize("pilot_seconds", [1e-9, 1e-2])
def test_the_result_is_the_same_for_any_chunk_size(
    plan: Plan, expected: Tallies, monkeypatch: pytest.MonkeyPatch, seconds: float, pilot_seconds: float
) -> None:
    monkeypatch.setattr(spread, "CHUNK_SECONDS", seconds)
    monkeypatch.setattr(spread, "SMALLEST_CHUNK", 99)
    monkeypatch.setattr(spread, "PILOT_SECONDS", pilot_seconds)
    assert same_tallies(play_plan(plan, GAMES, jobs=2), expected)


@given(cuts=st.lists(st.integers(0, GAMES), max_size=8))
@settings(max_examples=3 if JIT_IS_DISABLED else 15, deadline=None)
def test_games_played_in_any_cut_add_up_to_the_same(plan: Plan, expected: Tallies, cuts: list[int]) -> None:
    engine = engine_of(plan)
    total = engine.empty_tallies()
    ends = [0, *sorted(cuts), GAMES]
    for first, last in itertools.pairwise(ends):
        add_tallies(total, engine.play(first, last))
    assert same_tallies(total, expected)


@pytest.mark.usefixtures("small_chunks")
def test_no_game_is_played_twice_and_none_is_missing(plan: Plan, ranges_played: list[tuple[int, int]]) -> None:
    play_plan(plan, GAMES, jobs=3)
    assert numbers(ranges_played) == list(range(GAMES))


@pytest.mark.usefixtures("small_chunks")
def test_the_first_games_are_played_before_workers_start_so_that_one_compiles(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    play = CityServicesEngine.play

    def noted(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        threads.append(threading.current_thread().name)
        result = play(self, first, last, **options)
        threads.append("done")
        return result

    monkeypatch.setattr(CityServicesEngine, "play", noted)
    play_plan(plan, GAMES, jobs=2)
    assert threads[:2] == [threading.main_thread().name, "done"]
    if not JIT_IS_DISABLED:
        assert set(threads) - {threading.main_thread().name, "done"}


def test_every_game_has_luck_of_its_own(plan: Plan) -> None:
    engine = engine_of(plan)
    games = 12 if JIT_IS_DISABLED else 100
    assert len({engine.play(game, game + 1)["squares"].sum(axis=0).tobytes() for game in range(games)}) == games


def test_another_seed_gives_other_games_and_the_same_seed_the_same(small: Scenario) -> None:
    def squares(seed: int) -> bytes:
        return bytes(engine_of(make_plan(small, seed=seed)).play(0, 5)["squares"].tobytes())

    assert squares(1) == squares(1)
    assert len({squares(seed) for seed in (0, 1, 2, 2**32, 2**63 - 1)}) == 5


def test_two_plans_played_in_turns_do_not_disturb_each_other(small: Scenario) -> None:
    one, other = (engine_of(make_plan(small, policy=policy)) for policy in ("random", "random-fire"))
    alone = [one.play(0, 4), other.play(0, 4)]
    mixed = [one.empty_tallies(), other.empty_tallies()]
    for game in range(4):
        for total, engine in zip(mixed, (one, other), strict=True):
            add_tallies(total, engine.play(game, game + 1))
    assert all(same_tallies(*pair) for pair in zip(alone, mixed, strict=True))


# What is added up


def test_every_game_is_counted(plan: Plan, expected: Tallies) -> None:
    assert expected["games"][:, ByGame.GAMES].sum() == GAMES
    assert expected["seats"][..., BySeat.GAMES].sum() == plan.players * GAMES
    assert expected["scores"].sum() == plan.players * GAMES
    assert expected["margins"].sum() == GAMES


def test_the_shares_of_every_game_add_up_to_one_win(expected: Tallies) -> None:
    assert (
        expected["seats"][..., BySeat.WINS].sum(axis=(1, 2)) == WIN_UNITS * expected["games"][:, ByGame.GAMES]
    ).all()


@pytest.mark.parametrize("game", [0, 1, BLOCKS - 1, BLOCKS, 3 * BLOCKS + 17, 10**12 + 5])
def test_a_game_is_counted_in_the_block_of_its_number(plan: Plan, game: int) -> None:
    counted = engine_of(plan).play(game, game + 1)
    for name, sums in counted.items():
        blocks = np.flatnonzero(sums.reshape(BLOCKS, -1).any(axis=1))
        assert blocks.tolist() in ([game % BLOCKS], []), name


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("fixed_seats", [False, True])
def test_unequal_policies_move_on_by_one_seat_every_240_games(small: Scenario, players: int, fixed_seats: bool) -> None:
    names = ["random", "random-fire", "random+parks", "random-roads"][:players]
    engine = engine_of(make_plan(small, players=players, policy=",".join(names), fixed_seats=fixed_seats))
    for game in (0, BLOCKS - 1, BLOCKS, 2 * BLOCKS - 1, 2 * BLOCKS, 3 * BLOCKS, 4 * BLOCKS, 7 * BLOCKS + 3):
        seats = engine.play(game, game + 1)["seats"].sum(axis=0)[..., BySeat.GAMES]
        rotation = 0 if fixed_seats else (game // BLOCKS) % players
        policy_of_seat = [int(np.flatnonzero(seats[:, seat])[0]) for seat in range(players)]
        assert policy_of_seat == [(seat + rotation) % players for seat in range(players)]
        assert seats.sum() == players


@pytest.mark.jitted
def test_over_a_full_rotation_every_policy_has_every_seat_equally_often(small: Scenario) -> None:
    plan = make_plan(small, players=3, policy="random,random-fire,random")
    seats = engine_of(plan).play(0, 3 * BLOCKS)["seats"].sum(axis=0)[..., BySeat.GAMES]
    assert seats.tolist() == [[2 * BLOCKS] * 3, [BLOCKS] * 3]


@pytest.mark.jitted
def test_equal_policies_do_not_rotate_as_there_is_nothing_to_rotate(small: Scenario) -> None:
    alike = play_plan(make_plan(small, policy="random,random"), 600)
    assert same_tallies(alike, play_plan(make_plan(small, policy="random"), 600))


def test_memory_of_tallies_does_not_grow_with_games(plan: Plan, expected: Tallies) -> None:
    few = engine_of(plan).play(0, 1)
    assert {name: (sums.shape, sums.dtype) for name, sums in few.items()} == {
        name: (sums.shape, sums.dtype) for name, sums in expected.items()
    }


@pytest.mark.jitted
def test_memory_while_playing_is_flat_over_ten_times_the_games(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[int] = []
    take = spread.Work.take

    def counted(self: spread.Work, part: Tallies, done: int) -> None:
        alive.append(len(finished) - len(alive))
        take(self, part, done)

    finished: list[int] = []
    play = CityServicesEngine.play

    def noted(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        result = play(self, first, last, **options)
        finished.append(last)
        return result

    monkeypatch.setattr(spread, "CHUNK_SECONDS", 0.01)
    monkeypatch.setattr(spread, "SMALLEST_CHUNK", BLOCKS)
    monkeypatch.setattr(spread, "PILOT_SECONDS", 1e-9)
    monkeypatch.setattr(spread.Work, "take", counted)
    monkeypatch.setattr(CityServicesEngine, "play", noted)
    for games in (3_000, 30_000):
        alive.clear()
        finished.clear()
        play_plan(plan, games, jobs=2)
        assert max(alive) <= 10  # results that wait to be added: a few a worker, however many games there are
    assert len(alive) > 10


# Interruptions


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("at", [1, GAMES // 3, GAMES - 1, GAMES])
def test_ctrl_c_hands_over_what_is_finished(plan: Plan, at: int) -> None:
    with pytest.raises(Interrupted) as stop:
        play_plan(plan, GAMES, jobs=2, progress=stop_at(at))
    assert stop.value.exit_code == 130
    assert at <= stop.value.done <= GAMES
    assert same_tallies(stop.value.tallies, engine_of(plan).play(0, stop.value.done))
    assert f"Stopped after {stop.value.done:,} of {GAMES:,} games" in str(stop.value)
    assert "--out FOLDER" in str(stop.value)


@pytest.mark.jitted
@pytest.mark.usefixtures("small_chunks")
def test_ctrl_c_is_followed_by_no_warning(plan: Plan) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(Interrupted):
            play_plan(plan, 10 * GAMES, jobs=2, progress=stop_at(500))
        gc.collect()
    assert [str(warning.message) for warning in said] == []


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stops", [[1], [500], [1, 700, 1_900], [GAMES]])
def test_an_interrupted_run_goes_on_where_it_was(
    plan: Plan, expected: Tallies, tmp_path: Path, ranges_played: list[tuple[int, int]], stops: list[int]
) -> None:
    kept: list[tuple[int, int]] = []
    done = 0
    for stop in stops:
        with pytest.raises(Interrupted, match="goes on from there") as interrupted:
            play_plan(plan, GAMES, jobs=2, folder=tmp_path, progress=stop_at(min(stop, GAMES)))
        kept += [(first, last) for first, last in ranges_played if done <= first and last <= interrupted.value.done]
        ranges_played.clear()
        done = interrupted.value.done
        assert load_run(tmp_path).done == done
    assert same_tallies(play_plan(plan, GAMES, jobs=1, folder=tmp_path), expected)
    assert numbers(kept + ranges_played) == list(range(GAMES))
    saved = load_run(tmp_path)
    assert (saved.done, saved.games) == (GAMES, GAMES)
    assert same_tallies(saved.tallies, expected)


@pytest.mark.jitted
def test_a_run_that_is_extended_equals_one_played_at_once(
    plan: Plan, tmp_path: Path, ranges_played: list[tuple[int, int]]
) -> None:
    play_plan(plan, 500, folder=tmp_path)
    extended = play_plan(plan, 1_500, folder=tmp_path)
    assert numbers(ranges_played) == list(range(1_500))
    assert same_tallies(extended, engine_of(plan).play(0, 1_500))
    assert same_tallies(load_run(tmp_path).tallies, extended)


def test_a_finished_run_is_not_played_again(plan: Plan, tmp_path: Path, ranges_played: list[tuple[int, int]]) -> None:
    first = play_plan(plan, 5, folder=tmp_path)
    ranges_played.clear()
    assert same_tallies(play_plan(plan, 5, folder=tmp_path), first)
    assert numbers(ranges_played) == []


def test_finished_games_are_written_now_and_then(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(spread, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(spread, "SMALLEST_CHUNK", BLOCKS)
    on_disk: list[tuple[int, int]] = []

    def look(done: int, _games: int) -> None:
        if (tmp_path / "tallies.npz").exists():
            on_disk.append((load_run(tmp_path).done, done))

    play_plan(plan, GAMES, folder=tmp_path, progress=look)
    assert len(on_disk) >= 1
    assert all(kept <= done for kept, done in on_disk)


# A stop between opening a file and the `with` that closes it.
unclosed = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


class PressCtrlC:
    """Press Ctrl-C at the n-th line that is run in some files; count the lines."""

    def __init__(self, at: int, files: set[str]) -> None:
        self.at = at
        self.files = files
        self.lines = 0

    def __call__(self, frame: FrameType, event: str, _arg: object) -> PressCtrlC | None:
        """Trace one event."""
        if frame.f_code.co_filename not in self.files:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                signal.raise_signal(signal.SIGINT)
        return self

    def __enter__(self) -> PressCtrlC:
        self.before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.settrace(self.before)


@pytest.fixture(scope="module")
def tiny(small: Scenario) -> Plan:
    """Games of 6 tiles, whose tallies are quickly written."""
    data = small.model_dump()
    data["board"]["size"] = 4
    data["zones"] = {"commercial": {"count": 3}}
    data["services"] = {"fire": {"count": 3, "range": 2}}
    data["placement"]["forbidden_beside"] = data["revenue"]["never_score"] = {}
    return make_plan(CityServices.model_validate(data), seed=11)


def stopped_at_every_line(plan: Plan, folder: Path, files: set[str]) -> Iterator[Path]:
    """Play a short run again and again, each time stopped one line later; yield what it leaves behind."""
    games, at = 4, 0
    while True:
        at += 1
        left = folder / str(at)
        with PressCtrlC(at, files) as press:
            try:
                play_plan(plan, games, folder=left)
            except (KeyboardInterrupt, Interrupted):
                pass
        if press.lines < at:
            return
        yield left


def test_ctrl_c_at_any_line_of_the_counting_loses_no_game_and_counts_none_twice(tiny: Plan, tmp_path: Path) -> None:
    expected = engine_of(tiny).play(0, 4)
    files = {str(spread.__file__), str(tallies.__file__)}
    stops = 0
    for left in stopped_at_every_line(tiny, tmp_path, files):
        stops += 1
        assert same_tallies(play_plan(tiny, 4, folder=left), expected), f"stopped at line {stops}"
    assert stops > 20


@unclosed
def test_ctrl_c_at_any_line_of_the_writing_leaves_a_run_that_goes_on(tiny: Plan, tmp_path: Path) -> None:
    expected = engine_of(tiny).play(0, 4)
    stops = 0
    for left in stopped_at_every_line(tiny, tmp_path, {str(folder_module.__file__)}):
        stops += 1
        assert same_tallies(play_plan(tiny, 4, folder=left), expected), f"stopped at line {stops}"
    assert stops > 20


@unclosed
def test_ctrl_c_at_any_line_of_the_writing_leaves_no_part_of_a_file(tiny: Plan, tmp_path: Path) -> None:
    for left in stopped_at_every_line(tiny, tmp_path, {str(folder_module.__file__)}):
        assert not list(left.glob(".*"))


# Numbers that nobody can want


@pytest.mark.parametrize("games", [0, -1, MOST_GAMES + 1, 10**30])
def test_no_games_or_too_many_are_refused_and_nothing_is_written(plan: Plan, tmp_path: Path, games: int) -> None:
    with pytest.raises(InputError, match=f"--games {games}: a run has 1 to "):
        play_plan(plan, games, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("jobs", [0, -1])
def test_less_than_one_worker_is_refused_and_nothing_is_written(plan: Plan, tmp_path: Path, jobs: int) -> None:
    with pytest.raises(InputError, match=f"--jobs {jobs}: at least 1 worker is needed"):
        play_plan(plan, 5, jobs=jobs, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_all_cores_work_unless_said_otherwise() -> None:
    assert worker_count(None) >= 1
    assert worker_count(3) == 3


def test_progress_counts_up_to_all_games(plan: Plan) -> None:
    seen: list[tuple[int, int]] = []
    play_plan(plan, GAMES, jobs=2, progress=lambda done, games: seen.append((done, games)))
    assert seen == sorted(seen)
    assert seen[-1] == (GAMES, GAMES)
    assert {games for _, games in seen} == {GAMES}


@pytest.mark.jitted
def test_the_time_foretold_grows_with_the_games_and_shrinks_with_workers(plan: Plan) -> None:
    long = seconds_needed(plan, 10**9, jobs=1)
    assert seconds_needed(plan, 10**6, jobs=1) * 100 < long
    assert seconds_needed(plan, 10**9, jobs=100) * 10 < long
