"""Change: an experiment's assumptions as a form made from its configs' types, beside what the original found; Watch."""

import json
from collections.abc import Mapping, Sequence
from math import isnan

from lemmata.core import Scale
from lemmata.core.cli_hints import command_of
from lemmata.core.scale import SCALES
from lemmata.record import Record
from lemmata.report.evidence import facts_list, verdict_chip
from lemmata.report.evidence_rows import lines
from lemmata.report.markup import Html, element, inline, join, link, table
from lemmata.report.values import duration, margin, shorten
from lemmata.run import Key, keys
from lemmata.serve.jobs import OPEN, Answer, Job
from lemmata.serve.layout import claim_path, experiment_path, layout
from lemmata.serve.question import Question

FEW = 12  # keys that are shown at once: of more, some of each group
GROUPS = {"world": "The world", "model": "The model", "training": "Its training", "measurement": "What is measured"}
WATCH = ("watch.js",)
GONE = "The server does not answer. Start lemmata serve again: what was asked for is kept."


def change_page(
    base: str,
    question: Question,
    head: Sequence[str],
    original: Sequence[Record],
    job: Job | None,
    result: Answer | None,
    cost: float | None,
    *,
    is_drawn: bool,
) -> str:
    """`job` and `result`: how far this very question is, and what came of it."""
    one = question.selection.experiment
    said = [element("p", line) for line in head]
    unchanged = element("p", "Nothing is changed yet: as the paper has it.")
    asking, answer = [form(question)], [progress(job), comparison(base, question, original, result, is_drawn=is_drawn)]
    body = [
        element("h1", "What if? ", link(experiment_path(base, one.id), one.title)),
        element("div", *said, class_="changed") if said else unchanged,
        element("p", _cost(cost), class_="muted"),
        gone(),
        *([*answer, element("h2", "Ask something else"), *asking] if job else [*asking, *answer]),
        element("h2", "Send it"),
        facts_list(
            [
                ("This question", element("code", f"lemmata serve '{question.path}'", class_="command")),
                (
                    "In a terminal",
                    element(
                        "code",
                        command_of(question.experiment, Scale(question.scale), question.changes, verb="check"),
                        class_="command",
                    ),
                ),
            ]
        ),
    ]
    return layout(
        base,
        f"{one.id} changed",
        *body,
        scripts=("vendor/uPlot.iife.min.js", "views.js", "change.js", *WATCH),
        styles=("vendor/uPlot.min.css",),
    )


