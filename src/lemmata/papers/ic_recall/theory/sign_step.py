"""A step of Adam from zero is a step by signs; in a random basis it favours scores of pairs of tokens."""

import numpy as np

from lemmata.papers.ic_recall.theory.numbers import Real


def token_lead(width: Real, coefficient: Real, norm: Real) -> Real:
    """How far a step of size 1 by signs moves the score of a pair of tokens, where it moves a position's by 1.

    The token block's gradient is G = sum over pairs of c phi(u) phi(u')^T. With random orthonormal embeddings of many
    dimensions an entry of phi(u) phi(u')^T and that of G are Gaussian together, with covariance c / D^2 and deviation
    |c| / D of the latter, so phi(u)^T sign(G) phi(u') sums D^2 times sqrt(2/pi) (c / D^2) / (|c| / D).
    """
    return np.sqrt(2 / np.pi) * width * coefficient / norm
