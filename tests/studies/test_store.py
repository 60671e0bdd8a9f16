"""A study's folder: what is found again, what is damaged, and what is told then."""

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest
import xarray

import docendo as dc
from docendo.studies.claims import claim, claimed_by, is_claimed
from docendo.studies.planning import Job, plan_jobs
from docendo.studies.reading import parse_study
from docendo.studies.state import state_of
from docendo.studies.store import create_store, is_store, open_store
from docendo.studies.working import claim_and_run

TINY = {
    "name": "tiny",
    "teacher": {"kind": "random", "tokens": 4, "sparsity": 2, "features": 3, "channels": 2},
    "dynamics": {"steps": 50},
    "saves": {"count": 5},
    "sweep": {"seed": [0, 1, 2]},
}
FACTS = {"jax_version": "0", "platform": "cpu"}


def made(root, study=None):
    read = parse_study(study or TINY)
    from docendo.studies.cells import cells_of

    return create_store(root, read, FACTS, plan_jobs(cells_of(read), "cpu"))


@pytest.fixture
def finished(tmp_path):
    store = made(tmp_path / "tiny")
    assert claim_and_run(str(store.root), 0)
    return store


def test_a_result_comes_back_as_it_was_put(finished):
    assert finished.finished() == {0, 1, 2} and finished.failed() == set()
    arrays, header = finished.get(1)
    assert header["settings"]["seed"] == 1 and header["batch"] == {"width": 4, "cells": [0, 1, 2]}
    assert arrays["data/excess_loss"].dtype == float and header["seconds"] > 0
    assert open_store(finished.root).keys == finished.keys
    assert not list(finished.root.glob("checkpoints/*")) and not list(finished.root.glob("running/*"))


def test_a_result_that_was_edited_or_cut_is_told_and_made_again(finished):
    first, second = finished.find(0), finished.find(1)
    content = first.read_bytes()
    first.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="Delete it and run the study again"):
        finished.get(0)
    # An edit that keeps the archive whole: the numbers of one cell under the name of another, with one changed.
    from docendo.files import load_arrays, save_arrays

    arrays, header = load_arrays(second)
    arrays["data/excess_loss"][0] *= 2
    save_arrays(second, arrays, header)
    with pytest.raises(ValueError, match="is not what was written. Delete it"):
        finished.get(1)
    bits = {name: values.tobytes() for name, values in finished.get(2)[0].items()}
    for path in (first, second, finished.find(2)):
        path.unlink()
    assert claim_and_run(str(finished.root), 0)
    assert {name: values.tobytes() for name, values in finished.get(2)[0].items()} == bits


def test_nothing_is_pickled(finished):
    for path in finished.root.rglob("*"):
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as stored:
                assert all(stored[name].dtype != object for name in stored.files)
        elif path.is_file() and path.suffix != ".lock":
            path.read_text(encoding="utf-8")


def test_xarray_opens_the_folder_and_a_cell(finished):
    whole = xarray.open_dataset(finished.root)
    assert whole.sizes["seed"] == 3 and whole.identical(dc.open_study(finished.root))
    cell = xarray.open_dataset(finished.find(2))
    np.testing.assert_array_equal(cell["excess_loss"], whole["excess_loss"].sel(seed=2))
    assert "gap" not in xarray.open_dataset(finished.root, drop_variables="gap")


@pytest.mark.parametrize("kind", [".csv", ".parquet", ".nc"])
def test_exports_hold_every_cell_and_save(kind, finished, tmp_path):
    from docendo.studies.exporting import export

    if kind == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    data = dc.open_study(finished.root)
    path = export(data, tmp_path / "out" / f"cells{kind}")
    if kind == ".nc":
        assert xarray.open_dataset(path).equals(data)
        return
    import pandas as pd

    table = pd.read_csv(path) if kind == ".csv" else pd.read_parquet(path)
    assert len(table) == data.sizes["seed"] * data.sizes["step"]
    row = table[(table.seed == 1) & (table.step == 50)]
    np.testing.assert_allclose(row.excess_loss, data["excess_loss"].sel(seed=1, step=50), rtol=1e-14)


