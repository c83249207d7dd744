"""A paper can live in anyone's repository: made by `new-paper`, installed, judged, reported, uninstalled."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli

pytest.importorskip("copier")


def lemmata(*words: str, installed: Path | None, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(installed or ""), os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-m", "lemmata", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


def test_a_paper_is_made_installed_judged_reported_and_uninstalled(tmp_path: Path) -> None:
    made = lemmata(
        "new-paper", "grokking", "--title", "On Grokking", "--out", str(tmp_path), installed=None, cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    package, site = tmp_path / "grokking", tmp_path / "site"
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *install, "--target", str(site), str(package)], check=True)
    checks = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(package / "tests")]
    passed = subprocess.run(checks, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(site)})
    assert passed.returncode == 0, passed.stdout

    done = lemmata("reproduce", "grokking", "--scale", "smoke", installed=site, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "grokking/lemma-1" in (tmp_path / "report" / "index.html").read_text()
    rows = json.loads(lemmata("list", "grokking", "--scale", "smoke", "--json", installed=site, cwd=tmp_path).stdout)
    assert [(row["id"], row["status"], row["control_status"]) for row in rows] == [
        ("grokking/lemma-1", "holds", "fails")
    ]
    assert rows[0]["file"].endswith("claims/decay.py")
    listing = json.loads(lemmata("list", "--scale", "smoke", "--json", installed=site, cwd=tmp_path).stdout)
    assert {row["paper"] for row in listing} > {"grokking"}

    shutil.rmtree(site)
    gone = lemmata("list", "grokking", installed=None, cwd=tmp_path)
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1)
    before = sorted(path.name for path in (tmp_path / ".lemmata").glob("*/record.json"))
    assert lemmata("runs", "prune", "--yes", installed=None, cwd=tmp_path).returncode == 0
    assert before
    assert sorted(path.name for path in (tmp_path / ".lemmata").glob("*/record.json")) == before


def test_a_folder_that_is_not_installed(cli: Cli, tmp_path: Path) -> None:
    assert cli("new-paper", "my-paper", "--out", str(tmp_path))[0] == 0
    folder = str(tmp_path / "my-paper" / "my_paper")
    code, out, _ = cli("check", "my-paper", "--paper-path", folder, "--scale", "smoke", "--jobs", "2", "--json")
    assert code == 0
    assert [row["status"] for row in json.loads(out)] == ["holds"]
    assert cli("docs", "my-paper", "--paper-path", folder, "--scale", "smoke")[0] == 0
    assert "`my-paper/lemma-1`" in (tmp_path / "my-paper" / "README.md").read_text()
    code, _, err = cli("new-paper", "my-paper", "--out", str(tmp_path))
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "title", [r"On \universal approximators", 'On """; raise SystemExit(7); """', "{{ 7 * 7 }} {% x %}"]
)
def test_a_title_is_text_and_never_code(cli: Cli, tmp_path: Path, title: str) -> None:
    assert cli("new-paper", "titled-paper", "--title", title, "--out", str(tmp_path))[0] == 0
    made = tmp_path / "titled-paper"
    scope: dict[str, Any] = {}
    exec((made / "titled_paper" / "__init__.py").read_text(), scope)  # as an import would
    assert scope["PAPER"].title == title
    assert tomllib.loads((made / "pyproject.toml").read_text())["project"]["description"].startswith(title)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new-paper", "My Paper"), "small letters"),
        (("new-paper", "toy"), "is a paper of that id already"),
        (("new-paper", "class"), "Python has a word or a package"),
        (("new-paper", "numpy"), "Python has a word or a package"),
        (("new-paper", "lemmata"), "Python has a word or a package"),
        (("new-paper", "a" * 300), "at most 60 characters"),
        (("new-paper", "my-paper", "--title", "two\nlines"), "one line of at most"),
        (("check", "--paper-path", "nowhere"), "a folder with an __init__.py is needed"),
    ],
)
def test_refusals_are_one_line(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = cli(*arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert message in err
