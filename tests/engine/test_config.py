"""Strict configs: round trips, refusals, overrides, digests."""

import contextlib
import json
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import pytest

from lemmata.core import Config, RunConfig, RunContext, RunOutput, UserError, require, stored_as
from lemmata.core.config import canonical, decode, encode, override, path_in


@dataclass(frozen=True, kw_only=True)
class Small:
    n: int = 3


@dataclass(frozen=True, kw_only=True)
class Large:
    n: int = 2**61 - 1
    name: str = "x"


@dataclass(frozen=True, kw_only=True)
class Trial(RunConfig):
    kind: ClassVar[str] = "test/trial"
    world: Small | Large = Small()
    temperature: float = 0.05
    mode: Literal["fast", "exact"] = "fast"
    seeds: tuple[int, ...] = (0, 1)
    limit: int | None = None

    def __post_init__(self) -> None:
        require(self.temperature > 0, "temperature", self.temperature, "must be positive")

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({})


def test_round_trip_through_json_is_equal() -> None:
    trial = Trial(world=Large(), temperature=1e-7, seeds=(4,), limit=3)
    assert decode(Trial, json.loads(json.dumps(encode(trial)))) == trial
    assert decode(Trial, encode(Trial())).digest == Trial().digest


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"temprature": 1.0}, "did you mean 'temperature'"),
        ({"world": {"type": "Smal", "n": 2}}, "did you mean 'Small'"),
        ({"world": {"type": "Small", "m": 2}}, "unknown key"),
        ({"temperature": "hot"}, "expected float"),
        ({"seeds": 3}, "a list"),
        ({"mode": "exakt"}, "did you mean 'exact'"),
        ({"temperature": -1.0}, "must be positive"),
        ({"limit": "many"}, "expected one of"),
    ],
)
def test_refusals_name_the_field(data: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        decode(Trial, data)


def test_override_parses_by_type() -> None:
    changed = override(Trial(), {"world.n": "7", "temperature": "1", "seeds": "5,6", "mode": "exact", "limit": "None"})
    assert changed == Trial(world=Small(n=7), temperature=1.0, seeds=(5, 6), mode="exact")
    with pytest.raises(UserError, match=r"did you mean 'world\.n'"):
        override(Trial(), {"world.nn": "7"})


HUGE = ("9" * 4500, "9" * 400, "[" * 5000, "1e400", "-1e400", "NaN", "Infinity", "{0}", "{}", '{"a": 1}', "null", '"x')


@pytest.mark.parametrize("text", HUGE)
@pytest.mark.parametrize("key", ["temperature", "limit", "world.n", "mode"])
def test_no_text_of_a_key_is_more_than_refused(key: str, text: str) -> None:
    with contextlib.suppress(UserError):
        found = override(Trial(), {key: text})
        assert decode(Trial, json.loads(canonical(found))) == found
        return
    with pytest.raises(UserError, match=key.rpartition(".")[2]) as refusal:
        override(Trial(), {key: text})
    assert len(str(refusal.value)) < 400


def test_digest_follows_content_and_version() -> None:
    class Newer(Trial):
        version: ClassVar[int] = 2

    assert Trial(temperature=0.1).digest != Trial().digest
    assert Newer().digest != Trial().digest


@dataclass(frozen=True, kw_only=True)
class _Before(Config):
    rate: float = 0.1
    steps: int = 5


@dataclass(frozen=True, kw_only=True)
class _Renamed(Config):
    STORED: ClassVar[str] = "_Before"
    learning_rate: float = field(default=0.1, metadata=stored_as("rate"))
    steps: int = 5


def test_a_better_name_in_code_leaves_digests_stores_and_keys_as_they_were() -> None:
    assert canonical(_Renamed(learning_rate=0.2)) == canonical(_Before(rate=0.2))
    assert decode(_Renamed, encode(_Before(rate=0.3))) == _Renamed(learning_rate=0.3)
    assert decode(_Renamed | None, encode(_Before(rate=0.3))) == _Renamed(learning_rate=0.3)
    assert override(_Renamed(), {"learning_rate": "0.5"}) == _Renamed(learning_rate=0.5)
    assert [path_in(_Renamed(), key) for key in ("rate", "learning_rate", "speed")] == ["learning_rate"] * 2 + [None]
