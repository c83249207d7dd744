"""Figure 1b: self-training at doubled lengths moves the symmetric action's curve."""

from lemmata.core import SHARE, Artefact, Claim, Experiment, Part, RunResult, Runs, Seeds, Undecided, at_least, rises
from lemmata.papers.lego.claims import _length_curves as curves
from lemmata.papers.lego.claims._length_curves import Model, base, draw_curve, stages
from lemmata.papers.lego.run.length_training import BASE, SHORT, TRUE, length_runs
from lemmata.report.plots import CYCLE, GREY, joined, new_figure

GAIN = 0.4  # of the sentences of the longest test length, from the first model to the last
SHORT_OF = 0.1  # of the sentences may be missing where one curve matches another
STAGES = 3  # of self-training, in section 7
SHIFT = 0.02  # a curve's mean over lengths may fall by so much in one stage


def self_trained(runs: Runs) -> RunResult:
    run = runs["symmetric"]
    if not run.config.stages:
        raise Undecided("the run has no stages of self-training")
    return run


def sequence(runs: Runs, short: bool = False) -> tuple[list[Model], int]:
    """Models one after another, and the longest test length, which no stage has shown."""
    run = self_trained(runs)
    length = run.config.lengths[-1]
    if length < 2 * run.config.stages[-1]:
        raise Undecided(f"the longest test length {length} is not twice that of the last stage")
    first = base(run).at(length)
    if first > 1 - GAIN:
        raise Undecided(f"the first model already answers {first:.2f} at length {length}: nothing to repair")
    longer = Model(run, SHORT, run.config.task.length)  # as many steps as all stages have, at the first length
    return [base(run), longer] if short else stages(run), length


def means(found: tuple[list[Model], int]) -> Seeds:
    return Seeds(curves.paired(*(model.curve().mean(axis=1) for model in found[0])).T, bounds=SHARE)


def gain(found: tuple[list[Model], int]) -> Seeds:
    models, _ = found
    before, after = curves.paired(models[0].longest_by_seed, models[-1].longest_by_seed)
    return Seeds(after - before)


def labels(runs: Runs) -> str:
    run = self_trained(runs)
    shares = run.arrays["labels.sentences"].mean(axis=0)
    return ", ".join(f"{length}: {share:.3f}" for length, share in zip(run.config.stages, shares, strict=True))


def with_true_labels(run: RunResult) -> Model | None:
    """The last model of the same stages on true labels, where the run has it."""
    return Model(run, TRUE, run.config.stages[-1]) if run.config.true_labels else None


def remark(runs: Runs) -> str:
    models, length = sequence(runs)
    supervised = with_true_labels(self_trained(runs))
    moved = " to ".join(f"{model.at(length):.2f}" for model in models)
    beside = f"; true labels give {supervised.at(length):.2f}" if supervised else ""
    return (
        f"The stages move length {length} from {moved}{beside}. "
        f"Sentences whose own labels were all right, by stage: {labels(runs)}; the model learns the wrong ones too."
    )


def _trained_at(runs: Runs) -> list[int]:
    return [model.trained_at for model in stages(self_trained(runs))]


FIGURE_1B = Claim(
    id="fig-1b",
    locus="Section 7, Figure 1b",
    statement="Each stage of self-training at doubled lengths, on labels that the model wrote greedily, moves the "
    "symmetric action's curve to the right. Judged of the share of sentences with all clauses right: its mean over "
    "test lengths stage by stage, and its gain at the longest length, at least twice the last stage's. Control: as "
    "many steps more at the first length.",
    subject=sequence,
    wrong=lambda runs: sequence(runs, short=True),
    parts={
        "mean over lengths, stage by stage": Part(
            means, rises(SHIFT, over_seeds=True), along={"trained up to length": _trained_at}
        ),
        "gain at the longest length": Part(gain, at_least(GAIN, over_seeds=True)),
    },
    remark=remark,
)


def gap(models: tuple[Model, Model]) -> Seeds:
    """From the model that is to be matched, at the longest test length."""
    reached, goal = models
    if (done := len(reached.run.config.stages)) < STAGES:
        short = reached.longest - goal.longest
        raise Undecided(f"{done} of the {STAGES} stages that section 7 has; after them {short:+.2f} is left")
    if goal.longest < curves.FALLEN:
        length = goal.run.config.lengths[-1]
        raise Undecided(f"the simply transitive action itself fails at length {length}: there is nothing to match")
    ours, theirs = curves.paired(reached.longest_by_seed, goal.longest_by_seed)
    return Seeds(ours - theirs)


FIGURE_1B_MATCH = Claim(
    id="fig-1b-match",
    locus="Section 7, Figure 1b and its discussion",
    statement="After three stages of self-training the symmetric action matches the simply transitive one at lengths "
    "far beyond the first. Judged: the difference of the shares of sentences answered at the longest test length. "
    "Control: the symmetric action's first model.",
    subject=lambda runs: (stages(self_trained(runs))[-1], base(runs["transitive"])),
    wrong=lambda runs: (base(self_trained(runs)), base(runs["transitive"])),
    parts=Part(gap, at_least(-SHORT_OF, over_seeds=True)),
)


def draw(runs: Runs) -> Artefact:
    run, goal = self_trained(runs), base(runs["transitive"])
    name, first = run.config.task.action, run.config.task.length
    figure, ax = new_figure(width=6.0, height=3.9)
    tables = []
    for model, colour in zip(stages(run), CYCLE, strict=False):
        label = "before" if model.branch == BASE else f"self-trained to {model.trained_at}"
        tables.append(draw_curve(ax, model, f"{name}, {label}", colour))
        ax.axvline(model.trained_at, color=colour, linestyle="--", linewidth=0.8)
    if supervised := with_true_labels(run):
        tables.append(draw_curve(ax, supervised, f"{name}, true labels to {supervised.trained_at}", GREY, "-."))
    tables.append(draw_curve(ax, Model(run, SHORT, first), f"{name}, as many steps at {first}", GREY, ":"))
    tables.append(draw_curve(ax, goal, f"{goal.run.config.task.action}, trained at {goal.trained_at}", "black", ":"))
    ax.set_ylabel("all clauses right")
    curves.finish(ax, run, "Figure 1b: self-training at doubled lengths")
    caption = (
        f"Sentences whose own labels were all right, by stage: {labels(runs)}. {run.config.stage_steps} steps a stage."
    )
    return Artefact(figure, joined(tables), f"{caption} {curves.setting(run)}")


EXPERIMENT = Experiment(
    title="Self-training moves the curve",
    runs=length_runs,
    needs=curves.NEEDS,
    claims=(FIGURE_1B, FIGURE_1B_MATCH),
    draw=draw,
)
