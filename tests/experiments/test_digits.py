"""The digits: the embedded ones are MNIST's, every source is read alike, tokens lie where the teacher expects them."""

import functools
import gzip
import hashlib
import http.server
import struct
import sys
import threading
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from docendo.experiments import digits
from docendo.experiments.digits import download_digits, load_digits, patches, resize

IMAGES = np.random.default_rng(0).integers(0, 256, (5, 28, 28), np.uint8)
LABELS = np.array([3, 1, 4, 1, 5], np.uint8)


def idx(array: np.ndarray) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def write_pair(
    folder: Path, part: str, images: np.ndarray, labels: np.ndarray, joint: str = "-", zipped: bool = False
) -> None:
    for name, array in (
        (f"{part}-images{joint}idx3-ubyte", images),
        (f"{part}-labels{joint}idx1-ubyte", labels),
    ):
        content = gzip.compress(idx(array)) if zipped else idx(array)
        (folder / f"{name}{'.gz' if zipped else ''}").write_bytes(content)


# ---- the embedded digits


def test_embedded_digits_are_mnist() -> None:
    images, labels = load_digits()
    assert (images.shape, labels.shape) == ((10_000, 28, 28), (10_000,))
    assert [images.dtype, labels.dtype] == [np.dtype(np.uint8), np.dtype(np.int64)]
    assert list(np.bincount(labels)) == [1001, 1127, 991, 1032, 980, 863, 1014, 1070, 944, 978]
    assert len(np.unique(images.reshape(len(images), -1), axis=0)) == len(images)
    # the first image of MNIST's training set, a 5: its pixel sum and the top row of its ink
    (first,) = np.flatnonzero((images.sum(axis=(1, 2), dtype=int) == 27_525) & (labels == 5))
    ink = [3, 18, 18, 18, 126, 136, 175, 26, 166, 255, 247, 127]
    assert images[first, 5].tolist() == [0] * 12 + ink + [0] * 4


def test_any_prefix_of_the_embedded_digits_is_a_fair_sample() -> None:
    labels = load_digits()[1]
    share = np.bincount(labels) / len(labels)
    for count in (100, 500, 1000, 2000, 5000):
        expected = share * count
        chi2 = np.sum((np.bincount(labels[:count], minlength=10) - expected) ** 2 / expected)
        assert chi2 < 27.88  # exceeded by one random sample in 1000 (9 degrees of freedom)


