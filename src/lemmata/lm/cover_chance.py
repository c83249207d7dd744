"""The chance that a fact comes out after fine-tuning: a logistic fit on some relations, tested on others."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata

from lemmata.core import named_generator

FOLDS, DRAWS, RIDGE = 5, 2000, 1.0


def fitted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of logistic regression, with a ridge on standardised features; the last is the constant."""
    mean, spread, sign = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0), np.where(y, 1.0, -1.0)
    z = np.column_stack([(x - mean) / spread, np.ones(len(x))])
    start = np.zeros(z.shape[1])
    w = minimize(lambda w: np.logaddexp(0, -sign * (z @ w)).sum() + RIDGE * (w[:-1] @ w[:-1]) / 2, start).x
    slopes = w[:-1] / spread
    return np.append(slopes, w[-1] - slopes @ mean)


def chance(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(x @ weights[:-1] + weights[-1])))


def on_held_out(x: np.ndarray, y: np.ndarray, relations: Sequence[str]) -> np.ndarray | None:
    """Each fact by a fit on other relations; None if a fit would see one outcome alone."""
    names = sorted(set(relations))
    order = named_generator(0, "folds").permutation(len(names))
    fold = np.array([order[names.index(one)] % FOLDS for one in relations])
    found = np.zeros(len(y))
    for out in (fold == k for k in sorted(set(fold.tolist()))):
        if y[~out].all() or not y[~out].any():
            return None
        found[out] = chance(x[out], fitted(x[~out], y[~out]))
    return found


def auc(score: np.ndarray, y: np.ndarray) -> float:
    """The chance that a fact that came out has a higher score than one that did not."""
    hits = int(y.sum())
    if not 0 < hits < len(y):
        return float("nan")
    return float((rankdata(score)[y].sum() - hits * (hits + 1) / 2) / (hits * (len(y) - hits)))


def auc_interval(score: np.ndarray, y: np.ndarray, relations: Sequence[str]) -> tuple[float, float]:
    """95%, by drawing relations again: facts of one relation come out together."""
    which = np.unique(list(relations), return_inverse=True)[1]
    rows = [np.flatnonzero(which == one) for one in range(which.max() + 1)]
    stream = named_generator(0, "relations drawn again")
    draws = [np.concatenate([rows[i] for i in stream.integers(len(rows), size=len(rows))]) for _ in range(DRAWS)]
    found = [one for one in (auc(score[draw], y[draw]) for draw in draws) if one == one]
    low, high = np.percentile(found or [np.nan], [2.5, 97.5])
    return float(low), float(high)
