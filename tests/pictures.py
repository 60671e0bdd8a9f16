"""Figures and stored experiments as docendo makes them, and worse: long names, markup, gaps, noise below zero."""

from dataclasses import replace
from pathlib import Path

import h5netcdf
import numpy as np

from docendo.figures import Curve, Curves, Figure, Heatmap, figure_to_json
from docendo.files import write_json
from docendo.results import Finding, Result, store_result

MARKUP = "<script>document.title='taken over'</script><b>$x_1$ & \\(y\\)</b>"

STEPS = np.unique(np.rint(np.geomspace(1, 1e6, 200)).astype(int))
LOSS = 2 / (1 + STEPS / 50)
EXPONENT = -STEPS / (50 + STEPS)


def losses(name: str, title: str = "Excess loss") -> Figure:
    """Exact and sampled excess loss with a law and a guide, and the local exponent."""
    noise = np.random.default_rng(1).normal(size=STEPS.size) * 0.03 * np.sqrt(LOSS)
    sampled = Curve("online, batch 100", STEPS, LOSS + noise, "points", LOSS - 0.05, LOSS + 0.05, 0)
    curves = (
        Curve("exact population training", STEPS, LOSS, group=0),
        sampled,
        Curve("law 100/T", STEPS, 100 / STEPS, "dashed", group=1),
        Curve("slope −1", STEPS, 1e3 / STEPS, "reference"),
    )
    exponent = Curve("exact", STEPS, EXPONENT, group=0)
    return Figure(
        name,
        title,
        "The exact curve falls like 1/T; the sampled one ends in noise.",
        (
            Curves("Excess loss against steps", "steps T", "excess loss L − L_opt", curves),
            Curves("Its local exponent", "steps T", "d log L / d log T", (exponent,), y_log=False, y_range=(-1.5, 0.2)),
        ),
    )


