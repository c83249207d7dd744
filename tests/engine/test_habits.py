"""What people expect of a repository is there, and agrees with the rest."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

TOP = Path(__file__).parents[2]
YAML = [*TOP.glob(".github/**/*.yml"), TOP / ".pre-commit-config.yaml", TOP / "mkdocs.yml"]


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_every_file_of_settings_can_be_read(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_workflows_call_targets_that_are_there() -> None:
    targets = set(re.findall(r"^([\w-]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    called = {name for path in YAML for name in re.findall(r"run: make ([\w-]+)", path.read_text())}
    assert {"test", "docs"} <= called <= targets
    assert set(re.findall(r"`make ([\w-]+)`", (TOP / "README.md").read_text())) <= targets


def test_a_release_needs_no_stored_secret() -> None:
    text = (TOP / ".github/workflows/release.yml").read_text()
    assert "id-token: write" in text
    assert "secrets." not in text


def test_what_make_installs_has_hashes_and_the_listed_versions() -> None:
    """Else: make lock."""
    lock = (TOP / "requirements.txt").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)(?: ; .+)? \\\n +--hash=sha256:", lock, re.MULTILINE))
    assert len(locked) == len(re.findall(r"^[^# ]", lock, re.MULTILINE)), "each has a hash"
    assert "://" not in lock, "of no particular registry"
    pinned = dict(line.lower().replace("_", "-").split("==") for line in (TOP / "constraints.txt").read_text().split())
    assert not {name for name, version in locked.items() if pinned.get(name, version) != version}
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    extras = ("test", "export", "new-paper", "proofs", "serve")
    needed = [*project["dependencies"], *(word for extra in extras for word in project["optional-dependencies"][extra])]
    names = {re.split(r"[\[<>=]", word)[0].lower() for word in needed} - {"lemmata"}
    assert names <= locked.keys()
