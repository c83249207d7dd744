"""An assumption relaxed: no curriculum. Neurons and attention are trained together on T^2, from the start."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, TooShort, Undecided, of_result, word
from lemmata.core.rule import at_least
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._theory_runs import fresh
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.joint import JointTraining
from lemmata.papers.lego.run.joint_descent import Tokens
from lemmata.papers.lego.theory.clip import ceiling as most_accurate, floor
from lemmata.report.plots import CYCLE, band, ceiling, joined, legend, letter, new_figure

SOLVED = 0.95  # of the largest probability that the clip allows


def training(name: str, variables: int, scale: Scale, tokens: Tokens = "both") -> JointTraining:
    steps = sizes.JOINT_STEPS.at(scale)
    return JointTraining(
        action=name,
        variables=variables,
        steps=steps,
        every=steps // 20,
        lengths=sizes.JOINT_LENGTHS.at(scale),
        seeds=fresh(sizes.seeds(sizes.RELAXED_SEEDS, scale)),
        tokens=tokens,
    )


def trainings(scale: Scale) -> dict[str, JointTraining]:
    """C_6 and S_4 in vocabularies of one size; and S_4 on the value's loss alone."""
    variables = sizes.JOINT_VARIABLES.at(scale)
    found = {"transitive": training("C6", variables + 16, scale), "symmetric": training("S4", variables, scale)}
    alone = training("S4", variables, scale, tokens="value")
    return found if scale.name == "smoke" else {**found, "value alone": alone}


def accuracy(run: RunResult, length: int, column: str = "value_probability") -> np.ndarray:
    """The mean probability of the true value (or clause) at a length, over what the clip allows, by seed."""
    model, tokens = run.config.model_config(), 2 if column == "probability" else 1
    return run.column(column, length=length) / most_accurate(model.vocab, model.bound, tokens)


def solves(run: RunResult) -> list[float]:
    """At two steps and at the longest length, the worst seed's."""
    return [float(accuracy(run, length).min()) for length in (2, max(run.config.lengths))]


@of_result
def learned(run: RunResult) -> Undecided | None:
    """A need: training was long enough for both losses to fall tenfold in every seed."""
    for name in ("value_loss", "variable_loss"):
        losses = run.arrays[name]
        if not np.all(losses[:, -1] < 0.1 * losses[:, 0]):
            loss = name.replace("_", " ")
            return TooShort(f"{run.config.action}: the {loss} has not fallen tenfold in every seed")
    return None


def compared(runs: Runs) -> str:
    one, other = runs["transitive"], runs["symmetric"]
    length = max(one.config.lengths)
    loose = [float(run.column("epsilon_worst_step", length=2).mean()) for run in (one, other)]
    whole = [float(accuracy(run, length, "probability").mean()) for run in (one, other)]
    stuck = np.exp(-runs["value alone"].arrays["value_loss"][:, -1].mean())
    return (
        f"Acc (5) at length {length} is {whole[0]:.2f} of its ceiling for C₆ and {whole[1]:.2f} for S₄; attention "
        f"elsewhere at two steps {loose[0]:.4f} and {loose[1]:.4f}: S₄ is the looser one here too. On the value's loss "
        f"alone S₄ ends where all values are equally likely ({stuck:.2f} each): every value's logit reaches the clip "
        "before attention has found the predicate, and a clipped logit has no gradient. The variable's loss is what "
        "moves attention there first."
    )


BY_LENGTH = {"L": lambda runs: (2, max(runs["transitive"].config.lengths))}

JOINT = Claim(
    id="joint-training",
    locus="beyond the paper; Algorithm 1 without its two stages",
    statement="The curriculum is not needed: with all weights trained together on the next-clause loss of "
    r"$\mathcal{T}^2$ from the start, a simply transitive and a symmetric action are solved at two steps and at the "
    "longest length tested. Judged: the mean probability of the true value over what the clip allows, the worst "
    "seed. Control: S4 trained on the value's loss alone.",
    needs={role: (acting, learned) for role, acting in FAMILIES.items()},
    wording={"C6": word("{}", "transitive.action"), "S4": word("{}", "symmetric.action")},
    subject=lambda runs: {"transitive": runs["transitive"], "symmetric": runs["symmetric"]},
    wrong=lambda runs: {"transitive": runs["transitive"], "symmetric": runs["value alone"]},
    parts={
        "C6": Part(lambda pair: solves(pair["transitive"]), at_least(SOLVED), along=BY_LENGTH),
        "S4": Part(lambda pair: solves(pair["symmetric"]), at_least(SOLVED), along=BY_LENGTH),
    },
    remark=compared,
)


def draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2)
    tables = []
    for (name, run), colour in zip(runs.items(), CYCLE, strict=False):
        config = run.config
        label = config.action + (", value alone" if name == "value alone" else "")
        least = floor(config.model_config().vocab, config.model_config().bound)
        steps = config.every * np.arange(run.arrays["value_loss"].shape[1])
        band(left, steps, run.arrays["value_loss"] / least, label, color=colour)
        values = np.array([accuracy(run, length) for length in config.lengths]).T
        band(right, config.lengths, values, label, color=colour)
        tables.append({"run": [label] * len(run.metrics["length"]), **run.metrics})
    left.set(xlabel="step along the joint flow", ylabel="value's loss over its floor", yscale="log")
    right.set(xlabel="length of the chain", ylabel="probability over its ceiling", ylim=(-0.03, 1.05))
    ceiling(left, 1.0)
    ceiling(right, 1.0)
    legend(left, fontsize=7)
    letter((left, right))
    made = runs["transitive"].config
    caption = (
        f"All of W and Q trained together on sentences of two steps, d = {made.model_config().vocab}, batch "
        f"{made.batch}; {len(made.seeds)} seeds, bands one standard deviation. b: the true value."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Without the curriculum: neurons and attention together", runs=trainings, claims=(JOINT,), draw=draw
)
