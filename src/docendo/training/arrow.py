"""Linear solves with arrow matrices, column by column.

In the flow the logits of one column of S see those of another only through W_V. So the Jacobian over (values, logits)
has an arrow's shape: one block of size D for each column, bordered by the values,

    [ A  C_1 … C_D ]        solved by eliminating the columns:
    [ B_1 M_1      ]        Σ = A − Σ_i C_i M_i⁻¹ B_i,   v = Σ⁻¹ (r_v − Σ_i C_i M_i⁻¹ r_i),   ℓ_i = M_i⁻¹ (r_i − B_i v).
    [ …        ⋱   ]
    [ B_D      M_D ]

The blocks are read off products with the matrix: one product gives the j-th column of every M_i at once. For D tokens
and n values that is D + n products with the matrix, n with its transpose, and O(D⁴ + n D³ + n² D²) operations, where a
dense factorisation would take O(D⁶).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["Bordered", "arrow"]

# Bounds the memory of a batch of products with the matrix, each of which holds several D × D arrays.
PRODUCTS_AT_ONCE = 16


class Bordered(NamedTuple):
    """A vector that an arrow matrix acts on: the border (any shape) and the columns (D, D)."""

    values: Array
    logits: Float[Array, "D D"]


def arrow(linear: Callable[[Bordered], Bordered], template: Bordered) -> Callable[[Bordered], Bordered]:
    """Factorise a linear map whose matrix is an arrow; returns the inverse map."""
    shape, count = template.values.shape, template.values.size
    nothing = jax.tree.map(jnp.zeros_like, template)
    diagonal = jax.scipy.linalg.lu_factor(_blocks(linear, nothing))

    def unit(index: Array) -> Array:
        return jnp.zeros(count).at[index].set(1).reshape(shape)

    images = _for_each(count, lambda index: linear(nothing._replace(values=unit(index))))
    transposed = jax.linear_transpose(linear, template)
    rows = _for_each(count, lambda index: transposed(nothing._replace(values=unit(index)))[0].logits)
    # images.logits and rows: (border, token, column); the solves want (column, token, border).
    across = jax.scipy.linalg.lu_solve(diagonal, images.logits.transpose(2, 1, 0))
    corner = images.values.reshape(count, count).T - jnp.einsum("bji,ijc->bc", rows, across)
    factors = jax.scipy.linalg.lu_factor(corner)

    def solve(right: Bordered) -> Bordered:
        columns = jax.scipy.linalg.lu_solve(diagonal, right.logits.T[..., None])[..., 0]
        border = right.values.reshape(count) - jnp.einsum("bji,ij->b", rows, columns)
        values = jax.scipy.linalg.lu_solve(factors, border)
        return Bordered(values.reshape(shape), (columns - across @ values).T)

    return solve


def _blocks(linear: Callable[[Bordered], Bordered], nothing: Bordered) -> Float[Array, "D D D"]:
    """M_i by column i: what a unit logit in row j of every column does to the logits of that column."""
    tokens = nothing.logits.shape[0]

    def image(row: Array) -> Float[Array, "D D"]:
        return linear(nothing._replace(logits=nothing.logits.at[row].set(1))).logits

    return _for_each(tokens, image).transpose(2, 1, 0)


def _for_each(count: int, product: Callable[[Array], Any]) -> Any:
    if count <= PRODUCTS_AT_ONCE:
        return jax.vmap(product)(jnp.arange(count))
    return jax.lax.map(product, jnp.arange(count), batch_size=PRODUCTS_AT_ONCE)
