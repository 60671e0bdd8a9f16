"""Why the 1/T law is not seen in a run, or would not be seen, with the numbers that say so.

The reasons are

- trap: the first step moves W_V along −V*, which only correlated tokens can make it do;
- stability limit: η is at or above what descent from this start can settle with;
- overshoot: η‖V*‖²τ² is large, the gaps jump past their path in a few steps, the loss falls far below the law and waits
  there until the law has come down to it, at T ≈ c_L/(ηL);
- onset: T is too small, the masses off the supports have not begun to fall, or corrections still show;
- dense columns: all columns have K = D, and the loss falls exponentially;
- positions: no W_KQ separates the supports with this P;
- slope: κ = −1, where the zero start never moves;
- dynamics: the law is about plain descent on the population loss, and its flow.
"""

import json
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from docendo.inputs import Inputs, white
from docendo.population import excess_loss, stable_learning_rate
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.symmetric import SymmetricTeacher
from docendo.theory.asymptotics import asymptotic_step, predicted_loss, problem_of
from docendo.theory.curvature import limit_from_zero
from docendo.theory.grouped import Problem, evaluate, start
from docendo.theory.kinds import AnyTeacher
from docendo.theory.law import Law, universal_law
from docendo.theory.margin import common_scale
from docendo.theory.validity import is_white
from docendo.training import Run

__all__ = ["Diagnosis", "Reason", "diagnose", "why_not"]

Name = Literal["trap", "stability limit", "overshoot", "onset", "dense columns", "positions", "slope", "dynamics"]

PLAIN = ("GradientDescent", "Reduced", "GradientFlow")
STILL = 0.1  # a local exponent nearer to zero than this
STILL_HIGH = 0.05  # of the loss at the start; below it the masses off the supports have begun to fall
_FLOW_STEP = 1e-3  # of the stability limit: a step that stands for the flow


@dataclass(frozen=True)
class Reason:
    """One reason.

    Attributes:
        name: which, as listed above.
        detail: the numbers.
        steps: the step T from which on the law would be seen, where one is known (ηT for a flow).
    """

    name: Name
    detail: str
    steps: float | None = None


@dataclass(frozen=True)
class Diagnosis:
    """Whether the law is seen, and if not, why.

    Attributes:
        seen: whether the ratio is within the tolerance of 1 at the end; None where that could not be predicted.
        ratio: ηT × excess loss over its limit at the end, measured or predicted; not a number where there is none.
        reasons: why not, the decisive one first; empty where the law is seen.
        law: what was predicted.
    """

    seen: bool | None
    ratio: float
    reasons: tuple[Reason, ...]
    law: Law

    def __str__(self) -> str:
        seen = {True: "seen", False: "not seen", None: "not predictable"}[self.seen]
        lines = [f"law {seen}: ηT × excess loss is {self.ratio:.6g} of its limit {self.law.excess_loss:.6g}"]
        return "\n".join(lines + [f"  {reason.name}: {reason.detail}" for reason in self.reasons])


@dataclass(frozen=True)
class _Instance:
    """All that is known before a run; `learning_rate` None stands for the flow."""

    teacher: AnyTeacher
    positions: Any
    logit_scale: float
    inputs: Inputs
    learning_rate: float | None
    from_zero: bool
    tolerance: float

    @property
    def problem(self) -> Problem | None:
        """The problem in kinds where training from zero can be followed exactly: white inputs, orthonormal P."""
        factor = 1.0 if self.positions is None else common_scale(np.asarray(self.positions))
        if not (self.from_zero and is_white(self.inputs)) or factor is None:
            return None
        return problem_of(self.teacher, self.logit_scale * factor**2)

    @property
    def limit(self) -> float:
        """The learning rate at and above which descent cannot settle from this start."""
        problem = self.problem
        if isinstance(self.teacher, SymmetricTeacher):
            problem = problem_of(self.teacher, self.logit_scale)
        if problem is not None:
            return limit_from_zero(problem)
        inputs: Any = self.inputs
        return stable_learning_rate(self.teacher, self.positions, self.logit_scale, inputs)  # type: ignore[arg-type]

    @property
    def first_loss(self) -> float:
        """The excess loss at zero."""
        if is_white(self.inputs):
            problem = problem_of(self.teacher)
            return evaluate(problem, start(problem))[0]
        return float(excess_loss(self.teacher, PositionOnly.zeros(self.teacher), self.inputs))  # type: ignore[arg-type]

    def law(self) -> Law:
        """The law of this instance."""
        return universal_law(self.teacher, self.positions, self.logit_scale, self.inputs)

    def step_needed(self) -> float | None:
        """From which T on (ηT for a flow) the law is seen, computed; None where it can't be."""
        problem = self.problem
        if problem is None:
            return None
        rate = self.learning_rate or _FLOW_STEP * limit_from_zero(problem)
        steps = asymptotic_step(self.teacher, problem, rate, self.tolerance)
        return steps if self.learning_rate else steps * rate


