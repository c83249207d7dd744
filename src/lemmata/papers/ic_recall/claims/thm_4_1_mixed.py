"""Theorem 4.1 where some sequences are confusing or mismatched and some are not."""

from lemmata.papers.ic_recall.claims._drawn_slopes import drawn_slopes_theorem

EXPERIMENT = drawn_slopes_theorem(
    "Some sequences confusing, some not: the final answer",
    "thm-4.1-mixed",
    "Theorem 4.1, with 0 < p_conf < 1, any T <= C_1/log n and any t_2 >= (C_2/T) log(1/T)",
    "As Theorem 4.1, where a share of the sequences is confusing and a share mismatched (Assumption 4.3): for any $T "
    r"\le C_1/\log n$ and $t_2 \ge \frac{C_2}{T}\log\frac1T$ the final answer has accuracy at least 0.99 on all "
    "IC-recall sequences. Judged for every seed and kind of sequence, also at lower temperatures and with a longer "
    "Stage 2.",
    "final_worst",
    0.99,
)
