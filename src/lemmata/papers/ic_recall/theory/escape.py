"""Lemma B.6 (Lemma 14 of Jin et al., 2017): what perturbed gradient descent promises near a strict saddle."""

from typing import NamedTuple

import numpy as np


class EscapePromise(NamedTuple):
    """Perturbed within this radius, the loss is lower than at the saddle by at least `drop` from so many steps on."""

    learning_rate: float
    radius: float
    steps: float
    drop: float


def escape_promise(
    gradient_lipschitz: float, hessian_lipschitz: float, curvature: float, delta: float, dim: int, constant: float = 1.0
) -> EscapePromise:
    """With alpha, rho, gamma of the lemma, eta = c/alpha and chi = log(d alpha / (delta gamma)).

    The print allows delta = d alpha / gamma, where chi = 0 and the radius is infinite.
    """
    alpha, rho, gamma = gradient_lipschitz, hessian_lipschitz, curvature
    eta, chi = constant / alpha, float(np.log(dim * alpha / (delta * gamma)))
    return EscapePromise(
        learning_rate=eta,
        radius=float(np.sqrt(eta * alpha)) * gamma**2 / (rho * alpha) / chi**2,
        steps=chi / (constant * eta * gamma),
        drop=eta * alpha * gamma**3 / rho**2 / chi**3,
    )