def test_attribution_lies_beside_the_embedded_digits() -> None:
    text = (resources.files("docendo.experiments") / "data" / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for words in ("Yann LeCun", "Corinna Cortes", "Attribution-ShareAlike 3.0", "Changes made"):
        assert words in text


# ---- sources


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("joint", ["-", "."])
@pytest.mark.parametrize("part", ["train", "t10k"])
def test_folder_with_one_pair(tmp_path: Path, part: str, joint: str, zipped: bool) -> None:
    write_pair(tmp_path, part, IMAGES, LABELS, joint, zipped)
    images, labels = load_digits(tmp_path)
    assert [images.dtype, labels.dtype] == [np.dtype(np.uint8), np.dtype(np.int64)]
    assert np.array_equal(images, IMAGES)
    assert np.array_equal(labels, LABELS)


def test_folder_with_both_pairs_puts_training_first(tmp_path: Path) -> None:
    write_pair(tmp_path, "t10k", IMAGES[3:], LABELS[3:])
    write_pair(tmp_path, "train", IMAGES[:3], LABELS[:3])
    images, labels = load_digits(str(tmp_path))
    assert np.array_equal(images, IMAGES)
    assert np.array_equal(labels, LABELS)


def test_npz_in_both_namings(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "ours.npz", images=IMAGES.astype(float), labels=LABELS.astype(float))
    parts = {"x_train": IMAGES[:3], "y_train": LABELS[:3], "x_test": IMAGES[3:], "y_test": LABELS[3:]}
    np.savez(tmp_path / "keras.npz", **parts)  # type: ignore[arg-type]
    for name in ("ours.npz", "keras.npz"):
        images, labels = load_digits(tmp_path / name)
        assert [images.dtype, labels.dtype] == [np.dtype(np.uint8), np.dtype(np.int64)]
        assert np.array_equal(images, IMAGES)
        assert np.array_equal(labels, LABELS)


def changed(images: np.ndarray, value: float) -> np.ndarray:
    images = images.astype(float)
    images[2, 3, 4] = value
    return images


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"images": IMAGES[:, :27], "labels": LABELS},
            r"images must be \(n, 28, 28\) with n > 0, got \(5, 27, 28\)",
        ),
        ({"images": IMAGES[:0], "labels": LABELS[:0]}, r"with n > 0, got \(0, 28, 28\)"),
        ({"images": IMAGES.reshape(5, -1), "labels": LABELS}, r"got \(5, 784\)"),
        ({"images": IMAGES, "labels": LABELS[:4]}, r"one label per image, got \(4,\) for 5 images"),
        ({"images": IMAGES, "labels": np.eye(10)[LABELS]}, r"one label per image, got \(5, 10\)"),
        (
            {"images": changed(IMAGES, np.nan), "labels": LABELS},
            "pixels must be whole numbers from 0 to 255, got nan",
        ),
        (
            {"images": changed(IMAGES, 0.5), "labels": LABELS},
            "pixels must be whole numbers from 0 to 255, got 0.5",
        ),
        ({"images": changed(IMAGES, 256), "labels": LABELS}, "got 256.0"),
        (
            {"images": IMAGES, "labels": LABELS.astype(int) - 4},
            "labels must be whole numbers from 0 to 9, got -1",
        ),
        (
            {"images": IMAGES, "labels": LABELS.astype(str)},
            "labels must be whole numbers from 0 to 9, got dtype <U",
        ),
        ({"images": IMAGES}, r"must hold images and labels, .*; it holds \['images'\]"),
        ({"x_train": IMAGES, "y_train": LABELS, "x_test": IMAGES}, "must hold images and labels"),
        ({"x": IMAGES, "y": LABELS}, r"it holds \['x', 'y'\]"),
    ],
)
def test_npz_with_something_else_is_refused(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    np.savez(tmp_path / "d.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message) as caught:
        load_digits(tmp_path / "d.npz")
    assert str(tmp_path / "d.npz") in str(caught.value)


def test_other_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="must be a folder of IDX files, an npz file or 'download'; .*none doesn't exist"
    ):
        load_digits(tmp_path / "none")
    (tmp_path / "notes.txt").write_text("digits")
    with pytest.raises(ValueError, match="notes.txt is not an npz file of plain arrays"):
        load_digits(tmp_path / "notes.txt")
    with pytest.raises(ValueError, match=r"holds neither train-images.* it holds \['notes.txt'\]"):
        load_digits(tmp_path)


def test_folder_lacking_one_of_a_pair_is_refused(tmp_path: Path) -> None:
    write_pair(tmp_path, "train", IMAGES, LABELS)
    write_pair(tmp_path, "t10k", IMAGES, LABELS)
    (tmp_path / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(ValueError, match=r"lacks t10k-labels-idx1-ubyte\[.gz\], which belongs to .*t10k-images"):
        load_digits(tmp_path)


def test_idx_files_that_disagree_are_refused(tmp_path: Path) -> None:
    write_pair(tmp_path, "train", IMAGES, LABELS[:4])
    with pytest.raises(ValueError, match=r"train-images-idx3-ubyte with train-labels-idx1-ubyte: .* got \(4,\) for 5"):
        load_digits(tmp_path)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(IMAGES)[:-1])
    with pytest.raises(ValueError, match=r"train-images-idx3-ubyte is not a whole IDX file"):
        load_digits(tmp_path)


# ---- the download


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    served = tmp_path / "served"
    served.mkdir()
    write_pair(served, "train", IMAGES, LABELS, zipped=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(served)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", served
    server.shutdown()
    thread.join()
    server.server_close()


def checksums(served: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in served.iterdir()}


def test_download_takes_the_first_mirror_that_works_and_keeps_the_files(
    mirror: tuple[str, Path], tmp_path: Path
) -> None:
    address, served = mirror
    wanted = checksums(served)
    folder = download_digits((address + "empty/", address), wanted, tmp_path / "cache")
    assert np.array_equal(load_digits(folder)[0], IMAGES)
    assert download_digits(("http://127.0.0.1:9/",), wanted, tmp_path / "cache") == folder


def test_download_of_other_bytes_is_refused(mirror: tuple[str, Path], tmp_path: Path) -> None:
    address, served = mirror
    wanted = dict.fromkeys(checksums(served), "0" * 64)
    with pytest.raises(ValueError, match="could not download train-.*hash.*Without a network, take the digits"):
        download_digits((address,), wanted, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_download_without_a_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"could not download train-images.*127.0.0.1:9.*Without a network, take"):
        download_digits(("http://127.0.0.1:9/",), folder=tmp_path)


def test_download_without_pooch_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'needs pooch: pip install "docendo\[mnist\]"'):
        load_digits("download")


def test_source_download_reads_what_was_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pair(tmp_path, "train", IMAGES, LABELS)
    monkeypatch.setattr(digits, "download_digits", lambda: tmp_path)
    assert np.array_equal(load_digits("download")[1], LABELS)


# ---- resizing and patches


def test_resize_is_bilinear_with_aligned_centres() -> None:
    centres = (np.arange(27) + 0.5) * 28 / 27 - 0.5
    lower = np.floor(centres).astype(int)
    weights = np.zeros((27, 28))
    weights[np.arange(27), lower] = 1 - (centres - lower)
    weights[np.arange(27), lower + 1] = centres - lower
    expected = (weights @ IMAGES @ weights.T / 255 - 0.1307) / 0.3081
    resized = resize(IMAGES)
    assert resized.dtype == np.float64
    # values up to 3 from some ten roundings; the division by the small std multiplies them by 1/0.31
    assert np.allclose(resized, expected, rtol=0, atol=100 * np.finfo(float).eps)
    assert np.allclose(resize(IMAGES[:1])[0], expected[0], rtol=0, atol=100 * np.finfo(float).eps)


def test_resize_to_the_same_side_only_normalises() -> None:
    assert np.allclose(resize(IMAGES, 28, mean=0, std=1) * 255, IMAGES, rtol=0, atol=1e-11)


def test_resized_digits_are_normalised_as_stated() -> None:
    resized = resize(load_digits()[0][:2000])
    assert resized.shape == (2000, 27, 27)
    assert resized.min() == pytest.approx(-0.4242, abs=5e-5)
    # 2,000 images whose means spread by 0.13 (per image, in these units): standard error 0.003
    assert resized.mean() == pytest.approx(0, abs=0.015)
    assert resized.std() == pytest.approx(0.92, abs=0.015)


def test_patches_are_tokens_row_by_row() -> None:
    images = np.arange(2 * 27 * 27.0).reshape(2, 27, 27)
    tokens = patches(images)
    assert tokens.shape == (2, 9, 81)
    for r in range(9):
        for c in range(9):
            assert np.array_equal(tokens[1, :, 9 * r + c], images[1, 3 * r : 3 * r + 3, 3 * c : 3 * c + 3].ravel())


def test_pooling_groups_are_blocks_of_nine_by_nine_pixels() -> None:
    images = np.random.default_rng(1).normal(size=(1, 27, 27))
    grid = patches(images)[0].sum(axis=0).reshape(9, 9)
    for block in range(3):
        pooled = grid[3 * block : 3 * block + 3, :3].sum()
        assert pooled == pytest.approx(images[0, 9 * block : 9 * block + 9, :9].sum(), abs=1e-12)


@pytest.mark.parametrize("use", [resize, patches])
@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((27, 27)), r"images must have shape \(n, side, side\), none of it 0, got \(27, 27\)"),
        (np.zeros((1, 27, 28)), r"got \(1, 27, 28\)"),
        (np.zeros((0, 27, 27)), r"got \(0, 27, 27\)"),
        (np.full((1, 27, 27), np.inf), r"images must be finite, got inf at \(0, 0, 0\)"),
        (np.full((1, 27, 27), "a"), "images must hold real numbers, got dtype <U1"),
    ],
)
def test_bad_images_are_refused(use: object, images: np.ndarray, message: str) -> None:
    assert callable(use)
    with pytest.raises(ValueError, match=message):
        use(images)


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="got images 28 × 28 and patch=3. Try patches\\(resize\\(images, 27\\), 3\\)"):
        patches(IMAGES)
    with pytest.raises(ValueError, match="got images 28 × 28 and patch=0"):
        patches(IMAGES, 0)
    with pytest.raises(ValueError, match="size and std must be positive, got size=0, std=0.3081"):
        resize(IMAGES, 0)
    with pytest.raises(ValueError, match="got size=27, std=nan"):
        resize(IMAGES, std=np.nan)
