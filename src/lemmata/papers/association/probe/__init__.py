"""The numbers of the paper: answers after a trigger, attention, what single weights remember; readings of runs."""

from lemmata.papers.association.probe.answers import (
    answers,
    answers_of_edits,
    answers_of_ranks,
    earlier_triggers,
    ioi_answers,
    queries_of,
    rank_name,
)
from lemmata.papers.association.probe.attention import attention_mass
from lemmata.papers.association.probe.held_out import HeldOut, answer_shown, first, held_out, telling_example
from lemmata.papers.association.probe.memories import feed_logits, feed_margin, matching_logits, value_logits
from lemmata.papers.association.probe.portrait import portrait
