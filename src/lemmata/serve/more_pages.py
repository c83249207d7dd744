"""Two small pages: the player of a finished run, and SQL over what is stored."""

import json
from collections.abc import Sequence
from typing import Any

from lemmata.report.markup import Html, element, link, table
from lemmata.run import RUNS
from lemmata.serve.layout import experiment_path, layout
from lemmata.serve.question import Question


def play_page(base: str, question: Question) -> str:
    one = question.selection.experiment
    source = f"{base}frames/{question.path.removeprefix('change/')}"
    controls = element(
        "div",
        element("button", "Play", type="button", id="play", aria_pressed="false"),
        element(
            "label",
            element("span", "Training time"),
            " ",
            element("input", type="range", id="time", min="0", max="1000", value="1000", step="1"),
        ),
        element("output", "", id="step", aria_live="off"),
        class_="player",
    )
    return layout(
        base,
        f"{one.id} over time",
        element("h1", "Over training time: ", link(experiment_path(base, one.id), one.title)),
        element("p", "", id="trouble", role="alert"),
        controls,
        element("div", id="views", data_source=source),
        scripts=("vendor/uPlot.iife.min.js", "views.js", "play.js"),
        styles=("vendor/uPlot.min.css",),
    )


def query_page(base: str, sql: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], error: str) -> str:
    requested = element(
        "form",
        element(
            "label",
            element("span", "SQL over all stored metrics: one SELECT"),
            element("textarea", sql, name="sql", rows="4"),
        ),
        element("button", "Ask", type="submit"),
        method="get",
        action=f"{base}query",
    )
    known = element(
        "p", f"The view runs has {', '.join(RUNS)}; metrics and one view a kind have the numbers.", class_="muted"
    )
    body = [element("h1", "SQL"), known, requested]
    if error:
        body.append(element("p", error, role="alert"))
    if columns:
        body.append(_table(columns, rows))
    return layout(base, "SQL", *body)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Html:
    cells = (element("tr", *(element("td", _text(value)) for value in row)) for row in rows)
    return element("div", table(columns, cells), class_="scroll", tabindex="0")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
