"""Handwritten digits (MNIST) as inputs X for the two-layer network's teacher, arXiv 2603.22801, Section 4.

`load_digits` finds the images, `resize` brings them to 27 × 27 and normalises them, `patches` cuts each into its
D = 81 tokens of d = 9 pixels:

    X[n, 3a + b, 9r + c] = image[n, 3r + a, 3c + b]      rows r, columns c in 0 … 8 of patches; a, b in 0 … 2 inside one

so tokens run row by row over a 9 × 9 grid, whose 3 × 3 blocks are the pooling groups of K = 9 tokens.
"""

import os
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import numpy as np
from scipy import ndimage

from docendo.experiments.idx import read_idx
from docendo.files import read_npz

__all__ = ["CHECKSUMS", "MEAN", "MIRRORS", "STD", "download_digits", "load_digits", "patches", "resize"]

# Mean and standard deviation of all pixels of MNIST's 60,000 training images, as fractions of 255.
MEAN, STD = 0.1307, 0.3081

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
CHECKSUMS = MappingProxyType(
    {
        "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    }
)
_SIDE = 28
_ARRAY_NAMES = (("images", "labels"), ("x_train", "y_train"), ("x_test", "y_test"))


def load_digits(source: str | os.PathLike[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Loads MNIST's images and labels; where a source has training and test images, the training images come first.

    Args:
        source: One of

            * None: the 10,000 training images that come with docendo (any prefix of them is a fair sample);
            * a folder with MNIST's IDX files (``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte``,
              ``t10k-images-idx3-ubyte``, ``t10k-labels-idx1-ubyte``, each plain or ``.gz``), one pair or both;
            * an npz file with the arrays ``images`` and ``labels``, or ``x_train``, ``y_train``, ``x_test``,
              ``y_test``;
            * ``"download"``: all 70,000, by `download_digits`.

    Returns:
        The images, uint8 of shape (n, 28, 28), 0 the background; the labels, int64 of shape (n,).

    Raises:
        ValueError: Something is missing, damaged or not MNIST-like; the message names the file and what was found.
        ImportError: A download without the extra ``mnist``.
    """
    if source is None:
        with resources.as_file(resources.files("docendo.experiments") / "data" / "mnist_10k.npz") as path:
            return _from_npz(path)
    path = download_digits() if source == "download" else Path(source).expanduser()
    if path.is_dir():
        return _from_folder(path)
    if not path.exists():
        raise ValueError(f"the digits must be a folder of IDX files, an npz file or 'download'; {path} doesn't exist")
    return _from_npz(path)


def download_digits(
    mirrors: tuple[str, ...] = MIRRORS,
    checksums: MappingProxyType[str, str] | dict[str, str] = CHECKSUMS,
    folder: str | os.PathLike[str] | None = None,
) -> Path:
    """Downloads MNIST's four files, once: files already in the folder with the right checksum are kept.

    Args:
        mirrors: Addresses to try one after the other, each ending in a slash.
        checksums: SHA-256 of every file by name.
        folder: Where the files go; None takes the user's cache folder.

    Returns:
        The folder.

    Raises:
        ImportError: pooch is missing.
        ValueError: No mirror gave a file with the right checksum.
    """
    try:
        import pooch
    except ImportError as error:
        raise ImportError('downloading digits needs pooch: pip install "docendo[mnist]"') from error
    target = Path(folder) if folder is not None else Path(pooch.os_cache("docendo")) / "mnist"
    for name, digest in checksums.items():
        failures = []
        for mirror in mirrors:
            try:
                pooch.retrieve(mirror + name, f"sha256:{digest}", fname=name, path=target)
                break
            except (OSError, ValueError) as error:  # no network, an HTTP status; a wrong checksum
                failures.append(f"{mirror}: {error}")
        else:
            raise ValueError(
                f"could not download {name} ({'; '.join(failures)}). Without a network, take the digits that come "
                "with docendo (the default) or the path of a folder with MNIST's files."
            )
    return target


def resize(images: np.ndarray, size: int = 27, *, mean: float = MEAN, std: float = STD) -> np.ndarray:
    """Resamples images to ``size`` × ``size`` and normalises them to (pixel/255 − mean)/std.

    The resampling is bilinear with pixel centres aligned: output row j is read at input row (j + ½)·s/size − ½, s being
    the images' side, linearly between the two rows around it; columns alike.

    With the defaults, pixels of MNIST have mean 0 and, as resampling smooths, standard deviation 0.92; the background
    is −0.4242. ``mean=0, std=1`` gives values in [0, 1] with background 0.

    Args:
        images: (n, s, s), values 0 … 255.
        size: The new side.
        mean: What is subtracted, as a fraction of 255.
        std: What the difference is divided by, as a fraction of 255.

    Returns:
        float64 of shape (n, size, size).

    Raises:
        ValueError: Images of another shape, none, or with entries that are not finite; a size or std not positive.
    """
    images = _square_images(images)
    if size < 1 or not std > 0:
        raise ValueError(f"size and std must be positive, got size={size}, std={std}. Try size=27, std={STD}.")
    zoom = (1, size / images.shape[1], size / images.shape[2])
    resampled = ndimage.zoom(images, zoom, output=np.float64, order=1, mode="nearest", grid_mode=True)
    return np.asarray((resampled / 255 - mean) / std)


def patches(images: np.ndarray, patch: int = 3) -> np.ndarray:
    """Cuts images into patches that don't overlap, as inputs X of a teacher.

    Args:
        images: (n, s, s), s a multiple of the patch's side.
        patch: The patch's side.

    Returns:
        (n, d, D) with d = patch² pixels, row by row, and D = (s/patch)² tokens, row by row: (n, 9, 81) for 27 × 27.

    Raises:
        ValueError: Images of another shape, none, or with entries that are not finite.
    """
    images = _square_images(images)
    count, side, _ = images.shape
    if patch < 1 or side % patch:
        raise ValueError(
            f"the images' side must be a multiple of the patch's, got images {side} × {side} and patch={patch}. "
            f"Try patches(resize(images, {9 * max(patch, 1)}), {max(patch, 1)})."
        )
    grid = side // patch
    cut = images.reshape(count, grid, patch, grid, patch)
    return cut.transpose(0, 2, 4, 1, 3).reshape(count, patch * patch, grid * grid)


def _from_folder(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    pairs = [_pair(folder, part) for part in ("train", "t10k")]
    found = [pair for pair in pairs if pair is not None]
    if not found:
        raise ValueError(
            f"{folder} holds neither train-images-idx3-ubyte[.gz] nor t10k-images-idx3-ubyte[.gz] with their labels; "
            f"it holds {sorted(file.name for file in folder.iterdir())[:8]}"
        )
    return np.concatenate([images for images, _ in found]), np.concatenate([labels for _, labels in found])


def _pair(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray] | None:
    images, labels = _find(folder, f"{part}-images", "idx3"), _find(folder, f"{part}-labels", "idx1")
    if images is None and labels is None:
        return None
    if images is None or labels is None:
        missing = f"{part}-images-idx3-ubyte" if images is None else f"{part}-labels-idx1-ubyte"
        raise ValueError(f"{folder} lacks {missing}[.gz], which belongs to {images or labels}")
    return _checked(read_idx(images, 3), read_idx(labels, 1), f"{images} with {labels.name}")


def _find(folder: Path, stem: str, kind: str) -> Path | None:
    # Some copies of the files write a dot before "idx" (they come out of archives that way).
    names = [f"{stem}{joint}{kind}-ubyte{end}" for joint in "-." for end in ("", ".gz")]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _from_npz(path: Path) -> tuple[np.ndarray, np.ndarray]:
    arrays = read_npz(path)
    present = [names for names in _ARRAY_NAMES if set(names) & set(arrays)]
    if not present or not all(name in arrays for names in present for name in names):
        raise ValueError(
            f"{path} must hold images and labels, or x_train and y_train (x_test and y_test); it holds {sorted(arrays)}"
        )
    parts = [_checked(arrays[images], arrays[labels], f"{images} and {labels} in {path}") for images, labels in present]
    return np.concatenate([images for images, _ in parts]), np.concatenate([labels for _, labels in parts])


def _checked(images: np.ndarray, labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    if images.ndim != 3 or images.shape[1:] != (_SIDE, _SIDE) or not len(images):
        raise ValueError(f"{where}: the images must be (n, 28, 28) with n > 0, got {images.shape}")
    if labels.shape != images.shape[:1]:
        raise ValueError(f"{where}: there must be one label per image, got {labels.shape} for {len(images)} images")
    return (
        _whole(images, 255, f"{where}: pixels").astype(np.uint8),
        _whole(labels, 9, f"{where}: labels").astype(np.int64),
    )


def _whole(values: np.ndarray, largest: int, what: str) -> np.ndarray:
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{what} must be whole numbers from 0 to {largest}, got dtype {values.dtype}")
    wrong = ~((values >= 0) & (values <= largest) & (np.floor(values) == values))
    if wrong.any():
        raise ValueError(f"{what} must be whole numbers from 0 to {largest}, got {values[wrong][0]}")
    return values


def _square_images(images: np.ndarray) -> np.ndarray:
    images = np.asarray(images)
    if images.ndim != 3 or images.shape[1] != images.shape[2] or 0 in images.shape:
        raise ValueError(f"images must have shape (n, side, side), none of it 0, got {images.shape}. Try image[None].")
    if images.dtype.kind not in "biuf":
        raise ValueError(f"images must hold real numbers, got dtype {images.dtype}")
    bad = np.argwhere(~np.isfinite(images))
    if len(bad):
        place = tuple(int(axis) for axis in bad[0])
        raise ValueError(f"images must be finite, got {images[place]} at {place}. Try np.nan_to_num(images).")
    return images
