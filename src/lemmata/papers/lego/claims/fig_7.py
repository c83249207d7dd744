"""Figure 7: attention on the right answer clause at longer lengths."""

from lemmata.core import SHARE, Part, Protocol, Seeds, at_least
from lemmata.papers.lego.claims._diagonals import Diagonal, answers_seen, diagonal_experiment
from lemmata.papers.lego.claims._length_curves import NEEDS, base

NO_VISIBLE_DROP = 0.95  # of the sentences four times as long are still answered


def answered(found: dict[str, Diagonal]) -> Seeds:
    run = found["simply transitive"].run
    return Seeds(base(run).column(length=4 * run.config.task.length), bounds=SHARE)


EXPERIMENT = diagonal_experiment(
    "Attention on the right answer at longer lengths",
    "answer",
    protocol=Protocol("|X|, the width and the number of sentences, which Section 7 does not print"),
    id="fig-7",
    locus="Section 7, Figure 7",
    statement="For the attention on the right answer clause the pattern of Figure 6 is reversed: the simply transitive "
    "action's falls with length and position, the symmetric one's is stable, and the former's accuracy drops not "
    "visibly. Judged: drops as in Figure 6, and the share of sentences with all clauses right at four times the "
    "training length. Control: the two actions exchanged.",
    decaying="simply transitive",
    steady="symmetric",
    more={
        "simply transitive, sentences right all the same": Part(answered, at_least(NO_VISIBLE_DROP, over_seeds=True))
    },
    # A claim's need of a run stands in place of the experiment's, so that one is repeated here.
    needs={family: (*needs, answers_seen) for family, needs in NEEDS.items()},
)
