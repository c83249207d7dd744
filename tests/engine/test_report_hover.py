"""Numbers under the pointer stand where the picture has them."""

import io

import numpy as np
from PIL import Image

from lemmata.report.figure import figure_bytes
from lemmata.report.hover import MOST_OF_A_LINE, MOST_POINTS, points
from lemmata.report.page_entry import Footer
from lemmata.report.plots import new_figure

MADE = Footer(command="lemmata reproduce toy", scale="smoke", version="0", seeds=(0,), run_ids=())


def test_a_point_lies_on_its_mark() -> None:
    figure, (left, right) = new_figure(1, 2, width=9.0)
    left.plot([1, 10, 100], [0.1, 0.3, 0.2], "s", color="#ff0000", markersize=9, label="red")
    left.set(xscale="log", xlabel="steps", ylabel="loss")
    right.scatter([0.0, 1.0], [5.0, -5.0], color="#0000ff", s=90)
    right.set_title("margins")
    image = np.asarray(Image.open(io.BytesIO(figure_bytes(figure, MADE)["png"])).convert("RGB"))
    found = points(figure, MADE)
    words = [text for _, _, text in found]
    assert words[:3] == ["red: steps 1, loss 0.1", "red: steps 10, loss 0.3", "red: steps 100, loss 0.2"]
    assert words[3:] == ["x 0, margins 5", "x 1, margins -5"]
    for x, y, text in found:
        row, column = round(y * image.shape[0]), round(x * image.shape[1])
        assert tuple(image[row, column]) == ((255, 0, 0) if "red" in text else (0, 0, 255))


def test_what_lies_outside_or_nowhere_is_left_out_and_much_is_thinned() -> None:
    figure, ax = new_figure()
    ax.plot([0.0, 1.0, 10.0], [1.0, np.nan, 2.0], label="few")
    ax.plot(np.linspace(0.1, 10, 50_000), np.full(50_000, 3.0), label="many")
    ax.axhline(2.5)
    ax.set(xscale="log", xlim=(0.1, 5.0), ylim=(0.0, 4.0))
    words = [text for _, _, text in points(figure, MADE)]
    assert not any(text.startswith("few") for text in words)
    assert 50 < sum(text.startswith("many") for text in words) <= MOST_OF_A_LINE
    assert len(words) < MOST_POINTS
