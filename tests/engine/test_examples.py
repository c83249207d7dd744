"""The scripts and notebooks a researcher would start from run as they are, in a folder of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from lemmata.core.registry import papers
from lemmata.run import Store

FOLDER = Path(__file__).parents[2] / "examples"
NAMES = [paper.package.rsplit(".", 1)[1] for paper in papers().values() if paper.package.startswith("lemmata.")]


@pytest.mark.parametrize("name", NAMES)
def test_script_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip()


@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs_at_smoke_scale(
    name: str, tmp_path: Path, smoke_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEMMATA_STORE", str(smoke_store.root))
    script = "import sys, nbformat, nbclient; nb = nbformat.read(sys.argv[1], 4); nbclient.NotebookClient(nb).execute()"
    script += "; print(sum('image/png' in o.get('data', {}) for c in nb.cells for o in c.get('outputs', [])))"
    command = [sys.executable, "-W", "ignore", "-c", script, str(FOLDER / f"{name}.ipynb")]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr[-2000:]
    assert int(finished.stdout) >= 1, "no figure showed itself"
