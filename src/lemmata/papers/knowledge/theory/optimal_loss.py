"""The least next-token loss any predictor can reach on facts, exactly from the data (section 3, near-optimality)."""

import numpy as np
from jaxtyping import Int


def optimal_fact_loss(templates_of_subject: Int[np.ndarray, " subject"], questions: int = 3) -> float:
    """The mean over the questions [o], [o s] and [o s r] of `o s r a` (or the last two alone), with one answer a
    subject, in nats.

    A predictor that sees the whole prefix can do no better than give each next token its frequency after that prefix:
    the least loss is the entropy of the target given the prefix. Only [o s] leaves a choice, log K_j for each of the
    K_j sentences about subject j, so with K_j = K for all the mean is log(K) / 3.
    """
    counts = np.asarray(templates_of_subject, float)
    used = counts[counts > 0]
    return float(np.sum(used * np.log(used)) / used.sum()) / questions if used.size else 0.0
