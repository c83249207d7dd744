"""A small model of ours along its training: "the" after a preposition, the name that followed it before, and cuts.

At every checkpoint one MLP input matrix is cut. Which, and to what share of its rank, is chosen on one half of the
prompts: the cut that raises the name against "the" most, of those that do not lower the name. All that is read is of
the other half, which shares no name and no piece of text with the first.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lemmata.core import Count, Inside, Natural, RunConfig, RunContext, RunOutput, Some, UserError
from lemmata.lm.edit import Edit, edited
from lemmata.lm.hashing import hash_file
from lemmata.lm.keep import Keep, Largest, RandomSubspace
from lemmata.lm.model import LanguageModel, load
from lemmata.lm.place import cache_folder
from lemmata.lm.pretrain import HELD_OUT, RECIPE
from lemmata.lm.roles import Role
from lemmata.papers.association.probe.logits import single_token
from lemmata.papers.association.run._questions import LongTable, Questions, Reader, encoder
from lemmata.papers.association.run.checkpoints import checkpoint_of, hashes_of
from lemmata.papers.association.task.language.halves import HALVES
from lemmata.papers.association.task.language.repeats import Repeat, repeats

EDITS = ("full", "cut", "random", "dropped")
WORDS = ("name", "absent", "the")
MATRIX: Role = "mlp in"


@dataclass(frozen=True, kw_only=True)
class OwnTraining(RunConfig):
    """Probabilities of the name, an absent one and "the" at each checkpoint of a small model of ours, whole and cut."""

    kind = "association/own-training"
    version = 2

    root: str = ""  # where `text` and `shuffled` lie; "": in the folder of kept models, under `trained`
    trained: Literal["text", "shuffled"] = "text"
    shares: Some[Inside] = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # of the full rank, to choose from
    most: Count = 200  # prompts in a half
    seed: Natural = 0
    device: str = "cpu"

    @property
    def folder(self) -> Path:
        return (Path(self.root).expanduser() if self.root else cache_folder() / "trained") / self.trained

    @property
    def steps(self) -> tuple[int, ...]:
        """Those that its recipe lists."""
        about = json.loads((self.folder / RECIPE).read_text())
        return tuple(int(name.removeprefix("step-")) for name in about["sha256"])

    def lacks(self) -> str | None:
        if not (self.folder / RECIPE).is_file():
            more = " --shuffled" if self.trained == "shuffled" else ""
            return (
                f"no checkpoints in {self.folder}: `lemmata lm pretrain --text FILE --out {self.folder}{more}` "
                "makes them (minutes on a GPU)"
            )
        try:
            self.input_hashes()
        except (UserError, ValueError, KeyError, OSError) as error:
            return f"{self.folder} is damaged: {error}"
        return None

    def input_hashes(self) -> tuple[str, ...]:
        return (hash_file(self.folder / HELD_OUT), *hashes_of(str(self.folder), self.steps))

    def execute(self, context: RunContext) -> RunOutput:
        text = (self.folder / HELD_OUT).read_text(encoding="utf-8")
        single = single_token(encoder(load(checkpoint_of(str(self.folder), self.steps[0])[0])))
        choose, judge = (
            repeats(text, seed=self.seed, half=half, is_single_token=single, most=self.most) for half in HALVES
        )
        table, chosen = LongTable(), []
        for done, step in enumerate(self.steps, start=1):
            model = load(checkpoint_of(str(self.folder), step)[0], device=self.device)
            layer, share = self.choice(model, choose)
            chosen.append((step, layer, share))
            keeps: dict[str, Keep] = {
                "cut": Largest(share),
                "random": RandomSubspace(share, self.seed),
                "dropped": Largest(0),
            }
            for place, name in enumerate(EDITS):
                with edited(model, *([Edit(layer, MATRIX, keeps[name])] if name in keeps else [])):
                    table.add(probabilities(model, judge), step=step, edit=place)
            context.progress("checkpoints", done, len(self.steps))
        return RunOutput(table.columns(), {"chosen": np.array(chosen, float)})

    def choice(self, model: LanguageModel, passages: Sequence[Repeat]) -> tuple[int, float]:
        """Layer and share. Where every cut lowers the name: the one that lowers it least."""
        whole = probabilities(model, passages)
        found = []
        for layer in range(1, model.layers + 1):
            for share in self.shares:
                with edited(model, Edit(layer, MATRIX, Largest(share))):
                    cut = probabilities(model, passages)
                kept = cut["name"].mean() >= whole["name"].mean()
                gain = float(np.mean(np.log(cut["name"]) - np.log(cut["the"])))
                found.append((kept, gain if kept else cut["name"].mean(), layer, share))
        _, _, layer, share = max(found)
        return layer, share


def probabilities(model: LanguageModel, passages: Sequence[Repeat]) -> dict[str, np.ndarray]:
    """Of the name, of the absent one, and of "the", after each prompt."""
    words = {"name": tuple(one.name for one in passages), "absent": tuple(one.absent for one in passages)}
    questions = Questions(tuple(one.prompt for one in passages), words | {"the": ("the",) * len(passages)})
    read = Reader(model, questions)(model.last_logits(questions.prompts))
    return {name: values.astype(np.float64) for name, values in read.items()}
