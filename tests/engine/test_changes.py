"""Under changed assumptions: what changed is said, and a claim that no change reached is not judged."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    RunConfig,
    RunContext,
    RunOutput,
    Runs,
    Scale,
    UserError,
    also,
    at_least,
)
from lemmata.core.config import path_in
from lemmata.core.registry import Selection
from lemmata.run import Store, change, evaluate


@dataclass(frozen=True, kw_only=True)
class Warm(RunConfig):
    kind = "test/warm"
    temperature: float = 0.5
    level: int = 1

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"x": np.array([self.temperature])})


@dataclass(frozen=True, kw_only=True)
class Several(RunConfig):
    kind = "test/several"
    temperatures: tuple[float, ...] = field(default=(0.1, 0.2), metadata=also("temperature"))
    depth: int = 2

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"x": np.array(self.temperatures)})


def reading(name: str, wrong: str) -> Claim:
    return Claim(
        id=f"of-{name}",
        locus="",
        statement="",
        subject=lambda runs: runs[name].column("x").max(),
        wrong=lambda runs: runs[wrong].column("x").min() - 10,
        parts=Part(float, at_least(0.0)),
    )


EXPERIMENT = Experiment(
    title="",
    runs=lambda scale: {"warm": Warm(level=scale.pick(smoke=1, laptop=2, paper=3)), "several": Several()},
    claims=(reading("warm", "several"), reading("several", "warm")),
    draw=lambda runs: Artefact(None, {}, "nothing"),
    id="test/one",
)
SMOKE = Scale("smoke")


def under(store: Store, **changes: str) -> Any:
    (found,) = evaluate([Selection(EXPERIMENT, EXPERIMENT.claims)], SMOKE, store, changes=changes)
    return found


def test_a_key_reaches_the_list_that_means_the_same(store: Store) -> None:
    made = change(EXPERIMENT, SMOKE, {"temperature": "0.3"})
    assert made.touched == ("warm", "several")
    assert made.after["several"] == Several(temperatures=(0.3,))
    assert made.words() == ["changed: temperature = 0.3 (instead of 0.5 or 0.1, 0.2) in the runs 'warm', 'several'"]
    assert path_in(Warm(), "temperatures") is None
    assert {one.claim.id for one in under(store, temperature="0.3").judgements} == {"of-warm", "of-several"}


def test_a_claim_that_no_change_reached_is_left_out_and_says_why(store: Store) -> None:
    found = under(store, temperatures="0.3,0.4")
    assert [one.claim.id for one in found.judgements] == ["of-several"], "the control alone of the other one changed"
    ((claim, why),) = found.left_out
    assert claim.id == "of-warm"
    assert why == "it rests on the run 'warm', which temperatures did not change; did you mean 'temperature'?"
    assert found.head[1:] == ("as before: the run 'warm'", "claims that rest on it: of-several")


def test_the_papers_value_is_named_where_it_is_another() -> None:
    made = change(EXPERIMENT, SMOKE, {"level": "7"})
    assert made.words()[0] == "changed: level = 7 (instead of 1; at the paper's scale 3) in the run 'warm'"


def test_keys_are_set_together_and_a_change_that_is_none_is_refused() -> None:
    made = change(EXPERIMENT, SMOKE, {"level": "2", "depth": "5"})
    assert (made.after["warm"], made.after["several"]) == (replace(Warm(), level=2), Several(depth=5))
    with pytest.raises(UserError, match="changes nothing: the run 'several' has 2 already"):
        change(EXPERIMENT, SMOKE, {"depth": "2"})
    with pytest.raises(UserError, match="did you mean 'depth'"):
        change(EXPERIMENT, SMOKE, {"dept": "2"})


def test_each_key_names_its_own_claims_where_they_differ() -> None:
    made = change(EXPERIMENT, SMOKE, {"level": "2", "depth": "5"})
    reads = {"of-warm": ("warm",), "of-several": ("several",), "new": None}
    assert made.resting(reads) == [
        "claims that rest on level: of-warm, new",
        "claims that rest on depth: of-several, new",
    ]
    assert change(EXPERIMENT, SMOKE, {"level": "2"}).resting({"of-several": ("several",)}) == [
        "claims that rest on it: none"
    ]


def test_runs_remember_what_was_read_of_them(store: Store) -> None:
    found = under(store, level="2")
    assert [one.reads for one in found.judgements] == [("warm",)]
    runs: Runs = found.runs.watched()
    assert runs.read == set()
    assert len(runs.group("warm") if "warm/1" in runs else runs.items()) == 2
    assert runs.read == {"warm", "several"}


def test_the_head_stands_in_the_terminal_in_json_and_on_the_page(cli: Any) -> None:
    words = ("run", "toy/decay", "--set", "rate=0.25", "--scale", "smoke", "--out", "page")
    code, out, _ = cli(*words)
    assert code == 0
    assert out.startswith("changed: rate = 0.25 (instead of")
    assert "claims that rest on it: toy/rate, toy/typo" in out
    assert "Under changed assumptions" in out
    assert "Under changed assumptions" in Path("page/index.html").read_text()
    code, out, _ = cli(*words, "--json")
    assert [row["changed"][0][:23] for row in json.loads(out)] == ["changed: rate = 0.25 (i"] * 2
