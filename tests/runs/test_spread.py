"""How games are spread over workers, cut up, interrupted and gone on with never shows in the tallies."""

from __future__ import annotations

import gc
import itertools
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
from balance.runs import pace, spread, tallies, workers
from balance.runs.city_services import CityServicesEngine
from balance.runs.engine import engine_of
from balance.runs.folder import load_run
from balance.runs.pace import Chunks, Played, seconds_needed
from balance.runs.plan import MOST_GAMES, Plan, make_plan
from balance.runs.spread import Interrupted, play_plan
from balance.runs.tallies import Tallies, add_part, add_tallies, part_of, same_tallies
from balance.runs.workers import UNFINISHED_EACH, Backend, in_order, worker_count
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
    cut_into(monkeypatch, BLOCKS - 17)


def cut_into(monkeypatch: pytest.MonkeyPatch, games: int) -> None:
    """Cut the work into chunks of so many games, whatever they take."""
    monkeypatch.setattr(pace, "CHUNK_SECONDS", 1e-12)
    monkeypatch.setattr(pace, "PILOT_SECONDS", 1e-12)
    monkeypatch.setattr(pace, "SMALLEST_CHUNK", games)


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
    monkeypatch.setattr(pace, "CHUNK_SECONDS", seconds)
    monkeypatch.setattr(pace, "SMALLEST_CHUNK", 99)
    monkeypatch.setattr(pace, "PILOT_SECONDS", pilot_seconds)
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
    waiting: list[int] = []
    finished: list[int] = []
    take, play = spread.Work.take, CityServicesEngine.play

    def counted(self: spread.Work, played: Played) -> None:
        waiting.append(len(finished) - len(waiting))
        take(self, played)

    def noted(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        result = play(self, first, last, **options)
        finished.append(last)
        return result

    cut_into(monkeypatch, BLOCKS)
    monkeypatch.setattr(spread.Work, "take", counted)
    monkeypatch.setattr(CityServicesEngine, "play", noted)
    jobs = 2
    for games in (3_000, 30_000):
        waiting.clear()
        finished.clear()
        play_plan(plan, games, jobs=jobs)
        assert max(waiting) <= 1 + UNFINISHED_EACH * jobs  # and the one that is taken, however many games there are
    assert len(waiting) == len(finished) >= 30_000 // BLOCKS


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_workers_wait_for_a_taker_that_is_slow(jobs: int) -> None:
    asked: list[int] = []

    def tasks() -> Iterator[Callable[[], int]]:
        for number in range(100):
            asked.append(number)
            yield lambda number=number: number

    taken = 0
    for result in in_order(tasks(), jobs):
        assert result == taken
        taken += 1
        assert len(asked) <= taken - 1 + UNFINISHED_EACH * jobs
    assert taken == len(asked) == 100


def test_an_error_of_a_worker_is_the_takers(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    play = CityServicesEngine.play

    def fails(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        if threading.current_thread() is not threading.main_thread():
            raise InputError("worker failed")
        return play(self, first, last, **options)

    cut_into(monkeypatch, BLOCKS)
    monkeypatch.setattr(CityServicesEngine, "play", fails)
    with pytest.raises(InputError, match="worker failed"):
        play_plan(plan, GAMES, jobs=2)


@pytest.mark.jitted
def test_a_worker_process_that_dies_is_said_and_what_was_played_before_is_kept(plan: Plan) -> None:
    with pytest.raises(workers.WorkerError, match="A worker process died"):
        list(in_order([partial(os._exit, 1)] * 3, 2, "processes"))


def test_a_part_is_as_good_as_the_tallies_it_was_made_of(plan: Plan, expected: Tallies) -> None:
    engine = engine_of(plan)
    total = engine.empty_tallies()
    for first, last in itertools.pairwise((0, 1, 7, GAMES)):
        add_part(total, pickle.loads(pickle.dumps(part_of(engine.play(first, last)))))
    assert same_tallies(total, expected)


def test_the_part_of_few_games_is_small(plan: Plan) -> None:
    tally = engine_of(plan).play(0, 1)
    whole = sum(sums.nbytes for sums in tally.values())
    assert len(pickle.dumps(part_of(tally))) < whole / 20


# Chunks and the clock


def chunks_of(pace_of: Callable[[int], float], games: int, jobs: int, first_guess: float) -> list[int]:
    """Return the sizes of chunks where the games from `first` on take `pace_of(first)` seconds each."""
    chunks = Chunks(0, games, jobs, first_guess)
    sizes = []
    for first, last in chunks:
        sizes.append(last - first)
        chunks.learn(Played(first, last, {}, pace_of(first) * (last - first)))
    assert sum(sizes) == games
    return sizes


@pytest.mark.parametrize("wrong", [1e-3, 1.0, 1e3])
def test_chunks_take_a_part_of_a_second_however_wrong_the_pilot_was(wrong: float) -> None:
    sizes = chunks_of(lambda _first: 1e-4, 300_000, 2, wrong * 1e-4)
    seconds = [1e-4 * size for size in sizes]
    assert all(0.09 < each < 0.51 for each in seconds[8:-2])
    assert sum(each < 0.1 for each in seconds) <= 8  # until it is known better, and at the end


def test_chunks_follow_games_that_become_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = chunks_of(lambda first: 1e-4 if first < 30_000 else 1e-2, 40_000, 2, 1e-4)
    assert max(sizes) * 1e-4 < 0.51
    assert max(sizes[-20:]) * 1e-2 < 0.51


def test_the_last_chunks_are_cut_so_that_all_workers_end_together() -> None:
    sizes = chunks_of(lambda _first: 1e-3, 1_000, 4, 1e-3)
    assert sizes[-1] <= 100
    assert max(sizes) <= 300


def test_games_of_a_clock_that_stands_still_are_played() -> None:
    assert sum(chunks_of(lambda _first: 0.0, 10**9, 2, 1e-7)) == 10**9


def test_the_time_foretold_is_cpu_time_shared_by_workers(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(seconds_of_a_game=1e-3)
    monkeypatch.setattr(pace.time, "thread_time", clock.cpu)
    monkeypatch.setattr(CityServicesEngine, "play", clock.play)
    assert seconds_needed(plan, 10**6, jobs=1) == pytest.approx(1_000.0)
    assert seconds_needed(plan, 10**6, jobs=4) == pytest.approx(250.0)


def test_the_time_foretold_is_the_least_of_several_samples(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(seconds_of_a_game=1e-3, stolen=[5.0, 0.0, 7.0])
    monkeypatch.setattr(pace.time, "thread_time", clock.cpu)
    monkeypatch.setattr(CityServicesEngine, "play", clock.play)
    assert seconds_needed(plan, 10**6, jobs=1) == pytest.approx(1_000.0)


class Clock:
    """A clock for games that take no time; of every first longer stretch of a pilot, some time is stolen."""

    def __init__(self, seconds_of_a_game: float, stolen: Sequence[float] = ()) -> None:
        self.now, self.seconds, self.stolen = 0.0, seconds_of_a_game, list(stolen)

    def cpu(self) -> float:
        return self.now

    def play(self, first: int, last: int) -> Tallies:
        self.now += self.seconds * (last - first)
        if last - first > 8 and self.stolen:
            self.now += self.stolen.pop(0)
        return {}


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
    monkeypatch.setattr(spread, "SAVES_SHARE", 0)
    cut_into(monkeypatch, BLOCKS)
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
    files = {str(module.__file__) for module in (spread, tallies, pace, workers)}
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
        assert not list(left.glob(".*.part"))


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
