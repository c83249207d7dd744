"""Before stage 1: how far apart features are, and how near the mean over a fibre is to its expectation."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_least, at_most
from lemmata.core.rule import slope_near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_flows import by_size, counts, phase_runs, shape_runs
from lemmata.papers.lego.run.feature_flow import FeatureFlow
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.curriculum import curriculum
from lemmata.papers.lego.theory.features import expected_power

CONSTANT = 2.0  # of O(sigma_0 sqrt(log d)), the largest of some hundred draws
HALF, TOLERANCE = -0.5, 0.1


def runs_of(scale: Scale) -> dict[str, FeatureFlow]:
    """The same runs as of the phases and the shapes: their initial weights."""
    names = sizes.SHAPE_SYMMETRIC.at(scale)
    fibres = shape_runs(scale, names, leaky=names[min(2, len(names) - 1)])
    return phase_runs(scale) | {name: run for name, run in fibres.items() if name.startswith("actions/")}


def tables(run: RunResult, moment: str = "initial") -> tuple[np.ndarray, np.ndarray]:
    return run.arrays[f"{moment}.action"], run.arrays[f"{moment}.value"]


def largest_draw(run: RunResult, moment: str = "initial") -> float:
    """In units of sigma_0 sqrt(log d)."""
    found = max(float(np.abs(one).max()) for one in tables(run, moment))
    return found / (run.config.sigma * np.sqrt(np.log(run.config.vocabulary)))


def spread(run: RunResult) -> float:
    """The largest |Lambda / mu - 1| over neurons and pairs."""
    acting, value = tables(run)
    composite = (acting[..., :, None] + value[..., None, :]) / 2
    return float(np.abs(composite).max() / run.config.bias)


def least_gap(run: RunResult, twins: bool = False) -> float:
    """Of two features of Sigma* the least |V_psi - V_psi'| at initialization, over sigma_0 / (n_y^4 m^2 log d); the
    worst seed. `twins`: where every second neuron is another's copy."""
    config, table, found = run.config, action(run.config.action).table, []
    in_fibre = table.T[None] == np.arange(table.shape[1])[:, None, None]  # [j, y, g]
    for acting, value in zip(*tables(run), strict=True):
        mean = np.einsum("rjg,jyg->jry", acting, in_fibre) / in_fibre.sum(axis=2)[:, None, :]
        magnitude = np.sort(curriculum((mean + value.swapaxes(0, 1)) / 2).magnitude.ravel())
        found.append(np.diff(np.repeat(magnitude, 2) if twins else magnitude).min())
    bound = config.sigma / (counts(run)[1] ** 4 * config.width**2 * np.log(config.vocabulary))
    return float(min(found) / bound)


def along(group: str, read: Callable[[RunResult], float]) -> Callable[[Runs], tuple[np.ndarray, np.ndarray]]:
    """A reading against log d."""
    return lambda runs: (
        np.log([run.config.vocabulary for run in by_size(runs, group)]),
        np.array([read(run) for run in by_size(runs, group)]),
    )


SIZES = {"d": lambda runs: [run.config.vocabulary for run in by_size(runs, "transitive")]}

START = Claim(
    id="initialization",
    locus="Facts B.3 and B.4; Lemma C.1",
    statement=r"At initialization, with high probability, $|\langle W_{5,j,r,p}, e_v \rangle| \le O(\sigma_0 "
    r"\sqrt{\log d})$, the features of $\Sigma^*$ are at least $\sigma_0/(n_y^4 m^2 \log d)$ apart, and every "
    r"pre-activation is $(1 \pm O(1/\sqrt{\log d}))\mu$. Judged for growing $d$: the largest draw in units of "
    r"$\sigma_0\sqrt{\log d}$, the least gap over its bound in the worst seed, and the power of $\log d$ by which the "
    r"largest $|\Lambda/\mu - 1|$ falls. Control: learned weights; neurons in equal pairs; draws over a spread that "
    "does not depend on $d$.",
    subject=lambda runs: {
        "draw": along("transitive", largest_draw)(runs)[1],
        "gap": [least_gap(run) for run in by_size(runs, "transitive")],
        "spread": along("transitive", spread)(runs),
    },
    wrong=lambda runs: {
        "draw": along("transitive", lambda run: largest_draw(run, "final"))(runs)[1],
        "gap": [least_gap(run, twins=True) for run in by_size(runs, "transitive")],
        "spread": along("transitive", lambda run: spread(run) * np.log(run.config.vocabulary))(runs),
    },
    parts={
        "largest draw": Part(lambda found: found["draw"], at_most(CONSTANT), along=SIZES),
        "least gap over its bound": Part(lambda found: found["gap"], at_least(1.0, paper="every d"), along=SIZES),
        "power of log d": Part(lambda found: found["spread"], slope_near(-1.0, tolerance=TOLERANCE)),
    },
    remark=r"With the same draws $|\Lambda/\mu - 1|$ falls as $1/\log d$, for $\mu = \sigma_0 \log d$: the printed "
    r"$1/\sqrt{\log d}$ leaves room for the largest of polynomially many draws, and there are $\text{polylog}(d)$.",
)


def from_expectation(run: RunResult, actions: int | None = None) -> float:
    """The root of the mean square, over neurons and values, of how far the mean of (b + V)^(q-1) over a fibre is from
    its expectation over V(g), as a share of that; or over so many of its actions."""
    config, table, found = run.config, action(run.config.action).table, []
    for acting, value in zip(*tables(run), strict=True):
        for j, y in np.ndindex(*value.shape[1:]):
            fibre = acting[:, j, table[:, y] == j][:, :actions]
            read = np.maximum(fibre / 2 + value[:, j, y, None] / 2 + config.bias, 0)
            expected = expected_power(value[:, j, y] / 2 + config.bias, config.sigma / 2, config.power - 1)
            found.append(np.mean(read ** (config.power - 1), axis=1) / expected - 1)
    return float(np.sqrt(np.mean(np.square(found))))


def by_fibre(runs: Runs, actions: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    group = list(runs.group("actions").values())
    sizes_of = np.array([counts(run)[0] // counts(run)[1] for run in group], float)
    return sizes_of, np.array([from_expectation(run, actions) for run in group])


FIBRES = Claim(
    id="initialization-fibres",
    locus="Corollary C.1",
    uses=("initialization",),
    statement=r"At initialization the mean over a fibre of $\text{sReLU}'(\Lambda)$ is within "
    r"$O(\frac{1}{\sqrt{n_G/n_y}})$ of its expectation over $V(g)$, as a share of it (Hoeffding). Judged: the power of "
    r"the fibre's size by which the root mean square over neurons and values falls, $-1/2$. Control: two "
    "actions of each fibre alone.",
    subject=by_fibre,
    wrong=lambda runs: by_fibre(runs, actions=2),
    parts=Part(lambda found: found, slope_near(HALF, tolerance=TOLERANCE)),
)


def draw(runs: Runs) -> Artefact:
    size, found = by_fibre(runs)
    caption = "How far a fibre's mean of (b + V)^(q-1) is from its expectation at initialization, by the fibre's size."
    return Artefact(None, {"fibre": size, "share": found}, caption)


EXPERIMENT = Experiment(title="Features at initialization", runs=runs_of, claims=(START, FIBRES), draw=draw)
