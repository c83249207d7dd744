"""The worlds of random bijections that Figures 2 to 4 are drawn from."""

from typing import Any

from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.task import RandomBijections


def bijections(size: tuple[int, int]) -> RandomBijections:
    """Of so many subjects and relations."""
    n, relations = size
    return RandomBijections(n=n, relations=relations)


def _panel(n: int, relations: int, **fields: Any) -> dict[str, Any]:
    return {"world": bijections((n, relations)), **fields}


WORLDS = {str(size[0]): bijections(size) for size in sizes.FIGURE_WORLDS}
PANELS = {side: _panel(**fields) for side, fields in sizes.PANELS.items()}
