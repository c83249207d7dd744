"""The gradients that the appendices print, computed from weights and sentences by their own forward pass.

Facts A.1 and D.1 (E.1): any weight. Lemmas A.1, A.2, Facts B.1, C.2: what is left of it at uniform attention, case by
case. All are minus gradients, as printed.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True)
class World:
    """Tokens: variables, then actions, then values, and the blank last."""

    variables: int
    table: Int[np.ndarray, "actions values"]

    @property
    def spans(self) -> tuple[slice, ...]:
        """Which tokens stand in each of a clause's five places."""
        x, (g, y) = self.variables, self.table.shape
        return slice(0, x), slice(x, x + g), slice(0, x), slice(0, x), slice(x + g, x + g + y)

    @property
    def blank(self) -> int:
        return self.variables + sum(self.table.shape)


@dataclass(frozen=True)
class Network:
    feed: Float[np.ndarray, "5 vocab neurons 5 vocab"]
    query: Float[np.ndarray, "5 vocab 5 vocab"]
    bias: float
    power: int  # rho is 1


@dataclass(frozen=True)
class Pass:
    """A forward pass over sentences [n] whose clauses [k] are seen, the last one asking."""

    seen: Int[np.ndarray, "n k 5"]
    attention: Float[np.ndarray, "n k"]  # Attn_{ans,l-1 -> k}
    said: Float[np.ndarray, "n k 5 vocab neurons"]  # <W_{i,j,r}, Z_k>
    reading: Float[np.ndarray, "n 5 vocab neurons"]  # Lambda_{i,j,r}, (23)
    logit: Float[np.ndarray, "n 5 vocab"]  # logit_{i,j}: the softmax
    truth: Float[np.ndarray, "n 5 vocab"]  # 1 at the answer's tokens
    slope: Float[np.ndarray, "n 5 vocab neurons"]  # sReLU'(Lambda_{i,j,r})
    bias: float

    @property
    def felt(self) -> Float[np.ndarray, "n 5 vocab neurons"]:
        """E_{i,j} sReLU', with E of (22)."""
        return (self.truth - self.logit)[..., None] * self.slope

    @property
    def vocab(self) -> int:
        return self.logit.shape[2]

    @property
    def clauses(self) -> Float[np.ndarray, "n k 5 vocab"]:
        """Z_k: one-hot, blanks zero."""
        return np.eye(self.vocab)[self.seen] * (np.arange(self.vocab) < self.vocab - 1)


def forward(network: Network, sentences: Int[np.ndarray, "n clauses 5"], predicates: int, step: int) -> Pass:
    """Of Z^{L,l-1}, the answer l being the target."""
    seen, target = sentences[:, : predicates + step], sentences[:, predicates + step]
    vocab = network.query.shape[1]
    z = np.eye(vocab)[seen] * (np.arange(vocab) < vocab - 1)
    scores = np.einsum("npa,paqb,nkqb->nk", z[:, -1], network.query, z, optimize=True)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    attention = weights / weights.sum(axis=1, keepdims=True)
    said = np.einsum("ijrqb,nkqb->nkijr", network.feed, z, optimize=True)
    reading = np.einsum("nk,nkijr->nijr", attention, said) + network.bias
    fired = np.clip(reading, 0, 1) ** network.power / network.power + np.maximum(reading - 1, 0)
    powers = np.exp((f := fired.sum(axis=-1)) - f.max(axis=-1, keepdims=True))
    logit, slope = powers / powers.sum(axis=-1, keepdims=True), np.clip(reading, 0, 1) ** (network.power - 1)
    return Pass(seen, attention, said, reading, logit, np.eye(vocab)[target], slope, network.bias)


def fact_a_1(of: Pass) -> Float[np.ndarray, "5 vocab neurons 5 vocab"]:
    """E[E_{i,j} sReLU'(Lambda_{i,j,r}) sum_k Attn_k Z_k]; one term of the sum over l."""
    attended = np.einsum("nk,nkqb->nqb", of.attention, of.clauses)
    return np.einsum("nijr,nqb->ijrqb", of.felt, attended, optimize=True) / len(attended)


