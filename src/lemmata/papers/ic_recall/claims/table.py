"""Tables 1 and 2: the six bijections of three subjects, and the logits of every token."""

import numpy as np

from lemmata.core import Claim, Part, RunResult, exactly
from lemmata.papers.ic_recall.claims._algebra import warmup_algebra
from lemmata.papers.ic_recall.claims._formula import formula, formulas, points
from lemmata.papers.ic_recall.theory import relations

KINDS = ("correct", "confusing", "mismatched")
TABLE_1 = [f"{a}{b}{c} {kind}" for (a, b, c), kind in zip(relations.TABLE_1, relations.TABLE_1_TYPES, strict=True)]


def _named_rows(table: np.ndarray, kinds: np.ndarray) -> list[str]:
    return sorted(f"{a}{b}{c} {KINDS[kind]}" for (a, b, c), kind in zip(table, kinds, strict=True))


def _table_2(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    return np.stack([((v @ relations.quadratic_form(squares)) * v).sum(-1) for squares in relations.TABLE_2.values()])


EXPERIMENT = formulas(
    "Three subjects: the six bijections and the logits of every token",
    warmup_algebra,
    formula(
        "table-2",
        "Appendix B, Table 2",
        r"With $|\mathcal{S}| = |\mathcal{A}| = 3$, all six bijections and the memory of Lemma 3.1, the logit of every "
        r"subject, answer and relation on $(s_1, a_1, s_2, a_2, s_3, u_{\text{EoS}})$ is the printed sum of squares of "
        r"attention scores, as $l(r_1) = (v_1 + v_2)^2 + (v_3 + v_4)^2 + v_5^2$.",
        _table_2,
        lambda run: run.arrays["token_logits"].T,
        along={"logit of": list(relations.TABLE_2), "point": points},
    ),
    beside=(
        Claim(
            id="table-1",
            locus="Section 4.1, Table 1",
            statement=r"With $|\mathcal{S}| = |\mathcal{A}| = 3$ and $|\mathcal{R}| = 6$ the relations are all "
            r"bijections: for a sequence one is correct, one confusing ($s_1 \to a_2$, $s_2 \to a_1$) and four are "
            r"mismatched ($s_3$ goes to $a_1$ or $a_2$).",
            subject=lambda runs: _named_rows(runs["main"].arrays["table"], runs["main"].arrays["kinds"]),
            wrong=lambda runs: _named_rows(runs["main"].arrays["table"][:, [2, 1, 0]], runs["main"].arrays["kinds"]),
            parts=Part(list, exactly(sorted(TABLE_1)), along={"relation": sorted(TABLE_1)}),
            remark="The control reads the table's answers from the last subject to the first.",
        ),
    ),
)
