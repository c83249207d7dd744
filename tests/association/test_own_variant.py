"""What docs/own-variant.md says can be done is done."""

import re
from pathlib import Path

import numpy as np
import pytest

from lemmata.core.config import paths
from lemmata.core.registry import experiments
from lemmata.core.scale import Scale

PAGE = Path(__file__).parents[2] / "docs" / "own-variant.md"


def test_the_pages_code_trains_the_layer_that_it_puts_in(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict = {}
    exec(compile(code, str(PAGE), "exec"), names)
    trained = names["variant"].blocks[1].feed
    assert isinstance(trained, names["Gated"])
    assert not np.allclose(trained.gate, names["gate"])
    assert names["history"]["loss"][-1] < names["history"]["loss"][0]
    assert "P(noise) = 0." in capsys.readouterr().out


def test_the_keys_that_the_page_names_exist() -> None:
    (config,) = experiments("association")["association/fig-12"].runs(Scale("smoke")).values()
    named = re.findall(r"model\.[a-z]+", PAGE.read_text().split("```")[0])
    assert set(named) <= set(paths(config))
