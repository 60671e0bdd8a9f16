"""The first layer of a trained network as a teacher: its convolution, then average pooling, then σ.

The kernels become V*, one row a channel, features in the order (channel, row, column) of a patch, which is that of
`docendo.teachers.patches`. Frameworks store them differently:

    PyTorch, Equinox    (out, in, height, width)        layout="torch" or "equinox"
    Flax                (height, width, in, out)        layout="flax"

f*(X) = σ(V* X S*) pools before σ; a network that pools after σ is another function, whatever its weights.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_finite
from docendo.teachers.base import Teacher
from docendo.teachers.convolution import convolution

__all__ = ["from_network"]

# The axes of each layout in the order (out, in, height, width).
LAYOUTS = {"torch": (0, 1, 2, 3), "equinox": (0, 1, 2, 3), "flax": (3, 2, 0, 1)}
FLOATS = ("F64", "F32", "F16")


def from_network(
    weight: Any,
    *,
    layout: str,
    grid: Sequence[int],
    pool: Sequence[int],
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] = (1, 1),
    bias: Any = None,
    drop_bias: bool = False,
    name: str | None = None,
    kernel: Sequence[int] | None = None,
    activation: Activation = relu,
) -> Teacher:
    """A teacher from a trained `Conv2d` and the `AvgPool2d` after it.

    Args:
        weight: the convolution's weights, an array of four axes, or the path of a safetensors file that holds them.
        layout: how their axes are ordered: "torch", "equinox" or "flax".
        grid: (height, width) of what the convolution puts out; D is their product.
        pool: (height, width) of a pooling window, on that grid.
        stride: (rows, columns) from one window to the next; left out, the size of the window.
        dilation: (rows, columns) from one entry of a window to its next.
        bias: the convolution's bias, where there is one. Teachers have none, so it must be zero.
        drop_bias: leave the bias out, given or found in the file.
        name: of the weights in the file; left out, the file must hold just one array of four axes.
        kernel: (height, width) the kernels are known to have, to be checked.
        activation: σ.

    Raises:
        ValueError: the file is not what it claims, the axes are not four, the kernels have another size than `kernel`,
            or the bias is not zero; or as `docendo.teachers.convolution`.
        ImportError: a file without the extra ``safetensors``.
    """
    order = LAYOUTS.get(layout)
    if order is None:
        raise ValueError(f"layout is one of {', '.join(map(repr, LAYOUTS))}, got {layout!r}. Try layout='torch'.")
    if isinstance(weight, str | Path):
        weight, found = _read(Path(weight), name)
        bias = found if bias is None else bias
    kernels = np.asarray(weight, dtype=float)
    if kernels.ndim != 4 or not kernels.size:
        raise ValueError(
            f"weights of a convolution have four axes, got shape {kernels.shape}. Pass for example "
            "np.asarray(layer.weight)."
        )
    check_finite("weight", kernels)
    kernels = kernels.transpose(order)
    _check_kernel(kernels.shape, kernel, layout)
    _check_bias(bias, len(kernels), drop_bias)
    value = kernels.reshape(len(kernels), -1)
    return convolution(grid=grid, pool=pool, stride=stride, dilation=dilation, value=value, activation=activation)


def _check_kernel(shape: tuple[int, ...], kernel: Sequence[int] | None, layout: str) -> None:
    if kernel is not None and tuple(kernel) != shape[2:]:
        raise ValueError(
            f"kernels are {tuple(kernel)} by kernel=, but with layout={layout!r} the weights hold {shape[2:]}, "
            f"{shape[1]} channels in and {shape[0]} out. Is the layout another of {', '.join(map(repr, LAYOUTS))}?"
        )


def _check_bias(bias: Any, channels: int, drop: bool) -> None:
    if bias is None or drop:
        return
    offsets = np.asarray(bias, dtype=float)
    if offsets.size != channels:
        raise ValueError(f"bias has one entry per channel, {channels}, got shape {offsets.shape}. Pass layer.bias.")
    if offsets.any():
        raise ValueError(
            f"teachers have no bias, but that of this convolution is up to {np.abs(offsets).max():.3g}. Train it with "
            "bias=False, or leave the bias out, which changes the function: drop_bias=True."
        )


def _read(path: Path, name: str | None) -> tuple[np.ndarray, np.ndarray | None]:
    """The weights in a safetensors file, and the bias stored beside them."""
    try:
        import safetensors
    except ImportError as error:
        raise ImportError('reading safetensors files needs safetensors: pip install "docendo[safetensors]"') from error
    if not path.is_file():
        what = "a folder" if path.is_dir() else "not there"
        raise ValueError(f"{path} is {what}. Pass the path of a .safetensors file.")
    try:
        with safetensors.safe_open(path, framework="np") as stored:
            return _tensors(path, stored, name)
    except (safetensors.SafetensorError, OSError) as error:
        raise ValueError(
            f"{path} is not a safetensors file: {error}. docendo reads no other, since pickled weights may hold code. "
            'Write one by safetensors.torch.save_file(model.state_dict(), "model.safetensors").'
        ) from error


def _tensors(path: Path, stored: Any, name: str | None) -> tuple[np.ndarray, np.ndarray | None]:
    names = stored.keys()
    shapes = {key: tuple(stored.get_slice(key).get_shape()) for key in names}
    chosen = _choose(path, shapes, name)
    beside = re.sub("(weight|kernel)$", "bias", chosen)
    has_bias = beside != chosen and beside in shapes
    return _tensor(path, stored, chosen), _tensor(path, stored, beside) if has_bias else None


def _tensor(path: Path, stored: Any, key: str) -> np.ndarray:
    kind = stored.get_slice(key).get_dtype()
    if kind not in FLOATS:
        raise ValueError(
            f"{path}: {key!r} holds {kind}, and docendo reads {', '.join(FLOATS)}. Store it as float32: tensor.float()."
        )
    return np.asarray(stored.get_tensor(key))


def _choose(path: Path, shapes: Mapping[str, tuple[int, ...]], name: str | None) -> str:
    """The name of the weights: the one given, or of the only array with four axes."""
    if name is not None:
        if name in shapes:
            return name
        close = difflib.get_close_matches(name, shapes, n=3, cutoff=0.4) or sorted(shapes)[:3]
        raise ValueError(f"{path} holds no {name!r}. Did you mean {' or '.join(map(repr, close)) or 'another file'}?")
    four = [key for key, shape in shapes.items() if len(shape) == 4]
    if len(four) == 1:
        return four[0]
    if not four:
        held = ", ".join(f"{key} {shape}" for key, shape in list(shapes.items())[:5]) or "nothing"
        raise ValueError(f"{path} holds no weights of a 2-d convolution, which have four axes; it holds {held}.")
    names = " or ".join(map(repr, four[:5]))
    raise ValueError(f"{path} holds {len(four)} arrays with four axes. Say which: name={names}.")
