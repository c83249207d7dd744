"""`import lemmata` in a notebook or a script: claims, verdicts, numbers and figures that show themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

import lemmata


def test_claims_list_themselves(toy: Path) -> None:
    claims = lemmata.claims("toy")
    assert [claim.id for claim in claims] == [
        f"toy/{name}" for name in ("rate", "typo", "bound", "vague", "sure", "coin", "close")
    ]
    assert "Section 1" in repr(claims)
    assert "&lt;fast&gt;" in claims._repr_html_()
    assert claims.table().column("rule").to_pylist()[0].startswith("|measured - predicted|")
    assert len(lemmata.claims()) > len(claims)


def test_check_results_and_figure(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(lemmata.UserError, match=r"computes them"):
        lemmata.results("toy/decay", scale="smoke", store=tmp_path)
    checked = lemmata.check("toy", scale="smoke", store=tmp_path)
    assert {id: one.status for id, one in checked.items()} == {
        "toy/rate": "holds",
        "toy/typo": "erratum",
        "toy/bound": "fails",
        "toy/vague": "undecided",
        "toy/sure": "holds",
        "toy/coin": "fails",
        "toy/close": "undecided",
    }
    assert "holds" in repr(checked)
    (vague,) = [line for line in repr(checked).splitlines() if "toy/vague" in line]
    assert vague.endswith(checked["toy/vague"].detail)
    assert checked._repr_html_().count("<tr>") == 8
    assert lemmata.check("toy/coin", scale="smoke", replication=1, store=tmp_path).status == "holds"
    stored = lemmata.results("toy/decay", scale="smoke", store=str(tmp_path))
    table = stored.table().to_pandas()
    assert list(table.columns) == ["experiment", "run", "seed", "step", "x"]
    assert table["x"].max() == 2.0
    assert stored.runs["main"].config.rate == 0.5
    drawing = stored.figure()
    assert drawing._repr_png_()[:4] == b"\x89PNG"
    assert "lemmata reproduce toy/decay --scale smoke" in repr(drawing)
    assert drawing.table().column_names == ["seed", "x"]
    with pytest.raises(lemmata.UserError, match="ask for one"):
        checked.figure()


def test_changed_assumptions_and_one_claim(toy: Path, tmp_path: Path) -> None:
    one = lemmata.check("toy/rate", scale="smoke", changes={"rate": 0.25, "seeds": (3, 4)}, store=tmp_path)
    assert one.status == "holds"
    assert one["toy/rate"].measured == 0.75
    assert one.runs["main"].config.seeds == (3, 4)
    assert "evidence" in one._repr_html_()
    assert repr(one["toy/rate"]).startswith("holds: toy/rate, margin +")
    assert "<lambda>" not in repr(one["toy/rate"])
    assert repr(one).startswith("changed: rate = 0.25 (instead of 0.5")
    assert "<p>changed: rate = 0.25 (instead of 0.5" in one._repr_html_()
    assert "lemmata run toy/decay --scale smoke --set rate=0.25 seeds=3,4" in repr(one.figure())


def test_results_of_changed_assumptions(toy: Path, tmp_path: Path) -> None:
    changes = {"rate": 0.25}
    lemmata.check("toy/rate", scale="smoke", store=tmp_path)
    says = (
        r"1 of 1 run is not in .*: `lemmata.check\('toy/rate', scale='smoke', changes={'rate': 0.25}\)` computes them"
    )
    with pytest.raises(lemmata.UserError, match=says):
        lemmata.results("toy/rate", scale="smoke", changes=changes, store=tmp_path)
    lemmata.check("toy/rate", scale="smoke", changes=changes, store=tmp_path)
    stored = lemmata.results("toy/rate", scale="smoke", changes=changes, store=tmp_path)
    assert stored["toy/rate"].measured == 0.75
    assert repr(stored).startswith("changed: rate = 0.25")
    with pytest.raises(lemmata.UserError, match="did you mean 'rate'"):
        lemmata.results("toy/rate", scale="smoke", changes={"rates": 0.25}, store=tmp_path)


def test_importing_costs_nothing_until_asked() -> None:
    script = "import sys, lemmata; assert 'jax' not in sys.modules; lemmata.Claim; assert callable(lemmata.fit)"
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="no attribute 'clams'"):
        _ = lemmata.clams
    assert (Path(lemmata.__file__).parent / "py.typed").is_file()