def diagnose(
    teacher: AnyTeacher,
    learning_rate: float,
    steps: float,
    *,
    positions: Any = None,
    logit_scale: float | None = None,
    inputs: Inputs | None = None,
    tolerance: float = 0.05,
) -> Diagnosis:
    """Before a run from zero: whether it will show the law by its last step, and if not, why.

    Args:
        teacher: f*.
        learning_rate: η.
        steps: T.
        positions: P (E, D) of the student; left out, the unit matrix.
        logit_scale: τ of the student; left out, 1/√D.
        inputs: the law of X; left out, white Gaussian. For others, and for P that is not orthonormal, what the instance
            rules out is said, but the loss itself is not predicted.
        tolerance: how near to 1 the ratio of ηT × excess loss to its limit has to be.

    Raises:
        ValueError: as `docendo.universal_law` and `docendo.time_to_asymptotics`.
    """
    scale = teacher.tokens**-0.5 if logit_scale is None else float(logit_scale)
    law = white if inputs is None else inputs
    instance = _Instance(teacher, positions, scale, law, float(learning_rate), True, tolerance)
    predicted = instance.law()
    reasons = _ruled_out(instance, predicted)
    if reasons:
        return Diagnosis(False, math.nan, reasons, predicted)
    problem = instance.problem
    if problem is None:
        return Diagnosis(None, math.nan, (), predicted)
    loss = predicted_loss(problem, float(learning_rate), learning_rate * steps)
    if math.isnan(loss):
        detail = f"η = {learning_rate:.6g} is so little below {instance.limit:.6g} that descent is slow to settle"
        return Diagnosis(None, math.nan, (Reason("stability limit", detail),), predicted)
    return _judged(instance, predicted, learning_rate * steps, loss)


def why_not(run: Run, *, inputs: Inputs | None = None, tolerance: float = 0.05) -> Diagnosis:
    """After a run: whether it shows the law at its end, and if not, why.

    Args:
        run: by descent, its reduced form or its flow; of others it is said that the law is not about them.
        inputs: the law the run was trained under; left out, white Gaussian. A run records only its name.
        tolerance: as for `diagnose`.

    Raises:
        ValueError: the run was trained under other inputs, or recorded no exact excess loss.
    """
    law = white if inputs is None else inputs
    _check(run, law)
    instance = _instance(run, law, tolerance)
    predicted = instance.law()
    time, loss = float(run.data["time"][-1]), float(run.data["excess_loss"][-1])
    if predicted.excess_loss and abs(time * loss / predicted.excess_loss - 1) <= tolerance:
        return Diagnosis(True, time * loss / predicted.excess_loss, (), predicted)
    kind = json.loads(run.data.attrs["settings"])["kind"]
    reasons: tuple[Reason, ...] = ()
    if kind not in PLAIN:
        reasons = (Reason("dynamics", f"{kind} is not plain descent on the population loss"),)
    reasons += _ruled_out(instance, predicted)
    reasons += () if reasons or time * loss < predicted.excess_loss else _trapped(run)
    if reasons:
        ratio = time * loss / predicted.excess_loss if predicted.excess_loss else math.nan
        return Diagnosis(False, ratio, reasons, predicted)
    return _judged(instance, predicted, time, loss)


