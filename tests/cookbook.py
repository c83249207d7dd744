"""The cookbook's commands and Python, with the answers the page prints. Run as a script it writes the answers anew:

python tests/cookbook.py
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lemmata
from lemmata.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "cookbook.md"
BLOCK = re.compile(r"```(console|python)\n(.*?)```", re.DOTALL)
COLUMNS = "100"


def command_answer(command: str) -> str:
    """What a command prints."""
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(shlex.split(command)[1:])
    here = str(Path(lemmata.__file__).parents[2])
    store = os.environ["LEMMATA_STORE"]  # of this run alone
    return printed.getvalue().replace(f"{here}/", "").replace(store, ".lemmata")


def answered_block(kind: str, text: str, names: dict) -> str:
    """A block with its answers as they are now: of each command after "$ ", of each statement after ">>> "."""
    if kind == "console":
        commands = [line for line in text.splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{_trimmed(command_answer(line[2:]))}" for line in commands)
    made = ""
    for example in doctest.DocTestParser().get_examples(text):
        first, *more = example.source.splitlines()
        made += "\n".join([f">>> {first}", *(f"... {line}" for line in more)]) + "\n"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.source, "cookbook", "single"), names)
        made += _trimmed(printed.getvalue())
    return made


def _trimmed(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return "".join(f"{line}\n" for line in lines if line)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    for found in BLOCK.finditer(page):
        yield found[1], found[2]


def alike(text: str) -> str:
    """Without what differs from machine to machine: how long things took."""
    return re.sub(r"[\s─]+", " ", re.sub(r"\d+(\.\d+)? (ms|s|min)\b", "# s", text)).strip()


@contextlib.contextmanager
def in_a_folder_of_its_own() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        before = dict(os.environ)
        os.environ |= {"LEMMATA_STORE": f"{folder}/store", "COLUMNS": COLUMNS}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ |= before


if __name__ == "__main__":
    page, names = PAGE.read_text(), {}
    with in_a_folder_of_its_own():
        made = BLOCK.sub(lambda found: f"```{found[1]}\n{answered_block(found[1], found[2], names)}```", page)
    PAGE.write_text(made)
