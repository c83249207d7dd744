"""Where a rule has no meaning, or a run is too short, no part decides; words say the values they are judged at."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    RunConfig,
    RunContext,
    RunOutput,
    RunResult,
    Runs,
    Scale,
    Seeds,
    TooShort,
    Undecided,
    at_least,
    judge,
    near,
    of_config,
    of_result,
    only,
    several,
    within,
    word,
)
from lemmata.core.registry import Selection
from lemmata.record import claim_digest
from lemmata.record.record_of import record_of
from lemmata.report.evidence_rows import lines
from lemmata.run import Store, evaluate


@dataclass(frozen=True, kw_only=True)
class Noisy(RunConfig):
    kind = "test/noisy"
    alpha: float = 0.5
    steps: int = 100
    sizes: tuple[int, ...] = (8, 80)

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"noise": np.array([self.alpha])})


def noise(run: RunResult) -> float:
    return float(run.column("noise")[0])


@of_result
def trained(run: RunResult) -> Undecided | None:
    return TooShort(f"{run.config.steps} steps") if run.config.steps < 10 else None


def claim(id: str = "c", **more: Any) -> Claim:
    known: dict[str, Any] = {
        "id": id,
        "locus": "",
        "statement": "With noise α = 1/2 and d = 8 (not d = 80) the noise has α.",
        "subject": lambda runs: runs["main"],
        "wrong": lambda runs: RunResult(Noisy(), {"noise": np.array([-9.0])}, {}),
        "parts": {"noise, α = 1/2": Part(noise, at_least(0.4)), "as predicted": Part(noise, near(0.5, atol=0.01))},
        "wording": {
            "α = 1/2": word("α = {}", "main.alpha"),
            "d = 8": lambda configs: f"d = {configs['main'].sizes[0]}",
        },
    }
    return Claim(**(known | more))


def experiment(*claims: Claim, **more: Any) -> Experiment:
    return Experiment(
        title="",
        runs=lambda scale: {"main": Noisy(), "group/1": Noisy()},
        claims=claims,
        draw=lambda runs: Artefact(None, {}, "nothing"),
        id="test/noisy",
        **more,
    )


def under(store: Store, one: Experiment, **changes: str) -> Any:
    (found,) = evaluate([Selection(one, one.claims)], Scale("smoke"), store, changes=changes)
    return found


def test_words_say_the_values_they_are_judged_at(store: Store) -> None:
    one = experiment(claim())
    (judged,) = under(store, one, alpha="0.25", sizes="80,8").judgements
    assert judged.claim.statement == "With noise α = 0.25 and d = 80 (not d = 80) the noise has α."
    assert judged.claim.rule.startswith("noise, α = 0.25: measured >= 0.4")
    assert record_of(judged).measured["noise, α = 0.25"] == 0.25
    (judged,) = under(store, one, steps="50").judgements
    assert judged.claim == one.claims[0]


def test_words_are_no_part_of_the_digest() -> None:
    with_words, without = (claim(wording=wording) for wording in (claim().wording, {}))
    assert claim_digest(experiment(with_words), with_words) == claim_digest(experiment(without), without)


def test_outside_its_setting_no_part_of_a_rule_decides(store: Store) -> None:
    low = within("alpha", "the rule asks for 0.4", least=0.4, below=0.9)
    one = experiment(claim(needs={"main": low}), claim("free"))
    outside, free = under(store, one, alpha="0.25").judgements
    assert (outside.status, free.status) == ("undecided", "fails")
    assert outside.detail == "outside the rule's setting: alpha = 0.25, and the rule asks for 0.4"
    assert outside.reads == ("main",)
    assert record_of(outside).margin is None
    assert under(store, one, alpha="0.45").judgements[0].status == "fails"


def test_outside_its_setting_the_numbers_are_shown_and_not_judged(store: Store) -> None:
    def unthought_of(run: RunResult) -> float:
        raise ZeroDivisionError

    parts = {
        "one": Part(noise, at_least(0.4)),
        "several": Part(
            lambda run: Seeds(np.array([[0.1, 0.3], [0.3, np.nan]])), near(raised, atol=1), along={"T": (1, 2)}
        ),
        "none": Part(unthought_of, at_least(0.0)),
        "infinite": Part(lambda run: np.inf, at_least(np.nan)),
    }
    one = experiment(claim(parts=parts, needs={"main": only("alpha", 0.5, why="it is for one half")}))
    (outside,) = under(store, one, alpha="0.25").judgements
    why = "outside the rule's setting: alpha = 0.25, and it is for one half"
    assert (outside.status, outside.detail, record_of(outside).margin) == ("undecided", why, None)
    shown = {
        line.label: (line.predicted, line.measured, line.margin, line.status) for line in lines(record_of(outside))
    }
    assert shown == {
        "one": ("≥ 0.4", "0.25", "–", "undecided"),
        "several, T = 1": ("–", "0.2, mean of 2 seeds [−1.071, 1.471]", "–", "undecided"),
        "several, T = 2": ("–", "not a number", "–", "undecided"),
        "none": ("–", "cannot be read in this setting (ZeroDivisionError)", "–", "undecided"),
        "infinite": ("–", "∞", "–", "undecided"),
    }


def test_a_run_in_another_setting_or_too_short_gives_numbers_and_one_that_says_nothing_none(store: Store) -> None:
    @of_config
    def half(config: Any) -> Undecided | None:
        return None if config.alpha == 0.5 else OutsideSetting("not one half")

    for one in (experiment(claim(needs={"main": half})), experiment(claim(), needs={"main": half})):
        (outside,) = under(store, one, alpha="0.25").judgements
        assert outside.detail == "outside the rule's setting: not one half"
        assert [line.measured for line in lines(record_of(outside))] == ["0.25", "0.25"]
    both = experiment(claim(needs={"main": half}), needs={"main": trained})
    (outside,) = under(store, both, alpha="0.25", steps="5").judgements
    assert outside.detail == "outside the rule's setting: not one half"
    assert [line.measured for line in lines(record_of(outside))] == ["0.25", "0.25"]
    (short,) = under(store, both, steps="5").judgements
    assert (short.status, short.detail) == ("undecided", "too short a run to say: 5 steps")
    assert [(line.predicted, line.measured, line.status) for line in lines(record_of(short))] == [
        ("≥ 0.4", "0.5", "undecided"),
        ("0.5 ± 0.01", "0.5", "undecided"),
    ]
    unread = experiment(claim(needs={"main": half}), needs={"main": of_result(lambda run: "it knows nothing")})
    (outside,) = under(store, unread, alpha="0.25").judgements
    assert list(lines(record_of(outside))) == []


def test_settings_of_lists_of_groups_and_of_runs_that_are_not_there() -> None:
    runs = Runs({name: RunResult(Noisy(), {"noise": np.array([0.5])}, {}) for name in ("main", "group/1")})
    small = within("sizes", "it is for small ones", below=50)
    assert judge(claim(needs={"group": small}), runs).detail.endswith("sizes = 80, and it is for small ones")
    assert judge(claim(needs={"elsewhere": small}), runs).status == "holds"
    of_half = only("alpha", 0.5, why="it is for one half")
    assert judge(claim(needs={"main": of_half}), runs).status == "holds"
    assert of_half.why(Noisy(alpha=0.2)) == "alpha = 0.2, and it is for one half"
    assert several("sizes", "two are compared").why(Noisy(sizes=(8,))) == "sizes = 8 alone, and two are compared"
    assert several("sizes", "two are compared")(Noisy()) is None
    both = judge(claim(needs={"main": (of_half, small)}), runs)
    assert both.detail == "outside the rule's setting: sizes = 80, and it is for small ones"


def raised(of: Any) -> float:
    raise OutsideSetting("why")


@pytest.mark.parametrize("error", [OutsideSetting, TooShort])
def test_a_reading_or_a_target_can_say_so_too(error: type[Undecided]) -> None:
    def raised(of: Any) -> float:
        raise error("why")

    runs = Runs({"main": RunResult(Noisy(), {"noise": np.array([0.0])}, {})})
    fails = Part(noise, at_least(0.4))
    for other in (Part(raised, at_least(0.0)), Part(noise, at_least(raised))):
        judged = judge(claim(parts={"fails": fails, "other": other}), runs)
        assert (judged.status, judged.detail) == ("undecided", error("why").reason)


def test_too_short_is_one_gate_for_every_claim_that_reads_the_run(store: Store) -> None:
    elsewhere = claim("elsewhere", subject=lambda runs: runs["group/1"])
    one = experiment(claim(), claim("second", parts=Part(noise, at_least(0.0))), elsewhere, needs={"main": trained})
    first, second, third = under(store, one, steps="5").judgements
    assert first.detail == second.detail == "too short a run to say: 5 steps"
    assert third.status == "holds"
    gated = experiment(elsewhere, needs={"group": trained})
    assert under(store, gated, steps="5").judgements[0].status == "undecided"


def test_what_is_not_a_number_under_a_change_is_undecided_without_a_warning(store: Store) -> None:
    def empty(run: RunResult) -> float:
        return float(run.column("noise")[:0].mean())

    one = experiment(claim(parts=Part(empty, at_least(0.0))))
    (judged,) = under(store, one, alpha="0.25").judgements
    assert (judged.status, judged.detail) == ("undecided", "what was measured is not a finite number")
    with pytest.raises(RuntimeWarning):
        evaluate([Selection(one, one.claims)], Scale("smoke"), store)


def test_a_run_that_failed_is_outside_no_setting() -> None:
    bound = claim(needs={"main": only("steps", 100, why="the rule was written for it")})
    judgement = judge(bound, Runs({}, Scale("smoke"), failed={"main": "it raised"}))
    assert judgement.status == "undecided"
    assert "could not be computed: it raised" in judgement.detail
