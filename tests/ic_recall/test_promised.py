"""The claims that were promised for this paper are there, each in the file that its id names."""

from lemmata.core.registry import experiments

PROMISED = """
table-1 table-2 lemma-3.1 lemma-b.1 eq-gradients eq-16 prop-b.2 lemma-b.4 saddle-curvature lemma-b.5 lemma-b.7
thm-4.2 pairwise-line optimum-low-T lemma-c.1 lemma-c.2 lemma-c.3 thm-4.4 lemma-4.5 claim-2 thm-4.1 lemma-e.2 fig-2
fig-3 fig-4 few-samples
"""


def test_every_promised_claim_is_there() -> None:
    present = {claim.id for experiment in experiments("ic-recall").values() for claim in experiment.claims}
    assert {f"ic-recall/{name}" for name in PROMISED.split()} <= present


COMPANIONS = {  # a claim that stands in the file of another, and why
    "lemma-a.1-values": "lemma-3.1: Lemma A.1 restates and proves Lemma 3.1",
    "prop-e.1": "prop-b.2: Proposition E.1 restates and proves Proposition B.2",
    **dict.fromkeys(
        ("few-samples", "few-samples-full", "second-step", "second-step-full"), "fig-3: read from Figure 3"
    ),
}


def test_a_claim_stands_in_the_file_that_its_id_names() -> None:
    for experiment in experiments("ic-recall").values():
        file = experiment.id.removeprefix("ic-recall/")
        for claim in experiment.claims:
            id = claim.id.removeprefix("ic-recall/")
            words, proved = file.removesuffix("-proved"), file.endswith("-proved")
            if id in COMPANIONS:
                assert COMPANIONS[id].split(":")[0].replace(".", "-") == file
            else:
                assert id.lower().replace(".", "-").startswith(words), (id, file)
                assert id.endswith("-proved") == proved, (id, file)
