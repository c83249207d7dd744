"""Figure 7: attention on the right answer clause at longer lengths."""

from lemmata.core import Part, RunResult, at_least
from lemmata.papers.lego.claims._diagonals import Diagonal, diagonal_experiment
from lemmata.papers.lego.claims._length_curves import NEEDS, base

NO_VISIBLE_DROP = 0.95  # of the sentences four times as long are still answered


def seen(run: RunResult) -> str | None:
    """A need: there is a diagonal to judge."""
    share = Diagonal(run, "answer").over_even
    name = run.config.task.action
    missing = f"{name}'s answers get {share:.2f} of what an even spread would give: the residual carries their value"
    return None if share >= 1 else missing


def answered(found: dict[str, Diagonal]) -> float:
    run = found["simply transitive"].run
    return base(run).at(4 * run.config.task.length)


EXPERIMENT = diagonal_experiment(
    "Attention on the right answer at longer lengths",
    "answer",
    id="fig-7",
    locus="Section 7, Figure 7",
    statement="For the attention on the right answer clause the pattern of Figure 6 is reversed: the simply transitive "
    "action's falls with length and position, the symmetric one's is stable; and the fall costs the simply transitive "
    "action nothing. (Drops as in Figure 6; all clauses right at four times the training length. Control: the two "
    "actions exchanged.)",
    decaying="simply transitive",
    steady="symmetric",
    more={"simply transitive, sentences right all the same": Part(answered, at_least(NO_VISIBLE_DROP))},
    # A claim's need of a run stands in place of the experiment's, so that one is asked here too.
    needs={family: lambda run, need=need: need(run) or seen(run) for family, need in NEEDS.items()},
)
