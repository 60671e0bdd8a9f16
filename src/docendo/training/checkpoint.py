"""A run's state on disk, so that it can be stopped at any moment and resumed bit for bit.

One file, replaced atomically, holds the state, the clock's reading, what was recorded so far, and a hash of the whole
configuration: a checkpoint of another configuration is refused, not continued.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from docendo.files import load_arrays, remove_leftovers, save_arrays, writable_folder
from docendo.files.atomic import FilePath
from docendo.training.base import Reading, State
from docendo.training.dataset import Record
from docendo.training.loop import Position

__all__ = ["FILE_NAME", "Checkpoint"]

FILE_NAME = "checkpoint.npz"


class Checkpoint:
    """The checkpoint in one folder, for one configuration.

    Raises:
        ValueError: the folder cannot be written.
    """

    def __init__(self, folder: FilePath, configuration: str):
        self.path = writable_folder(folder) / FILE_NAME
        self.configuration = configuration

    def load(self, template: State) -> tuple[Position, list[Record]] | None:
        """What was saved, in the structure of `template`; None when nothing was.

        Raises:
            ValueError: the file is damaged, or belongs to another configuration.
        """
        remove_leftovers(self.path.parent)
        if not self.path.exists():
            return None
        arrays, header = load_arrays(self.path)
        if header["configuration"] != self.configuration:
            raise ValueError(
                f"{self.path} belongs to another configuration (hash {header['configuration'][:12]}, this run "
                f"{self.configuration[:12]}). Use an empty folder, or give the settings it was started with."
            )
        paths, structure = jax.tree.flatten_with_path(template)
        leaves = [_as_leaf(arrays[_name(path)], leaf) for path, leaf in paths]
        state = jax.tree.unflatten(structure, leaves)
        return Position(header["at"], state, header["first_loss"]), _records(
            arrays, header["clock"], header["measures"]
        )

    def save(self, position: Position, records: Sequence[Record]) -> Path:
        """Replace what was saved."""
        arrays = {_name(path): _as_array(leaf) for path, leaf in jax.tree.leaves_with_path(position.state)}
        names = list(records[0][1]) if records else []
        arrays |= {f"record/{name}": np.stack([measured[name] for _, measured in records]) for name in names}
        header = {
            "configuration": self.configuration,
            "at": position.at,
            "first_loss": position.first_loss,
            "clock": [at for at, _ in records],
            "measures": names,
        }
        return save_arrays(self.path, arrays, header)


def _name(path: Any) -> str:
    return "state/" + jax.tree_util.keystr(path, simple=True, separator="/")


def _as_array(leaf: Any) -> np.ndarray:
    """A leaf as plain numbers: a typed key as its words."""
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(leaf) if is_key else leaf)


def _as_leaf(array: np.ndarray, like: Any) -> Any:
    is_key = jnp.issubdtype(like.dtype, jax.dtypes.prng_key)
    return jax.random.wrap_key_data(jnp.asarray(array)) if is_key else jnp.asarray(array, dtype=like.dtype)


def _records(arrays: dict[str, np.ndarray], clock: Sequence[Reading], names: list[str]) -> list[Record]:
    return [(at, {name: np.asarray(arrays[f"record/{name}"][i]) for name in names}) for i, at in enumerate(clock)]
