"""Theorem C.1: what the neurons of a symmetric action hold at the end of stage 1, with the exact constant C_alpha."""

from lemmata.core import Claim, Experiment, Part, Runs, Scale, near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_flows import at_floor, counts, shape_runs
from lemmata.papers.lego.claims._feature_shapes import (
    AXES,
    CANCELLED,
    CLOSE,
    Shapes,
    draw,
    early,
    expected_share,
    subjects,
)
from lemmata.papers.lego.run.feature_flow import FeatureFlow
from lemmata.papers.lego.theory.features import c_alpha


def runs_of(scale: Scale) -> dict[str, FeatureFlow]:
    names = sizes.SHAPE_SYMMETRIC.at(scale)
    other = sizes.SHAPE_TRANSITIVE.at(scale)[-1]
    found = shape_runs(scale, names, leaky=names[min(2, len(names) - 1)])
    return found | {"transitive": shape_runs(scale, (other,), leaky=other)[f"actions/{other}"]}


def transitive_shapes(runs: Runs) -> Shapes:
    """A wrong subject: as many runs of a simply transitive action as there are symmetric ones."""
    return Shapes([runs["transitive"]] * len(subjects(runs).runs))


def constants(runs: Runs) -> str:
    found = {run.config.action: c_alpha(*counts(run)) for run in runs.group("actions").values()}
    shares = subjects(runs)
    ratio = shares.of("V(g)") / shares.of("V(y)")
    words = [
        f"{name} {exact} = {float(exact):.3f}, measured {got:.3f}"
        for (name, exact), got in zip(found.items(), ratio, strict=False)
    ]
    return (
        r"$V(g)/V(y)$ beside $C_\alpha$: " + "; ".join(words) + r". What is missing is the lemma's own error: "
        r"confounding composites that stop at $\delta > 0$ shift $V(g) - C_\alpha V(y)$ by $-2\delta (n_G - n_G/n_y - "
        r"n_y + 1)/(n_G/n_y + n_y - 1)$, about $2 n_y \delta$: the lemma's $\tilde{O}(\delta)$ hides a factor $n_y$."
    )


THEOREM = Claim(
    id="thm-c.1",
    locus="Theorem C.1; Definition C.6; Lemmas C.6c and C.7",
    uses=("phases-order", "gradients"),
    statement=r"At the end of stage 1, for every learned $\psi = (j, r, \varphi)$: A. $V(\phi) = B \pm "
    r"\tilde{O}(\delta_1)$ on the super-combination; B. $|V(\phi')| \le \tilde{O}(\delta_2)$ for confounding "
    r"$\phi'$; C. $|V(g) - C_\alpha V(y)| \le \tilde{O}(\delta_2)$ with $C_\alpha = \frac{1 + n_G(n_y - "
    r"1)/n_y}{n_y - 1 + n_G/n_y}$. Judged in medians over features, by Definition 3.4 and, for one action, by "
    r"Assumption B.2's activation. Of C: $V(g)$ and $V(y)$ in units of their mean are within $0.1$ of $2C_\alpha/(1 + "
    r"C_\alpha)$ and $2/(1 + C_\alpha)$. Control: 500 steps of the flow; of C a simply transitive action.",
    needs={"actions": at_floor, "Assumption B.2": at_floor},
    subject=subjects,
    wrong=early,
    parts=CANCELLED
    | {
        f"C, {name} in units of ψ": Part(
            lambda found, name=name: found.shares(name),
            near(lambda runs, name=name: [expected_share(run, name) for run in subjects(runs).runs], atol=CLOSE),
            wrong=transitive_shapes,
            along=AXES,
        )
        for name in ("V(g)", "V(y)")
    },
    remark=constants,
)

EXPERIMENT = Experiment(title="Features of symmetric actions", runs=runs_of, claims=(THEOREM,), draw=draw)
