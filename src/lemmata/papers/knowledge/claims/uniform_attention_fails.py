"""The model without learned attention stores facts that questions do not reach (appendix, step 45)."""

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._tuned import ALL, long_enough, main, main_run, uniform, uniform_run
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.report.plots import COLOURS, band, ceiling, joined, legend, letter, new_figure

REACHED, LOST = 0.6, 0.2  # extraction with learned attention at least, and without it at most


UNIFORM = Claim(
    id="uniform-attention-fails",
    locus="Appendix, step 45: 'standard' and 'Uniform attention + MLP'",
    statement="Without learned attention the facts are stored but cannot be reached: with uniform attention extraction "
    "fails where the standard model's succeeds, while both recall their facts after pre-training (means over seeds).",
    subject=lambda runs: (main(runs), uniform(runs)),
    wrong=lambda runs: (main(runs), main(runs)),  # learned attention in the uniform model's place
    parts={
        "standard: extraction": Part(lambda models: models[0].mean(ALL), at_least(REACHED)),
        "standard: pre-training accuracy": Part(lambda models: models[0].accuracy, at_least(0.9)),
        "uniform: extraction": Part(lambda models: models[1].mean(ALL), at_most(LOST)),
        "uniform: pre-training accuracy": Part(lambda models: models[1].accuracy, at_least(0.9)),
    },
)


def draw(runs: Runs) -> Artefact:
    models = {"standard": main(runs), "uniform attention": uniform(runs)}
    figure, axes = new_figure(1, 2)
    tables = []
    for (name, tuned), colour in zip(models.items(), (COLOURS["blue"], COLOURS["vermillion"]), strict=True):
        stored = tuned.run.arrays["pretraining.step"], tuned.run.arrays["pretraining.fact_accuracy"]
        band(axes[0], *stored, name, color=colour)
        band(axes[1], *tuned.curve(ALL), name, color=colour)
        tables.append(curve_table({f"{name}: stored": stored, f"{name}: extracted": tuned.curve(ALL)}, "step", tuned))
    ceiling(axes[1], REACHED)
    ceiling(axes[1], LOST)
    shown = (-0.02, 1.02)
    axes[0].set(xlabel="pre-training step", ylabel="accuracy of [o s r] → a", title="stored", ylim=shown)
    axes[1].set(xlabel="fine-tuning step", ylabel="share of held-out facts", title="extracted", ylim=shown)
    letter(axes)
    legend(axes[0], loc="lower right")
    caption = (
        "(a) Accuracy along pre-training; (b) extraction of held-out facts along fine-tuning, with the rule's two "
        f"levels. Standard: {described(main(runs))} Uniform: {described(uniform(runs))}"
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Without learned attention",
    runs=lambda scale: {"main": main_run(scale), "uniform": uniform_run(scale)},
    needs={"main": long_enough, "uniform": long_enough},
    claims=(UNIFORM,),
    draw=draw,
)
