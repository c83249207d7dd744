"""A verdict as one cites it: what was judged of which paper, by which version, and how to judge it again."""

import re

import lemmata
from lemmata.core import Paper
from lemmata.core.cli_hints import command
from lemmata.record import Record
from lemmata.report.values import verdict_word

ENTRY = """@misc{{{key},
  title = {{{{{title}}}}},
  author = {{{{The lemmata authors}}}},
  year = {{{year}}},
  howpublished = {{lemmata {version}, \\texttt{{{command}}}}},
  note = {{On {locus} of: {authors}. {{{paper}}}, {of}.}},
}}"""


def bibtex(record: Record, paper: Paper) -> str:
    """An entry of BibTeX, the verdict in its title."""
    said = f"{record.id}: {verdict_word(record) or 'not judged'}"
    return ENTRY.format(
        key="lemmata-" + re.sub(r"[^\w-]", "-", record.id),
        title=_tex(said),
        year=(record.date or "2026")[:4],
        version=record.version or lemmata.__version__,
        command=_tex(command("check", record.id, scale=record.scale or "laptop")),
        locus=_tex(record.locus),
        authors=_tex(paper.authors),
        paper=_tex(paper.title),
        of=paper.year,
    )


def _tex(text: str) -> str:
    return re.sub(r"([&%#_])", r"\\\1", text)
