"""Which singular directions of a language model's matrix carry "the": each is removed alone, then the found ones."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from lemmata.core import (
    Bound,
    Count,
    Inside,
    Natural,
    Positive,
    RunContext,
    RunOutput,
    Several,
    Some,
    named_generator,
    require,
)
from lemmata.lm.edit import Edit, edited
from lemmata.lm.keep import Largest, Without
from lemmata.lm.model import LanguageModel
from lemmata.lm.roles import Matrix, Role
from lemmata.lm.run import LanguageModelRun
from lemmata.lm.spectra import spectrum
from lemmata.lm.upper import Upper
from lemmata.papers.association.probe.gains import best
from lemmata.papers.association.probe.writing import LastTokens, pointer
from lemmata.papers.association.run._cutting import Bench, Counter, bench, upper_layers
from lemmata.papers.association.run._questions import LongTable, Questions, Reader, both_halves
from lemmata.papers.association.task.language.halves import HALVES, Half


@dataclass(frozen=True, kw_only=True)
class NoiseDirections(LanguageModelRun):
    """Facts, as asked in `ChosenTruncation`. The layer is chosen on one half of the prompts, and so are directions."""

    kind = "association/noise-directions"

    prompts: Several = 50  # of each half; of facts there are about fifty
    matrix: Role = "mlp in"
    layer: Count | None = None  # None: the one of the largest answer/"the" by truncation, on `chosen_on`
    upper: Annotated[float, Bound(above=0, most=1)] = 0.5  # share of the layers among which it is chosen
    shares: Some[Inside] = (0.02, 0.2, 0.5, 0.8, 0.95)  # of the rank kept, where it is chosen
    keeps: Positive = 0.9  # a cut may be chosen if the answer keeps so large a share of its probability
    every: Count = 1  # every so many directions is looked at, from the smallest singular value on
    counts: Some[Count] = (1, 3, 10)  # of directions removed together
    draws: Count = 4  # of as many other directions, at random
    other: str = "because"  # a word that does not follow the prompts: the control of the unembedding
    seed: Natural = 0
    chosen_on: Half = "choose"
    judged_on: Half = "judge"

    def cross_check(self) -> None:
        require(self.chosen_on != self.judged_on, "judged_on", self.judged_on, "another half than chosen_on")
        require(len(set(self.counts)) == len(self.counts), "counts", self.counts, "all different")

    def execute(self, context: RunContext) -> RunOutput:
        model = self.loaded()
        halves = both_halves(model, "facts", count=self.prompts, seed=self.seed)
        layer = self.layer or self._layer(model, halves[self.chosen_on], context)
        questions, chooses = _joined(halves, self.chosen_on)
        values = spectrum(model, Matrix(layer, self.matrix)).s
        numbers = np.arange(len(values), 0, -self.every)[::-1]  # from 1, the largest first
        found = self._alone(model, questions, layer, numbers, context)
        effect = np.log(_ratio(found, chooses) / _ratio(found["whole"], chooses))
        direct = {word: found[f"push {word}"][:, chooses].mean(axis=1) for word in ("the", "other")}
        table = self._together(model, halves[self.judged_on], layer, numbers, {"effect": effect, **direct}, context)
        energy, coordinates = found["energy"], found["coordinates"]
        arrays = {
            "layer": np.array([layer]),
            "directions": numbers,
            "singular": values[numbers - 1].astype(np.float64),
            "chooses": chooses,
            "whole": np.stack([found["whole"]["answer"], found["whole"]["the"]]),
            "alone": np.stack([found["answer"], found["the"]], axis=1),  # [direction, (answer, the), prompt]
            "push": np.stack([found["push the"], found["push other"]], axis=1),
            "overlap": np.stack([found["overlap the"], found["overlap other"]], axis=1),
            "energy": energy,
            "coordinates": coordinates,
        }
        return RunOutput(table, arrays)

    def _layer(self, model: LanguageModel, questions: Questions, context: RunContext) -> int:
        layers = upper_layers(model.layers, self.upper)
        on, cuts = bench(model, questions, layers), [(layer, share) for layer in layers for share in self.shares]
        counter, found = Counter(context.progress, "choose a layer", len(cuts)), []
        for layer, share in cuts:
            found.append(on.cut(layer, self.matrix, Largest(share)))
            counter.one()
        answer, the = (np.stack([one[name] for one in found]) for name in ("answer", "the"))
        chosen = best(answer, the, self.keeps * float(on.whole["answer"].mean()))
        return layers[-1] if chosen is None else cuts[chosen][0]

    def _alone(
        self, model: LanguageModel, questions: Questions, layer: int, numbers: np.ndarray, context: RunContext
    ) -> dict[str, Any]:
        """Every direction removed alone: probabilities, and what it had written, of every prompt."""
        upper, read, last = (
            Upper(model, questions.prompts, layer),
            Reader(model, questions),
            LastTokens(model, questions.prompts),
        )
        pointers = {"the": pointer(model, " the"), "other": pointer(model, f" {self.other}")}
        with last.of_input(model, layer, self.matrix):
            upper.last_logits()
        inputs = last.states().astype(np.float64)
        coordinates = inputs @ spectrum(model, Matrix(layer, self.matrix)).vt[numbers - 1].T.astype(np.float64)
        with last.of_output(model, layer):
            whole = read(upper.last_logits())
        written = last.states()
        rows: dict[str, list[Any]] = {name: [] for name in ("answer", "the")}
        rows |= {f"{what} {name}": [] for what in ("push", "overlap") for name in pointers}
        counter = Counter(context.progress, "one direction at a time", len(numbers))
        for number in numbers:
            with edited(model, Edit(layer, self.matrix, Without((int(number),)))), last.of_output(model, layer):
                readings = read(upper.last_logits())
            lost = written - last.states()
            for name in ("answer", "the"):
                rows[name].append(readings[name])
            for name, one in pointers.items():
                rows[f"push {name}"].append(one.direct_logits(lost))
                rows[f"overlap {name}"].append(one.overlap(lost))
            counter.one()
        found = {name: np.array(values) for name, values in rows.items()}
        energy = (coordinates**2 / (inputs**2).sum(axis=1, keepdims=True)).mean(axis=0)
        return found | {"whole": whole, "coordinates": coordinates, "energy": energy}

    def _together(
        self,
        model: LanguageModel,
        questions: Questions,
        layer: int,
        numbers: np.ndarray,
        scores: dict[str, np.ndarray],
        context: RunContext,
    ) -> dict[str, np.ndarray]:
        """Sets of directions removed together, on the prompts that judge."""
        on, table = bench(model, questions, (layer,)), LongTable()
        table.add(on.whole, by="whole", count=0, draw=0)
        counts = [count for count in self.counts if count < len(numbers)]
        require(bool(counts), "counts", self.counts, f"fewer than the {len(numbers)} directions that are looked at")
        counter = Counter(context.progress, "found directions", len(counts) * (len(scores) + 2 + self.draws))
        for count in counts:
            sets = {by: numbers[np.argsort(-score, kind="stable")[:count]] for by, score in scores.items()}
            sets |= {"largest": numbers[:count], "smallest": numbers[-count:]}
            for by, chosen in sets.items():
                self._remove(on, layer, chosen, table, by=by, count=count, draw=0)
                counter.one()
            rest = np.setdiff1d(numbers, sets["effect"])
            for draw in range(self.draws):
                stream = named_generator(self.seed, "directions", str(count), str(draw))
                chosen = stream.choice(rest, size=min(count, len(rest)), replace=False)
                self._remove(on, layer, chosen, table, by="random", count=count, draw=draw)
                counter.one()
        return table.columns()

    def _remove(self, on: Bench, layer: int, chosen: np.ndarray, table: LongTable, **labels: object) -> None:
        table.add(on.cut(layer, self.matrix, Without(tuple(int(one) for one in chosen))), **labels)


def _joined(halves: dict[Half, Questions], chosen_on: Half) -> tuple[Questions, np.ndarray]:
    """Both halves as one, and which of the prompts choose."""
    parts = [halves[half] for half in HALVES]
    words = {name: tuple(word for part in parts for word in part.words[name]) for name in parts[0].words}
    chooses = np.concatenate(
        [np.full(len(part.prompts), half == chosen_on) for half, part in zip(HALVES, parts, strict=True)]
    )
    return Questions(tuple(prompt for part in parts for prompt in part.prompts), words), chooses


def _ratio(found: dict[str, np.ndarray], prompts: np.ndarray) -> Any:
    return found["answer"][..., prompts].mean(axis=-1) / found["the"][..., prompts].mean(axis=-1)
