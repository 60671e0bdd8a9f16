"""An optax optimizer as the dynamics see it: checked, applied, asked for its rate, and told from others.

An optimizer is a pair of functions with constants in their closures, so neither its name nor its repr says what it
does. What it does to the parameters of one problem is the program that JAX makes of the two, all constants included:
two optimizers of one fingerprint make the same updates.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array

from docendo.checks import check_positive
from docendo.files import content_hash
from docendo.students.base import Parameters

__all__ = [
    "Trained",
    "as_optimizer",
    "check_optimizer",
    "describe_optimizer",
    "fingerprint",
    "first_rate",
    "fresh",
    "step",
]

Trained = tuple[Parameters, Any]
"""The parameters, and what the optimizer remembers."""


def as_optimizer(optimizer: Any) -> optax.GradientTransformationExtraArgs:
    """An optax optimizer as it is; a number as plain gradient descent with that learning rate.

    Raises:
        ValueError: a rate that is not positive and finite, or something that is no optimizer.
    """
    if isinstance(optimizer, optax.GradientTransformation):
        return optax.with_extra_args_support(optimizer)
    if isinstance(optimizer, (int, float)) and not isinstance(optimizer, bool):
        check_positive("learning_rate", optimizer, 0.1)
        return optax.with_extra_args_support(optax.sgd(optimizer))
    raise ValueError(f"optimizer is an optax optimizer or a learning rate, got {optimizer!r}. Try optax.adam(1e-2).")


def check_optimizer(optimizer: optax.GradientTransformationExtraArgs, parameters: Parameters) -> None:
    """Raise ValueError where the optimizer was made for parameters of other names or shapes."""
    try:
        jax.eval_shape(lambda moved: step(optimizer, _squares, fresh(optimizer, moved)), parameters)
    except Exception as error:  # a wrong label or mask comes as KeyError, TypeError or ValueError
        raise ValueError(
            f"the optimizer does not take parameters named {' and '.join(parameters)} "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Labels and masks go by these names."
        ) from error


def fresh(optimizer: optax.GradientTransformationExtraArgs, parameters: Parameters) -> Trained:
    """The parameters, and an optimizer that has seen nothing."""
    return parameters, jax.tree.map(jnp.asarray, optimizer.init(parameters))


def step(
    optimizer: optax.GradientTransformationExtraArgs, loss: Callable[[Parameters], Array], trained: Trained
) -> Trained:
    """One update. The loss, its value and its gradient are there for optimizers that ask for them."""
    parameters, memory = trained
    value, slopes = jax.value_and_grad(loss)(parameters)
    updates, memory = optimizer.update(slopes, memory, parameters, value=value, grad=slopes, value_fn=loss)
    return optax.apply_updates(parameters, updates), memory


def first_rate(optimizer: optax.GradientTransformationExtraArgs) -> float:
    """η, the size of the first update per unit of gradient, weight decay aside.

    NaN where there is no such number: under a schedule, where parts of the parameters have rates of their own, and
    where the update depends on the loss.
    """
    probe = {name: jnp.ones(()) for name in ("value", "key_query")}
    at_zero = jax.tree.map(jnp.zeros_like, probe)
    try:
        memory = optimizer.init(at_zero)
        updates, _ = optimizer.update(probe, memory, at_zero)
    except Exception:  # made for other parameters, or in need of the loss: no single number in either case
        return float("nan")
    rates = {-float(update) for update in jax.tree.leaves(updates)}
    scheduled = any("Schedule" in name for name in _parts(memory))
    return rates.pop() if len(rates) == 1 and not scheduled else float("nan")


def describe_optimizer(optimizer: optax.GradientTransformationExtraArgs) -> str:
    """The rate, if there is one, and what is remembered, for people."""
    rate = first_rate(optimizer)
    words = [] if rate != rate else [f"rate={rate:.4g}"]
    try:
        kept = [_word(name) for name in _parts(optimizer.init({"value": jnp.ones(()), "key_query": jnp.ones(())}))]
    except Exception:  # made for other parameters
        kept = []
    return ", ".join(words + ([f"memory={'+'.join(dict.fromkeys(kept))}"] if kept else [])) or "optimizer"


def fingerprint(optimizer: optax.GradientTransformationExtraArgs, parameters: Parameters) -> str:
    """A hash of the compiled program's text: its start and its update, on parameters of these shapes."""

    def update(slopes: Parameters, memory: Any, moved: Parameters) -> Any:
        return optimizer.update(slopes, memory, moved, value=_squares(moved), grad=slopes, value_fn=_squares)

    memory = jax.eval_shape(optimizer.init, parameters)
    programs = [jax.jit(optimizer.init).lower(parameters), jax.jit(update).lower(parameters, memory, parameters)]
    return content_hash([program.as_text() for program in programs])


def _squares(parameters: Parameters) -> Array:
    """A loss, for programs that are looked at and not run."""
    return jnp.stack([(array**2).sum() for array in parameters.values()]).sum()


def _parts(memory: Any) -> Iterator[str]:
    """The names of the types that an optimizer's state is made of, those that hold nothing left out."""
    if isinstance(memory, tuple):
        if hasattr(memory, "_fields") and not isinstance(memory, optax.EmptyState):
            yield type(memory).__name__
        for part in memory:
            yield from _parts(part)
    elif isinstance(memory, dict):
        for part in memory.values():
            yield from _parts(part)


def _word(name: str) -> str:
    return name.removesuffix("State").removeprefix("ScaleBy").lower()
