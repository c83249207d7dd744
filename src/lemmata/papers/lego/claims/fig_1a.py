"""Figure 1a: two actions, trained at length 5, and how far they reach."""

from lemmata.core import SHARE, Artefact, Claim, Experiment, Part, Rule, Runs, Seeds, Undecided, at_least, at_most, word
from lemmata.papers.lego.claims import _length_curves as curves
from lemmata.papers.lego.claims._length_curves import FINAL, Model, base, paired
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import length_runs
from lemmata.report.plots import CYCLE, GREY, joined, new_figure

NEAR_PERFECT = 0.95  # "nearly perfect accuracy at much longer lengths"
MUCH_LONGER = 8  # times the training length
APART = 0.5  # of the sentences: the two actions are separated


def pair(runs: Runs) -> dict[str, Model]:
    found = {family: base(runs[family]) for family in FAMILIES}
    for made in (one.run.config for one in found.values()):
        if made.lengths[-1] < MUCH_LONGER * made.task.length:
            raise Undecided(f"length {made.lengths[-1]} is not {MUCH_LONGER} times the training length")
    return found


def exchanged(runs: Runs) -> dict[str, Model]:
    one, other = pair(runs).items()
    return {one[0]: other[1], other[0]: one[1]}


def remark(runs: Runs) -> str:
    found = []
    for model in pair(runs).values():
        shares, made = model.curve()[:, -1], model.run.config
        values = made.model.values
        found.append(
            f"{made.task.action} answers {shares.min():.2f} to {shares.max():.2f} of length {made.lengths[-1]} with "
            f"every clause right, and {model.at(made.lengths[-1], FINAL):.2f} with the last answer right (a guess: "
            f"{1 / values:.2f})"
        )
    return f"{'; '.join(found)}. The number of sentences, which the paper does not print, decides: see section-7-map."


def apart(models: dict[str, Model]) -> Seeds:
    one, other = paired(*(models[family].longest_by_seed for family in FAMILIES))
    return Seeds(one - other)


def share(family: str, rule: Rule) -> Part:
    return Part(lambda models: Seeds(models[family].longest_by_seed, bounds=SHARE), rule)


FIGURE_1A = Claim(
    id="fig-1a",
    locus="Section 7, Figure 1a",
    statement="Trained at length 5 (Section 7's decoder), the simply transitive action generalizes to much longer "
    "lengths, the symmetric action by a constant factor only. Judged: the share of sentences with all clauses right at "
    f"the longest test length, at least {MUCH_LONGER} times the training length: most of the one's, a minority of the "
    f"other's, and {APART:g} between them, means over seeds. Control: the two models exchanged.",
    wording={"length 5": word("length {}", "transitive.task.length")},
    subject=pair,
    wrong=exchanged,
    parts={
        "simply transitive": share("transitive", at_least(curves.FALLEN, over_seeds=True)),
        "symmetric": share("symmetric", at_most(curves.FALLEN, over_seeds=True)),
        "separation": Part(apart, at_least(APART, over_seeds=True)),
    },
    remark=remark,
)

LEVEL = Claim(
    id="fig-1a-level",
    locus="Section 7, Figure 1a and its discussion",
    statement="Trained at length 5, the simply transitive action is answered nearly perfectly at much longer lengths. "
    f"Judged: {NEAR_PERFECT:g} of the sentences with all clauses right at the longest test length, mean over seeds. "
    "Control: the symmetric action's model.",
    wording={"length 5": word("length {}", "transitive.task.length")},
    subject=pair,
    wrong=exchanged,
    parts=share("transitive", at_least(NEAR_PERFECT, over_seeds=True)),
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6, sharey=True)
    tables = []
    for family, colour in zip(FAMILIES, CYCLE, strict=False):
        run = runs[family]
        name = run.config.task.action
        for model, label, style in ((base(run), name, "-"), (curves.untrained(run), f"{name}, untrained", ":")):
            tables.append(curves.draw_curve(axes[0], model, label, colour, style))
            last = model.curve(FINAL).mean(axis=0)
            axes[1].plot(run.config.lengths, last, style, marker="o", markersize=3.5, color=colour, label=label)
    first = runs["symmetric"].config.task.length
    for ax, words in zip(axes, ("all clauses right", "the last answer right"), strict=True):
        ax.axvline(first, color=GREY, linestyle="--", linewidth=1)
        curves.finish(ax, runs["symmetric"], f"Figure 1a: {words}")
    axes[0].set_ylabel("share of sentences")
    return Artefact(figure, joined(tables), f"Dashed: the training length. {curves.setting(runs['symmetric'])}")


EXPERIMENT = Experiment(
    title="Length generalization of two actions",
    runs=length_runs,
    needs=curves.NEEDS,
    claims=(FIGURE_1A, LEVEL),
    draw=draw,
    notes="The laptop's setting (width, neurons, batch, learning rate, epochs, sentences) was chosen by trial seeds, "
    "none of which is judged here. With more sentences the symmetric action does not fall; see section-7-map.",
)
