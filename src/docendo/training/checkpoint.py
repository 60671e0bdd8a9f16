"""A run's state on disk, so that it can be stopped at any moment and resumed bit for bit.

One file, replaced atomically, holds the state, the clock's reading, what was recorded so far, and the configuration
with its hash: a checkpoint of another configuration is refused, not continued. Where a run ends is no part of a run's
configuration, so that it may go on beyond the end it had (`recorded_as_asked`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from docendo.files import content_hash, load_arrays, remove_leftovers, save_arrays, writable_folder
from docendo.files.atomic import FilePath
from docendo.training.base import Clock, Reading, State
from docendo.training.configuration import differences
from docendo.training.dataset import Record
from docendo.training.loop import Position

__all__ = ["FILE_NAME", "Checkpoint", "recorded_as_asked"]

FILE_NAME = "checkpoint.npz"
_FIELDS = frozenset({"configuration", "at", "first_loss", "clock", "measures"})
_MOST_LISTED = 20


class Checkpoint:
    """The checkpoint in one folder, for one configuration.

    Args:
        folder: made if it is missing.
        configuration: by name, or its hash alone.

    Raises:
        ValueError: the folder cannot be written.
    """

    def __init__(self, folder: FilePath, configuration: str | Mapping[str, Any]):
        self.path = writable_folder(folder) / FILE_NAME
        self.described = {} if isinstance(configuration, str) else dict(configuration)
        self.configuration = configuration if isinstance(configuration, str) else content_hash(configuration)

    def load(self, template: State) -> tuple[Position, list[Record]] | None:
        """What was saved, in the structure of `template`; None when nothing was.

        Raises:
            ValueError: the file is damaged, or belongs to another configuration.
        """
        remove_leftovers(self.path.parent)
        if not self.path.exists():
            return None
        arrays, header = self._read()
        self._check_configuration(header)
        paths, structure = jax.tree.flatten_with_path(template)
        leaves = [_as_leaf(arrays[_name(path)], leaf) for path, leaf in paths]
        state = jax.tree.unflatten(structure, leaves)
        return Position(header["at"], state, header["first_loss"]), _records(
            arrays, header["clock"], header["measures"]
        )

    def _read(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        try:
            arrays, header = load_arrays(self.path)
        except ValueError as error:
            raise ValueError(f"{str(error).rstrip('.')}. Delete it to start over.") from error
        if not header.keys() >= _FIELDS:
            raise ValueError(f"{self.path} is not a checkpoint of a run. Delete it to start over.")
        return arrays, header

    def _check_configuration(self, header: Mapping[str, Any]) -> None:
        if header["configuration"] == self.configuration:
            return
        known = header.get("described") and self.described
        hashes = f"hash {header['configuration'][:12]} there, {self.configuration[:12]} here"
        raise ValueError(
            f"{self.path} belongs to another configuration ("
            f"{differences(header['described'], self.described) if known else hashes}). "
            "Use an empty folder, or give the settings it was started with."
        )

    def save(self, position: Position, records: Sequence[Record]) -> Path:
        """Replace what was saved."""
        arrays = {_name(path): _as_array(leaf) for path, leaf in jax.tree.leaves_with_path(position.state)}
        names = list(records[0][1]) if records else []
        arrays |= {f"record/{name}": np.stack([measured[name] for _, measured in records]) for name in names}
        header = {
            "configuration": self.configuration,
            "described": self.described,
            "at": position.at,
            "first_loss": position.first_loss,
            "clock": [at for at, _ in records],
            "measures": names,
        }
        return save_arrays(self.path, arrays, header)


def recorded_as_asked(
    path: Path, at: Reading, records: Sequence[Record], saves: Sequence[Reading], clock: Clock
) -> list[Record]:
    """What a run that goes on from a checkpoint has recorded, as if it had gone there without a stop.

    The end of the run so far is left out where it is not asked for; a flow, whose bits depend on where it is recorded,
    does not go on then.

    Args:
        path: the checkpoint's file.
        at: how far it went.
        records: what it recorded.
        saves: what is asked for now, increasing.
        clock: whether steps are counted.

    Raises:
        ValueError: it went further than is asked for, or a save that is asked for was passed without recording.
    """
    held, asked = [reading for reading, _ in records], set(saves)
    if at > saves[-1]:
        raise ValueError(
            f"{path} holds this run beyond the end asked for ({clock}: {at:g} there, {saves[-1]:g} here). "
            f"Ask for {clock}={at:g} or more, or use an empty folder."
        )
    passed = [save for save in saves if save < at and save not in set(held)]
    if passed or (clock == "time" and not asked.issuperset(held)):
        shown = (
            f"[{', '.join(f'{save:g}' for save in held)}, …]" if len(held) <= _MOST_LISTED else "those saves and more"
        )
        raise ValueError(
            f"{path} holds this run recorded at other {clock} ({len(held)} saves up to {held[-1] if held else 0:g}; "
            f"asked for: {len([save for save in saves if save <= at])}). To go on from it, give save_at={shown}; "
            "else use an empty folder."
        )
    return [record for record in records if record[0] in asked]


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
