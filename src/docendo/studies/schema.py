"""A study file, key by key: what `study.toml` may hold, in which unit, and what is taken where a key is left out.

Nothing here starts JAX. Which parameters mean something for which teacher and dynamics is known to the constructors
themselves; `docendo.studies.choices` asks them.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "Dynamics",
    "Execution",
    "Inputs",
    "Range",
    "Saves",
    "Seeds",
    "Settings",
    "Student",
    "StudyFile",
    "Sweep",
    "Teacher",
]

Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Place = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Pair = Annotated[tuple[Count, Count], Field(description="height and width")]
InputLaw = Literal["gaussian", "exponential", "centred_exponential"]


class _Section(BaseModel):
    # strict: "8" is no number, and true is not 1
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Teacher(_Section):
    """f*: a constructor of `docendo.teachers` and its parameters; sizes left out are the paper's."""

    kind: Literal[
        "single_layer",
        "convolution",
        "graph_convolution",
        "sparse_token_selection",
        "group_sparse",
        "patch_association",
        "random",
        "symmetric",
    ] = Field(description="the constructor")
    tokens: Count | None = Field(default=None, description="D, how many tokens")
    sparsity: Count | None = Field(default=None, description="K, how many tokens an output averages")
    features: Count | None = Field(default=None, description="d, numbers a token has")
    channels: Count | None = Field(default=None, description="M, numbers an output has")
    grid: Pair | None = Field(default=None, description="patches of a convolution, height and width")
    pool: Pair | None = Field(default=None, description="its pooling blocks, height and width")
    selected: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(
        default=None, description="tokens to select, from 0"
    )
    group: Annotated[int, Field(ge=0)] | None = Field(default=None, description="the group that decides, from 0")
    value_norm: Positive | None = Field(default=None, description="‖V*‖_F of a symmetric teacher")
    activation: str | None = Field(default=None, description="identity, relu or leaky_relu:SLOPE")
    seed: Seed | None = Field(default=None, description="for what is drawn of it; the study's seed if left out")


class Student(_Section):
    """The start: the paper's, W_V = 0 and W_KQ = 0."""

    positions: Literal["identity", "orthogonal", "sinusoidal"] = Field(default="identity", description="P")
    logit_scale: Positive | str | None = Field(
        None, description="τ, a number or a law in D, K and V such as 'D**(-3/2)'; 1/√D if left out"
    )


class Inputs(_Section):
    """Laws of X."""

    law: InputLaw = Field(default="gaussian", description="the law trained on")
    test_law: InputLaw | None = Field(default=None, description="a law under which the excess loss is recorded as well")


class Dynamics(_Section):
    """How the student moves, and how far."""

    kind: Literal["gradient_descent", "online", "reduced", "flow"] = Field(
        default="gradient_descent", description="which one"
    )
    learning_rate: Positive | None = Field(default=None, description="η; half the stability limit if left out")
    steps: Count | None = Field(default=None, description="T; 10000 if left out")
    time: Positive | None = Field(default=None, description="ηT, how far a flow goes; 1e6 if left out")
    batch_size: Count | None = Field(default=None, description="N, inputs per online step; 100 if left out")
    noise: NotNegative | None = Field(default=None, description="standard deviation of label noise; 0 if left out")

    @model_validator(mode="before")
    @classmethod
    def _whole_floats(cls, given: Any) -> Any:
        """`steps = 1e6` means what it says."""
        if isinstance(given, dict) and isinstance(steps := given.get("steps"), float) and steps.is_integer():
            return given | {"steps": int(steps)}
        return given


class Saves(_Section):
    """Which steps (times ηT, for a flow) are recorded; the last one always is."""

    count: Annotated[int, Field(ge=2)] = Field(default=200, description="about how many, spaced in the logarithm")
    first: Positive = Field(default=1.0, description="the first of them")
    at: tuple[NotNegative, ...] | None = Field(default=None, description="these steps instead")


class Execution(_Section):
    """How cells are run; none of it changes a result."""

    retries: Annotated[int, Field(ge=0)] = Field(default=1, description="how often a failed cell is tried again")


class Range(_Section):
    """Values of an axis by their ends; both ends belong to it."""

    start: float = Field(description="the first value")
    stop: float = Field(description="the last value")
    count: Annotated[int, Field(ge=2)] = Field(description="how many values")
    spacing: Literal["linear", "log"] = Field(default="linear", description="linear or log")


class Seeds(_Section):
    """The seeds 0, 1, …, count − 1."""

    count: Count = Field(description="how many seeds")
    first: Seed = Field(default=0, description="the first seed")


class Settings(_Section):
    """One cell: everything that determines a run."""

    teacher: Teacher
    student: Student = Student()
    inputs: Inputs = Inputs()
    dynamics: Dynamics = Dynamics()
    saves: Saves = Saves()
    seed: Seed = Field(default=0, description="for all that is drawn: teacher, positions, batches")


AxisValue = int | float | str | tuple[int, ...]


class Sweep(_Section):
    """Axes by the names of the keys they vary, and which of them walk together."""

    axes: dict[str, tuple[AxisValue, ...] | Range | Seeds] = Field(default={}, description="by key")
    zipped: tuple[tuple[str, ...], ...] = Field(default=(), description="groups of axes that walk together")


class StudyFile(_Section):
    """A whole study file."""

    name: str = Field(default="study", description="a title", min_length=1, max_length=200)
    settings: Settings
    sweep: Sweep = Sweep()
    execution: Execution = Execution()
