"""The model in five minutes: what each paper's page says of its plain.py, its pictures, and the section as HTML."""

import importlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import model_pictures
from lemmata.core.registry import papers
from lemmata.report.model_page import WHOSE, model_html, model_section, readme_of
from lemmata.report.tex import check_tex, to_unicode
from model_drawing import draw_attention, draw_example

OURS = model_pictures.OURS
SMALL = {"association": {"steps": 2}, "knowledge": {"steps": 3}, "ic-recall": {"steps": 5}, "lego": {"stages": 0}}
ROW = re.compile(r"^\| (.*) \| `([^`]*)` \|$", re.MULTILINE)


@pytest.mark.parametrize("id", OURS)
def test_the_code_beside_the_equations_is_that_of_the_plain_file(id: str) -> None:
    text = model_section(OURS[id])
    lines = {line.strip() for line in (OURS[id].folder / "plain.py").read_text().splitlines()}
    rows = ROW.findall(text)
    assert len(rows) >= 8
    assert [code for _, code in rows if code not in lines] == []
    check_tex(text)
    assert all("|" not in to_unicode(equation) for equation, _ in rows)  # on the site it would end the cell
    for said in ("**The task.**", "**Trained:**", "**Frozen:**", "**The theorem, as printed.**", "**The verdict.**"):
        assert said in text
    assert re.search(r'"\{[^"]+:status\}"', text)


@pytest.mark.parametrize("id", OURS)
@pytest.mark.parametrize("name", ["data", "attention"])
def test_a_picture_is_of_the_present_plain_file(id: str, name: str) -> None:
    file = f"plain-{name}.png"
    assert f"]({file})" in model_section(OURS[id])
    with Image.open(OURS[id].folder / file) as picture:
        assert picture.info.get(model_pictures.KEY) == model_pictures.digest(id), "run `make pictures`"


@pytest.mark.parametrize("id", OURS)
def test_a_plain_file_gives_what_is_drawn(id: str) -> None:
    (tokens, roles), (attention, queries, keys) = importlib.import_module(f"{OURS[id].package}.plain").shown(
        **SMALL[id]
    )
    assert len(tokens) == len(roles)
    assert len(attention) == len(queries)
    for row in attention:
        assert len(row) == len(keys)
        assert np.nanmin(row) >= 0
        np.testing.assert_allclose(np.nansum(row), 1, rtol=1e-5)


def test_tokens_and_attention_are_drawn_as_they_are() -> None:
    figure = draw_example([f"z{i}" for i in range(20)], ["odd" if i % 2 else "" for i in range(20)])
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == [f"z{i}" for i in range(20)]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["odd"]
    places = {text.get_position() for text in axes.texts}
    assert len(places) == 20
    assert len({y for _, y in places}) == 2
    weights = [[0.2, 0.8], [1.0, 0.0]]
    axes = draw_attention(weights, ["a", "b"], ["x", "y"]).axes[0]
    np.testing.assert_array_equal(axes.images[0].get_array(), weights)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


PAGE = """# toy

## The model in five minutes

Of $x_1 < y_2$ and `$code_1$`, <b>bold</b>: [0.5](claims/decay.py "{rate:.1f}") of `lego/one` and `lego/two`.

| equation | code |
|---|---|
| $a_b$ | `a[b]` |

![A picture.](plain-data.png)

## Another section
"""


def test_a_section_becomes_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = OURS["lego"]
    (tmp_path / "README.md").write_text(PAGE)
    (tmp_path / "plain-data.png").write_bytes((paper.folder / "plain-data.png").read_bytes())
    monkeypatch.setattr(type(paper), "folder", tmp_path)
    html = model_html(paper, lambda claim: f"#{claim}" if claim == "lego/one" else None)
    assert '<span class="tex" data-tex="x_1 &lt; y_2">x₁ &lt; y₂</span>' in html
    assert "<code>$code_1$</code>" in html
    assert "&lt;b&gt;bold" in html
    assert '<a href="#lego/one" class="id">lego/one</a>' in html
    assert "<code>lego/two</code>" in html
    assert ": 0.5 of" in html
    assert "claims/decay.py" not in html
    assert '<td><span class="tex" data-tex="a_b">' in html
    assert 'src="data:image/png;base64,' in html
    assert 'alt="A picture."' in html
    assert "Another section" not in html
    assert WHOSE in html
    (tmp_path / "README.md").write_text("# toy\n")
    assert model_html(paper, lambda claim: None) == ""


def test_a_paper_without_a_page_has_no_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = replace(next(iter(papers().values())))
    monkeypatch.setattr(type(paper), "folder", tmp_path / "nowhere")
    assert not readme_of(paper).exists()
    assert model_section(paper) == ""
