"""Pages of the site that are made from code when it is built: a page a paper, a page a claim, all errata."""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from lemmata.commands.docs import documented, page_of
from lemmata.core import Paper
from lemmata.core.registry import papers
from lemmata.record import Record
from lemmata.report.errata import errata_markdown
from lemmata.report.tex import to_unicode
from pages import claim_page, findings_of, findings_section, line_of, papers_lines


def on_files(files: Files, config: MkDocsConfig) -> Files:
    lines, found = [], []
    everything = ["# Errata\n\nPrinted formulas that fail their rule where a corrected one passes it."]
    for paper in papers().values():
        records = documented(paper)
        _add(files, config, f"papers/{paper.id}.md", _linked(page_of(paper), paper, records))
        for picture in sorted(paper.folder.glob("plain-*.png")):
            _add(files, config, f"papers/{paper.id}-{picture.name}", picture.read_bytes())
        for one in records:
            _add(files, config, f"papers/{one.id}.md", claim_page(one))
        everything.append(f"## {paper.id}: {paper.title}\n\n{errata_markdown(records)}")
        lines.append(_on_site(line_of(paper), paper))
        found.append(_on_site(findings_section(paper, findings_of(paper)), paper))
    _add(files, config, "papers/index.md", "\n\n".join(["# Papers", papers_lines(lines), "## What was found", *found]))
    _add(files, config, "errata.md", "\n\n".join(everything))
    return files


def _on_site(text: str, paper: Paper) -> str:
    """A paper is linked to its page; files are named alone, as the site does not hold them."""
    folder = f"src/{paper.package.replace('.', '/')}"
    text = text.replace(f"({folder}/README.md)", f"({paper.id}.md)")
    return re.sub(rf"\[(`[^`]+`)\]\({re.escape(folder)}/\S+?\)", r"\1", text)


def _linked(text: str, paper: Paper, records: list[Record]) -> str:
    """A paper's page with its claims linked to their pages; files are named alone, as the site does not hold them."""
    for one in records:
        text = text.replace(f"| `{one.id}` |", f"| [`{one.id}`]({paper.id}/{one.name}.md) |")
        text = text.replace(f"[`{one.file}`]({one.file})", f"`{one.file}`")
    return text.replace("](plain-", f"]({paper.id}-plain-")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Mathematics as Unicode: the site needs no script for it."""
    blocks = re.split(r"(^```.*?^```)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(block if i % 2 else to_unicode(block) for i, block in enumerate(blocks))


def _add(files: Files, config: MkDocsConfig, path: str, text: str | bytes) -> None:
    files.append(File.generated(config, path, content=text))
