"""The claims that were promised for this paper are there."""

from lemmata.core.registry import experiments

PROMISED = """
thm-1 lemma-d.1 table-3 b.3-stationary thm-2 thm-3-full thm-3-rank-1 thm-3-constant noise-rank-n fig-3 fig-3-margin
noise-first fig-4 fig-6 fig-7 fig-8 fig-9 fig-10 fig-11 fig-12 fig-13 fig-18 fig-19 fig-20 tab-2-significance
"""


def test_every_promised_claim_is_there() -> None:
    present = {claim.id for experiment in experiments("association").values() for claim in experiment.claims}
    assert {f"association/{name}" for name in PROMISED.split()} <= present


def test_the_file_of_a_claim_can_be_guessed_from_its_id() -> None:
    """Its name is the first words of the id, and of several such files it is the one that says the most."""
    files = {name.partition("/")[2] for name in experiments("association")}
    for name, experiment in experiments("association").items():
        for claim in experiment.claims:
            id = claim.id.partition("/")[2].replace(".", "-")
            begin = [file for file in files if f"{id}-".startswith(f"{file}-")]
            assert max(begin, key=len, default="") == name.partition("/")[2], claim.id
