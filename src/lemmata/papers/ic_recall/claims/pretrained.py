"""Section 2.1: does a pre-trained memory behave like the constructed one; what parts them, and what EoS is for."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import bijections
from lemmata.papers.ic_recall.run.ways_to_pretrain import WaysToPretrain
from lemmata.report import plots

USUAL, DECAYED = "as in Figure 4", "with weight decay"
CHANGES = ("none", "residual doubled", "EoS masked")
UNSEEN = "what was never shown"


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    usual = WaysToPretrain(
        world=bijections(sizes.PRETRAINED_WORLD.at(scale)),
        seeds=sizes.seeds(sizes.WAYS_SEEDS, scale),
        **sizes.WAYS_BASE.at(scale),
    )
    ways: dict[str, core.RunConfig] = {
        f"way/{name}": replace(usual, **changed) for name, changed in sizes.WAYS.at(scale).items()
    }
    seeds = sizes.seeds(sizes.EOS_SEEDS, scale)
    ways[f"way/{DECAYED}"] = replace(usual, **sizes.WAYS.at(scale)[DECAYED], seeds=seeds)
    ways[f"way/{USUAL}"] = more = replace(usual, seeds=seeds, changes=CHANGES)
    return ways | {"constructed": replace(more, memory="constructed"), "untrained": replace(usual, memory="untrained")}


@core.of_result
def _stored(run: core.RunResult) -> core.Undecided | None:
    """Why a run cannot say how a memory behaves: it has not learned its facts."""
    known = float(np.min(run.metrics["recalled"]))
    if known < 1:
        return core.TooShort(f"after pre-training argmax decoding recalls {known:.2f} of the facts of some seed")
    return None


STORED = {f"way/{name}": _stored for name in (USUAL, DECAYED)}


def _test(run: core.RunResult, step: str, without: str = "nothing", change: str = "none") -> np.ndarray:
    """Test accuracy seed by seed."""
    return np.asarray(run.column(f"{step}, without {without}", change=change), float)


def _best(runs: core.Runs, step: str) -> core.Seeds:
    """Of the way to pre-train that is best on average, over what the constructed memory reaches, seed by seed."""
    return core.Seeds(max((_share(runs, run, step) for run in runs.group("way").values()), key=np.mean))


def _share(runs: core.Runs, run: core.RunResult, step: str) -> np.ndarray:
    """Of what the constructed memory reaches, seed by seed; of two runs the seeds that both have."""
    found, best = _test(run, step), _test(runs["constructed"], step)
    both = min(len(found), len(best))
    return found[:both] / best[:both]


class Both(NamedTuple):
    """Of both decoding steps."""

    first: core.Seeds
    second: core.Seeds


def _by_way(runs: core.Runs) -> str:
    shares = {name: _share(runs, run, "first").mean() for name, run in runs.group("way").items()}
    words = ", ".join(f"{name} {share:.2f}" for name, share in sorted(shares.items(), key=lambda item: -item[1]))
    return (
        f"First step, over the constructed memory's: {words}. "
        "'Similarly' is taken as nine tenths. The control is the untrained memory, fine-tuned alike."
    )


SIMILAR = core.Claim(
    id="pretrained-similar",
    locus="Section 2.1, construction of the MLP associative memory; Section 5",
    statement="Pre-trained MLPs behave similarly to our constructed MLP on the IC-recall task. Judged after the same "
    "fine-tuning of all of $W^{KQ}$ by Adam: with the best of several ways to pre-train, test accuracy at both steps "
    "is at least nine tenths of the constructed memory's.",
    protocol=core.Protocol(
        ours="width, loss, temperature and steps of pre-training; the number of sequences",
        why="the paper gives none of them; several of each are tried and the best is judged",
    ),
    needs=STORED,
    subject=lambda runs: Both(_best(runs, "first"), _best(runs, "second")),
    wrong=lambda runs: Both(*(core.Seeds(_share(runs, runs["untrained"], step)) for step in ("first", "second"))),
    parts={
        "first step": core.Part(lambda both: both.first, core.at_least(0.9, over_seeds=True)),
        "second step": core.Part(lambda both: both.second, core.at_least(0.9, over_seeds=True)),
    },
    remark=_by_way,
)


def _gain(run: core.RunResult, without: str) -> np.ndarray:
    """Of first-step accuracy, in units of the best possible, when these answers are taken out."""
    return (_test(run, "first", without) - _test(run, "first")) / run.column("ceiling", change="none")


def _less(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    both = min(len(one), len(other))
    return one[:both] - other[:both]


WHY = core.Claim(
    id="pretrained-unseen",
    locus="beyond the paper: why a pre-trained memory is not the constructed one (Section 2.1)",
    statement="A pre-trained memory also answers to pairs of tokens that pre-training never shows: EoS with any token, "
    "two subjects, two answers. At the same attention, without these answers, first-step accuracy is higher by a tenth "
    "of the best possible or more. Weight decay in pre-training makes them smaller.",
    needs=STORED,
    subject=lambda runs: (runs[f"way/{USUAL}"], runs[f"way/{DECAYED}"]),
    wrong=lambda runs: (runs["constructed"], runs["constructed"]),
    parts={
        "gained without": core.Part(
            lambda pair: core.Seeds(_gain(pair[0], UNSEEN)), core.at_least(0.1, over_seeds=True)
        ),
        "more than with weight decay": core.Part(
            lambda pair: core.Seeds(_less(_gain(pair[0], UNSEEN), _gain(pair[1], UNSEEN))),
            core.at_least(0.03, over_seeds=True),
        ),
    },
    remark=lambda runs: (
        "Nothing in pre-training decides these answers: they are left from the start, or come with the width. Without "
        f"EoS alone {_gain(runs[f'way/{USUAL}'], 'EoS').mean():.2f} is gained, without two of a kind "
        f"{_gain(runs[f'way/{USUAL}'], 'two of a kind').mean():.2f}, without the squares, which pre-training shows, "
        f"{_gain(runs[f'way/{USUAL}'], 'squares').mean():.2f}. The control is the constructed memory, which does not "
        "answer to them."
    ),
)


class EosUse(NamedTuple):
    """What the second step does with EoS, and whose content is taken out."""

    run: core.RunResult
    content: str = "EoS"

    def lost_with_content(self) -> core.Seeds:
        """Second-step accuracy lost when the memory is not shown the token, at the same attention."""
        return core.Seeds(np.abs(_test(self.run, "second") - _test(self.run, "second", self.content)))

    def lead(self, change: str) -> np.ndarray:
        """EoS's attention over that of an in-context answer."""
        on_eos, on_answers = (self.run.column(name, change=change) for name in ("on EoS", "on answers"))
        return np.asarray(on_eos / on_answers, float)

    def lead_lost(self) -> core.Seeds:
        """As in the paper, over the same with the residual doubled in fine-tuning."""
        return core.Seeds(self.lead("none") / self.lead("residual doubled"))

    def worse_masked(self) -> core.Seeds:
        """Second-step test loss with EoS masked all through fine-tuning, over that with EoS."""
        masked, free = (self.run.column("second_nll", change=change) for change in ("EoS masked", "none"))
        return core.Seeds(np.asarray(masked / free, float))


