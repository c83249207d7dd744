"""The report in HTML: an index and a page a paper, or one file that works alone with every image inside. No scripts.

The page computes nothing: it shows verdicts, drawings and their provenance as they were handed in.
"""

import importlib.resources
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import lemmata
from lemmata.core import Paper, Scale
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection
from lemmata.record import NotRun
from lemmata.report.evidence import claim_block
from lemmata.report.figure import SavedArtefact, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.markup import Html, element, inline, join, link, prose
from lemmata.report.model_page import TITLE, model_html
from lemmata.report.overview import errata_section, not_run_section, verdict_section
from lemmata.report.page_entry import Entry, Found, describe_seeds, footer_of
from lemmata.report.statuses import style_rules
from lemmata.report.summary import Picture, beside, card, cited, embedded, figures_section, masthead
from lemmata.report.values import duration

INDEX = "index.html"
FOLD_RUNS = 6  # more run ids than this are folded away


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a page shows; `coming`: not judged yet; `computes`: the command for them, where nobody computes them."""

    scale: Scale
    entries: Sequence[Entry] = ()
    not_run: Sequence[NotRun] = ()
    found: Mapping[str, Sequence[Found]] = field(default_factory=dict)
    coming: Sequence[Selection] = ()
    computes: str = ""

    @property
    def papers(self) -> dict[str, Paper]:
        listing = (*(entry.result for entry in self.entries), *self.coming, *self.not_run)
        return dict(sorted({one.paper.id: one.paper for one in listing}.items()))

    def of(self, paper: Paper) -> list[Entry]:
        return [entry for entry in self.entries if entry.result.paper.id == paper.id]


def write_page(report: Report, out_dir: Path | str, *, single_file: bool = True) -> Path:
    """Save every drawing under `out_dir` and write `out_dir/index.html`; the same entries give the same bytes."""
    out_dir = Path(out_dir)
    saved = {entry.result.experiment.id: save_entry(entry, out_dir) for entry in report.entries}
    return write_report((page if single_file else pages)(report, out_dir, saved), out_dir)


def write_report(made: Html | Mapping[str, Html], out_dir: Path) -> Path:
    """The index last, so that what it links to is there."""
    if isinstance(made, Html):
        return write_whole(out_dir / INDEX, made.encode())
    for name in sorted(made, key=lambda name: name == INDEX):
        write_whole(out_dir / name, made[name].encode())
    return out_dir / INDEX


def save_entry(entry: Entry, out_dir: Path) -> SavedArtefact:
    """The files of an experiment's drawing."""
    footer = footer_of(entry.result, entry.command)
    return save_artefact(entry.artefact, out_dir, entry.result.experiment.id, footer)


def page(report: Report, out_dir: Path, saved: Mapping[str, SavedArtefact]) -> Html:
    """One file: findings and their figures first; then verdicts, errata, every experiment."""
    sections = (paper_section(one, report.of(one), out_dir, saved, embedded) for one in report.papers.values())
    main = element("main", *_front(report, saved, embedded), *sections)
    return _document(_title(report), _masthead(report), main, report.scale)


def pages(report: Report, out_dir: Path, saved: Mapping[str, SavedArtefact]) -> dict[str, Html]:
    """The same as several files, by name: an index, and a page a paper. Figures are files beside them."""
    picture = beside(out_dir)
    front = _outward(join(_front(report, saved, picture)), report.papers)
    made = {INDEX: _document(_title(report), _masthead(report), element("main", front), report.scale)}
    back = element("header", link(INDEX, "lemmata: all papers", class_="brand"), class_="masthead")
    for id, paper in report.papers.items():
        main = element("main", paper_section(paper, report.of(paper), out_dir, saved, picture))
        made[f"{id}.html"] = _document(f"lemmata report: {paper.title}", back, main, report.scale)
    return made


def _title(report: Report) -> str:
    return "lemmata report: " + ", ".join(report.papers)


def _masthead(report: Report) -> Html:
    return masthead(len(report.entries), report.coming, report.scale, report.computes)


def _front(report: Report, saved: Mapping[str, SavedArtefact], picture: Picture) -> list[Html]:
    """What stands before the papers' own sections."""
    cards = (
        card(
            paper,
            report.found.get(id, ()),
            report.of(paper),
            [one for one in report.not_run if one.paper.id == id],
            [one for one in report.coming if one.paper.id == id],
        )
        for id, paper in report.papers.items()
    )
    found = [one for id in report.papers for one in report.found.get(id, ())]
    return [
        element("div", *cards, class_="cards"),
        figures_section(found, report.entries, saved, picture),
        verdict_section(report.entries),
        not_run_section(report.not_run),
        errata_section(report.entries),
    ]


