"""Watch: numbers that a run records on its way, beside what the rule of a claim asks of them in the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import RunConfig, RunResult, Runs, Scale, Seeds, at_least, at_most, near
from lemmata.core.rule import Rule
from lemmata.serve.question import Question


@dataclass(frozen=True)
class LiveRule:
    """What the part of a claim asks of one number, as far as settings alone tell it."""

    claim: str
    part: str
    rule: Rule
    expected: float

    def of(self, now: np.ndarray) -> dict[str, Any]:
        """As the page shows it: the band, and the verdict of this part, were the run to end here."""
        return {
            "claim": self.claim,
            "part": self.part,
            "rule": self.rule.describe(),
            "predicted": self.expected if isinstance(self.rule, near) else None,
            "band": between(self.rule, self.expected),
            "status": self.rule(self.expected, Seeds(now)).status,
            "now": float(now.mean()),
        }


def rules_of(question: Question, digest: str) -> dict[str, LiveRule]:
    """What claims ask of the rows of the run with this digest, by row."""
    configs = question.configs
    names = [name for name, config in configs.items() if config.digest == digest]
    claims = {claim.id.rpartition("/")[2]: claim for claim in question.selection.experiment.claims}
    found = {}
    for follow in question.selection.experiment.live.follows:
        claim = claims[follow.claim]
        rule = claim.named_parts()[follow.part].rule
        expected = _expected(rule, configs, Scale(question.scale))
        if follow.run in names and expected is not None and between(rule, expected):
            found[follow.row] = LiveRule(claim.id, follow.part, rule, expected)
    return found


def between(rule: Rule, expected: float) -> tuple[float | None, float | None] | None:
    """The values that a rule of one number wants; None at a side: any. None: no such rule."""
    if isinstance(rule, near):
        room = rule.atol + rule.rtol * abs(expected)
        return expected - room, expected + room
    if isinstance(rule, at_least):
        return expected - rule.slack, None
    return (None, expected + rule.slack) if isinstance(rule, at_most) else None


def _expected(rule: Rule, configs: Mapping[str, RunConfig], scale: Scale) -> float | None:
    """The target, where settings alone tell it: nothing is measured yet."""
    try:
        expected = rule.expected(Runs({name: RunResult(config, {}, {}) for name, config in configs.items()}, scale))
        return float(expected) if np.ndim(expected) == 0 else None
    except Exception:  # of whatever kind: this target needs what the runs will have measured
        return None
