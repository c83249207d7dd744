"""Appendix D.3 at Q = 0: what neurons read and say of T^2 before any attention is learned, and how Q begins to move."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Seeds, at_least, at_most, log_slope, near
from lemmata.papers.lego.claims import _course as course
from lemmata.papers.lego.claims._course import AXES, NEEDS, OURS, Cell, read
from lemmata.papers.lego.probe.two_steps import Step
from lemmata.papers.lego.theory import attention_start as theory
from lemmata.report.plots import CYCLE, ceiling, columns, legend_below, letter, new_figure

START = slice(0, 1)
ACTIVE = 1.0  # of delta: the paper's O(delta)
POWER = 0.1  # of an exponent
CONSTANT = {"Q43": 0.03, "Q44": 0.05}  # of a slope: what delta does to it
MOMENTS = {"start": START, "end": slice(-1, None)}
Reading = Callable[[Step, dict[str, np.ndarray]], np.ndarray]


def awake(step: Step, named: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The largest pre-activation, a sentence, of neurons that have learned something other than these combinations."""
    table, found = step.table, step.activation[0].copy()
    of = step.neurons.of_combinations(table)
    learned = np.zeros(found.shape[:2], bool)
    g, y = np.indices(table.shape)
    learned[of[g, y], table[g, y]] = True
    found[~learned] = -np.inf
    for action, value in named:
        found[of[action, value], table[action, value], np.arange(len(action))] = -np.inf
    return found.max(axis=(0, 1))


def four(step: Step) -> list[tuple[np.ndarray, np.ndarray]]:
    g1, g2, y0, y1 = step.sentences
    return [(g, y) for g in (g1, g2) for y in (y0, y1)]


def readings(first: Step, second: Step) -> dict[str, tuple[str, np.ndarray]]:
    """By statement: its event, and a value a sentence (or several). Pre-activations without the bias."""
    g1, g2, y0, y1 = first.sentences
    quartet = np.stack([second.pre(g, y)[0] for g, y in four(second)])
    return {
        "D.12, step 1, right": ("E1", first.pre(g1, y0)[0]),
        "D.12, step 1, spurious": ("E1", first.pre(g2, y0)[0]),
        "D.11, step 1, others": ("E1", awake(first, [(g1, y0), (g2, y0)])),
        "D.14, step 1, same action": ("not E1", first.pre(g1, y0)[0]),
        "D.11, step 2, the four answers": ("E2", quartet),
        "D.11, step 2, others": ("E2", awake(second, four(second))),
        "D.14, step 2, same action, right": ("same action", second.pre(g2, y1)[0]),
        "D.14, step 2, same action, spurious": ("same action", second.pre(g2, y0)[0]),
        "D.14, step 2, same value, right": ("same value", second.pre(g2, y1)[0]),
        "D.14, step 2, same value, spurious": ("same value", second.pre(g1, y1)[0]),
        "D.14, step 2, same both": ("same both", second.pre(g2, y1)[0]),
    }


def worst(name: str, moment: str = "start", fresh: bool = False) -> Callable[[Cell], float]:
    """In units of delta, how far the farthest sentence is from what is predicted."""

    def reading(cell: Cell) -> float:
        steps = [cell.step(number, MOMENTS[moment], fresh=fresh) for number in (1, 2)]
        event, values = readings(*steps)[name]
        found = (values[..., steps[0].events()[event]] - steps[0].neurons.bias) / cell.psi
        beyond = found - theory.READ[name]
        return float((beyond if "others" in name else np.abs(beyond)).max() / cell.delta)

    return reading


def logits(name: str, moment: str = "start", fresh: bool = False) -> Callable[[Cell], float]:
    """A probability that Lemma D.13 or D.15 bounds, of the sentence where it is largest."""

    def reading(cell: Cell) -> float:
        number = 1 if "step 1" in name else 2
        step = cell.step(number, MOMENTS[moment], fresh=fresh)
        g1, _, _, y1 = step.sentences
        other = step.table[g1, y1] if "same value" in name else step.spurious
        found = step.probability.max(axis=1) if "any" in name else step.but(step.right, other)
        if name.endswith("wrong"):
            found = step.but(step.right)
        event = next((event for event in ("same action", "same value", "same both") if event in name), "E2")
        if number == 1:
            event = "not E1" if "same" in name else "E1"
        return float(found[0, step.events()[event]].max())

    return reading