def _outward(html: Html, papers: Iterable[str]) -> Html:
    """Links to a paper's claims and experiments lead to its page."""
    ids = "|".join(map(re.escape, papers))
    return Html(re.sub(rf'href="#((?:experiment/|paper/)?({ids})(?:/[^"]*)?)"', r'href="\2.html#\1"', html))


def style_sheet() -> str:
    """The page's own, with the colours of verdicts."""
    rules = importlib.resources.files("lemmata.report").joinpath("page.css").read_text(encoding="utf-8")
    return style_rules() + rules


def _document(title: str, head: Html, main: Html, scale: Scale) -> Html:
    about = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        Html(f"<style>\n{style_sheet()}</style>"),
    )
    return Html(
        f"<!doctype html>\n{element('html', about, element('body', head, main, _colophon(scale)), lang='en')}\n"
    )


def paper_section(
    paper: Paper, entries: Sequence[Entry], out_dir: Path, saved: Mapping[str, SavedArtefact], picture: Picture
) -> Html:
    return element(
        "section",
        element("h2", paper.title),
        element("p", cited(paper), class_="authors"),
        element("p", element("span", "It says: ", class_="muted"), inline(paper.sentence)),
        _model(paper, {one.id for entry in entries for one in entry.records}),
        *(_experiment(entry, out_dir, saved.get(entry.result.experiment.id), picture) for entry in entries),
        id=f"paper/{paper.id}",
        class_="paper",
    )


def _model(paper: Paper, shown: Set[str]) -> Html:
    """What is trained on what, folded away; claims of this page are links to their verdicts."""
    body = model_html(paper, lambda id: f"#{id}" if id in shown else None)
    return element("details", element("summary", element("h3", TITLE)), body, class_="fold") if body else body


def _experiment(entry: Entry, out_dir: Path, saved: SavedArtefact | None, picture: Picture) -> Html:
    experiment = entry.result.experiment
    return element(
        "section",
        element("h3", experiment.title, " ", element("span", experiment.id, class_="id")),
        _changes(entry),
        _drawing(entry, out_dir, saved, picture),
        prose(experiment.notes, "notes"),
        *map(claim_block, entry.records),
        id=f"experiment/{experiment.id}",
        class_="experiment",
    )


def _changes(entry: Entry) -> Html:
    """What was changed, and the claims that no change reached: never to be taken for a verdict on the paper."""
    item = entry.result
    if not item.head:
        return Html("")
    lines = ["Under changed assumptions, not the paper's.", *item.head]
    lines += [f"Not judged: {claim.id}: {why}." for claim, why in item.left_out]
    return element("div", *(element("p", line) for line in lines), class_="changed")


def _drawing(entry: Entry, out_dir: Path, saved: SavedArtefact | None, picture: Picture) -> Html:
    image, caption, files = "", Html(""), []
    if saved is not None:
        caption = prose(entry.artefact.caption, "caption")
        files = [
            link(quote(path.relative_to(out_dir).as_posix()), label)
            for label, path in (("CSV", saved.csv), ("SVG", saved.svg), ("PNG", saved.png), ("provenance", saved.json))
            if path is not None
        ]
        if saved.png is not None:
            image = picture(saved.png, f"{entry.result.experiment.title}. {entry.artefact.caption}")
    facts = [
        element("div", element("span", "drawn by ", class_="muted"), element("code", entry.command, class_="command")),
        element("div", element("span", "files ", class_="muted"), join(files, " · ")) if files else "",
        _runs(entry),
    ]
    return element("figure", image, element("figcaption", caption, element("div", *facts, class_="origin")))


def _runs(entry: Entry) -> Html:
    ids = join((element("code", digest[:12], title=digest) for digest in entry.result.run_ids), " ")
    count = len(entry.result.run_ids)
    about = entry.result
    facts = [pluralize(count, "run"), duration(about.seconds), describe_seeds(about.seeds), about.elsewhere]
    summary = element("span", " · ".join(fact for fact in facts if fact), class_="muted")
    if count > FOLD_RUNS:
        return element("details", element("summary", summary), ids)
    return element("div", summary, " ", ids)


def _colophon(scale: Scale) -> Html:
    facts = {"lemmata": lemmata.__version__, "scale": scale.name}
    pairs = (join((element("dt", str(key)), element("dd", str(value)))) for key, value in facts.items())
    return element("footer", element("dl", *pairs, class_="facts"))
