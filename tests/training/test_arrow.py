"""Elimination by columns solves what a dense solver solves, unsymmetric and badly scaled matrices included."""

import jax.numpy as jnp
import numpy as np
import pytest

from docendo.training.arrow import Bordered, arrow

TOKENS, SHAPE = 5, (2, 3)


def matrices(seed, grade):
    """A, C_i (values by logits), B_i (logits by values) and M_i; `grade` spreads the scale of the unknowns."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(SHAPE))
    size = grade ** rng.random(TOKENS)
    corner = rng.standard_normal((count, count)) + 5 * np.eye(count)
    across = rng.standard_normal((TOKENS, count, TOKENS)) * size
    down = rng.standard_normal((TOKENS, TOKENS, count)) * size[:, None]
    blocks = (rng.standard_normal((TOKENS, TOKENS, TOKENS)) + 20 * np.eye(TOKENS)) * np.outer(size, size)
    return corner, across, down, blocks


@pytest.mark.parametrize("grade", [1.0, 1e6])
def test_against_numpy(grade):
    corner, across, down, blocks = matrices(0, grade)

    def linear(vector):
        values = vector.values.reshape(-1)
        up = corner @ values + jnp.einsum("icj,ji->c", across, vector.logits)
        columns = jnp.einsum("ijc,c->ji", down, values) + jnp.einsum("ijk,ki->ji", blocks, vector.logits)
        return Bordered(up.reshape(SHAPE), columns)

    rng = np.random.default_rng(1)
    wanted = Bordered(jnp.array(rng.standard_normal(SHAPE)), jnp.array(rng.standard_normal((TOKENS, TOKENS))))
    template = Bordered(jnp.zeros(SHAPE), jnp.zeros((TOKENS, TOKENS)))
    found = arrow(linear, template)(linear(wanted))
    for part, exact in zip(found, wanted, strict=True):
        # Rounding enters in proportion to the scale of each unknown, which is why gradings do no harm.
        np.testing.assert_allclose(part, exact, rtol=1e-9, atol=1e-11 * grade)
