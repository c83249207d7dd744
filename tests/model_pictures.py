"""Draws each paper's example and its trained attention, from what its plain.py returns: `make pictures`.

python tests/model_pictures.py            # every paper's; a few minutes on two cores
python tests/model_pictures.py lego
"""

import hashlib
import importlib
import io
import sys

import jax

from lemmata.core.registry import papers
from lemmata.report.files import write_whole
from model_drawing import draw_attention, draw_example

KEY, DPI = "plain", 150
OURS = {id: paper for id, paper in papers().items() if paper.package.startswith("lemmata.")}


def digest(id: str) -> str:
    """Of the code that drew it."""
    return hashlib.sha256((OURS[id].folder / "plain.py").read_bytes()).hexdigest()


def main() -> None:
    for id in sys.argv[1:] or OURS:
        with jax.enable_x64(id == "ic-recall"):  # as when it is run
            example, attention = importlib.import_module(f"{OURS[id].package}.plain").shown()
        for name, figure in {"data": draw_example(*example), "attention": draw_attention(*attention)}.items():
            content = io.BytesIO()
            figure.savefig(content, format="png", dpi=DPI, metadata={KEY: digest(id)})
            write_whole(OURS[id].folder / f"plain-{name}.png", content.getvalue())


if __name__ == "__main__":
    main()
