"""A language model truncated as the paper says: given matrix, layers and ranks, before the paper's own prompts."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np

from lemmata.core import Bound, Count, Natural, RunContext, RunOutput, Some
from lemmata.lm.keep import Largest, count_of
from lemmata.lm.model import LanguageModel
from lemmata.lm.roles import Matrix, Role
from lemmata.lm.run import LanguageModelRun
from lemmata.papers.association.probe.logits import single_token
from lemmata.papers.association.run._cutting import Counter, bench, removals, subspaces
from lemmata.papers.association.run._questions import LongTable, Questions, about_facts, about_people, encoder
from lemmata.papers.association.task.language.facts import MADRID, TABLE_5
from lemmata.papers.association.task.language.halves import HALVES
from lemmata.papers.association.task.language.ioi import PAPERS_SENTENCE, Sentence, sentences

Prompts = Literal["madrid", "table 5", "ioi", "mary", "john"]
EXCHANGED = Sentence(  # the paper's sentence with the other one acting
    prompt=PAPERS_SENTENCE.prompt.replace(", John", ", Mary"), io="John", s="Mary", io_first=False
)


@dataclass(frozen=True, kw_only=True)
class FixedTruncation(LanguageModelRun):
    """Probabilities (and the whole model's ranks) of answer, "the" and other words, before and after each cut."""

    kind = "association/fixed-truncation"
    version = 2

    task: Prompts = "madrid"
    sentences: Annotated[int, Bound(least=2)] = 100  # of IOI: half with the names of either half
    templates: Literal["printed", "ours"] = "printed"  # of IOI: the paper's one, or eight of ours
    seed: Natural = 0
    words: tuple[str, ...] = ()  # read after every prompt, beside the answer and "the"
    matrix: Role = "mlp in"
    layers: Some[Count] = (16,)
    shares: Some[Annotated[float, Bound(above=0, most=1)]] = (0.0125,)  # of the rank kept
    subspaces: Count = 3  # random ones of the same rank: the control

    def execute(self, context: RunContext) -> RunOutput:
        model, table = self.loaded(), LongTable()
        questions = self._questions(model)
        on = bench(model, questions, self.layers)
        ranks = on.read.ranks(model.last_logits(questions.prompts))
        counter = Counter(context.progress, "cuts", len(self.layers) * len(self.shares) * (3 + self.subspaces))
        table.add(on.whole | ranks, edit="whole", layer=0, share=1.0, rank=0, subspace=-1)
        missing = {name: np.zeros(len(questions.prompts), int) for name in ranks}  # of the whole model alone
        for layer in self.layers:
            full = min(Matrix(layer, self.matrix).get(model.network).shape)
            for share in self.shares:
                where = {"layer": layer, "share": share, "rank": count_of(share, full)}
                table.add(on.cut(layer, self.matrix, Largest(share)) | missing, edit="cut", **where, subspace=-1)
                counter.one()
                for name, keep in removals(share).items():
                    table.add(on.cut(layer, self.matrix, keep) | missing, edit=name, **where, subspace=-1)
                    counter.one()
                for number, keep in subspaces(share, self.subspaces, self.seed):
                    cut = on.cut(layer, self.matrix, keep)
                    table.add(cut | missing, edit="random", **where, subspace=number)
                    counter.one()
        return RunOutput(table.columns())

    def _questions(self, model: LanguageModel) -> Questions:
        if self.task in ("madrid", "table 5"):
            found = about_facts((MADRID,) if self.task == "madrid" else TABLE_5)
        elif self.task == "ioi":
            single, (first, second) = single_token(encoder(model)), HALVES
            some = partial(sentences, seed=self.seed, is_single_token=single, printed=self.templates == "printed")
            count = self.sentences // 2
            found = about_people((*some(count, half=first), *some(self.sentences - count, half=second)))
        else:
            found = about_people((PAPERS_SENTENCE if self.task == "mary" else EXCHANGED,))
        return Questions(found.prompts, {**found.words, **{word: (word,) * len(found.prompts) for word in self.words}})