def form(question: Question) -> Html:
    """A line a key, those of one group together; an empty field leaves the experiment's own value."""
    scale, set_here = Scale(question.scale), question.changes
    found = keys(question.selection.experiment, scale)
    is_open = False
    first, rest = dict[str, list[Html]](), dict[str, list[Html]]()
    for key in sorted(found, key=lambda one: (not one.note, not one.allowed.startswith(("int", "float")))):
        shown = first.setdefault(key.group, [])
        is_shown = len(found) <= FEW or (key.group != "measurement" and len(shown) < FEW // 3)
        (shown if is_shown else rest.setdefault(key.group, [])).append(_field(key, set_here.get(key.key, "")))
        is_open |= not is_shown and key.key in set_here
    scales = element(
        "select",
        *(element("option", name, value=name, selected=name == question.scale) for name in SCALES),
        name="scale",
    )
    return element(
        "form",
        element("label", element("span", "Scale"), " ", scales),
        _groups(first),
        element("details", element("summary", f"All {len(found)} keys"), _groups(rest), open=is_open) if rest else "",
        element("button", "Compute it", type="submit"),
        element("output", "", id="refusal", role="alert"),
        id="change",
        data_experiment=question.experiment,
    )


def _groups(rows: Mapping[str, list[Html]]) -> Html:
    heads = ("assumption", "your value", "may hold", "default", "at the paper's scale")
    return join(
        element("div", element("h3", GROUPS[group]), table(heads, rows[group], caption=GROUPS[group]), class_="scroll")
        for group in GROUPS
        if rows.get(group)
    )


def _field(key: Key, value: str) -> Html:
    id = f"key-{key.key}"
    held, paper = (shorten(" or ".join(values), 60) for values in (key.held, key.paper))
    about = {"id": id, "name": key.key, "data_allowed": key.allowed, "aria_describedby": f"{id}-allowed"}
    words = key.allowed.removeprefix("one of ").split(", ") if key.allowed.startswith("one of ") else []
    if key.allowed == "bool":
        words = ["true", "false"]
    if words:
        options = [
            element("option", "as it is", value=""),
            *(element("option", w, value=w, selected=w == value) for w in words),
        ]
        control = element("select", *options, **about)
    else:
        number = key.allowed.startswith(("int", "float")) and " or " not in key.allowed
        control = element("input", value=value, inputmode="decimal" if number else "text", placeholder=held, **about)
    label = element("label", key.key, for_=id)
    note = element("span", inline(key.note), class_="muted") if key.note else ""
    return element(
        "tr",
        element("th", label, " ", note, scope="row"),
        element("td", control),
        element("td", key.allowed.replace("\n", "; "), id=f"{id}-allowed", data_label="may hold"),
        element("td", held, data_label="default"),
        element("td", paper, data_label="at the paper's scale"),
    )


def progress(job: Job | None) -> Html:
    """What the stream fills; a finished or absent job is said as it is."""
    state = job.state if job else "not asked yet"
    words = f"{state}: {job.reason}" if job and job.reason else state
    return element(
        "section",
        element("h2", "This question"),
        element("p", words, id="state", role="status", data_state=job.state if job else ""),
        element("progress", max="1", value="0", id="share", aria_label="share that is computed", hidden=True),
        element("p", "", id="left", class_="muted"),
        element("button", "Cancel", type="button", id="cancel", hidden=not job or job.state not in OPEN),
        element("div", id="growing"),
        data_job=job.id if job else "",
        id="job",
    )


def comparison(
    base: str, question: Question, original: Sequence[Record], result: Answer | None, *, is_drawn: bool
) -> Html:
    """Original and changed side by side at one scale, a claim a row: verdicts, numbers, how far from its rule each is.
    `is_drawn`: whether the original's runs are stored, so that its figure can stand beside the other."""
    if result is None:
        return Html("")
    rows = [
        element(
            "tr",
            element("th", link(claim_path(base, one.id), one.id), scope="row"),
            element("td", verdict_chip(one), _numbers(one)),
            element("td", *_changed(result.records.get(one.id))),
            element("td", moved(one, result.records.get(one.id))),
        )
        for one in original
    ]
    heads = ("claim", "as it is", "changed" if question.set else "computed here", "margin, from ○ to ●")
    source = f"{base}result/{question.id}/figure"
    alt = f"The figure of {question.experiment} under the changed assumptions. {result.caption}"
    drawn = element("img", src=f"{source}.png", alt=alt) if "figure.png" in result.files else Html("")
    files = join((link(f"{base}result/{question.id}/{name}", name) for name in result.files), " · ")
    shown = [
        element(
            "figure", drawn, element("figcaption", element("strong", "Changed. "), inline(result.caption), " ", files)
        )
    ]
    if is_drawn and drawn and question.set:
        before = f"{base}figure/{question.experiment}.png?scale={question.scale}"
        image = element("img", src=before, alt=f"The figure of {question.experiment} as it is, at the same scale.")
        shown.insert(0, element("figure", image, element("figcaption", element("strong", "As it is."))))
    head = f"Both at scale {question.scale}; seeds and panels are the same unless the change is of them."
    return element(
        "section",
        element("h2", "Side by side"),
        element("p", head, class_="muted"),
        element("div", table(heads, rows, "compared"), class_="scroll"),
        element("div", *shown, class_="pair"),
    )


def moved(one: Record, other: Record | None) -> Html:
    """The two margins on a line: left of the middle a rule does not hold."""
    margins = [one.margin, other.margin if other else None]
    places = [None if m is None or isnan(m) else 60 + 54 * max(-1.0, min(1.0, m)) for m in margins]
    before, after = (Html("") if x is None else _dot(x, filled=i == 1) for i, x in enumerate(places))
    known = [x for x in places if x is not None]
    if not known:
        return Html("–")
    path = element("path", "", d=f"M{min(known):g} 9H{max(known):g}", class_="way")
    axis = element("path", "", d="M6 9H114M60 3V15", class_="axis")
    words = f"margin {margin(margins[0])}, changed {margin(margins[1])}"
    return element("svg", axis, path, before, after, viewBox="0 0 120 18", role="img", aria_label=words, class_="moved")


def _dot(x: float, *, filled: bool) -> Html:
    return element("circle", "", cx=f"{x:g}", cy="9", r="4.5", class_="after" if filled else "before")


def _changed(record: Record | None) -> list[str]:
    if record is None or record.left_out:
        return [f"not judged: {record.left_out if record else 'it was left out'}"]
    detail = element("p", inline(record.detail), class_="muted") if record.detail else Html("")
    return [verdict_chip(record), _numbers(record), detail]


def _numbers(record: Record) -> Html:
    entries = (
        element("li", element("span", f"{line.label}: " if line.label else "", class_="muted"), line.measured)
        for line in lines(record, 1)
    )
    return element("ul", *entries)


def _cost(cost: float | None) -> str:
    return f"Computing it as it is took {duration(cost)} before." if cost else "What it costs is not known here yet."


def queue_page(base: str, jobs: Sequence[Job], *, is_ours: bool) -> str:
    note = "" if is_ours else "Another server works this store's queue off; here it can only be looked at."
    listing = [
        element(
            "li",
            element("span", job.state, class_="state"),
            " ",
            link(f"{base}{job.question.path}", f"{job.question.experiment}, scale {job.question.scale}"),
            " ",
            element("code", json.dumps(job.question.changes, ensure_ascii=False) if job.question.set else ""),
            element("span", job.reason, class_="muted"),
            data_job=job.id,
        )
        for job in reversed(jobs)
    ]
    nothing = element(
        "p",
        "Nothing has been asked yet. Every experiment's page has “change its assumptions”.",
        id="nothing",
        hidden=bool(jobs),
    )
    body = [gone(), nothing, element("ul", *listing, id="jobs", class_="claims")]
    return layout(base, "Queue", element("h1", "Queue"), element("p", note, class_="muted"), *body, scripts=WATCH)


def gone() -> Html:
    """What the stream shows when it is cut."""
    return element("p", GONE, id="gone", role="alert", hidden=True)
