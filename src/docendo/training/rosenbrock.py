"""Rodas5P, a linearly implicit Runge–Kutta method for stiff ordinary differential equations, as a diffrax solver.

A step of size h from (t, y) of y' = f(t, y), with the Jacobian J = ∂f/∂y and ∂f/∂t taken at its beginning, solves

    (1/(hγ) − J) U_i = f(t + α_i h, y + Σ_{j<i} a_ij U_j) + Σ_{j<i} (c_ij/h) U_j + h γ_i ∂f/∂t,     i = 1 … 8

one after the other, all with the same matrix, and adds Σ b_i U_i. It has order 5 with an embedded method of order 4
whose difference from it is U_8, is L-stable and stiffly accurate, and keeps its order on stiff problems better than
diagonally implicit methods do. There is no Newton iteration whose convergence would have to be judged: along a slow
manifold, where the fast part of f is pure rounding error, no test of one can be trusted.

Source: G. Steinebach, Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within the Julia
Differential Equations package, BIT Numerical Mathematics 63 (2023) 27; γ_i = Σ_j γ_ij, coefficients in the transformed
form that needs no product with J.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

__all__ = ["Factorise", "Rodas5P", "dense", "implicit_euler"]

Tree = Any
Linear = Callable[[Tree], Tree]
Factorise = Callable[[Linear, Tree], Linear]

_GAMMA = 0.21193756319429014
_NODES = np.array([0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1])
_TIME_WEIGHTS = np.array(
    [_GAMMA, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0]
)
_WEIGHTS = [
    -7.502846399306121,
    2.561846144803919,
    -11.627539656261098,
    -0.18268767659942256,
    0.030198172008377946,
    1,
    1,
    1,
]
_STAGES = [
    [],
    [3.0],
    [2.849394379747939, 0.45842242204463923],
    [-6.954028509809101, 2.489845061869568, -10.358996098473584],
    [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
    _WEIGHTS[:5],
    _WEIGHTS[:6],
    _WEIGHTS[:7],
]
_COUPLINGS = [
    [],
    [-14.155112264123755],
    [-17.97296035885952, -2.859693295451294],
    [147.12150275711716, -1.41221402718213, 71.68940251302358],
    [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
    [24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
    [
        30.91273214028599,
        -3.1208243349937974,
        77.79954646070892,
        34.28646028294783,
        -19.097331116725623,
        -28.087943162872662,
    ],
    [
        37.80277123390563,
        -3.2571969029072276,
        112.26918849496327,
        66.9347231244047,
        -40.06618937091002,
        -54.66780262877968,
        -9.48861652309627,
    ],
]


def _square(rows: list[list[float]]) -> np.ndarray:
    return np.array([row + [0.0] * (len(rows) - len(row)) for row in rows])


def dense(linear: Linear, template: Tree) -> Linear:
    """Factorise a linear map of trees like `template` by LU of its matrix; returns the inverse map."""
    flat, unravel = ravel_pytree(template)

    def image(unit: Float[Array, " n"]) -> Float[Array, " n"]:
        return ravel_pytree(linear(unravel(unit)))[0]

    factors = jax.scipy.linalg.lu_factor(jax.vmap(image, out_axes=1)(jnp.eye(flat.size)))
    return lambda right: unravel(jax.scipy.linalg.lu_solve(factors, ravel_pytree(right)[0]))


class Rodas5P(diffrax.AbstractAdaptiveSolver[None]):
    """The method above.

    Args:
        factorise: takes the linear map 1/(hγ) − J and a tree like y, and returns the inverse map.
    """

    term_structure: ClassVar[Any] = diffrax.AbstractTerm
    interpolation_cls: ClassVar[Any] = diffrax.LocalLinearInterpolation

    factorise: Factorise = eqx.field(static=True, default=dense)

    def order(self, terms: Any) -> int:
        return 5

    def init(self, terms: Any, t0: Any, t1: Any, y0: Tree, args: Any) -> None:
        return None

    def func(self, terms: Any, t0: Any, y0: Tree, args: Any) -> Tree:
        return terms.vf(t0, y0, args)

    def step(
        self, terms: Any, t0: Any, t1: Any, y0: Tree, args: Any, solver_state: None, made_jump: Any
    ) -> tuple[Tree, Tree, dict[str, Tree], None, Any]:
        """One step: the new y, its error, what the interpolation needs, and no state."""
        size = t1 - t0
        solve = _inverse(lambda y: terms.vf(t0, y, args), y0, size * _GAMMA, self.factorise)
        _, drift = jax.jvp(lambda t: terms.vf(t, y0, args), (t0,), (jnp.ones_like(t0),))
        stages, couplings = jnp.asarray(_square(_STAGES)), jnp.asarray(_square(_COUPLINGS))

        def stage(found: Tree, row: Any) -> tuple[Tree, None]:
            i, node, weight = row
            y = _plus(y0, stages[i], found)
            right = _plus(terms.vf(t0 + node * size, y, args), couplings[i] / size, found)
            solved = solve(jax.tree.map(lambda a, b: a + size * weight * b, right, drift))
            return jax.tree.map(lambda rows, new: rows.at[i].set(new), found, solved), None

        empty = jax.tree.map(lambda leaf: jnp.zeros((8, *leaf.shape), leaf.dtype), y0)
        rows = (jnp.arange(8), jnp.asarray(_NODES), jnp.asarray(_TIME_WEIGHTS))
        found, _ = jax.lax.scan(stage, empty, rows)
        y1 = _plus(y0, jnp.asarray(_WEIGHTS), found)
        error = jax.tree.map(lambda rows: rows[-1], found)
        return y1, error, {"y0": y0, "y1": y1}, None, diffrax.RESULTS.successful


def implicit_euler(f: Callable[[Tree], Tree], y0: Tree, size: Any, factorise: Factorise) -> Tree:
    """y after one linearly implicit Euler step of y' = f(y): what is fast compared with `size` all but vanishes."""
    move = _inverse(f, y0, size, factorise)(f(y0))
    return jax.tree.map(lambda a, b: a + b, y0, move)


def _inverse(f: Callable[[Tree], Tree], y0: Tree, width: Any, factorise: Factorise) -> Linear:
    """The inverse of 1/width − J at y0."""
    _, tangent = jax.linearize(f, y0)
    return factorise(lambda y: jax.tree.map(lambda a, b: a / width - b, y, tangent(y)), y0)


def _plus(base: Tree, weights: Float[Array, " s"], rows: Tree) -> Tree:
    """base + Σ weights · rows."""
    return jax.tree.map(lambda a, b: a + jnp.tensordot(weights, b, 1), base, rows)
