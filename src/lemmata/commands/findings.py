"""What the page says was found: by the verdicts of this report, else by the reference that comes with the package."""

from collections.abc import Collection

from lemmata.commands.docs import documented
from lemmata.core import Paper
from lemmata.record import Finding, Records, findings, origin
from lemmata.report.page_entry import Found


class Findings:
    """The findings of papers, held against verdicts as they come in; references are read once."""

    def __init__(self, papers: Collection[Paper]) -> None:
        self._written = {paper.id: findings(paper) for paper in papers}
        self._kept = {
            paper.id: {one.id: one for one in documented(paper)} for paper in papers if self._written[paper.id]
        }

    def checked(self, evidence: Records, coming: Collection[str]) -> dict[str, list[Found]]:
        """By paper. `coming`: ids of claims that this report will judge, but has not yet."""
        return {
            id: [_found(one, id, evidence, self._kept[id], coming) for one in written]
            for id, written in self._written.items()
        }


def _found(finding: Finding, paper_id: str, evidence: Records, kept: Records, coming: Collection[str]) -> Found:
    experiment, checked = f"{paper_id}/{finding.shown_by}", finding.checked(paper_id, evidence)
    if checked.state == "found":
        return Found(experiment, checked.text, f"settings of ours: {checked.ours}" if checked.ours else "")
    known = finding.checked(paper_id, kept)
    if known.state != "found":
        return Found(experiment, "", f"not said here: {checked.text}")
    rests = [f"{paper_id}/{name}" for name in finding.rests_on]
    whence = f"reference: {origin(kept[rests[0]])}" + (f"; settings of ours: {known.ours}" if known.ours else "")
    if checked.state == "otherwise":
        return Found(experiment, known.text, f"{whence}; not seen in this report, where {checked.text}")
    here = "still to come here" if {id for id in rests if id not in evidence} <= set(coming) else "not judged here"
    return Found(experiment, known.text, f"{whence}; {here}")
