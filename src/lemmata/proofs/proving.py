"""Search for a certificate, and the check of one. The check uses nothing of the search but the trees."""

from collections.abc import Sequence

from lemmata.core.certificate import AXES, Certificate, Outcome, Proposition, ProvedStep
from lemmata.proofs.balls import enclosure, exact, middle, precision, steepness, value
from lemmata.proofs.steps import Domain, Exact, Positive, Step, Zeros
from lemmata.proofs.trees import BadTree, halves, leaves, longest, words

DEEPEST = 60  # halvings of a box
MOST = 6_000  # boxes of a step


class Stopped(Exception):
    """Why a step has no certificate."""

    def __init__(self, outcome: Outcome, where: str):
        super().__init__(where)
        self.outcome: Outcome = outcome
        self.where = where


def prove(proposition: Proposition, steps: Sequence[Step]) -> Certificate:
    """A certificate; where a step does not close, one that says which box stayed open or is false, and stops there."""
    done: list[ProvedStep] = []
    outcome: Outcome = "closed"
    where = ""
    for step in steps:
        try:
            done.append(_prove(step))
        except Stopped as stopped:
            outcome, where = stopped.outcome, f"{step.name}: {stopped.where}"
            break
    return Certificate(proposition.digest, proposition.says, proposition.on, tuple(done), outcome, where)


def check(certificate: Certificate, proposition: Proposition, steps: Sequence[Step]) -> str | None:
    """Why a certificate does not prove the proposition; None if it does. `steps` are built from the proposition."""
    if certificate.proposition != proposition.digest:
        return f"it is of another statement: {certificate.says}"
    if certificate.outcome != "closed":
        return f"it is {certificate.outcome}: {certificate.where}"
    if [step.name for step in certificate.steps] != [step.name for step in steps]:
        return "its steps are not those of the proof"
    for step, proved in zip(steps, certificate.steps, strict=True):
        try:
            problem = _problem(step, proved)
        except BadTree as error:
            problem = str(error)
        if problem:
            return f"{step.name}: {problem}"
    return None


def _prove(step: Step) -> ProvedStep:
    if isinstance(step, Exact):
        if not step.holds():
            raise Stopped("refuted", "exact arithmetic")
        return ProvedStep(step.name, "=")
    with precision(step.bits):
        tree = _tree(step)
        if isinstance(step, Zeros):
            found = _zeros(step, tree)
            if found is None:
                raise Stopped("open", f"the sign at an end of a box of {words(step.domain)}")
            if found != step.count:
                raise Stopped("refuted", f"{words(step.domain)}, where there are {found} zeros and not {step.count}")
    return ProvedStep(step.name, tree, step.bits)


def _tree(step: Positive | Zeros) -> str:
    tree, boxes, waiting = [], 0, [(step.domain, 0)]
    while waiting:
        box, depth = waiting.pop()
        if letter := _letter(step, box):
            tree.append(letter)
            boxes += 1
            continue
        if isinstance(step, Positive) and value(step.function, [exact(middle(side)) for side in box]) < 0:
            raise Stopped("refuted", words(tuple((middle(side), middle(side)) for side in box)))
        if depth >= DEEPEST or boxes >= MOST or all(low == high for low, high in box):
            raise Stopped("open", words(box))
        axis = longest(box, step.domain)
        lower, upper = halves(box, axis)
        tree.append(AXES[axis])
        waiting += [(upper, depth + 1), (lower, depth + 1)]
    return "".join(tree)


def _letter(step: Positive | Zeros, box: Domain) -> str:
    """What is certain of a box: "+", "-", and for a count of zeros "u" (rises) or "d" (falls); nothing if nothing."""
    return next((letter for letter in ("+-ud" if isinstance(step, Zeros) else "+") if _is(step, box, letter)), "")


def _is(step: Positive | Zeros, box: Domain, letter: str) -> bool:
    if letter in "+-":
        found = enclosure(step.function, box)
        return bool(found > 0 if letter == "+" else found < 0)
    found = steepness(step.function, box)
    return bool(found > 0 if letter == "u" else found < 0)


def _zeros(step: Zeros, tree: str) -> int | None:
    """How many zeros the boxes leave: a monotone one has as many as its ends' signs differ, one of a sign has none.

    None where the sign at an end of a monotone box cannot be told.
    """
    count = 0
    for box, letter in leaves(tree, step.domain):
        if letter in "ud":
            ends = [value(step.function, [exact(end)]) for end in box[0]]
            if any(not (end > 0 or end < 0) for end in ends):
                return None
            count += bool(ends[0] > 0) != bool(ends[1] > 0)
    return count


def _problem(step: Step, proved: ProvedStep) -> str | None:
    if isinstance(step, Exact):
        return None if step.holds() else "exact arithmetic says otherwise"
    if len(proved.tree) > 2 * (MOST + DEEPEST):
        return "it has more boxes than a search would have made"
    with precision(step.bits):
        found = list(leaves(proved.tree, step.domain))
        allowed = "+-ud" if isinstance(step, Zeros) else "+"
        for box, letter in found:
            if letter not in allowed or not _is(step, box, letter):
                return f"the box {words(box)} does not show {letter!r}"
        if isinstance(step, Zeros) and _zeros(step, proved.tree) != step.count:
            return f"its boxes do not show {step.count} zeros"
    return None
