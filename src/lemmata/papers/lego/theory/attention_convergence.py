"""What neurons read and say of T^2 by the attention alone, once each combination has its neuron (stage 2.3 of appendix
D). Weights are those of the right predicate, the other one, the query and the first answer; arrays over records."""

from typing import Any

import numpy as np


def read(right: Any, other: Any, query: Any, first: Any, step: int) -> dict[str, Any]:
    """Lemma D.36, in units of B."""
    if step == 1:
        return {
            "D.36 (1a), right": 1 - 2 * other,
            "D.36 (1b), right less spurious": 2 * (right - other),
            "D.36 (1c), other values": 2 * right - 1,
        }
    epsilon, gap = other + first, right - query
    return {
        "D.36 (2a), right": 1 - 2 * epsilon,
        "D.36 (2b), spurious": gap,
        "D.36 (2b), right less spurious": 2 * (query - first),
        "D.36 (2c), other values": 2 * right - 1,
    }


def printed_power(right: Any, other: Any, query: Any, first: Any, constant: float) -> dict[str, Any]:
    """Of 1/d in what is wrong, as Lemmas D.37 (1), D.39 (1), (2b) and (2c) print it: against the nearest rival alone,
    as if it were awake."""
    powers = {"D.37 (1)": 2 * (right - other), "D.39 (1)": 2 * query, "D.39 (2b)": 2 * (right - other)}
    return {name: value * constant for name, value in (powers | {"D.39 (2c)": 2 * (query + first)}).items()}


def power(right: Any, other: Any, query: Any, first: Any, constant: float) -> dict[str, Any]:
    """The same with every rival: the d tokens that no neuron names against the right logit; in (2b) one of them, or
    the neuron of the right action and another value, which is awake where the predicate has more than a half."""
    named = printed_power(right, other, query, first, constant)
    rest = {"D.37 (1)": (1 - 2 * other) * constant - 1}
    rest["D.39 (2b)"] = np.minimum(1 - 2 * other, 2 * (query + first)) * constant
    return {name: np.minimum(value, rest.get(name, constant - 1)) for name, value in named.items()}


def concentrating(vocab: float, clip: float, magnitude: float, values: int, until: float) -> float:
    """eps^{2,2} at a time of the flow, with the features of Theorem B.1 and both diagonals of Q alike.

    By Lemma D.36 a wrong clause takes eps psi from what the right neuron reads, unless it has the right action or value
    by chance, which one of n_y has. The loss of step 2 is then d^(1 - C_B) (p + (1 - p) e^(eps psi))^2 with p = 1/n_y,
    that of step 1, which has one wrong clause of attention eps / (2 - eps), the same without the square. Time is the
    integral of d eps over its speed; where eps C_B log d is small the speed is 3/2 (1 - p) psi eps^2 d^(1 - C_B).
    """
    log_eps = np.linspace(np.log(0.5), -1.2 * np.log(vocab), 20_000)
    eps, p = np.exp(log_eps), 1 / values
    single, first = np.exp(magnitude * eps), eps / (2 - eps)
    of_second = (p + (1 - p) * single) * single * eps * (1 - eps)
    of_first = np.exp(2 * magnitude * first) * first * (1 - first)
    log_speed = np.log(magnitude * (1 - p) * (of_second + of_first) * (1 - eps)) + (1 - clip) * np.log(vocab)
    passed = np.exp(-log_speed)
    time = np.concatenate([[0.0], np.cumsum((passed[1:] + passed[:-1]) / 2 * -np.diff(log_eps))])
    return float(np.exp(np.interp(np.log(until), np.log(np.maximum(time, 1e-300)), log_eps)))