def attention(name: str, tokens: int = 81, group: int = 9) -> Figure:
    """A block-diagonal map, and signed weights."""
    random = np.random.default_rng(2)
    scores = np.kron(np.eye(tokens // group), np.full((group, group), 0.98 / group)) + random.uniform(
        0, 2e-4, (tokens, tokens)
    )
    weights = random.normal(size=(12, 16))
    return Figure(
        name,
        "Attention at convergence",
        "Blocks near 1/K on the true groups.",
        (
            Heatmap("Attention S", "column i", "row j", scores, "attention S_ji", low=0.0),
            Heatmap("Weights", "feature", "channel", weights, "weight", diverging=True),
        ),
    )


def worst(name: str) -> Figure:
    """Everything that can go wrong in one figure: markup, TeX, long labels, twelve curves, gaps, nothing to draw."""
    many = [Curve(f"D = {2**k}, K = {k % 3 + 1}", STEPS, 2.0**k / (1 + STEPS / 2**k)) for k in range(12)]
    gaps = [None, 1.0, float("nan"), 0.5, 0.4, -1.0, 0.0, 0.2]
    return Figure(
        name,
        f"Worst cases {MARKUP}",
        f"A caption with markup {MARKUP}",
        (
            Curves(f"Twelve curves {MARKUP}", "steps T", "excess loss over K(D − K), a label that is long", many),
            Curves("Gaps and zeros", "steps T $x$", "$$y$$", (Curve(MARKUP, list(range(1, 9)), gaps),)),
            Curves("One point, one constant", "T", "c", (Curve("p", [10.0], [1.0]), Curve("c", [1, 1e3], [1, 1]))),
            Curves("Nothing to draw", "T", "loss", (Curve("all zero", [1, 2], [0, 0]),)),
            Heatmap("Missing entries", "column", "row", [[0.0, None, 1.0], [0.5, 0.2, 0.3]], f"value {MARKUP}"),
            Heatmap("Wide", "column", "row", np.arange(240.0).reshape(4, 60), "entry", low=10, high=200),
        ),
        columns=3,
    )


FIGURES = (losses("losses"), attention("attention"), worst("worst"))


def result(name: str, **changes: object) -> Result:
    """The result of one experiment with a finding of each verdict."""
    claims = ("agrees", "differs", "undecided", "not applicable")
    findings = [
        Finding(
            f"The excess loss falls like T to the power −1 (Theorem 3.1, claim {number + 1}).",
            -1.0,
            -0.99987 - 0.1 * number,
            -1.0004 - 0.1 * number,
            -0.9991 - 0.1 * number,
            "Limit of the local exponent, by three extrapolations from T = 10⁴ to 10⁶; the interval is their spread.",
            verdict,
            "theorem" if number < 2 else "law",
            "losses" if number == 0 else None,
        )
        for number, verdict in enumerate(claims)
    ]
    plain = Result(
        name,
        "Convolution with average pooling, ReLU",
        "Figure 2 (a), (c); Figure 3",
        "The student was trained for a million exact steps. Its excess loss fell from 2 to 1e-4.",
        {"tokens": 36, "sparsity": 4, "learning_rate": 0.1, "steps": 10**6, "grid": [6, 6], "activation": "relu"},
        findings,
        "0" * 64,
        12.34,
        {"final excess loss": 1e-4, "smallest cosine": 0.99987},
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def store_examples(out: Path) -> Path:
    """A report's folder: two finished experiments, one with the worst of names, one failed, and theory."""
    store_result(folder(out, "convolution_relu"), result("convolution_relu"), FIGURES[:2])
    store_dataset(out / "runs" / "convolution_relu" / "exact.nc")
    observed = Finding(MARKUP, None, float("nan"), None, None, MARKUP, "agrees", "measured", "worst")
    odd = result("odd", title=f"Odd {MARKUP}", paper=MARKUP, summary=MARKUP, findings=[observed], numbers={})
    store_result(folder(out, "odd"), odd, FIGURES[2:])
    write_json(folder(out, "mnist") / "error.json", {"error": "MemoryError: out of <memory>", "traceback": ""})
    summary = {
        "docendo_version": "0.1.0",
        "quick": False,
        "seed": 7,
        "experiments": {
            "convolution_relu": {"status": "finished", "seconds": 12.34},
            "odd": {"status": "finished", "seconds": 1.0},
            "mnist": {"status": "failed", "message": "MemoryError: out of <memory>"},
            "group_sparse": {"status": "unfinished", "message": "stopped before its end"},
        },
    }
    write_json(out / "summary.json", summary)
    store_theory(out / "theory")
    return out


def store_theory(where: Path) -> None:
    """What `docendo verify all` leaves: a theorem that fails, a claim of a user's own, and a figure."""
    where.mkdir()
    hypotheses = [
        {"name": "learning rate", "holds": True, "detail": "0.01 is below the stability limit 0.2"},
        {"name": "D at least polynomial in M and K", "holds": None, "detail": "the power is not given"},
        {"name": "P orthogonal", "holds": False, "detail": "off by 0.1"},
    ]
    claim = {
        "name": "theorem-3.1: loss",
        "quantity": "excess_loss",
        "sense": "Theta",
        "law": "K * D**4 / (eta * T)",
        "exponents": {
            "T": {"claimed": -1, "measured": -1.0, "low": -1.001, "high": -0.999, "agrees": True, "window": [1, 2]},
            "D": {"claimed": 4, "measured": 2.0, "low": 1.98, "high": 2.02, "agrees": False, "how": "two corrections"},
        },
        "ratio": {"min": 1e-7, "max": 0.3, "drift": {"D": -2.0}},
        "hypotheses": hypotheses,
        "verdict": "fails",
        "label": "theorem",
        "message": "D: claimed 4, measured 2.000",
    }
    own = claim | {
        "name": "a claim of mine",
        "sense": "<=",
        "law": "1",
        "verdict": "holds",
        "exponents": {},
        "ratio": {},
    }
    remark = "By hand: at T* the claimed bound is above the start."
    card = {"name": "theorem-3.1", "title": "Rates of convergence", "verdict": "fails", "remarks": [remark]}
    definitions = {"logit_scale": "1/sqrt(D)", "over": {"D": [8, 16]}}
    stored = {"verdict": "fails", "claims": [claim, own], "cards": [card], "definitions": definitions, "versions": {}}
    write_json(where / "theorem-3.1.json", stored)
    write_json(where / "figures.json", [figure_to_json(losses("collapse", "Collapse"))])


def store_dataset(path: Path) -> None:
    """A dataset as runs leave it, as far as the report reads it: what it depended on."""
    with h5netcdf.File(path, "w") as file:
        file.attrs.update({"docendo_version": "0.1.0", "jax_version": "0.10.2", "dtype": "float64"})


def folder(out: Path, name: str) -> Path:
    """A new folder of an experiment."""
    made = out / "runs" / name
    made.mkdir(parents=True)
    return made
