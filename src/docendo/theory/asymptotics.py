"""From which step on a run is asymptotic: computed from the recursion of `docendo.theory.grouped`, then its flow.

Descent is followed step by step until it has settled. What is left of the difference between its steps and the flow is
then of the order of 1/T relative to the loss, and the flow goes on in logarithmic time. So the overshoot of a large
η‖V*‖²τ², the slow start of a small one and all that the start leaves behind are in the answer.
"""

import math
from collections.abc import Iterator

import numpy as np

from docendo.checks import check_positive
from docendo.theory.corrections import onset, white_limit
from docendo.theory.curvature import limit_from_zero
from docendo.theory.grouped import Course, Problem, State, descend, flow, start
from docendo.theory.kinds import AnyTeacher, kinds_of

__all__ = ["asymptotic_step", "predicted_loss", "problem_of", "time_to_asymptotics"]

LEAST_STEPS, MOST_STEPS = 1000, 20_000
TOLERANCES = 1e-5, 0.5

_WATCHED = 200  # steps over which descent must have settled before the flow takes over
_SLOW = 1e-2  # relative fall of the loss in a step, and change of C1 − 1
_FLAT = 1e-13  # what rounding may add to the loss
_POINTS = 100  # of the flow in a decade
_BEYOND = 100  # the factor in time for which the curve must stay within the tolerance
_MOST_DECADES = 40
_DEEP = 1e-5  # a ratio of masses off and on the supports; below it curves are rescaled
_LEAST_TIME = 1e-300


def problem_of(teacher: AnyTeacher, logit_scale: float | None = None) -> Problem:
    """What training from zero on white inputs depends on."""
    activation = teacher.activation
    scale = teacher.tokens**-0.5 if logit_scale is None else float(logit_scale)
    bend = 0.0 if activation.is_linear else 2 / math.pi * float(activation.beta)
    moment = float(activation.second_moment)
    return Problem(kinds_of(teacher), scale, float(teacher.value_norm) ** 2, moment, bend)


def time_to_asymptotics(
    teacher: AnyTeacher, learning_rate: float, tolerance: float = 0.01, *, logit_scale: float | None = None
) -> float:
    """The step T from which on ηT × excess loss stays within `tolerance` of its limit, relatively; from zero.

    White Gaussian inputs and orthonormal positions are assumed (arXiv 2603.22801, Section 2); columns may be any.

    Args:
        teacher: f*; a `docendo.teachers.symmetric` one will do.
        learning_rate: η.
        tolerance: between 1e-5 and 0.5.
        logit_scale: τ; left out, 1/√D.

    Returns:
        T, a whole number. `math.inf` where η is at or above the limit of stability for this start, or so close below it
        (about a thousandth) that descent does not settle in 20,000 steps, and where T exceeds about 1e300. Exact up to
        1,000 steps. Beyond, the flow stands for the steps within log(T/1000)/(2T) of the loss, which shifts T by about
        3 % at tolerance 0.01 and T = 3,000, and by less the larger either is.

    Raises:
        ValueError: η or the tolerance is out of range, or no column has K < D, so that there is no 1/T law.
    """
    check_positive("learning_rate", learning_rate, 0.1)
    low, high = TOLERANCES
    if not low <= tolerance <= high:
        raise ValueError(f"tolerance lies between {low:g} and {high:g}, got {tolerance}. Try tolerance=0.01.")
    return asymptotic_step(teacher, problem_of(teacher, logit_scale), float(learning_rate), tolerance)


def asymptotic_step(teacher: AnyTeacher, problem: Problem, learning_rate: float, tolerance: float) -> float:
    """`time_to_asymptotics` of a problem at hand."""
    limit = white_limit(problem.kinds, problem.logit_scale)
    if limit == 0:
        raise ValueError(
            f"{teacher!r} has no column with K < D: its excess loss falls exponentially, not like 1/T. "
            "See dc.universal_law(teacher).decay_rate."
        )
    if learning_rate >= limit_from_zero(problem):
        return math.inf
    last = learning_rate
    for piece in course(problem, learning_rate):
        last = max(last, _entry(piece, limit, tolerance))
        if piece.times[-1] > _BEYOND * last:
            return float(math.ceil(last / learning_rate - 1e-9))
    return math.inf


