"""A figure for a printed page: as wide as a column or the page, as vector graphics whose fonts are in the file."""

import io
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from lemmata.report.page_entry import Footer
from lemmata.report.style import styled
from lemmata.report.ticks import with_plain_powers

Width = Literal["column", "page"]
INCHES: dict[Width, float] = {"column": 3.25, "page": 6.75}  # of a two-column page
LEAST_POINTS = 5.5  # of the smallest letters
ROOM = 1.2  # letters shrink less than panels: they get some height


def usual_width(figure: Figure) -> Width:
    """What fits: a column holds one panel."""
    return "column" if figure.get_size_inches()[0] <= 5.5 else "page"


def pdf_bytes(figure: Figure, footer: Footer, width: Width) -> bytes:
    """The figure at the width of print, without a footer: what made it stands in the file's metadata."""
    with styled() as parameters:
        parameters["pdf.fonttype"] = 42  # TrueType, whole: what publishers ask for
        resize(figure, INCHES[width])
        with_plain_powers(figure)
        output = io.BytesIO()
        about = {"Creator": f"lemmata {footer.version}", "Subject": footer.line(), "CreationDate": None}
        figure.savefig(output, format="pdf", metadata=about)
    return output.getvalue()


def resize(figure: Figure, inches: float) -> None:
    """Laid out anew at another width; lines and letters shrink with it, these as far as they stay readable."""
    width, height = figure.get_size_inches()
    shrunk = inches / width
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        size = text.get_fontsize()
        text.set_fontsize(size * shrunk if shrunk > 1 else max(size * shrunk, min(size, LEAST_POINTS)))
    for line in figure.findobj(Line2D):
        assert isinstance(line, Line2D)
        line.set(linewidth=line.get_linewidth() * shrunk**0.5, markersize=line.get_markersize() * shrunk)
    figure.set_size_inches(inches, height * shrunk * (ROOM if shrunk < 0.75 else 1.0))