def fact_d_1(of: Pass, token: int) -> Float[np.ndarray, "5 vocab 5 vocab"]:
    """E[sum_k Attn_k (Xi_k - sum_k' Attn_k' Xi_k') Z_{ans,l-1,p} Z_{k,q}^T], with Xi of (41) and (88)."""
    xi = np.einsum("njr,nkjr->nk", of.felt[:, token], of.said[:, :, token])
    weight = of.attention * (xi - np.sum(of.attention * xi, axis=1, keepdims=True))
    return np.einsum("npa,nk,nkqb->paqb", of.clauses[:, -1], weight, of.clauses, optimize=True) / len(xi)


def _half(of: Pass, token: int, classes: slice, up: np.ndarray, down: np.ndarray) -> Float[np.ndarray, "j neurons s"]:
    """1/2 E[(1 - logit_j) sReLU' 1_up] - 1/2 E[logit_j sReLU' 1_down], with events [n, j, s]."""
    slope, logit = of.slope[:, token, classes], of.logit[:, token, classes]
    added = np.einsum("nj,njr,njs->jrs", 1 - logit, slope, up, optimize=True)
    return (added - np.einsum("nj,njr,njs->jrs", logit, slope, down, optimize=True)) / (2 * len(slope))


def _events(of: Pass, world: World) -> tuple[np.ndarray, ...]:
    """x_1, g_1, x_0, y_0 of sentences of one step, one-hot [n, token]."""
    places = (of.seen[:, 0, 0], of.seen[:, 0, 1], of.seen[:, 0, 2], of.seen[:, 1, 4])
    return tuple(
        token[:, None] == np.arange(world.blank)[world.spans[i]] for token, i in zip(places, (0, 1, 2, 4), strict=True)
    )


def lemma_a_1(of: Pass, world: World) -> list[Float[np.ndarray, "j neurons s"]]:
    """W_4 for classes of variables, by the place that is read: (a) 1, (b) 2, (c) 3 and 4, (d) 5."""
    x1, g1, x0, y0 = _events(of, world)
    j = x1[:, :, None]  # tau(x_1) = j
    own = np.eye(world.variables, dtype=bool)[None]
    absent = ~(x1 | x0)[:, :, None]  # j is not a variable of the context
    first = _half(of, 3, world.spans[0], own & j, ~own & x1[:, None])
    old = _half(of, 3, world.spans[0], ~own & x0[:, None] & j, np.where(own, x0[:, None], x0[:, None] & absent))
    by_action = _half(of, 3, world.spans[0], g1[:, None] & j, g1[:, None] & ~j)
    by_value = _half(of, 3, world.spans[0], y0[:, None] & j, y0[:, None] & ~j)
    return [first, by_action, old, old, by_value]


def lemma_a_2(of: Pass, world: World) -> list[Float[np.ndarray, "j neurons s"]]:
    """W_4 for all other classes: only negative terms are left."""
    x1, g1, x0, y0 = _events(of, world)
    rest = slice(world.variables, of.vocab)
    never = np.zeros((1, 1, 1), bool)
    return [_half(of, 3, rest, never & e[:, None], e[:, None] & ~never) for e in (x1, g1, x0, x0, y0)]


def fact_c_2(of: Pass, world: World) -> list[Float[np.ndarray, "j neurons s"]]:
    """W_5 for classes of values: (29) and (30), and with fibres (38) and (39), by action and by value."""
    _, g1, _, y0 = _events(of, world)
    sends = (world.table[None] == np.arange(world.table.shape[1])[:, None, None])[None]  # g is in Fiber_{j,y}
    met = g1[:, None, :, None] & y0[:, None, None, :]  # H of every pair
    classes = world.spans[4]
    right, wrong = met & sends, met & ~sends
    return [_half(of, 4, classes, right.any(axis=a), wrong.any(axis=a)) for a in (3, 2)]