def test_an_export_of_no_known_kind_is_refused(finished, tmp_path):
    from docendo.studies.exporting import export

    with pytest.raises(ValueError, match=r"exported as .csv, .parquet, .nc, got"):
        export(dc.open_study(finished.root), tmp_path / "cells.xlsx")


def test_a_newer_store_a_foreign_folder_and_a_damaged_manifest_are_told(finished, tmp_path):
    manifest = finished.root / "manifest.json"
    about = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(about | {"version": 99, "docendo_version": "9.9"}))
    for opened in (open_store, made):
        with pytest.raises(ValueError, match=r"made by docendo 9.9.*pip install --upgrade docendo"):
            opened(finished.root)
    manifest.write_text(manifest.read_text()[:20])
    with pytest.raises(ValueError, match="manifest.json is not JSON, or is cut short"):
        open_store(finished.root)
    manifest.write_text("{}")
    with pytest.raises(ValueError, match="is no manifest of docendo's"):
        open_store(finished.root)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="holds something that is no study"):
        made(tmp_path / "mine")
    with pytest.raises(ValueError, match="holds no study"):
        open_store(tmp_path / "mine")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="must exist and be writable"):
        made(tmp_path / "file")


def test_a_study_file_changed_by_hand_is_told(finished):
    path = finished.root / "study.toml"
    path.write_text(path.read_text().replace("[0, 1, 2]", "[0, 1]"))
    with pytest.raises(ValueError, match="was changed after the study began"):
        open_store(finished.root)


def test_a_claim_is_one_process_at_a_time_and_ends_with_it(tmp_path):
    with claim(tmp_path, "job") as mine:
        assert mine and is_claimed(tmp_path, "job") and claimed_by(tmp_path, os.getpid()) == ["job"]
        with claim(tmp_path, "job") as second:
            assert not second
    assert not is_claimed(tmp_path, "job") and claimed_by(tmp_path, os.getpid()) == []
    with claim(tmp_path, "job") as again:
        assert again


def test_ten_thousand_cells_open_in_a_second(tmp_path):
    study = TINY | {"sweep": {"seed": {"count": 100}, "dynamics": {"learning_rate": [i / 1000 for i in range(1, 101)]}}}
    store = made(tmp_path / "wide", study)
    for cell in range(0, 10_000, 7):
        path = store.find(cell) or Path(store.root / "cells" / store.keys[cell][:2] / f"{store.keys[cell]}.w32.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    began = time.process_time()
    opened = open_store(store.root)
    state = state_of(opened)
    took = time.process_time() - began
    assert (state.cells, state.done, state.left) == (10_000, 1429, 8571)
    # CPU seconds, so that other processes do not count.
    assert took < 1, f"{took:.2f} s"


def test_jobs_are_filled_in_order_and_padded_never_regrouped():
    from docendo.studies.cells import cells_of

    def jobs(changes, platform="cpu"):
        return plan_jobs(cells_of(parse_study(TINY | changes)), platform)

    seeds = {"sweep": {"seed": {"count": 70}}}
    assert [(job.width, len(job.cells)) for job in jobs(seeds)] == [(32, 32), (32, 32), (32, 6)]
    assert jobs(seeds)[1] == Job(1, 32, tuple(range(32, 64)))
    assert [(job.width, len(job.cells)) for job in jobs(seeds, "gpu")] == [(128, 70)]
    wide = {"teacher": TINY["teacher"] | {"tokens": 64}}
    assert [job.width for job in jobs(wide)] == [1, 1, 1]
    online = {"dynamics": {"kind": "online", "learning_rate": 0.1, "steps": 5}}
    assert [job.width for job in jobs(online)] == [1, 1, 1]
    shapes = {"sweep": {"teacher": {"tokens": [4, 5]}, "seed": [0, 1]}}
    assert [(job.width, job.cells) for job in jobs(shapes)] == [(2, (0, 1)), (2, (2, 3))]
    rates = {"sweep": {"teacher": {"sparsity": [1, 2]}, "dynamics": {"learning_rate": [0.1, 0.2]}}}
    assert [job.cells for job in jobs(rates)] == [(0, 1), (2, 3)]


def test_is_store_asks_for_a_manifest(tmp_path, finished):
    assert is_store(finished.root) and not is_store(tmp_path) and not is_store(tmp_path / "nowhere")
