"""What every game tallies alike: shared wins, margins, lead changes, half-time and the arc."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.games.outcome import (
    LOWEST_SCORE,
    SEATS,
    WIN_UNITS,
    ByGame,
    BySeat,
    Course,
    Outcome,
    book_result,
    book_turn,
    mark_halftime,
    new_outcome,
    share_win,
    start_course,
)
from balance.games.record import new_record

Scores = tuple[int, ...]
BLOCK = 7
BINS = 10 - LOWEST_SCORE
ROUNDS = 4


class Finished(NamedTuple):
    """A game told by its scores, and how it was booked."""

    outcome: Outcome
    course: Course

    def by_game(self, column: ByGame) -> int:
        """Return one sum over games."""
        return int(self.outcome.games[BLOCK, column])

    def by_seat(self, column: BySeat) -> list[int]:
        """Return one sum for each seat; each has a policy of its own, with the same number."""
        seats = range(self.course.seats)
        return [int(self.outcome.seats[BLOCK, seat, seat, column]) for seat in seats]

    def arc(self, seat: int) -> list[int]:
        """Return the scores of a seat after each of its turns."""
        return [int(score) for score in self.outcome.arc[BLOCK, seat, seat]]


def tell(after_each_turn: list[Scores], halftime: int = 1, handicap: Scores = (0, 0, 0, 0)) -> Finished:
    """Book a game that has these scores after each turn."""
    seats = len(after_each_turn[0])
    game = Finished(new_outcome(seats, seats, BINS, ROUNDS), new_record(Course))
    game.course.policy[:] = range(SEATS)
    start_course(game.course, seats, np.array(handicap))
    for turn, scores in enumerate(after_each_turn):
        game.course.score[:seats] = scores
        if turn + 1 == halftime:
            mark_halftime(game.course)
        book_turn(game.outcome, game.course, BLOCK, turn % seats, turn)
    share_win(game.course)
    book_result(game.outcome, game.course, BLOCK, len(after_each_turn), len(after_each_turn) - 1)
    return game


# Wins


@pytest.mark.parametrize(
    ("scores", "wins"),
    [
        ((5, 3), [12, 0]),
        ((5, 5), [6, 6]),
        ((1, 5, 5), [0, 6, 6]),
        ((5, 5, 5), [4, 4, 4]),
        ((0, 0, 0, 0), [3, 3, 3, 3]),
        ((2, 9, 9, 9), [0, 4, 4, 4]),
    ],
)
def test_a_tie_shares_the_win_in_equal_parts(scores: Scores, wins: list[int]) -> None:
    assert tell([scores]).by_seat(BySeat.WINS) == wins


@settings(deadline=None, derandomize=True)  # the first example compiles
@given(st.lists(st.integers(0, 3), min_size=2, max_size=4))
def test_the_parts_of_a_win_add_up_to_one(scores: list[int]) -> None:
    wins = tell([tuple(scores)]).by_seat(BySeat.WINS)
    assert sum(wins) == WIN_UNITS
    assert all((part > 0) == (score == max(scores)) for part, score in zip(wins, scores, strict=True))


@pytest.mark.parametrize(("scores", "shared"), [((5, 3), 0), ((5, 5), 1), ((1, 4, 4), 1), ((4, 1, 1), 0)])
def test_a_game_without_a_sole_winner_counts_as_shared(scores: Scores, shared: int) -> None:
    assert tell([scores]).by_game(ByGame.SHARED_WINS) == shared


@pytest.mark.parametrize(
    ("scores", "margin"),
    [((5, 3), 2), ((3, 5), 2), ((5, 5, 1), 0), ((1, 9, 4, 6), 3), ((0, 0), 0), ((BINS + 40, 1), BINS - 1)],
)
def test_the_margin_is_the_lead_over_the_next_and_the_last_bin_holds_all_above(scores: Scores, margin: int) -> None:
    assert np.flatnonzero(tell([scores]).outcome.margins[BLOCK]).tolist() == [margin]


# Sums


def test_scores_and_their_squares_add_up_by_seat() -> None:
    game = tell([(4, 7, 0)])
    assert game.by_seat(BySeat.GAMES) == [1, 1, 1]
    assert game.by_seat(BySeat.SCORE) == [4, 7, 0]
    assert game.by_seat(BySeat.SCORE_SQUARED) == [16, 49, 0]


def test_scores_are_counted_by_value_and_the_last_bin_holds_all_above() -> None:
    scores = tell([(4, BINS)]).outcome.scores[BLOCK]
    assert scores[0, 0].nonzero()[0].tolist() == [4 - LOWEST_SCORE]
    assert scores[1, 1].nonzero()[0].tolist() == [BINS - 1]


def test_length_is_counted_in_turns_and_up_to_the_last_placement() -> None:
    game = tell([(0, 0)] * 5)
    assert game.by_game(ByGame.GAMES) == 1
    assert game.by_game(ByGame.TURNS) == 5
    assert game.by_game(ByGame.TURNS_SQUARED) == 25
    assert game.by_game(ByGame.TURNS_TO_LAST_PLACEMENT) == 4


def test_a_game_is_booked_in_its_own_block() -> None:
    outcome = tell([(1, 2)]).outcome
    for table in outcome:
        assert table.sum() == table[BLOCK].sum() > 0


def test_a_seat_is_booked_under_its_own_policy() -> None:
    seats = tell([(4, 7)]).outcome.seats[BLOCK]
    assert seats[0, 1].sum() == seats[1, 0].sum() == 0


# Lead changes


@pytest.mark.parametrize(
    ("course", "changes"),
    [
        ([(1, 0), (1, 0), (2, 0)], 0),  # nobody led before the first leader
        ([(1, 0), (1, 2)], 1),
        ([(1, 0), (1, 1), (2, 1)], 0),  # a tie in between is no change
        ([(1, 0), (1, 1), (1, 2)], 1),
        ([(0, 0), (1, 1), (2, 2)], 0),
        ([(1, 0, 0), (1, 2, 0), (1, 2, 3), (4, 2, 3)], 3),
        ([(0, 0, 1), (2, 2, 1), (2, 2, 3)], 0),
    ],
)
def test_the_lead_changes_when_the_sole_leader_is_another_than_before(course: list[Scores], changes: int) -> None:
    assert tell(course).by_game(ByGame.LEAD_CHANGES) == changes


# Half-time


@pytest.mark.parametrize(
    ("course", "wins"),
    [
        ([(3, 1), (3, 1)], 144),
        ([(3, 1), (3, 5)], 0),
        ([(2, 1), (2, 5)], 0),
        ([(3, 1), (5, 5)], 72),
        ([(2, 2), (2, 5)], 72),
        ([(2, 2), (5, 5)], 72),
        ([(2, 2, 2), (2, 2, 9)], 48),
        ([(2, 2, 0), (0, 9, 9)], 36),
    ],
)
def test_the_leaders_at_halftime_win_in_equal_parts(course: list[Scores], wins: int) -> None:
    assert tell(course).by_game(ByGame.HALFTIME_WINS) == wins


def test_leads_of_the_game_before_are_forgotten() -> None:
    game = tell([(3, 1), (3, 1)])
    start_course(game.course, 2, np.zeros(SEATS, dtype=np.int64))
    assert game.course.halftime_leads[:2].tolist() == [0, 0]
    assert game.course.leader < 0


# The arc


def test_the_arc_holds_the_score_after_each_turn_and_the_final_score_after_the_end() -> None:
    game = tell([(1, 0), (1, 2), (3, 2), (3, 4)])
    assert game.arc(0) == [1, 3, 3, 3]
    assert game.arc(1) == [2, 4, 4, 4]


def test_the_arc_of_a_seat_with_fewer_turns_ends_with_its_final_score() -> None:
    assert tell([(1, 0), (1, 2), (3, 2)]).arc(1) == [2, 2, 2, 2]


def test_the_last_place_of_the_arc_holds_the_final_score_of_a_longer_game() -> None:
    course: list[Scores] = [(turn, 0) for turn in range(12)]
    assert tell(course).arc(0) == [0, 2, 4, 11]


def test_every_seat_starts_with_its_handicap() -> None:
    course = new_record(Course)
    start_course(course, 3, np.array([4, 0, 2, 9]))
    assert course.score.tolist() == [4, 0, 2, 0]
