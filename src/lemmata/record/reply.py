"""What an author of a paper answers to a verdict. The answer is a file of the paper's folder and stands beside the
verdict wherever that is shown; until it is settled the verdict is disputed. No verdict changes by it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lemmata.core.errors import UserError
from lemmata.core.registry import Paper

FOLDER = "replies"
HEAD = ("claim", "from", "date")  # what each file begins with, a line each; "settled" may follow


@dataclass(frozen=True, kw_only=True)
class Reply:
    claim: str  # without the paper's id
    by: str
    date: str
    text: str
    settled: str = ""  # how it ended

    def words(self) -> str:
        ended = f"Settled: {self.settled}" if self.settled else "Not settled: the verdict is disputed."
        return f"{self.by}, {self.date}: {self.text} {ended}"


def replies(paper: Paper) -> tuple[Reply, ...]:
    """The answers that a paper's folder holds, the oldest first."""
    return _read(paper.folder / FOLDER, tuple(_files(paper.folder / FOLDER)))


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    for path in sorted(folder.glob("*.md")):
        yield path.name, path.stat().st_mtime_ns


@lru_cache(maxsize=32)
def _read(folder: Path, files: tuple[tuple[str, int], ...]) -> tuple[Reply, ...]:
    return tuple(sorted((_reply(folder / name) for name, _ in files), key=lambda one: (one.date, one.claim)))


def _reply(path: Path) -> Reply:
    head, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    pairs = (line.partition(":") for line in head.splitlines())
    said = {name.strip(): value.strip() for name, colon, value in pairs if colon}
    if lacking := [name for name in HEAD if not said.get(name)]:
        raise UserError(f"{path}: a reply begins with lines `{': ...`, `'.join(HEAD)}: ...`; {lacking[0]!r} is missing")
    if not text.strip():
        raise UserError(f"{path}: a reply has its text after an empty line")
    words = " ".join(text.split())
    return Reply(claim=said["claim"], by=said["from"], date=said["date"], text=words, settled=said.get("settled", ""))
