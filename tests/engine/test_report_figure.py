"""Drawings say what the numbers say, and their files carry the command that made them."""

import csv
import io
import json
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from figure_faults import faults
from lemmata.core import Artefact, Experiment, RunResult, Runs, UserError
from lemmata.core.registry import Selection
from lemmata.record import ExperimentResult
from lemmata.report.figure import csv_bytes, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.page_entry import Footer, describe_seeds
from lemmata.report.plots import band, ceiling, heatmap, new_figure
from lemmata.report.print import Width, pdf_bytes
from lemmata.report.style import styled

PROVENANCE = Footer(
    command="lemmata reproduce toy/lemma-3.1", scale="smoke", version="9.9", seeds=(0, 1), run_ids=("ab",)
)


def read_back(data: bytes) -> dict[str, list[str]]:
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def test_csv_round_trip():
    wide, narrow = np.array([0.1, 1 / 3, 1e-300, np.nan, np.inf]), np.array([0.1, 1 / 3, 2, 3, 4], np.float32)
    table = {
        "wide": wide,
        "narrow": narrow,
        "count": np.array([2**61 - 1, 0, -1, 2, 3]),
        "name, quoted": ['a "b"', "c,d", "e\nf", "é", ""],
        "flag": np.array([True, False, True, False, True]),
        "gap": [None, 1, None, 2, 3.5],
    }
    back = read_back(csv_bytes(table))
    assert list(back) == list(table)
    np.testing.assert_array_equal([float(x) for x in back["wide"]], wide)
    np.testing.assert_array_equal(np.array(back["narrow"], np.float32), narrow)
    assert back["narrow"][0] == "0.1"
    assert [int(x) for x in back["count"]] == [2**61 - 1, 0, -1, 2, 3]
    assert back["name, quoted"] == table["name, quoted"]
    assert back["flag"] == ["true", "false", "true", "false", "true"]
    assert back["gap"] == ["", "1", "", "2", "3.5"]


def test_csv_refuses_what_is_not_a_table():
    with pytest.raises(ValueError, match="one length"):
        csv_bytes({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match="single values"):
        csv_bytes({"a": np.zeros((2, 2))})


def test_band_draws_mean_and_deviation():
    _, ax = new_figure()
    values = np.array([[0.0, 1.0, 2.0], [2.0, 3.0, np.nan]])
    line = band(ax, [1, 2, 3], values, label="loss")
    np.testing.assert_allclose(line.get_ydata(), [1.0, 2.0, 2.0])
    (area,) = ax.collections
    vertices = area.get_paths()[0].vertices
    np.testing.assert_allclose([vertices[:, 1].min(), vertices[:, 1].max()], [0.0, 3.0])
    assert line.get_label() == "loss"
    with pytest.raises(ValueError, match="seed, x"):
        band(ax, [1, 2], values)


def test_ceiling_and_heatmap_show_their_values():
    _, (left, right) = new_figure(1, 2)
    assert list(np.asarray(ceiling(left, 0.75, "best").get_ydata())) == [0.75, 0.75]
    image = heatmap(right, [[0.0, 0.5], [1.0, np.nan]], ["x", "y"], ["p", "q"])
    assert [text.get_text() for text in right.texts] == ["0.00", "0.50", "1.00"]
    assert [text.get_color() for text in right.texts][:1] == ["white"]
    assert [label.get_text() for label in right.get_xticklabels()] == ["x", "y"]
    assert image.get_clim() == (0.0, 1.0)


def test_drawing_leaves_matplotlib_as_it_was():
    before = dict(matplotlib.rcParams)
    figure, _ = new_figure(2, 2, sharex=True)
    with styled():
        assert matplotlib.rcParams["svg.hashsalt"] == "lemmata"
    assert dict(matplotlib.rcParams) == before
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 4


def test_files_carry_their_command(tmp_path: Path):
    figure, ax = new_figure()
    band(ax, [0, 1], [[0, 1], [1, 2]])
    saved = save_artefact(Artefact(figure, {"x": [0, 1]}, "A line."), tmp_path, "toy/lemma-3.1", PROVENANCE)
    assert saved.csv == tmp_path / "toy" / "lemma-3.1.csv"
    assert saved.png is not None
    assert saved.svg is not None
    with Image.open(saved.png) as image:
        assert image.info["Description"] == PROVENANCE.line()
    svg = saved.svg.read_text(encoding="utf-8")
    assert "lemmata reproduce toy/lemma-3.1 · scale smoke · seeds 0–1 · lemmata 9.9" in svg
    assert "<dc:date>" not in svg
    about = json.loads(saved.json.read_text(encoding="utf-8"))
    assert about["command"] == PROVENANCE.command
    assert about["caption"] == "A line."
    assert figure.texts == []
    assert not list(tmp_path.rglob(".*"))


def test_a_table_without_a_figure(tmp_path: Path):
    saved = save_artefact(Artefact(None, {"x": [1.5]}, "Numbers."), tmp_path, "toy/t", PROVENANCE)
    assert saved.png is None
    assert saved.svg is None
    assert saved.csv is not None
    assert saved.csv.read_bytes() == b"x\r\n1.5\r\n"


def test_an_unwritable_place_is_a_user_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        write_whole(tmp_path / "file" / "page.html", b"")


def test_seeds_are_collected_and_named():
    class Swept:
        seeds = (3, 1, 2)

    class Single:
        seed = 7

    configs = {str(i): RunResult(config, {}, {}) for i, config in enumerate((Swept(), Single(), object()))}
    experiment = Experiment(title="", runs=lambda scale: {}, claims=(), draw=lambda runs: Artefact(None, {}, ""))
    assert ExperimentResult(Selection(experiment, ()), Runs(configs), ()).seeds == (1, 2, 3, 7)
    assert describe_seeds((1, 2, 3)) == "seeds 1–3"
    assert describe_seeds((1, 3)) == "seeds 1, 3"
    assert describe_seeds((4,)) == "seed 4"


@pytest.mark.parametrize(("width", "points"), [("column", 234), ("page", 486)])
def test_a_figure_for_print_has_its_width_and_its_fonts(width: Width, points: int):
    figure, axes = new_figure(1, 2)
    for ax in axes:
        band(ax, [0, 1], [[0, 1], [1, 2]], "loss")
        ax.set(xlabel="step", ylabel="loss", title="as it falls")
    found = pdf_bytes(figure, PROVENANCE, width)
    assert f"/MediaBox [ 0 0 {points} ".encode() in found
    assert b"/FontFile2" in found
    assert b"CreationDate" not in found
    assert PROVENANCE.command.encode("utf-16-be") in found
    assert list(faults(figure)) == []
