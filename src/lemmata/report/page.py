"""The report as one HTML file that works alone: styles and images inside, no scripts, links to the files beside it.

The page computes nothing: it shows verdicts, drawings and their provenance as they were handed in.
"""

import importlib.resources
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import lemmata
from lemmata.core import NotRun, Paper, Scale, Selection
from lemmata.report.entry import Entry, Found, Provenance, describe_seeds
from lemmata.report.evidence import claim_block
from lemmata.report.figure import SavedArtefact, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.front import card, cited, embedded, figures_section, masthead
from lemmata.report.markup import Html, element, inline, join, link, prose
from lemmata.report.overview import errata_section, not_run_section, verdict_section
from lemmata.report.values import duration

FOLD_RUNS = 6  # more run ids than this are folded away


def write_page(
    entries: Sequence[Entry],
    out_dir: Path | str,
    *,
    scale: Scale,
    not_run: Sequence[NotRun] = (),
    found: Mapping[str, Sequence[Found]] | None = None,
) -> Path:
    """Save every drawing under `out_dir` and write `out_dir/index.html`; the same entries give the same bytes."""
    out_dir = Path(out_dir)
    saved = {entry.examined.experiment.id: save_entry(entry, out_dir, scale) for entry in entries}
    return write_whole(out_dir / "index.html", page(entries, out_dir, saved, scale, not_run, found=found).encode())


def save_entry(entry: Entry, out_dir: Path, scale: Scale) -> SavedArtefact:
    """The files of an experiment's drawing."""
    item = entry.examined
    provenance = Provenance(
        command=entry.command, scale=scale.name, version=lemmata.__version__, seeds=item.seeds, run_ids=item.run_ids
    )
    return save_artefact(entry.artefact, out_dir, item.experiment.id, provenance)


def page(
    entries: Sequence[Entry],
    out_dir: Path,
    saved: Mapping[str, SavedArtefact],
    scale: Scale,
    not_run: Sequence[NotRun] = (),
    *,
    found: Mapping[str, Sequence[Found]] | None = None,
    coming: Sequence[Selection] = (),
) -> Html:
    """Findings and their figures first; then verdicts, errata, and every experiment. `coming`: not judged yet."""
    style = importlib.resources.files("lemmata.report").joinpath("page.css").read_text(encoding="utf-8")
    listed = (*(entry.examined for entry in entries), *coming, *not_run)
    papers = dict(sorted({one.paper.id: one.paper for one in listed}.items()))
    grouped = {id: [entry for entry in entries if entry.examined.paper.id == id] for id in papers}
    found = found or {}
    title = "lemmata report: " + ", ".join(papers)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        Html(f"<style>\n{style}</style>"),
    )
    body = element(
        "body",
        masthead(len(entries), coming, scale),
        element(
            "main",
            element(
                "div",
                *(
                    card(paper, found.get(id, ()), grouped[id], [one for one in not_run if one.paper.id == id])
                    for id, paper in papers.items()
                ),
                class_="cards",
            ),
            figures_section([one for id in papers for one in found.get(id, ())], entries, saved),
            verdict_section(entries),
            not_run_section(not_run),
            errata_section(entries),
            *(_paper(paper, grouped[id], out_dir, saved) for id, paper in papers.items()),
        ),
        _colophon(scale),
    )
    return Html(f"<!doctype html>\n{element('html', head, body, lang='en')}\n")


def _paper(paper: Paper, entries: Iterable[Entry], out_dir: Path, saved: Mapping[str, SavedArtefact]) -> Html:
    return element(
        "section",
        element("h2", paper.title),
        element("p", cited(paper), class_="authors"),
        element("p", element("span", "It says: ", class_="muted"), inline(paper.sentence)),
        *(_experiment(entry, out_dir, saved.get(entry.examined.experiment.id)) for entry in entries),
        id=f"paper/{paper.id}",
        class_="paper",
    )


def _experiment(entry: Entry, out_dir: Path, saved: SavedArtefact | None) -> Html:
    experiment = entry.examined.experiment
    return element(
        "section",
        element("h3", experiment.title, " ", element("span", experiment.id, class_="id")),
        _changes(entry),
        _drawing(entry, out_dir, saved),
        prose(experiment.notes, "notes"),
        *(claim_block(judgement, entry.standings.get(judgement.claim.id)) for judgement in entry.examined.judgements),
        id=f"experiment/{experiment.id}",
        class_="experiment",
    )


def _changes(entry: Entry) -> Html:
    """What was changed, and the claims that no change reached: never to be taken for a verdict on the paper."""
    item = entry.examined
    if not item.head:
        return Html("")
    lines = ["Under changed assumptions, which the paper does not speak of.", *item.head]
    lines += [f"Not judged: {claim.id}: {why}." for claim, why in item.left_out]
    return element("div", *(element("p", line) for line in lines), class_="changed")


def _drawing(entry: Entry, out_dir: Path, saved: SavedArtefact | None) -> Html:
    image, caption, files = "", Html(""), []
    if saved is not None:
        caption = prose(entry.artefact.caption, "caption")
        files = [
            link(quote(path.relative_to(out_dir).as_posix()), label)
            for label, path in (("CSV", saved.csv), ("SVG", saved.svg), ("PNG", saved.png), ("provenance", saved.json))
            if path is not None
        ]
        if saved.png is not None:
            image = embedded(saved.png, f"{entry.examined.experiment.title}. {entry.artefact.caption}")
    facts = [
        element("div", element("span", "drawn by ", class_="muted"), element("code", entry.command, class_="command")),
        element("div", element("span", "files ", class_="muted"), join(files, " · ")) if files else "",
        _runs(entry),
    ]
    return element("figure", image, element("figcaption", caption, element("div", *facts, class_="origin")))


def _runs(entry: Entry) -> Html:
    ids = join((element("code", digest[:12], title=digest) for digest in entry.examined.run_ids), " ")
    count = len(entry.examined.run_ids)
    facts = [
        f"{count} run{'' if count == 1 else 's'}",
        duration(entry.examined.seconds),
        describe_seeds(entry.examined.seeds),
    ]
    summary = element("span", " · ".join(fact for fact in facts if fact), class_="muted")
    if count > FOLD_RUNS:
        return element("details", element("summary", summary), ids)
    return element("div", summary, " ", ids)


def _colophon(scale: Scale) -> Html:
    facts = {"lemmata": lemmata.__version__, "scale": scale.name}
    pairs = (join((element("dt", str(key)), element("dd", str(value)))) for key, value in facts.items())
    return element("footer", element("dl", *pairs, class_="facts"))
