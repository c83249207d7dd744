"""`lemmata plain`: the plain editions, printed and given away."""

import ast
import json
from pathlib import Path

import pytest

from conftest import Cli
from lemmata.core.registry import papers

OURS = [id for id, paper in papers().items() if paper.package.startswith("lemmata.")]


def files_of(id: str) -> list[Path]:
    return sorted(papers()[id].folder.glob("plain*.py"))


@pytest.mark.parametrize("id", OURS)
def test_it_prints_the_papers_own_files(cli: Cli, id: str) -> None:
    code, out, _ = cli("plain", id)
    assert code == 0
    assert out == "\n\n".join(path.read_text() for path in files_of(id))


def test_a_copy_is_the_file_under_its_licence(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli("plain", "lego", "--copy", str(tmp_path / "mine"), "--json")
    assert code == 0
    copies = [Path(path) for path in json.loads(out)]
    assert [path.name for path in copies] == ["lego.py", "lego_decoder.py"]
    for copy, path in zip(copies, files_of("lego"), strict=True):
        licence, text = copy.read_text().split("\n", 1)
        assert licence.startswith("# From lemmata ")
        assert "Apache License 2.0" in licence
        assert text == path.read_text()
        assert ast.get_docstring(ast.parse(copy.read_text())), "still the file's first statement"


def test_nothing_is_overwritten(cli: Cli, tmp_path: Path) -> None:
    mine = tmp_path / "lego_decoder.py"
    mine.write_text("mine")
    code, _, said = cli("plain", "lego", "--copy", str(tmp_path))
    assert code == 2
    assert "lego_decoder.py" in said
    assert mine.read_text() == "mine"
    assert not (tmp_path / "lego.py").exists()


def test_a_paper_without_one_says_so(cli: Cli) -> None:
    code, _, said = cli("plain", "toy")
    assert code == 2
    assert "no plain edition" in said
