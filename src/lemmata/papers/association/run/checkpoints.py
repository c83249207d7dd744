"""A model along its training: what it says after fixed prompts at each checkpoint, whole, cut, and at random cut.

Checkpoints are revisions of a hub model (`step512`, as Pythia's are called), or folders in a folder (`step-512`, as
`lemmata lm pretrain` writes them). Public ones are known to serve wrong weights under some names: all weights' hashes
are part of the run's digest, and two steps with the same weights are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lemmata.core import Count, Natural, RunConfig, RunContext, RunOutput, Share, Some, UserError, require
from lemmata.lm.edit import Edit, edited
from lemmata.lm.keep import Largest, RandomSubspace
from lemmata.lm.model import LanguageModel, load
from lemmata.lm.roles import Role
from lemmata.lm.source import weights_hash
from lemmata.papers.association.probe.logits import single_token
from lemmata.papers.association.run._questions import LongTable, Questions, Reader, about_facts, about_people, encoder
from lemmata.papers.association.task.language.facts import MADRID, TABLE_5
from lemmata.papers.association.task.language.ioi import sentences
from lemmata.papers.association.task.language.sentences import PREPOSITIONS, SENTENCES

EDITS = ("full", "truncated", "random")
NO_ANSWER = {"answer": "Spain", "the": "the"}  # where there is none, a word is read in its place as a control
Prompts = Literal["ioi", "madrid", "facts", "prepositions", "sentences"]
POWERS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)  # Pythia's early checkpoints


def checkpoint_of(model: str, step: int) -> tuple[str, str | None]:
    """Name and revision by which `lemmata.lm` finds a model's checkpoint."""
    folder = Path(model).expanduser()
    return (str(folder / f"step-{step}"), None) if folder.is_dir() else (model, f"step{step}")


def hashes_of(model: str, steps: Sequence[int]) -> tuple[str, ...]:
    """Of the weights at each step; refused where two are the same."""
    found: dict[str, int] = {}
    for step in steps:
        weights = weights_hash(*checkpoint_of(model, step))
        if weights in found:
            raise UserError(
                f"{model}: steps {found[weights]} and {step} have the same weights, so one of them is wrong"
            )
        found[weights] = step
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Checkpoints(RunConfig):
    """Probabilities and ranks of words after each prompt at each checkpoint: of the model whole, cut, randomly cut."""

    kind = "association/checkpoints"
    version = 2

    model: str = "EleutherAI/pythia-1b"
    steps: Some[Natural] = (*POWERS, 1000, 2000, 4000, 8000, 14000, 32000, 64000, 143000)
    prompts: Prompts = "ioi"
    count: Count = 100  # of IOI sentences, in the printed one's words; the other sets are as the paper prints them
    matrix: Role = "mlp in"
    layer: Natural = 0  # counted from 1; 0: nothing is cut
    rank: Share = 0.0  # of the full rank
    seed: Natural = 0
    device: str = "cpu"

    def cross_check(self) -> None:
        require(len(set(self.steps)) == len(self.steps), "steps", self.steps, "all different")
        require(self.layer == 0 or self.rank > 0, "rank", self.rank, "above 0 where a layer is cut")

    def lacks(self) -> str | None:
        try:
            hashes_of(self.model, self.steps)
        except UserError as error:
            return str(error)
        return None

    def input_hashes(self) -> tuple[str, ...]:
        return hashes_of(self.model, self.steps)

    def execute(self, context: RunContext) -> RunOutput:
        table = LongTable()
        for done, step in enumerate(self.steps, start=1):
            name, revision = checkpoint_of(self.model, step)
            model = load(name, revision=revision, device=self.device)
            questions = self.questions(model)
            read = Reader(model, questions)
            for place, cut in enumerate(self.cuts()):
                with edited(model, *cut):
                    logits = model.last_logits(questions.prompts)
                table.add(read(logits) | read.ranks(logits), step=step, edit=place)
            context.progress("checkpoints", done, len(self.steps))
        return RunOutput(table.columns())

    def cuts(self) -> tuple[tuple[Edit, ...], ...]:
        """In the order of EDITS; the whole model alone where nothing is cut."""
        if not self.layer:
            return ((),)
        keeps = (Largest(self.rank), RandomSubspace(self.rank, self.seed))
        return ((), *((Edit(self.layer, self.matrix, keep),) for keep in keeps))

    def questions(self, model: LanguageModel) -> Questions:
        if self.prompts == "ioi":
            single = single_token(encoder(model))
            return about_people(
                sentences(self.count, seed=self.seed, half="judge", is_single_token=single, printed=True)
            )
        if self.prompts in ("madrid", "facts"):
            return about_facts((MADRID,) if self.prompts == "madrid" else TABLE_5)
        prompts = tuple(PREPOSITIONS if self.prompts == "prepositions" else SENTENCES)
        return Questions(prompts, {name: (word,) * len(prompts) for name, word in NO_ANSWER.items()})