def _ruled_out(instance: _Instance, law: Law) -> tuple[Reason, ...]:
    """What the instance alone says."""
    names: dict[str, Name] = {
        "κ ≠ −1": "slope",
        "a column has K < D": "dense columns",
        "W_KQ can select the supports": "positions",
        "the first step moves W_V towards V*": "trap",
    }
    reasons = [
        Reason(names[each.name], each.detail)
        for each in law.conditions
        if each.holds is False and (instance.from_zero or each.name != "the first step moves W_V towards V*")
    ]
    if instance.learning_rate is not None and instance.learning_rate >= instance.limit:
        detail = f"η = {instance.learning_rate:.6g} is at or above {instance.limit:.6g}, so descent cannot settle"
        reasons.append(Reason("stability limit", f"{detail}: take η = {0.8 * instance.limit:.3g}"))
    return tuple(reasons)


def _trapped(run: Run) -> tuple[Reason, ...]:
    """W_V on the wrong side of zero at the end, with a loss above the law that hardly moves, whatever the start was."""
    side, exponent = float(run.data["c1"][-1]), float(run.data["local_exponent"][-1])
    if side >= 0 or abs(exponent) > STILL:
        return ()
    return (Reason("trap", f"W_V ended along −V*, C1 = {side:.4g}, with a local exponent of {exponent:.2g}"),)


def _judged(instance: _Instance, law: Law, time: float, loss: float) -> Diagnosis:
    """Seen, or one of overshoot and onset, from the loss at the end."""
    ratio = time * loss / law.excess_loss
    if abs(ratio - 1) <= instance.tolerance:
        return Diagnosis(True, ratio, (), law)
    needed = instance.step_needed()
    unit, clock = ("T", instance.learning_rate or 1.0) if instance.learning_rate else ("ηT", 1.0)
    fallen = loss / instance.first_loss
    if ratio < 1 and fallen < STILL_HIGH:
        return Diagnosis(False, ratio, (_overshoot(instance, law, loss, needed, unit, clock),), law)
    if needed is None and ratio > 1:
        needed = time / clock * ((ratio - 1) / instance.tolerance) ** 2
    detail = f"at {unit} = {time / clock:.4g} the loss is {fallen:.3g} of its start, and {ratio:.4g} of the law"
    if law.onset is not None:
        detail += f"; the law needs {unit} ≫ {law.onset / clock:.3g}"
    if needed is not None:
        detail += f"; it is seen within {instance.tolerance:g} from {unit} = {needed:.4g} on"
    return Diagnosis(False, ratio, (Reason("onset", detail, needed),), law)


def _overshoot(instance: _Instance, law: Law, loss: float, needed: float | None, unit: str, clock: float) -> Reason:
    reached = law.excess_loss / loss / clock if loss > 0 else math.inf
    needed = reached / instance.tolerance if needed is None else needed
    rate = instance.learning_rate or 0.0
    strength = rate * (instance.logit_scale * float(instance.teacher.value_norm)) ** 2
    detail = (
        f"η‖V*‖²τ² = {strength:.4g}: the loss jumped to {loss:.3g}, where the law comes at {unit} = {reached:.3g}; "
        f"it is seen within {instance.tolerance:g} from {unit} = {needed:.4g} on"
    )
    return Reason("overshoot", detail, needed)


def _instance(run: Run, inputs: Inputs, tolerance: float) -> _Instance:
    settings, first = json.loads(run.data.attrs["settings"]), run.start
    if isinstance(first, SymmetricStudent):
        at_zero = float(first.value_scale) == 0 and not np.asarray(first.gaps).any()
    elif isinstance(first, PositionOnly):
        at_zero = not (np.asarray(first.value).any() or np.asarray(first.key_query).any())
    else:
        raise ValueError(f"the law is about dc.PositionOnly students, got a run of {first!r}.")
    positions = getattr(first, "positions", None)
    rate = settings.get("learning_rate")
    return _Instance(run.teacher, positions, float(first.logit_scale), inputs, rate, at_zero, tolerance)


def _check(run: Run, inputs: Inputs) -> None:
    trained = run.data.attrs["inputs"]
    if trained != repr(inputs):
        raise ValueError(
            f"this run was trained under {trained}, but inputs={inputs!r} was given. "
            "Pass the law it was trained under: dc.why_not(run, inputs=...)."
        )
    if "excess_loss" not in run.data or not run.data["excess_loss"].size:
        raise ValueError("this run recorded no exact excess loss, which the law is about. Train under an exact law.")
