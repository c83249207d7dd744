"""Read: all that is known of a claim, and of an experiment with its figure."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from lemmata.core.registry import Selection, file_of, papers
from lemmata.record import baselines, ledger
from lemmata.report.evidence import control_note
from lemmata.report.evidence_rows import check_command, left_over, lines
from lemmata.report.markup import Html, code_or_tex, element, inline, join, link, prose
from lemmata.report.values import duration, margin, rule
from lemmata.serve.layout import claim_item, experiment_path, facts_list, layout, status_chip

HOVER = ("hover.js",)


def claim_page(base: str, row: dict[str, Any]) -> str:
    body = [
        element("h1", row["id"], " ", status_chip(row)),
        element(
            "p", f"{row['locus']} · ", link(experiment_path(base, row["experiment"]), row["title"]), class_="locus"
        ),
        prose(row["statement"], "statement"),
        erratum(row),
        element("h2", "Evidence"),
        evidence(row),
        facts_list(
            [
                ("Rule", rule(row["rule"])),
                ("Margin", margin(row["margin"])),
                ("Control", control_note(row["control_status"]) if row["control_status"] else ""),
                ("Detail", inline(row["detail"] or "")),
                ("Remark", inline(row["remark"] or "")),
                ("Cost", duration(row["seconds"])),
                ("Command", element("code", row["command"], class_="command")),
                ("File", element("code", _place(row))),
            ]
        ),
        figure(base, row["experiment"], row["scale"], row["title"]),
        element("h2", "History"),
        history(row),
    ]
    return layout(base, row["id"], *body, scripts=HOVER)


def experiment_page(base: str, selection: Selection, rows: Sequence[dict[str, Any]], scale: str) -> str:
    one = selection.experiment
    body = [
        element("h1", one.title, " ", element("span", one.id, class_="id")),
        figure(base, one.id, scale, one.title),
        prose(one.notes, "notes"),
        element("h2", "Claims"),
        element("ul", *(claim_item(base, row) for row in rows), class_="claims"),
    ]
    return layout(base, one.id, *body, scripts=HOVER)


def figure(base: str, experiment: str, scale: str, title: str) -> Html:
    """The drawing with its files; where nothing is stored the image's words say so."""
    source = f"{base}figure/{experiment}"
    files = [link(f"{source}.{kind}?scale={scale}", kind.upper()) for kind in ("csv", "svg", "png")]
    ways = [link(f"{base}change/{experiment}?scale={scale}", "change its assumptions")]
    ways.append(link(f"{base}play/{experiment}?scale={scale}", "play it back"))
    words = f"The figure of {experiment}: {title}. Its numbers are in the CSV."
    image = element("img", src=f"{source}.png?scale={scale}", alt=words, loading="lazy")
    shown = element("div", image, class_="hover", data_points=f"{source}.points?scale={scale}")
    return element("figure", shown, element("figcaption", join([*files, *ways], " · ")))


def evidence(row: dict[str, Any]) -> Html:
    heads = ("what", "predicted", "measured", "margin", "verdict")
    found = list(lines(row))
    if not found:
        return element("p", f"No number is kept of it here: `{check_command(row)}` measures it.", class_="muted")
    cells = (
        element(
            "tr",
            element("th", line.label or "the measurement", scope="row"),
            *(element("td", text) for text in (line.predicted, line.measured, line.margin, line.status)),
        )
        for line in found
    )
    table = element(
        "table",
        element("caption", "Predicted beside measured", class_="unseen"),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *cells),
        class_="evidence",
    )
    return element("div", table, element("p", left_over(row), class_="muted"), class_="scroll", tabindex="0")


def erratum(row: dict[str, Any]) -> Html:
    if "printed_formula" not in row:
        return Html("")
    pairs = [("Printed", code_or_tex(row["printed_formula"])), ("Corrected", code_or_tex(row["corrected_formula"]))]
    pairs += [(name.capitalize(), inline(row.get(name, ""))) for name in ("reason", "survives", "source")]
    pairs += [("Follows from", inline(row.get("root", "")))]
    typeset = element("div", row["latex"], class_="tex") if row.get("latex") else Html("")
    return element("section", element("h2", "Printed and corrected"), facts_list(pairs), typeset, class_="formulas")


def history(row: dict[str, Any]) -> Html:
    """Verdicts by version and replication, then the ledger of its rule."""
    kept = baselines(papers()[row["paper"]], row["scale"]).get(row["id"])
    found = []
    if row["status"] and not row.get("reference"):
        found.append(("this store", row["status"]))
    if kept:
        found.append((f"lemmata {kept.get('version', '')}, {kept.get('date', '')}", kept["status"]))
    found += [(f"replication {number}", status) for number, status in row["replications"].items()]
    verdicts = (element("li", element("span", f"{where}: ", class_="muted"), status) for where, status in found)
    told = (
        element("li", f"{line.date[:10]}: {line.why} ", element("span", f"Seen by then: {line.seen}", class_="muted"))
        for line in ledger(papers()[row["paper"]])
        if line.claim == row["id"]
    )
    return join((element("ul", *verdicts), element("h3", "Its rule"), element("ol", *told)))


def _place(row: dict[str, Any]) -> str:
    return f"{row['file']}:{line_of(row['experiment'], row['id'].partition('/')[2])}"


@cache
def line_of(experiment: str, name: str) -> int:
    """The line of the experiment's file that names the claim; the first where none does."""
    text = file_of(experiment).read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(text, 1) if f'"{name}"' in line), 1)