BALANCE = core.Claim(
    id="pretrained-eos",
    locus="Section 5, on Figure 4",
    statement="As the EoS token does not contain any information, we believe the transformer uses it as a way to "
    "balance the coefficient between the attention to $s_3$ and the residual connection to $r^*$. Judged by "
    "intervention at the second step: the content of EoS taken out; the residual doubled in fine-tuning; EoS masked "
    "in fine-tuning.",
    protocol=core.Protocol(ours="the interventions, and how the memory is pre-trained", why="the paper has a belief"),
    needs=STORED,
    subject=lambda runs: EosUse(runs[f"way/{USUAL}"]),
    wrong=lambda runs: EosUse(runs["constructed"], "the query subject"),
    parts={
        "accuracy lost without its content": core.Part(EosUse.lost_with_content, core.at_most(0.03, over_seeds=True)),
        "EoS over answers, over that with the residual doubled": core.Part(
            EosUse.lead_lost, core.at_least(1.25, over_seeds=True)
        ),
        "test loss masked, over not": core.Part(EosUse.worse_masked, core.at_least(1.1, over_seeds=True)),
    },
    remark="Attention sums to 1, so what goes to EoS is taken from what stands beside the residual. The control is the "
    "constructed memory, where EoS gets no more than an answer, and the content of the query subject taken out.",
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, right) = plots.new_figure(1, 2, width=11)
    ways, shown = runs.group("way"), {"nothing": "as it is", UNSEEN: "without what was never shown"}
    places = np.arange(len(ways))
    for shift, colour, (without, label) in zip((-0.2, 0.2), plots.CYCLE, shown.items(), strict=False):
        heights = [
            (_test(run, "first", without) / run.column("ceiling", change="none")).mean() for run in ways.values()
        ]
        left.barh(places + shift, heights, 0.4, color=colour, label=label)
    best = float((_test(runs["constructed"], "first") / runs["constructed"].column("ceiling", change="none")).mean())
    left.axvline(best, color="black", linestyle="--", linewidth=1, label="constructed memory")
    left.set_yticks(places, list(ways))
    left.set(xlabel="first-step accuracy over the best possible", xlim=(0, 1.05))
    plots.legend(left)
    for name, label in ((f"way/{USUAL}", "pre-trained"), ("constructed", "constructed")):
        found = EosUse(runs[name])
        right.plot((1, 2), [found.lead(change).mean() for change in CHANGES[:2]], "o-", label=label)
    plots.ceiling(right, 1.0, "no more than an answer")
    right.set(xlabel="weight of the residual in fine-tuning", ylabel="attention on EoS / on an answer", xticks=(1, 2))
    plots.legend(right)
    plots.letter((left, right))
    config = runs[f"way/{USUAL}"].config
    caption = (
        f"|S| = {config.world.n}, |R| = {config.world.relations}, T = {config.temperature:g}, {config.sequences} "
        f"sequences, {len(config.seeds)} seeds. (a) Test accuracy of the relation after fine-tuning on memories "
        "pre-trained in several ways, and at the same attention without the answers to pairs that pre-training never "
        "shows. (b) Second step: the attention on EoS, with the residual as in the paper and doubled."
    )
    return core.Artefact(figure, _table(runs), caption)


def _table(runs: core.Runs) -> dict[str, list[Any]]:
    return plots.joined([{"run": [name] * len(run.metrics["seed"]), **run.metrics} for name, run in runs.items()])


EXPERIMENT = core.Experiment(
    title="A pre-trained memory beside the constructed one", runs=_runs, claims=(SIMILAR, WHY, BALANCE), draw=draw
)
