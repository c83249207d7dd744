"""A claim stands in the file that the first words of its id name; its words are the field's."""

import ast
import re
from pathlib import Path

from lemmata.core.registry import experiments

COMPANIONS = {  # claim -> the experiment whose runs and figure judge it
    "stored-and-silent": "pipeline",  # the pipeline's models before fine-tuning, then after it
    "extraction-unseen-facts": "pipeline",
    "rank-one-descent": "pipeline",
    "low-rank-enough": "pipeline",
    "neurons-extract": "pipeline",
    "format-triggers": "pipeline",
    "fig-6": "pipeline",
    "low-rank-covering": "covering",  # the same facts, covered and not, along gradients of rank 1
    "hallucination-regime": "covering",
    "union-bound": "covering-law",
    "multiplicity": "covering-law",  # the trends in the law's cells
    "coverage": "covering-law",
    "template-universe": "covering-law",
    "extraction-last-token": "readings",  # each reading of our text
    "extraction-as-printed": "readings",
    "extraction-phrase": "readings",
    "who-asks-decides": "readings",
    "uniform-attention-fails": "readings",
    "split-leak": "readings",
    "dummy-first": "attention",  # Lemma 10's first statement, in the runs of its others
    "cover-all-templates": "hoeffding-cover",  # what equation (44) is used for
    "third-stage-sizes": "orders",  # equations in their sizes
    "eq-97": "orders",
    "feature-strength": "orders",
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
