"""What people expect of a repository is there, and agrees with the rest."""

import re
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
