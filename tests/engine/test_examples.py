"""The scripts a researcher would start from run as they are, in a folder of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(script: Path, tmp_path: Path) -> None:
    finished = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip()


def test_every_paper_has_an_example() -> None:
    papers = Path(__file__).parent.parent / "src" / "lemmata" / "papers"
    folders = {path.name for path in papers.iterdir() if (path / "__init__.py").is_file()}
    assert folders <= {path.stem for path in EXAMPLES}
