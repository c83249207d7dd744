"""The report in HTML: an index and a page a paper, or one file that works alone with every image inside.

The page computes nothing: it shows verdicts, drawings and their provenance as they were handed in.
"""

import importlib.resources
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import lemmata
from lemmata.core import Paper, Scale
from lemmata.core.registry import Selection
from lemmata.record import NotRun
from lemmata.report.figure import SavedArtefact, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.markup import Html, document, element, join, link
from lemmata.report.overview import not_run_section, verdict_section
from lemmata.report.page_entry import Entry, Found, footer_of
from lemmata.report.paper_page import paper_section
from lemmata.report.statuses import style_rules
from lemmata.report.summary import Picture, beside, card, embedded, figures_section, masthead

INDEX = "index.html"
ASSETS = "static"  # a folder beside the pages
STYLE, OWN = "katex/katex.min.css", ("maths.js", "unfold.js")
SCRIPTS = ("katex/katex.min.js", *OWN)


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


def write_page(report: Report, out_dir: Path | str) -> Path:
    """Save every drawing under `out_dir` and write one file, `index.html`; the same entries give the same bytes."""
    out_dir = Path(out_dir)
    saved = {entry.result.experiment.id: save_entry(entry, out_dir) for entry in report.entries}
    return write_report(page(report, out_dir, saved), out_dir)


def write_report(made: Html | Mapping[str, Html], out_dir: Path) -> Path:
    """The index last, so that what it links to is there."""
    if isinstance(made, Html):
        return write_whole(out_dir / INDEX, made.encode())
    static = importlib.resources.files("lemmata.serve").joinpath("static")
    with importlib.resources.as_file(static) as folder:
        shutil.copytree(folder / "vendor" / "katex", out_dir / ASSETS / "katex", dirs_exist_ok=True)
        for name in OWN:
            shutil.copyfile(folder / name, out_dir / ASSETS / name)
    for name in sorted(made, key=lambda name: name == INDEX):
        write_whole(out_dir / name, made[name].encode())
    return out_dir / INDEX


def save_entry(entry: Entry, out_dir: Path) -> SavedArtefact:
    """The files of an experiment's drawing."""
    footer = footer_of(entry.result, entry.command)
    return save_artefact(entry.artefact, out_dir, entry.result.experiment.id, footer)


def page(report: Report, out_dir: Path, saved: Mapping[str, SavedArtefact]) -> Html:
    """One file: findings and their figures first; then verdicts, errata, every experiment."""
    sections = (_paper(report, one, out_dir, saved, embedded, alone=False) for one in report.papers.values())
    main = element("main", *_front(report, saved, embedded), *sections)
    return _document(_title(report), _masthead(report), main, report.scale)


def pages(report: Report, out_dir: Path, saved: Mapping[str, SavedArtefact]) -> dict[str, Html]:
    """The same as several files, by name: an index, and a page a paper. Figures are files beside them."""
    picture = beside(out_dir)
    front = _outward(join(_front(report, saved, picture)), report.papers)
    main = element("main", front)
    made = {INDEX: _document(_title(report), _masthead(report), main, report.scale, scripts=SCRIPTS)}
    back = element("header", link(INDEX, "lemmata: all papers", class_="brand"), class_="masthead")
    for id, paper in report.papers.items():
        main = element("main", _paper(report, paper, out_dir, saved, picture, alone=True))
        made[f"{id}.html"] = _document(f"lemmata report: {paper.title}", back, main, report.scale, scripts=SCRIPTS)
    return made


def _paper(
    report: Report, paper: Paper, out_dir: Path, saved: Mapping[str, SavedArtefact], picture: Picture, *, alone: bool
) -> Html:
    found = report.found.get(paper.id, ())
    return paper_section(paper, report.of(paper), found, out_dir, saved, picture, alone=alone)


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
    ]


def _outward(html: Html, papers: Iterable[str]) -> Html:
    """Links to a paper's claims and experiments lead to its page."""
    ids = "|".join(map(re.escape, papers))
    return Html(re.sub(rf'href="#((?:experiment/|paper/)?({ids})(?:/[^"]*)?)"', r'href="\2.html#\1"', html))


def style_sheet() -> str:
    """The page's own, with the colours of verdicts."""
    rules = importlib.resources.files("lemmata.report").joinpath("page.css").read_text(encoding="utf-8")
    return style_rules() + rules


def _document(title: str, head: Html, main: Html, scale: Scale, scripts: Sequence[str] = ()) -> Html:
    """`scripts`: files beside the page that typeset mathematics and open what a link leads to; without them, or in one
    file, mathematics stays Unicode and browsers open folds by themselves."""
    return document(
        title,
        element("body", head, main, _colophon(scale)),
        Html(f"<style>\n{style_sheet()}</style>"),
        element("link", rel="stylesheet", href=f"{ASSETS}/{STYLE}") if scripts else "",
        *(element("script", src=f"{ASSETS}/{name}", defer=True) for name in scripts),
    )


def _colophon(scale: Scale) -> Html:
    facts = {"lemmata": lemmata.__version__, "scale": scale.name}
    pairs = (join((element("dt", str(key)), element("dd", str(value)))) for key, value in facts.items())
    return element("footer", element("dl", *pairs, class_="facts"))