def activation_parts() -> dict[str, Part]:
    """The control is the course's end; where that reads alike, the neurons as they were drawn."""

    def part(name: str) -> Part:
        own = lambda runs: lambda which: read(runs, worst(which, fresh=True))  # noqa: E731
        alike = name in ("D.14, step 1, same action", "D.14, step 2, same both")
        rule = at_most(ACTIVE, over_seeds=True, paper="stage 2.1")
        return Part(lambda found, n=name: found(n), rule, wrong=own if alike else None, along=AXES)

    return {name: part(name) for name in theory.READ}


ACTIVATIONS = Claim(
    id="initial-activations",
    locus="Lemmas D.10, D.11, D.12, D.14 at the start of stage 2.1",
    uses=("thm-b.1",),
    statement=r"While attention is uniform, step 1 of $\mathcal{T}^2$ wakes two neurons alone, of the right answer and "
    r"of the spurious $g_2(y_0)$, at $B/3$; step 2 wakes none, four answers being read at $O(\delta)$; where the two "
    r"actions, or values, agree two answers of step 2 are read at $B/2$. Judged against a third, a half and 0 "
    r"of the reading at which a neuron says $B$, in units of the $\delta$ of Lemma D.3, which is measured, for the "
    r"worst sentence, $d$ and $C_B$. Control: the attention at the end of stage 2; "
    "where that reads alike, neurons as drawn.",
    protocol=OURS,
    subject=lambda runs: lambda name: read(runs, worst(name)),
    wrong=lambda runs: lambda name: read(runs, worst(name, "end")),
    parts=activation_parts(),
    remark=course.left_out,
)


def power_of(runs: Runs, clip: int, reading: Callable[[Cell], float]) -> Seeds:
    """The exponent of d in a reading at one C_B."""
    d, values = np.array(course.vocabularies(runs), float), np.asarray(read(runs, reading).values)[:, clip]
    return Seeds([log_slope(d, one) for one in values])


def logit_parts() -> dict[str, Part]:
    """The control is neurons as drawn; where they say the same of every answer, the course's end."""

    def part(name: str, clip: int) -> Part:
        def target(runs: Runs) -> float:
            return theory.powers(course.constants(runs)[clip])[name]

        own = (lambda runs: lambda clip, which: power_of(runs, clip, logits(which, "end"))) if "any" in name else None
        rule = near(target, atol=POWER, over_seeds=True)
        return Part(lambda found, n=name, c=clip: found(c, n), rule, wrong=own)

    names = {f"{name}, C_B = {c:g}": (name, i) for i, c in enumerate((4.0, 6.0)) for name in theory.powers(c)}
    return {full: part(*given) for full, given in names.items()}


LOGITS = Claim(
    id="initial-logits",
    locus="Lemmas D.13 and D.15 at the start of stage 2.1",
    uses=("initial-activations",),
    statement=r"While attention is uniform, step 1 gives all answers but the right and the spurious one "
    r"$1/\mathrm{poly}(d)$, step 2 gives every answer $O(1/d)$; where actions or values agree all but "
    r"one or two answers have $1/\mathrm{poly}(d)$. Judged: the exponents of $d$ over three sizes, which the "
    r"proofs give for each $C_B$ (the first is $1 - C_B/3$), for the worst sentence. Control: neurons as drawn; for "
    "the answers of step 2 the attention at the end.",
    protocol=OURS,
    subject=lambda runs: lambda clip, name: power_of(runs, clip, logits(name)),
    wrong=lambda runs: lambda clip, name: power_of(runs, clip, logits(name, fresh=True)),
    parts=logit_parts(),
    remark=r"Lemma D.13 needs $C_B > 3$: at 3 the two answers of step 1 have a third each.",
)


def initial(runs: Runs, steps: tuple[int, ...] = (1, 2), fresh: bool = False) -> Seeds:
    """[seed, C_B, d, score]: the slopes at Q = 0 in units of log d."""
    return read(runs, lambda cell: cell.slopes(START, fresh=fresh, steps=steps)[0] / cell.log_d)


