"""Pictures of theory: what they draw is what was judged, and the curves known in closed form are where they belong."""

from collections.abc import Sequence

import numpy as np
import pytest

import docendo as dc
from docendo.figures import Curve, Curves, Figure, figure_from_json, figure_to_json
from docendo.plots import draw, prepare
from docendo.plots.approach import approach
from docendo.plots.collapse import collapse
from docendo.plots.portrait import phase_portrait
from docendo.plots.powers import local_powers, verdict_figures
from docendo.theory.card import Card, judge_card
from docendo.theory.claims import Claim, Verdict, judge
from docendo.theory.grammar import parse_claim
from tests.theory.synthetic import family

OVER = {"D": (8, 16, 32), "K": (1, 2), "eta": (0.1,)}
TOKENS, SPARSITY = 16, 2
ODDS = (TOKENS - SPARSITY) / SPARSITY


def claim(text: str, name: str) -> Claim:
    return Claim(name, parse_claim(text, [text.split()[0]]), "theorem", "arXiv 2603.22801")


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    claims = (claim("q = Theta(K * D**3 / T)", "first"), claim("p <= 2", "second"))
    card = Card("card-1", "A card", "theorem", "nowhere", claims, lambda _: [], lambda _: [])
    curves = family(OVER, lambda T, D, K, eta: K * D**2 / T)
    return judge_card(card, {"q": [curves], "p": [family(OVER, lambda T, D, K, eta: 1 + 1 / T)]})


def named(panel: object, label: str) -> Curve:
    assert isinstance(panel, Curves)
    (found,) = [curve for curve in panel.curves if curve.label == label]
    return found


def test_a_figure_for_each_variable_and_one_for_numbers(verdict: Verdict) -> None:
    figures = verdict_figures(verdict)
    assert [figure.name for figure in figures] == ["card_1_T", "card_1_D", "card_1_K", "card_1_ratio"]
    assert all(len(figure.panels) == 1 for figure in figures)
    everything = Verdict("all", "", "", "", "fails", "theorem", "", parts=[verdict])
    assert [figure.name for figure in verdict_figures(everything)] == [figure.name for figure in figures]
    (single,) = [part for part in verdict.parts if part.exponents]
    assert len(verdict_figures(single)) == 3


def test_amplitudes_beside_the_claimed_power(verdict: Verdict) -> None:
    panel = verdict_figures(verdict)[1].panels[0]
    np.testing.assert_allclose(named(panel, "K = 2").y, 2 * np.array(OVER["D"]) ** 2, rtol=1e-9)
    claimed = named(panel, "power 3, as claimed")
    np.testing.assert_allclose(np.asarray(claimed.y) / claimed.y[0], (np.array(OVER["D"]) / 8) ** 3)
    assert claimed.y[0] == pytest.approx(64)


def test_runs_beside_the_claimed_slope(verdict: Verdict) -> None:
    panel = verdict_figures(verdict)[0].panels[0]
    assert isinstance(panel, Curves)
    slope = named(panel, "slope -1")
    np.testing.assert_allclose(slope.y, panel.curves[0].y)


def test_numbers_are_drawn_as_shares(verdict: Verdict) -> None:
    panel = verdict_figures(verdict)[-1].panels[0]
    assert isinstance(panel, Curves)
    for curve in panel.curves:
        np.testing.assert_allclose(curve.y, (1 + 1 / np.asarray(curve.x)) / 2)


def test_local_powers(verdict: Verdict) -> None:
    figure = local_powers({"here": verdict, "there": verdict}, "D")
    (panel,) = figure.panels
    np.testing.assert_allclose(named(panel, "there").y, [2, 2], rtol=1e-6)
    np.testing.assert_allclose(named(panel, "claimed").y, [3, 3])
    with pytest.raises(ValueError, match="M is not swept by a claim of growth of card-1"):
        local_powers({"here": verdict}, "M")


def descents(shares: Sequence[float], norm: float = 60.0) -> dict[str, dc.Run]:
    teacher = dc.teachers.symmetric(TOKENS, SPARSITY, norm)
    limit = 2 * SPARSITY / TOKENS
    saves = [*range(30), *np.geomspace(30, 1e5, 40).astype(int).tolist()]
    return {f"{s}": dc.train(teacher, None, dc.Reduced(s * limit), steps=10**5, save_at=saves) for s in shares}


@pytest.fixture(scope="module")
def portrait() -> Figure:
    return phase_portrait(descents([0.1, 0.9]))


def test_nullclines_of_the_identity(portrait: Figure) -> None:
    """C1 rests at i/(i² + R o²), g at 1/(i − o), with i = 1/(1 + R e^(−g)) and o = 1/(e^g + R)."""
    resting = {
        "C1 stands still: the slow manifold": lambda i, o: i / (i**2 + ODDS * o**2),
        "g stands still": lambda i, o: 1 / (i - o),
    }
    for label, formula in resting.items():
        drawn = named(portrait.panels[0], label)
        gap = np.asarray(drawn.y)
        inside, outside = 1 / (1 + ODDS * np.exp(-gap)), 1 / (np.exp(gap) + ODDS)
        np.testing.assert_allclose(drawn.x, formula(inside, outside), rtol=1e-9)
        assert len(gap) > 50