def _entry(piece: Course, limit: float, tolerance: float) -> float:
    """The time from which on a piece of the curve stays within the tolerance; 0 where all of it does."""
    apart = np.abs(piece.times * piece.losses / limit - 1) - tolerance
    outside = np.flatnonzero(~(apart <= 0))
    if not outside.size:
        return 0.0
    at = int(outside[-1])
    if at + 1 == len(apart):
        return float(piece.times[-1])
    share = apart[at] / (apart[at] - apart[at + 1])
    begin, end = np.log(piece.times[at : at + 2])
    return float(np.exp(begin + share * (end - begin)))


def predicted_loss(problem: Problem, learning_rate: float, time: float) -> float:
    """The excess loss at ηT = `time` of descent from zero; not a number where descent does not settle before."""
    for times, losses in course(problem, learning_rate):
        if time <= times[-1]:
            known = losses > 0
            return float(np.exp(np.interp(math.log(time), np.log(times[known]), np.log(losses[known]))))
    return math.nan


def course(problem: Problem, learning_rate: float) -> Iterator[Course]:
    """Pieces of the curve of excess loss against ηT from zero; none beyond where descent does not settle."""
    state, piece = _settled(problem, learning_rate)
    yield piece
    if state is None:
        return
    time = float(piece.times[-1])
    state, stretch = _raised(problem, state)
    if math.log(time) - stretch < math.log(_LEAST_TIME):
        return
    time = time * math.exp(-stretch)
    if stretch:
        opening = onset(problem.kinds, problem.logit_scale, problem.moment * problem.value_square)
        time = max(time, 1e-4 * opening / _DEEP**2)
    for _ in range(_MOST_DECADES):
        state, piece = flow(problem, state, time, 10 * time, _POINTS)
        time = 10 * time
        yield Course(piece.times * math.exp(stretch), piece.losses * math.exp(-stretch))


def _settled(problem: Problem, learning_rate: float) -> tuple[State | None, Course]:
    """Descent until the loss falls steadily and slowly, with the loss after every step; None where it never does."""
    losses: list[float] = []
    shifts: list[float] = []
    settled: State | None = None
    for state, loss in descend(problem, start(problem), learning_rate):
        losses.append(loss)
        shifts.append(state.shift)
        count = len(losses)
        if count >= LEAST_STEPS and count % _WATCHED == 0 and _is_steady(losses[-_WATCHED:], shifts[-_WATCHED:]):
            settled = state
        if settled is not None or count == MOST_STEPS or not math.isfinite(losses[-1]):
            break
    return settled, Course(learning_rate * np.arange(1.0, len(losses) + 1), np.array(losses))


def _is_steady(losses: list[float], shifts: list[float]) -> bool:
    """C1 must have come to its place as well: on its way there it may alternate while the loss falls steadily."""
    if not all(math.isfinite(loss) and loss > 0 for loss in losses):
        return False
    falls, moves = -np.diff(np.log(losses)), np.abs(np.diff(shifts))
    return bool(((falls > -_FLAT) & (falls < _SLOW) & (moves <= _SLOW * np.abs(shifts[1:]))).all())


def _raised(problem: Problem, state: State) -> tuple[State, float]:
    """The state with masses that are almost nothing raised to `_DEEP`, and the s by which e^s shortens its time.

    So far down the loss is quadratic in the masses, and the flow from u at t is that from r u at t/r².
    """
    inside = np.where(problem.inside, state.logits, -np.inf).max(1, keepdims=True)
    rise = math.log(_DEEP) - float((state.logits - inside)[problem.outside].max())
    if rise <= 0:
        return state, 0.0
    return State(state.shift * math.exp(rise), np.where(problem.outside, state.logits + rise, state.logits)), 2 * rise
