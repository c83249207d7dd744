"""From a claim and its runs to a verdict: the subject is read and compared, then the deliberately wrong one."""

from collections.abc import Callable, Mapping
from typing import Any

from lemmata.core.claim import Claim, Judgement, Part, attempt, unnamed
from lemmata.core.condition import Needs, meet
from lemmata.core.errors import Undecided
from lemmata.core.evidence import Evidence
from lemmata.core.rng import replicated
from lemmata.core.run import NotComputed, Runs
from lemmata.core.undecided import UNJUDGED, undecided_judgement, without_evidence
from lemmata.core.verdict import Verdict, together


def judge(claim: Claim, runs: Runs, needs: Needs | None = None) -> Judgement:
    """The printed form first; the corrected one where the printed fails; the control against whichever stood."""
    with replicated(runs.replication):  # a reading may draw a world again from its seed
        return _judge(claim, runs, needs or {})


def _judge(claim: Claim, all_runs: Runs, needs: Needs) -> Judgement:
    runs = all_runs.watched()
    parts = claim.named_parts()
    try:
        meet(claim.needs, runs)
        runs = all_runs.watched(needs)  # what a claim needs, and what it is about
        subject = claim.subject(runs)
        measured = {name: attempt(part.read, subject) for name, part in parts.items()}
        predicted = {name: attempt(part.rule.expected, runs) for name, part in parts.items()}
        for value in (*predicted.values(), *measured.values()):
            if isinstance(value, UNJUDGED):  # then no other part has a meaning either
                raise value
    except UNJUDGED as why:
        return undecided_judgement(claim, all_runs, needs, why, runs.read)
    except Undecided as undecided:
        return without_evidence(claim, undecided, runs.read)
    verdicts = of_printed = _each(parts, predicted, measured)
    verdict = _together(verdicts)
    status, accepted, corrected = verdict.status, predicted, None
    if claim.correction is not None:
        corrected = {name: attempt(part.if_corrected, predicted[name], runs) for name, part in parts.items()}
        if verdict.status == "fails":
            of_corrected = _each(parts, corrected, measured)
            second = _together(of_corrected)
            if second.status != "fails":  # a corrected form that cannot be told apart decides nothing either
                status = "erratum" if second.status == "holds" else "undecided"
                accepted, verdict, verdicts = corrected, second, of_corrected
    reads = tuple(sorted(runs.read))
    on_control = _each(parts, accepted, _on_wrong_subjects(claim, parts, all_runs))
    of_control = _together({name: one for name, one in on_control.items() if parts[name].carries} or on_control)
    control_status = of_control.status
    detail = verdict.detail
    if control_status != "fails" and status in ("holds", "erratum"):
        status = "undecided"
        why = f" ({of_control.detail})" if control_status == "undecided" and of_control.detail else ""
        detail = f"the control did not fail its check ({control_status}): the rule cannot tell here{why}"
    remark = claim.remark if isinstance(claim.remark, str) else _said(claim.remark, runs)
    return Judgement(
        claim,
        status,
        unnamed(predicted),
        unnamed(measured),
        verdict.margin,
        control_status,
        detail,
        unnamed(corrected) if corrected else None,
        "" if isinstance(remark, Undecided) else remark,
        {name: one.status for name, one in on_control.items()},
        claim.protocol.at(runs.scale),
        reads,
        tuple(
            Evidence(
                name,
                part.rule,
                verdicts[name],
                predicted[name],
                measured[name],
                corrected[name] if corrected else None,
                of_printed[name] if accepted is corrected else None,
                part.axes(all_runs),
            )
            for name, part in parts.items()
        ),
    )


def _on_wrong_subjects(claim: Claim, parts: Mapping[str, Part], runs: Runs) -> dict[str, Any]:
    """What each part reads from its wrong subject: its own, or the claim's."""
    of_claim = attempt(claim.wrong, runs)
    wrong = {name: of_claim if part.wrong is None else attempt(part.wrong, runs) for name, part in parts.items()}
    return {
        name: wrong[name] if isinstance(wrong[name], Undecided) else attempt(part.read, wrong[name])
        for name, part in parts.items()
    }


def _said(remark: Callable[[Runs], str], runs: Runs) -> str | Undecided:
    """A remark computes no run that the verdict does without."""
    try:
        return attempt(remark, runs)
    except NotComputed:
        return ""


def requested_by(claim: Claim, all_runs: Runs, needs: Needs | None = None) -> set[str]:
    """The runs that are not there and that a verdict asks for, as far as can be seen without them: subject, control,
    conditions and each part by itself."""
    requested: set[str] = set()

    def ask(reading: Callable[..., Any], *of: Any) -> Any:
        try:
            return reading(*of)
        except NotComputed as lacking:
            requested.update(lacking.names)
        except Exception:  # what is wrong with a reading is for the judging itself to say
            pass
        return None

    with replicated(all_runs.replication):
        ask(meet, claim.needs, all_runs.watched())
        runs = all_runs.watched(needs)
        for wrong in (claim.wrong, *(part.wrong for part in claim.named_parts().values())):
            if wrong is not None:
                ask(wrong, all_runs)
        subject = ask(claim.subject, runs)
        for part in claim.named_parts().values():
            if subject is not None:
                ask(part.read, subject)
            ask(part.rule.expected, runs)
            ask(part.axes, all_runs)
    return requested


def _each(parts: Mapping[str, Part], expected: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Verdict]:
    verdicts = {}
    for name, part in parts.items():
        try:
            verdicts[name] = part.rule(expected[name], measured[name])
        except Undecided as undecided:
            verdicts[name] = Verdict("undecided", float("nan"), undecided.reason)
    return verdicts


def _together(verdicts: Mapping[str, Verdict]) -> Verdict:
    return verdicts[""] if "" in verdicts else together(verdicts)
