"""What rests on what: the order of a paper's statements, and how the graph shows them."""

import pytest

from live_page import Elements, needs_serve

pytestmark = needs_serve


def test_what_rests_on_an_erratum_is_marked() -> None:
    from lemmata.serve.graph import depths, downstream

    uses = {"a": (), "b": ("a",), "c": ("b",), "d": (), "e": ("d", "c")}
    assert downstream(uses, {"a"}) == {"b", "c", "e"}
    assert downstream(uses, {"e"}) == set()
    assert depths(uses) == {"a": 0, "b": 1, "c": 2, "d": 0, "e": 3}
    assert max(depths({"x": ("y",), "y": ("x",)}).values()) <= 2  # a circle ends


def test_a_statement_stands_just_before_what_rests_on_it_and_none_over_another() -> None:
    from lemmata.serve.graph import columns, places

    uses = {"a": (), "b": ("a",), "c": ("b", "d"), "d": (), "e": ()}
    assert columns(uses) == {"a": 0, "b": 1, "c": 2, "d": 1, "e": 0}
    found = places(uses)
    assert min(y for _, y in found.values()) == 0
    gaps = [abs(found[one][1] - found[other][1]) for one, other in (("b", "d"), ("a", "e"))]
    assert min(gaps) >= 1


def test_a_theorem_rests_on_its_lemmas_and_an_erratum_reaches_it() -> None:
    from lemmata.serve.graph import downstream, edges

    uses = edges("ic-recall")
    assert {"ic-recall/thm-4.4", "ic-recall/lemma-4.5"} <= set(uses["ic-recall/thm-4.1"])
    assert "ic-recall/thm-4.1" in downstream(uses, {"ic-recall/lemma-c.1-counts"})
    assert "ic-recall/thm-4.1" not in downstream(uses, {"ic-recall/lemma-b.5-term-i"})
    assert all(one in uses for on in uses.values() for one in on)


@pytest.mark.parametrize("paper", ["association", "ic-recall", "knowledge", "lego"])
def test_no_statement_rests_on_itself(paper: str) -> None:
    from lemmata.serve.graph import downstream, edges

    uses = edges(paper)
    assert any(uses.values())
    assert [id for id in uses if id in downstream(uses, {id})] == []


def test_how_a_claim_is_known_is_its_border(monkeypatch: pytest.MonkeyPatch) -> None:
    from lemmata.record import Record
    from lemmata.serve import graph

    rows = [
        Record(id=f"p/{name}", paper="p", experiment=f"p/{kind}", status=was, proved=proved)
        for name, kind, was, proved in (
            ("a", "descent", "erratum", ""), ("b", "algebra", "holds", ""), ("c", "proofs", "holds", "every T > 0")
        )
    ]  # fmt: skip
    monkeypatch.setattr(graph, "edges", lambda paper: {"p/a": (), "p/b": ("p/a",), "p/c": ("p/b",)})
    drawn = graph.graph_svg("/t/", rows)
    boxes = {link["href"]: link["class"] for link in Elements(drawn).all("a")}
    assert boxes["/t/claim/p/a"] == "node erratum measured"
    assert boxes["/t/claim/p/b"] == "node holds symbolic touched"
    assert boxes["/t/claim/p/c"] == "node holds proved touched"
    assert len(Elements(drawn).all("rect")) == 4  # what is proved has two
    assert "holds (proved) · rests on an erratum" in drawn


def test_a_claim_that_rests_on_nothing_known_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from lemmata.core.registry import experiments, papers
    from lemmata.testing import paper_checks as testing

    mine = dict(experiments("ic-recall"))
    first = mine["ic-recall/fig-2"]
    mine["ic-recall/fig-2"] = replace(first, claims=(replace(first.claims[0], uses=("lemma-z.9",)), *first.claims[1:]))
    monkeypatch.setattr(testing, "experiments", lambda id: mine)
    found = [one for one in testing.package_problems(papers()["ic-recall"]) if "rests on" in one]
    assert found == ["ic-recall/fig-2: it rests on 'lemma-z.9', which is no claim of the paper"]