def test_arrows_point_to_the_nullcline(portrait: Figure) -> None:
    """Left of the curve where C1 rests arrows point right, right of it left; and all have one length."""
    field = named(portrait.panels[0], "the flow")
    x, y = np.asarray(field.x).reshape(-1, 6), np.asarray(field.y).reshape(-1, 6)
    assert np.isnan(y[:, 5]).all()
    middle = (x[:, 0] + x[:, 1]) / 2, (y[:, 0] + y[:, 1]) / 2
    inside, outside = 1 / (1 + ODDS * np.exp(-middle[1])), 1 / (np.exp(middle[1]) + ODDS)
    rest = inside / (inside**2 + ODDS * outside**2)
    np.testing.assert_array_equal(np.sign(x[:, 1] - x[:, 0]), np.sign(rest - middle[0]))
    width, top = x.max(), y[np.isfinite(y)].max()
    lengths = np.hypot((x[:, 1] - x[:, 0]) / width, (y[:, 1] - y[:, 0]) / top)
    assert np.ptp(lengths) < 0.1 * lengths.max()


def test_runs_end_on_the_slow_manifold(portrait: Figure) -> None:
    for label in ("0.1", "0.9"):
        late = named(portrait.panels[1], label)
        assert np.asarray(late.x)[-1] * np.asarray(late.y)[-1] == pytest.approx(ODDS, rel=0.01)


def test_strokes_need_no_note(portrait: Figure) -> None:
    assert figure_from_json(figure_to_json(portrait)).name == "phase_portrait"
    assert [ready.notes for ready in prepare(portrait)] == [[], []]
    assert len(draw(portrait).axes) == 2


def test_portraits_of_other_problems() -> None:
    with pytest.raises(ValueError, match="at least one run, got none"):
        phase_portrait({})
    mixed = dc.teachers.symmetric(8, {1: 4, 2: 4}, 1.0)
    run = dc.train(mixed, None, dc.Reduced(0.1), steps=10)
    with pytest.raises(ValueError, match="two scalars, but of this one its columns differ in K"):
        phase_portrait({"run": run})
    uneven = dc.Teacher(np.eye(2), [[0.8, 0.2], [0.2, 0.8]], dc.identity)
    run = dc.train(uneven, None, dc.GradientDescent(0.1), steps=10)
    with pytest.raises(ValueError, match="two scalars, but of this one column 0 of its scores is not uniform"):
        phase_portrait({"run": run})


def test_approach() -> None:
    """Law and next order for D = 16, K = 2: the limit is 2 · 16 · 14/4 = 112."""
    teacher = dc.teachers.symmetric(TOKENS, SPARSITY, 4.0)
    run = dc.train(teacher, None, dc.GradientFlow(), time=1e7, save_at=dc.log_spaced(40, first=1))
    left, right = approach({"run": (run, dc.universal_law(teacher))}).panels
    law = named(left, "run, law")
    np.testing.assert_allclose(np.asarray(law.x) * law.y, 112)
    rest, order = named(right, "run"), named(right, "run, next order")
    np.testing.assert_allclose(rest.y[-1], 1e7 * float(run.data.excess_loss[-1]) / 112 - 1, rtol=1e-6)
    assert order.y[-1] == pytest.approx(rest.y[-1], rel=0.5)
    with pytest.raises(ValueError, match="at least one run"):
        approach({})
    full = dc.teachers.symmetric(4, 4, 1.0)
    with pytest.raises(ValueError, match="'run' has no 1/T law: its limit is 0"):
        approach({"run": (run, dc.universal_law(full))})


def test_collapse() -> None:
    """With L = K(D − K)/(4τ²ηT) the second panel is 1 throughout, and the third (D − K)/(4 τ² D⁴)."""
    over = {"D": (8, 32), "K": (1, 4), "V": (2.0,), "kappa": (1.0,), "eta": (0.1,), "tau": (0.5,)}
    runs = family(over, lambda T, D, K, V, kappa, eta, tau: K * (D - K) / (4 * tau**2 * eta * T))
    plain, lawful, stated = collapse(runs, "0.5").panels
    for panel in (plain, lawful, stated):
        assert isinstance(panel, Curves)
        assert len(panel.curves) == 4
    np.testing.assert_allclose(named(lawful, "D = 32, K = 4").y, 1)
    np.testing.assert_allclose(named(stated, "D = 32, K = 4").y, 28 / 32**4)
    with pytest.raises(ValueError, match="at least one run"):
        collapse([], "0.5")


def test_a_single_claim_is_judged_and_drawn() -> None:
    found = judge(claim("q = Theta(D**2 / T)", "mine"), [family({"D": (8, 16, 32)}, lambda T, D: D**2 / T)])
    assert [figure.name for figure in verdict_figures(found)] == ["mine_T", "mine_D"]