def predicted(score: str) -> Callable[[Runs], np.ndarray]:
    def target(runs: Runs) -> np.ndarray:
        found = []
        for cell in (cell for row in course.cells(runs)[0] for cell in row):
            model = cell.config.model_config()
            given = (model.sigma * cell.log_d, model.smoothing, model.power)
            found.append(getattr(theory.slopes(model.values, cell.d, cell.psi, *given), score) / cell.log_d)
        return np.reshape(found, (len(course.constants(runs)), -1))

    return target


def column(found: Seeds, number: int) -> Seeds:
    return Seeds(np.asarray(found.values)[..., number])


ALIKE = "D.20, Q44, off the diagonal"  # step 2's loss alone says the same of it


def slope_parts() -> dict[str, Part]:
    names = {
        "D.16, Q43, diagonal": "third",
        "D.20, Q43, off the diagonal": "third_rest",
        "D.17, Q44, diagonal": "fourth",
        "D.20, Q44, off the diagonal": "fourth_rest",
    }

    def part(name: str, score: str, i: int) -> Part:
        drawn = (lambda runs: initial(runs, fresh=True)) if name == ALIKE else None
        rule = near(predicted(score), rtol=CONSTANT[name.split(", ")[1]], over_seeds=True)
        return Part(lambda found: column(found, i), rule, wrong=drawn, along=AXES)

    found = {name: part(name, score, i) for i, (name, score) in enumerate(names.items())}
    gap = Part(
        lambda found: Seeds(1 - column(found, 2).values / column(found, 0).values),
        at_least(1 / 2, over_seeds=True),
        along=AXES,
    )
    return found | {"D.18, of the gap over Q43's": gap}


SLOPES = Claim(
    id="initial-slopes",
    locus="Lemmas D.16, D.17, D.18 and D.20 at the start of stage 2.1",
    uses=("initial-logits",),
    statement=r"At $Q = 0$ minus the gradient of $\sum_\ell \mathrm{Loss}_5^{2,\ell}$ is $\Theta(\log d / d)$ in the "
    r"diagonal of $Q_{4,3}$, at least $-O(1/\log d)$ of that in the diagonal of $Q_{4,4}$, and $O(1/d)$ of it off the "
    r"diagonals; their difference is $\Omega(1)$ of the first. Judged against the closed forms of ideal features "
    r"times $|\mathcal{X}|$ (times $|\mathcal{X}| - 1$ off the diagonals) in units of $\log d$; to leading order "
    r"$\pm C_B \frac{n_y - 1}{n_y} (\frac13 + \frac1{4 n_y})$ for $Q_{4,3}$, $\pm C_B \frac{n_y - 1}{4 n_y^2}$ for "
    r"$Q_{4,4}$. Control: step 2's loss alone; of the last entry, neurons as drawn.",
    protocol=OURS,
    subject=initial,
    wrong=lambda runs: initial(runs, (2,)),
    parts=slope_parts(),
    remark=r"The diagonal of $Q_{4,4}$ does not begin with a negative gradient: sentences that share an action raise "
    r"it by $1/(4 n_y)$ beside a third. Lemma D.17 bounds it from below alone.",
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6)
    found, d = initial(runs), course.vocabularies(runs)
    rows = []
    names = ("Q₄₃, diagonal", "Q₄₃, off it", "Q₄₄, diagonal", "Q₄₄, off it")
    for ax, (i, clip) in zip(axes, enumerate(course.constants(runs)), strict=False):
        for number, (name, colour) in enumerate(zip(names, CYCLE, strict=False)):
            values = column(found, number).values[:, i]
            ax.plot(d, values.T, "o", color=colour, markersize=4)
            limit = theory.leading(course.cells(runs)[0][0][0].config.model_config().values, clip)[number]
            ceiling(ax, limit)
            ax.plot([], [], "o", color=colour, label=name)
            rows += [
                {"C_B": clip, "d": size, "entry": name, "slope": float(value), "leading": limit}
                for size, column_ in zip(d, values.T, strict=True)
                for value in column_
            ]
        ax.set(xscale="log", xlabel="d", ylabel="slope times |X| / log d", title=f"C_B = {clip:g}")
        legend_below(ax, ncols=2)
    letter(axes)
    return Artefact(figure, columns(rows), "Minus the gradient of T²'s loss at Q = 0; dashed: to leading order in d.")


EXPERIMENT = Experiment(
    title="How attention begins to move",
    runs=course.courses,
    needs=NEEDS,
    claims=(ACTIVATIONS, LOGITS, SLOPES),
    draw=draw,
)
