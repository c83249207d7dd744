"""Theorem B.1: what the neurons of a simply transitive action hold at the end of stage 1."""

from lemmata.core import Claim, Experiment, Part, Scale, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_flows import at_floor, shape_runs
from lemmata.papers.lego.claims._feature_shapes import AXES, CANCELLED, SMALL, draw, early, subjects
from lemmata.papers.lego.run.feature_flow import FeatureFlow


def runs_of(scale: Scale) -> dict[str, FeatureFlow]:
    names = sizes.SHAPE_TRANSITIVE.at(scale)
    other = sizes.SHAPE_SYMMETRIC.at(scale)[-1]
    found = shape_runs(scale, names, leaky=names[-1])
    return found | {"symmetric": shape_runs(scale, (other,), leaky=other)[f"actions/{other}"]}


THEOREM = Claim(
    id="thm-b.1",
    locus="Theorem B.1; Definition B.4; Lemmas B.6c and B.7",
    uses=("phases-order", "gradients"),
    statement=r"At the end of stage 1, for every learned $\psi = (j, r, (g, y))$: A. $V_\psi = B \pm "
    r"\tilde{O}(\delta_1)$; B. $|V_{\psi'}| \le \tilde{O}(\delta_2)$ for confounding $\psi'$; C. $V_{\psi'} \le -B + "
    r"\tilde{O}(\delta_1)$ where neither part is right; E. $|V(g) - V(y)| \le \tilde{O}(\delta_2)$. Judged in units "
    r"of $B$ by medians over features, by Definition 3.4 and, for one action, by Assumption B.2's activation. A is "
    r"judged against the finite $\psi = B + \varrho(1 - 1/q) - b$. Control: 500 steps of the flow; of E a symmetric "
    "action.",
    needs={"actions": at_floor, "Assumption B.2": at_floor},
    subject=subjects,
    wrong=early,
    parts=CANCELLED
    | {
        "C, incorrect over B, plus 1": Part(lambda found: found.of("incorrect") + 1, at_most(SMALL), along=AXES),
        "E, |V(g) - V(y)| over B": Part(
            lambda found: abs(found.of("V(g)") - found.of("V(y)")),
            at_most(SMALL),
            wrong=lambda runs: subjects(runs)._replace(runs=[runs["symmetric"]] * len(subjects(runs).runs)),
            along=AXES,
        ),
    },
)

EXPERIMENT = Experiment(title="Features of simply transitive actions", runs=runs_of, claims=(THEOREM,), draw=draw)
