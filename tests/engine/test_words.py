"""Identifiers and files are named by the field's words: a list of words that are retired. Prose is free."""

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[2]
ENGINE = {  # retired in the engine, whole names or a part between underscores -> the field's word
    "asked": "requested",
    "counted": "pluralize, count",
    "examined": "result",
    "hastily": "xla_flags",
    "hasty": "xla_flags",
    "keeping": "baseline",
    "lesson": "training_example",
    "onlooker": "live_metrics",
    "portrait": "snapshot",
    "quiet": "silent",
    "standing": "provenance",
    "surprise": "nll",
    "taught": "train",
    "thorough": "jit_options",
    "told": "checked, message",
    "unjudged": "undecided",
}
WHOLE = {"filling": "queue", "listed": "tables", "one_by_one": "split", "side_by_side": "concatenate"}
PAPERS = {
    "chance": "probability",
    "lesson": "training example",
    "portrait": "snapshot",
    "push": "perturb",
    "surprise": "nll",
    "taught": "train",
    "told": "train",
}
ALLOWED = {"random_chance", "quiet"}  # names of libraries


def names(file: Path) -> Iterator[str]:
    """The file's own name and its identifiers."""
    yield file.stem
    for token in tokenize.generate_tokens(io.StringIO(file.read_text()).readline):
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            yield token.string


def retired(files: list[Path], parts: dict[str, str], whole: dict[str, str]) -> set[str]:
    found = set()
    for file in files:
        for name in set(names(file)) - ALLOWED:
            if name.startswith("test_") and name != file.stem:
                continue  # a test's name is a sentence
            words = re.findall(r"[A-Z]?[a-z]+", name)
            for word in {one.lower() for one in words} & parts.keys() | {name} & whole.keys():
                found.add(f"{file}: {name}: {(parts | whole)[word]}")
    return found


def test_the_engine_is_named_by_the_fields_words() -> None:
    rooms = [room for room in (TOP / "src/lemmata").iterdir() if room.name not in ("papers", "template")]
    files = [file for room in (*rooms, TOP / "tests/engine", TOP / "tests/serve") for file in room.rglob("*.py")]
    assert retired(files, ENGINE, WHOLE) == set()


def test_the_papers_are_named_by_the_fields_words() -> None:
    assert retired(list((TOP / "src/lemmata/papers").rglob("*.py")), PAPERS, {}) == set()


def test_a_retired_word_is_seen_and_prose_is_free(tmp_path: Path) -> None:
    file = tmp_path / "right.py"
    file.write_text('def nll(x):\n    return x  # surprise, told\nWORDS = "lessons are asked"\n')
    assert retired([file], ENGINE | PAPERS, WHOLE) == set()
    file.write_text("def surprise_of(listed): ...")
    assert len(retired([file], ENGINE, WHOLE)) == 2
