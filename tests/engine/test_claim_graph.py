"""A paper's claims as a graph: of the published form, with what the records say, and nothing that is not there."""

import json

import jsonschema
import pytest

from conftest import Cli, Refused
from lemmata.core.registry import papers
from lemmata.report.claim_graph import SCHEMA, kind_of


@pytest.mark.parametrize("paper", [id for id, one in papers().items() if one.package.startswith("lemmata.")])
def test_a_papers_claims_are_of_the_published_form(cli: Cli, paper: str) -> None:
    code, out, _ = cli("export", paper, "--format", "claims")
    assert code == 0
    graph = json.loads(out)
    jsonschema.validate(graph, json.loads(SCHEMA.read_text()))
    rows = {row["id"]: row for row in json.loads(cli("list", paper, "--json")[1])}
    found = {one["id"]: one for one in graph["claims"]}
    assert found.keys() == rows.keys()
    assert all(
        (one["verdict"], one["protocol"]) == (rows[id]["status"], rows[id]["protocol"]) for id, one in found.items()
    )
    assert all(other in found for one in found.values() for other in one["rests_on"])
    assert sum(bool(one["rests_on"]) for one in found.values()) >= 3


def test_the_schema_is_printed_and_refuses_another_form(cli: Cli) -> None:
    schema = json.loads(cli("export", "toy", "--format", "schema")[1])
    graph = json.loads(cli("export", "toy", "--format", "claims")[1])
    jsonschema.validate(graph, schema)
    graph["claims"][0]["verdict"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(graph, schema)


@pytest.mark.parametrize(
    ("locus", "kind"),
    [
        ("Theorem 4.2", "theorem"),
        ("Appendix B, proof of Lemma B.5", "lemma"),
        ("Section 3, Figure 3", "figure"),
        ("Appendix F, equations (34) to (36)", "equation"),
        ("Section 6.2.2, attention of symmetric actions", "observation"),
    ],
)
def test_a_kind_is_what_the_place_is_called(locus: str, kind: str) -> None:
    assert kind_of(locus) == kind


def test_a_graph_is_of_a_paper(refused: Refused) -> None:
    refused("export", "toy/rate", "--format", "claims", says="name 'toy', not 'toy/rate'")
    refused("export", "tory", "--format", "claims", says="did you mean 'toy'")
