"""A claim stands in the file that the first words of its id name; its words are the field's."""

import ast
import re
from pathlib import Path

from lemmata.core.registry import experiments

COMPANIONS = {  # claim -> the experiment whose runs and figure judge it
    "attention-adamw": "fig-5",  # the same models' attention, under the lemmas' bounds
    "dummy-first": "attention",  # Lemma 10's first statement, in the runs of its others
    "feature-strength": "attention",  # Lemma 15, at the end of those runs
    "low-rank-covering": "covering",  # the same facts, covered and not, along gradients of rank 1
    "template-universe": "fig-2b",  # the abstract's words for what the figure shows
    "rank-one-descent": "gradient",  # descent along the part that gradient-rank-one measures
    "cover-all-templates": "hoeffding-cover",  # what equation (44) is used for
    "steps-to-extract": "fig-6",  # the same curves, by rank
}
RETIRED = re.compile(r"(^|_)(surprises?|chances?|portraits?|push|told|taught|lessons?|rates?)(_|$)", re.IGNORECASE)
PAPER = Path(__file__).parents[2] / "src/lemmata/papers/knowledge"


def test_a_claim_is_in_the_file_that_its_id_names() -> None:
    files = {claim.id: name for name, one in experiments("knowledge").items() for claim in one.claims}
    elsewhere = {claim: file for claim, file in files.items() if not f"{claim}-".startswith(f"{file}-")}
    assert {claim.split("/")[1]: file.split("/")[1] for claim, file in elsewhere.items()} == COMPANIONS


def test_no_retired_word_names_a_thing_or_a_file() -> None:
    for path in [*PAPER.rglob("*.py"), *Path(__file__).parent.glob("*.py")]:
        tree = ast.walk(ast.parse(path.read_text()))
        names = {str(getattr(node, field, "")) for node in tree for field in ("id", "attr", "arg", "name")}
        names -= {"rate"}  # a field of `Tuning` and of `train.Descent`
        assert not [one for one in (path.stem, *names) if RETIRED.search(re.sub("(?i)learning_rate", "", one))], path
