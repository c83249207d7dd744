"""The claims that were promised for this paper are there."""

from lemmata.core.registry import experiments

PROMISED = """
table-1 table-2 lemma-3.1 lemma-b.1 eq-gradients eq-16 prop-b.2 lemma-b.4 saddle-curvature lemma-b.5 lemma-b.7
thm-4.2 pairwise-line optimum-low-T lemma-c.1 lemma-c.2 lemma-c.3 thm-4.4 lemma-4.5 claim-2 thm-4.1 lemma-e.2 fig-2
fig-3 fig-4 few-samples
"""


def test_every_promised_claim_is_there() -> None:
    present = {claim.id for experiment in experiments("ic-recall").values() for claim in experiment.claims}
    assert {f"ic-recall/{name}" for name in PROMISED.split()} <= present
