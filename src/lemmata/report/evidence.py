"""A claim on the page: what it says, its rule, and prediction beside measurement."""

from collections.abc import Mapping
from typing import Any

from lemmata.core import Undecided
from lemmata.core.claim import Judgement
from lemmata.core.to_json import to_json
from lemmata.record import Provenance
from lemmata.report.markup import Html, code_or_tex, element, inline, join, link, prose
from lemmata.report.values import (
    MARKS,
    array_summary,
    is_array_summary,
    is_one_value,
    is_sample,
    margin,
    number,
    on_the_control,
    rule,
    sample_text,
    verdict_word,
)


def chip(status: str, text: str | None = None) -> Html:
    """A verdict as a coloured label; the mark says it without colour."""
    return element(
        "span",
        element("span", MARKS.get(status, "·"), aria_hidden="true", class_="mark"),
        " ",
        status if text is None else text,
        class_=f"chip {status}",
    )


def control_note(status: str, *, short: bool = False) -> Html:
    """The control's verdict: it is as it should be when the check fails on the wrong subject."""
    if status == "fails":
        return element("span", "fails" if short else "fails, as it must", title="as it must", class_="control good")
    return element("span", status, class_="control bad" if status == "holds" else "control")


def claim_block(judgement: Judgement, provenance: Provenance | None = None) -> Html:
    claim = judgement.claim
    facts = [
        ("Rule", element("span", _rule(judgement))),
        ("Proved on", element("span", judgement.proved))
        if judgement.proved
        else ("Margin", element("span", margin(judgement.margin), class_="number")),
        ("Control", control_note(judgement.control_status)),
    ]
    if judgement.detail and not isinstance(judgement.measured, Undecided):  # else the reason is in the table already
        facts.append(("Detail", inline(judgement.detail)))
    facts += _history(provenance or Provenance())
    return element(
        "article",
        element(
            "header",
            element("h4", link(f"#{claim.id}", claim.id, class_="id")),
            chip(judgement.status, verdict_word(judgement.status, judgement.proved)),
            *badges(provenance),
            element("span", claim.locus, class_="locus"),
        ),
        prose(claim.statement, "statement"),
        formulas(judgement),
        element("div", evidence_table(judgement), class_="scroll"),
        element("dl", *(join((element("dt", name), element("dd", value))) for name, value in facts), class_="facts"),
        element("div", element("strong", "Remark. "), prose(judgement.remark), class_="remark")
        if judgement.remark
        else "",
        id=claim.id,
        class_=f"claim {judgement.status}",
    )


def badges(provenance: Provenance | None) -> list[Html]:
    """How old the rule is and what fresh randomness says, as labels beside the verdict."""
    return [element("span", word, class_="badge") for word in (provenance.words() if provenance else ())]


def _history(provenance: Provenance) -> list[tuple[str, Html]]:
    facts = []
    if provenance.line:
        facts.append(("Rule since", inline(f"{provenance.line.date[:10]}; seen by then: {provenance.line.seen}")))
    if provenance.confirmation:
        verdicts = ", ".join(f"{number}: {one['status']}" for number, one in provenance.confirmation.verdicts.items())
        facts.append(("Replications", inline(f"{verdicts} (of {provenance.confirmation.date[:10]})")))
    return facts


def formulas(judgement: Judgement) -> Html:
    """The printed formula and the right one, where the claim knows both."""
    correction = judgement.claim.correction
    if correction is None:
        return Html("")
    return element(
        "div",
        element(
            "dl",
            element("dt", "Printed"),
            element("dd", code_or_tex(correction.printed), class_="printed"),
            element("dt", "Corrected"),
            element("dd", code_or_tex(correction.corrected), class_="corrected"),
        ),
        prose(correction.reason, "reason"),
        prose(f"What survives: {correction.survives}" if correction.survives else "", "reason"),
        prose(f"Read from {correction.source}." if correction.source else "", "reason"),
        class_="formulas",
    )


def evidence_table(judgement: Judgement) -> Html:
    """Prediction and measurement side by side, one row a part where both have the same parts."""
    columns = {"predicted": to_json(judgement.predicted)}
    if judgement.claim.correction is not None:
        columns = {"printed form": columns["predicted"], "corrected form": to_json(judgement.corrected)}
    columns["measured"] = to_json(judgement.measured)
    values = list(columns.values())
    names = list(values[-1]) if _has_parts(values[-1]) else []
    if names and all(_has_parts(value) and set(value) == set(names) for value in values):
        rules = _part_rules(judgement)
        head = ["part", *columns, *(["rule", "on the control"] if rules else [])]
        rows = [
            [element("th", name, scope="row"), *(element("td", show(value[name])) for value in values)]
            + ([element("td", rules.get(name, ""), class_="rule"), _on_control(judgement, name)] if rules else [])
            for name in names
        ]
    else:
        head = list(columns)
        rows = [[element("td", show(value)) for value in values]]
    return element(
        "table",
        element("thead", element("tr", *(element("th", name, scope="col") for name in head))),
        element("tbody", *(element("tr", *row) for row in rows)),
        class_="evidence",
    )


def show(value: Any) -> Html:
    """Any value of `core.plain`: numbers as numbers, dicts and matrices as small tables."""
    if isinstance(value, Mapping):
        if set(value) == {"undecided"}:
            return element("em", f"undecided: {value['undecided']}")
        if is_array_summary(value):
            return element("span", array_summary(value), class_="summary")
        if is_sample(value):
            return element("span", sample_text(value), class_="summary")
        rows = (element("tr", element("th", str(k), scope="row"), element("td", show(v))) for k, v in value.items())
        return element("table", *rows, class_="small")
    if isinstance(value, list | tuple):
        if value and all(isinstance(row, list) and not any(isinstance(x, list) for x in row) for row in value):
            rows = (element("tr", *(element("td", show(item)) for item in row)) for row in value)
            return element("table", *rows, class_="small matrix")
        return join((show(item) for item in value), ", ")
    if isinstance(value, str):
        return element("span", inline(value))
    return element("span", number(value), class_="number")


def _on_control(judgement: Judgement, name: str) -> Html:
    status, carries = judgement.control.get(name), judgement.claim.named_parts()[name].carries
    tone = {"fails": "control good", "holds": "control bad" if carries else "control"}.get(status or "", "control")
    return element("td", element("span", on_the_control(status, carries), class_=tone))


def _has_parts(value: Any) -> bool:
    return isinstance(value, Mapping) and not is_one_value(value)


def _part_rules(judgement: Judgement) -> dict[str, str]:
    return {name: rule(part.rule.describe()) for name, part in judgement.claim.named_parts().items() if name}


def _rule(judgement: Judgement) -> str:
    shown_by_part = _part_rules(judgement) and _has_parts(to_json(judgement.measured))
    return "each part under its own rule" if shown_by_part else rule(judgement.claim.rule)
