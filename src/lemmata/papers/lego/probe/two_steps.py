"""Every sentence of T^2 at its two steps, as appendix D reads it: pre-activations, logits, and the gradient of Q by the
refined expressions of Lemmas D.1, D.2, D.8 and D.9. Arrays are [record, ..., sentence]; sentences are (g_1, g_2, y_0).
"""

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

Array = np.ndarray


class Neurons(NamedTuple):
    """W_5 of one model, and what the model's softmax needs."""

    actions: Float[Array, "neurons classes actions"]  # V_{j,r}(g)
    values: Float[Array, "neurons classes values"]  # V_{j,r}(y)
    bias: float
    rho: float
    power: int
    bound: float  # B
    vocabulary: int  # d

    def of_combinations(self, table: Int[Array, "action value"]) -> Int[Array, "action value"]:
        """r_{g,y}: the neuron of class g(y) with the largest V(g) + V(y)."""
        g, y = np.indices(table.shape)
        return np.argmax(self.actions[:, table, g] + self.values[:, table, y], axis=0)

    def fire(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """The smoothed ReLU (Definition 3.4)."""
        within = np.clip(x / self.rho, 0, 1)
        return self.rho / self.power * within**self.power + np.maximum(x - self.rho, 0)

    def slope(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        return np.clip(x / self.rho, 0, 1) ** (self.power - 1)


class Weights(NamedTuple):
    """What the query gives each clause of T^2, by record; `ans1` is 0 at step 1."""

    right: Float[Array, " records"]  # pred, l
    other: Float[Array, " records"]  # the other predicate
    query: Float[Array, " records"]  # ans, l - 1
    first: Float[Array, " records"]  # ans, 0 at step 2


def weights(scores: Float[Array, "records 4"], step: int) -> Weights:
    """The softmax over two predicates and `step` answers."""
    raw = np.exp(scores - scores.max(axis=1, keepdims=True))
    raw = raw * np.array([1, 1, 1, step - 1])
    right, other, query, first = (raw / raw.sum(axis=1, keepdims=True)).T
    return Weights(right, other, query, first)


@dataclass(frozen=True)
class Step:
    """Step 1 or 2 of T^2 at every record."""

    neurons: Neurons
    table: Int[Array, "action value"]
    scores: Float[Array, "records 4"]
    number: int

    @cached_property
    def sentences(self) -> tuple[Array, Array, Array, Array]:
        """g_1, g_2, y_0, y_1."""
        g1, g2, y0 = (axis.ravel() for axis in np.indices((len(self.table), *self.table.shape)))
        return g1, g2, y0, self.table[g1, y0]

    @cached_property
    def weights(self) -> Weights:
        return weights(self.scores, self.number)

    @cached_property
    def right(self) -> Int[Array, " sentences"]:
        """j_l: the true answer of the step."""
        _, g2, _, y1 = self.sentences
        return y1 if self.number == 1 else self.table[g2, y1]

    @cached_property
    def spurious(self) -> Int[Array, " sentences"]:
        """j_l': g_2(y_0)."""
        _, g2, y0, _ = self.sentences
        return self.table[g2, y0]

    @cached_property
    def parts(self) -> list[Float[Array, "neurons classes sentences"]]:
        """V of the right predicate, of the other one, of the query and of the first answer."""
        g1, g2, y0, y1 = self.sentences
        ordered = (g1, g2, y0, y0) if self.number == 1 else (g2, g1, y1, y0)
        tables = (self.neurons.actions, self.neurons.actions, self.neurons.values, self.neurons.values)
        return [table[..., index] for table, index in zip(tables, ordered, strict=True)]

    @cached_property
    def mixed(self) -> Float[Array, "records neurons classes sentences"]:
        """What the neurons read, the bias not added."""
        of_each = (w[:, None, None, None] * v for w, v in zip(self.weights, self.parts, strict=True))
        return functools.reduce(np.add, of_each)

    @cached_property
    def activation(self) -> Float[Array, "records neurons classes sentences"]:
        """Lambda of (13)."""
        return self.mixed + self.neurons.bias

    @cached_property
    def logits(self) -> Float[Array, "records classes sentences"]:
        """After the clip."""
        return np.minimum(self._raw_logits, self.neurons.bound)

    @cached_property
    def _raw_logits(self) -> Float[Array, "records classes sentences"]:
        return self.neurons.fire(self.activation).sum(axis=1)

    @cached_property
    def probability(self) -> Float[Array, "records classes sentences"]:
        """logit_{5,j} of the classes of values; the others' logits are 0."""
        silent = self.neurons.vocabulary - self.logits.shape[1]
        top = self.logits.max(axis=1, keepdims=True)
        raw = np.exp(self.logits - top)
        return raw / (raw.sum(axis=1, keepdims=True) + silent * np.exp(-top))

    def but(self, *classes: Int[Array, " sentences"]) -> Float[Array, "records sentences"]:
        """1 - the probability of these classes, summed over what is left: it keeps its digits where it is small."""
        silent = self.neurons.vocabulary - self.logits.shape[1]
        keep = np.ones(self.probability.shape[1:])
        for one in classes:
            keep[one, np.arange(len(one))] = 0
        top = self.logits.max(axis=1)
        total = np.exp(self.logits - top[:, None]).sum(axis=1) + silent * np.exp(-top)
        return (self.probability * keep).sum(axis=1) + silent * np.exp(-top) / total

    def of(self, classes: Int[Array, " sentences"]) -> Float[Array, "records sentences"]:
        """The probability of a class a sentence."""
        return self.probability[:, classes, np.arange(len(classes))]

    def pre(self, action: Array, value: Array) -> Float[Array, "records sentences"]:
        """Lambda of r_{g,y} in its class, for an action and a value a sentence."""
        neuron = self.neurons.of_combinations(self.table)[action, value]
        return self.activation[:, neuron, self.table[action, value], np.arange(len(action))]

    @cached_property
    def pull(self) -> Float[Array, "records neurons classes sentences"]:
        """E_{5,j} sReLU'(Lambda_{5,j,r}), zero where the clip cuts."""
        truth = self.right == np.arange(self.table.shape[1])[:, None]
        residual = np.where(truth, self.but(self.right)[:, None], -self.probability)
        residual = np.where(self._raw_logits < self.neurons.bound, residual, 0)
        return residual[:, None] * self.neurons.slope(self.activation)

    def gradients(self, event: Bool[Array, " sentences"] | None = None) -> Float[Array, "records 4"]:
        """|X| times minus the gradient of Loss_5^{2,l} in one entry of Q, in the order of the four scores: of an entry
        on a diagonal, and (|X| - 1) |X| times that of one off it. With an event its share of the expectation."""
        given = np.ones(len(self.right)) if event is None else event.astype(float)
        each = [np.einsum("krjz,rjz->kz", self.pull, part, optimize=True) for part in self.parts]
        mean = sum(weight[:, None] * one for weight, one in zip(self.weights, each, strict=True))
        found = [weight * ((one - mean) * given).mean(axis=1) for weight, one in zip(self.weights, each, strict=True)]
        # The first answer is off the diagonal, the query on it.
        return np.stack(found, axis=1)

    def events(self) -> dict[str, Bool[Array, " sentences"]]:
        """(62), (63) and (68), and what is left of them."""
        g1, g2, y0, y1 = self.sentences
        four = np.stack([self.table[g, y] for g in (g1, g2) for y in (y0, y1)])
        apart = np.array([len(set(column)) == 4 for column in four.T])
        actions, values = g1 != g2, y0 != y1
        return {
            "E1": actions,
            "not E1": ~actions,
            "E2": apart,
            "E2 bar": actions & values,
            "same action": ~actions & values,
            "same value": actions & ~values,
            "same both": ~actions & ~values,
            "coincidence": actions & values & ~apart,
        }
