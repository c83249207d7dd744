"""Which questions of GSM8K a model answers rightly: whole, with one matrix cut, and with a random subspace kept.

What the paper leaves open. The examples: it says "few-shot chain of thought"; here they are the first questions of the
test file, with the solutions of its authors, and are asked at no number of shots, so all cells have the same questions.
The format and the scoring: those of lm-evaluation-harness, the number after "####".
"""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, Inside, Natural, RunConfig, RunContext, RunOutput, Share, UserError, require
from lemmata.lm.data import find
from lemmata.lm.edit import Edit, edited
from lemmata.lm.embedded import DEFAULT
from lemmata.lm.extra import LIBRARIES, library
from lemmata.lm.hashing import hash_file
from lemmata.lm.keep import Largest, RandomSubspace
from lemmata.lm.model import load
from lemmata.lm.roles import Role
from lemmata.lm.source import weights_hash
from lemmata.papers.association.probe.harness import OWN_LENGTH, Scored, score_gsm8k
from lemmata.papers.association.task.language.gsm8k import GSM8K, problems

MOST_SHOTS = 8  # so many questions are examples, whatever the number of shots
EDITS = ("full", "truncated", "random")
DEPTH = 27 / 32  # of the layer that is cut in the paper's Llama: where other models have it, unless told


@dataclass(frozen=True, kw_only=True)
class Gsm8kAnswers(RunConfig):
    """Whether each question of GSM8K is answered rightly: by the model whole, with one matrix cut, and randomly cut."""

    kind = "association/gsm8k-answers"

    model: str = DEFAULT
    revision: str = ""  # "": the newest that is here
    device: str = "cpu"
    matrix: Role = "mlp out"
    layer: Natural = 0  # counted from 1; 0: as deep as the paper's, 27 of 32
    rank: Inside = 0.02
    shots: Natural = 1
    questions: Natural = 0  # 0: all that are not examples
    worth: Share = 0.05  # a whole model that answers a smaller share rightly is not cut: nothing could be told
    most_tokens: Count = OWN_LENGTH
    batch: Count = 8

    def cross_check(self) -> None:
        require(self.shots <= MOST_SHOTS, "shots", self.shots, f"at most {MOST_SHOTS}")

    def lacks(self) -> str | None:
        try:
            weights_hash(self.model, self.revision or None)
            find(GSM8K)
        except UserError as error:
            return str(error)
        return None

    def input_hashes(self) -> tuple[str, ...]:
        return weights_hash(self.model, self.revision or None), hash_file(find(GSM8K))

    def execute(self, context: RunContext) -> RunOutput:
        for name in LIBRARIES:
            library(name)
        held = problems()
        examples, evaluated = held[:MOST_SHOTS], held[MOST_SHOTS:]
        require(self.questions <= len(evaluated), "questions", self.questions, f"at most {len(evaluated)}")
        evaluated = evaluated[: self.questions or None]
        model = load(self.model, revision=self.revision or None, device=self.device)
        layer = self.layer or max(1, round(DEPTH * model.layers))
        keeps = {"truncated": Largest(self.rank), "random": RandomSubspace(self.rank, self.replication)}
        found: dict[str, Scored] = {}
        for name in EDITS:
            if found and found["full"].strict.mean() < self.worth:
                break
            with edited(model, *([Edit(layer, self.matrix, keeps[name])] if name in keeps else [])):
                found[name] = score_gsm8k(
                    model,
                    evaluated,
                    shots=self.shots,
                    examples=examples,
                    most_tokens=self.most_tokens,
                    batch=self.batch,
                    progress=lambda done, total, name=name: context.progress(name, done, total),
                )
        table = {
            "edit": np.repeat(np.arange(len(found)), len(evaluated)),
            "question": np.tile(np.arange(len(evaluated)), len(found)),
            "strict": np.concatenate([one.strict for one in found.values()]),
            "flexible": np.concatenate([one.flexible for one in found.values()]),
        }
        about = {**recorded(found["full"]), "layer": str(layer)}
        return RunOutput(table, {name: as_bytes(text) for name, text in about.items()})


def recorded(found: Scored) -> dict[str, str]:
    """Versions and hashes by which the numbers can be had again."""
    versions = {f"version of {name}": text for name, text in found.versions.items()}
    return versions | {f"sha256 of {name}": text for name, text in found.hashes.items()}


def as_bytes(text: str) -> np.ndarray:
    """A text as the store keeps arrays; `bytes(array).decode()` reads it."""
    return np.frombuffer(text.encode(), np.uint8)
