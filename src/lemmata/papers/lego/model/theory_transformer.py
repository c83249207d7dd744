"""The one-layer transformer of section 3.2: softmax attention without positions, then neurons of their own per class.

Embeddings are orthonormal and the blank's is zero, so no vector is ever formed: a token picks a row, and attention
over clauses is a histogram of tokens per slot. What can never be seen is not kept: of Q_{4,3} and Q_{4,4} only rows
and columns of variables (slots 3 and 4 hold nothing else), of a neuron's five slots only the tokens that stand there.
A token in a slot where no sentence puts it (a rollout may write one) is read as a blank.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import Config, Count, Positive, Several, require
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause

NEEDED = {"variable": (0,), "value": (1, 4)}  # slots with the tokens that decide the answer: x_1; g_1 and y_0
Branch = Literal["positive", "even"]


@dataclass(frozen=True, kw_only=True)
class TheoryConfig(Config):
    """Sizes and constants of Definitions 3.4-3.5 and Assumptions 3.3-3.4. The paper gives orders, not numbers."""

    variables: Count = 41  # |X|
    actions: Count = 6  # |G|
    values: Count = 6  # |Y|
    width: Count = 12  # m, neurons a class; n_y <= m <= log^2 d in the theorems
    active: Count | None = None  # neurons that speak, the first of them; so models of several widths share a shape
    power: Several = 4  # q, "a large even integer": 4 is the least with a power method's gap in speed
    smoothing: Positive = 1.0  # rho, "1/polylog(d)"; below the first pre-activation, sigma_0 log d, none emerges
    scale: Positive | None = None  # sigma_0; the paper's d^-1/2 unless given
    branch: Branch = "positive"  # of the smoothed ReLU between -rho and 0: see `smooth_relu`
    clip: Positive = 2.0  # C_B: logits end at C_B log d
    reads: Literal["needed", "all"] = "needed"  # W_4 reads slot 1 and W_5 slots 2 and 5, or both read every slot
    classes: Literal["possible", "all"] = "possible"  # other tokens' logits stay at 0, where they go; or have neurons

    def cross_check(self) -> None:
        require(self.active is None or self.active <= self.width, "active", self.active, f"1 to {self.width}")
        even = self.power % 2 == 0
        require(self.branch == "positive" or even, "power", self.power, "even, where the branch is")

    @property
    def vocab(self) -> int:
        """d, with the blank."""
        return self.variables + self.actions + self.values + 1

    @property
    def sigma(self) -> float:
        return self.vocab**-0.5 if self.scale is None else self.scale

    @property
    def bound(self) -> float:
        """B."""
        return self.clip * math.log(self.vocab)

    @property
    def floor(self) -> float:
        """The least nll that the clip allows: the right logit at B and every other at 0."""
        return math.log1p((self.vocab - 1) * math.exp(-self.bound))

    @property
    def slots(self) -> tuple[tuple[int, int], ...]:
        """The first token and the number of tokens that stand in each slot of a clause."""
        x, g, y = self.variables, self.actions, self.values
        return (0, x), (x, g), (0, x), (0, x), (x + g, y)


@partial(jax.custom_jvp, nondiff_argnums=(2, 3))
def smooth_relu(
    x: Float[Array, "*shape"], rho: Float[Array, ""], power: int, branch: Branch = "positive"
) -> Float[Array, "*shape"]:
    """Definition 3.4: x^q / (q rho^(q-1)) in the middle, x - rho (1 - 1/q) beyond rho.

    Our text gives the middle branch as (-rho, rho] and the left one, garbled, up to -rho; q is even. `even` is that:
    the power on both sides of 0, and its end value below -rho. `positive` is the usual form: 0 for x <= 0, and so
    continuously differentiable, as the definition says.
    """
    low = 0 if branch == "positive" else -1
    return rho / power * jnp.clip(x * (1 / rho), low, 1) ** power + jnp.maximum(x - rho, 0)


@smooth_relu.defjvp
def _derivative(power: int, branch: Branch, primals: tuple, tangents: tuple) -> tuple:
    """In x it is one power of the clipped x / rho; rho is a constant of the model."""
    x, rho = primals
    slope = jnp.clip(x * (1 / rho), 0 if branch == "positive" else -1, 1) ** (power - 1)
    if branch == "even":
        slope = jnp.where(x > -rho, slope, 0)
    return smooth_relu(x, rho, power, branch), slope * tangents[0]


class Neurons(eqx.Module):
    """The feed-forward layer of one answer token: for each class, a sum of smoothed-ReLU neurons, clipped from above.

    Everything that may differ between models of one shape is an array, so that they run as one program.
    """

    tables: tuple[Float[Array, "_ classes neurons"] | None, ...]  # W by slot, [token, class, r]; None is not read
    speaks: Float[Array, " neurons"]  # 1, or 0 for a neuron that is left out
    bias: Float[Array, ""]  # sigma_0 log d, fixed
    rho: Float[Array, ""]
    bound: Float[Array, ""]  # B
    power: int = eqx.field(static=True)
    branch: Branch = eqx.field(static=True)
    first: int = eqx.field(static=True)  # the first class that has neurons,
    vocab: int = eqx.field(static=True)  # of this many

    @property
    def classes(self) -> int:
        return next(table.shape[1] for table in self.tables if table is not None)

    def of_input(self, read: Float[Array, "*queries classes neurons"]) -> Float[Array, "*queries classes"]:
        """Logits from what the neurons read, the bias not yet added."""
        active = smooth_relu(read + self.bias, self.rho, self.power, self.branch)
        # A CPU sums the last axis of what it computes three times faster as a product.
        return jnp.minimum(jnp.einsum("...r,r->...", active, self.speaks, precision="highest"), self.bound)

    def read(self, mass: tuple[Float[Array, "queries _"], ...]) -> Float[Array, "queries classes neurons"]:
        """<W, attended clause> from the attention that each token of each slot gets."""
        pairs = zip(mass, self.tables, strict=True)
        # A GPU's default precision would round the attention to three digits.
        terms = [jnp.einsum("qt,tcr->qcr", m, t, precision="highest") for m, t in pairs if t is not None]
        return sum(terms[1:], terms[0])

    def over_vocabulary(self, logits: Float[Array, "*queries classes"]) -> Float[Array, "*queries vocab"]:
        """Tokens without neurons have the logit 0."""
        after = self.vocab - self.first - self.classes
        return jnp.pad(logits, [(0, 0)] * (logits.ndim - 1) + [(self.first, after)])


class TheoryCache(eqx.Module):
    """Keys are the tokens themselves: the context is all there is to keep."""

    clauses: Int[Array, "room 5"]
    filled: Int[Array, ""]


class TheoryTransformer(AbstractReasoner):
    """F = FFN o Attention (Definition 3.5) with the block-sparse Q of Assumption 3.5."""

    query_third: Float[Array, "variables variables"]  # Q_{4,3}: from the query's variable to a predicate's right side
    query_fourth: Float[Array, "variables variables"]  # Q_{4,4}: ... to an answer's variable
    variable: Neurons  # W_4
    value: Neurons  # W_5
    slots: tuple[tuple[int, int], ...] = eqx.field(static=True)
    vocab: int = eqx.field(static=True)

    @staticmethod
    def create(config: TheoryConfig, *, key: Key[Array, ""]) -> "TheoryTransformer":
        """Assumption 3.3: Q = 0, W normal of variance sigma_0^2. A neuron draws the same however many there are."""
        zero = jnp.zeros((config.variables, config.variables))
        return TheoryTransformer(
            query_third=zero, query_fourth=zero, slots=config.slots, vocab=config.vocab, **_draw(config, key=key)
        )

    def next_clause(self, clauses: Int[Array, "clauses 5"], answers: int) -> NextClause:
        return self.predict(clauses, self.attention(clauses, answers)[0])

    def attention(self, clauses: Int[Array, "clauses 5"], answers: int) -> Float[Array, "1 answers clauses"]:
        position = jnp.arange(len(clauses))
        visible = position <= position[len(clauses) - answers :, None]
        return self._attend(clauses[len(clauses) - answers :, 3], clauses, visible)[None]

    def begin(self, clauses: Int[Array, "clauses 5"], room: int) -> TheoryCache:
        padded = jnp.pad(clauses, ((0, room), (0, 0)), constant_values=self.vocab - 1)
        return TheoryCache(padded, jnp.asarray(len(clauses)))

    def extend(self, cache: TheoryCache, clause: Int[Array, "5"]) -> tuple[TheoryCache, NextClause]:
        clauses = cache.clauses.at[cache.filled].set(clause)
        visible = jnp.arange(len(clauses)) <= cache.filled
        after = self.predict(clauses, self._attend(clause[None, 3], clauses, visible[None]))
        return TheoryCache(clauses, cache.filled + 1), NextClause(after.variable[0], after.value[0])

    def _attend(
        self, queries: Int[Array, " queries"], clauses: Int[Array, "clauses 5"], visible: Bool[Array, "queries clauses"]
    ) -> Float[Array, "queries clauses"]:
        """The softmax of Q_{4,3}[x, slot 3] + Q_{4,4}[x, slot 4]; a blank on either side scores 0."""
        variables = len(self.query_third)

        def score(table: Float[Array, "variables variables"], keys: Int[Array, " clauses"]) -> Float[Array, "..."]:
            both = (queries < variables)[:, None] & (keys < variables)
            return jnp.where(both, table[queries[:, None], keys], 0)  # an index past the end is clamped, then dropped

        scores = score(self.query_third, clauses[:, 2]) + score(self.query_fourth, clauses[:, 3])
        return jax.nn.softmax(jnp.where(visible, scores, -jnp.inf), axis=-1)

    def predict(self, clauses: Int[Array, "clauses 5"], attention: Float[Array, "queries clauses"]) -> NextClause:
        """What follows queries that attend to the clauses by these weights."""
        mass = tuple(token_mass(attention, clauses[:, slot], *span) for slot, span in enumerate(self.slots))
        return NextClause(*(n.over_vocabulary(n.of_input(n.read(mass))) for n in (self.variable, self.value)))


def token_mass(
    attention: Float[Array, "queries clauses"], tokens: Int[Array, " clauses"], first: int, size: int
) -> Float[Array, "queries {size}"]:
    """How much attention each of the tokens first .. first + size - 1 gets."""
    here = (tokens >= first) & (tokens < first + size)
    place = jnp.where(here, tokens - first, size)  # past the end: dropped
    return jnp.zeros((len(attention), size), attention.dtype).at[:, place].add(attention, mode="drop")


def _draw(config: TheoryConfig, *, key: Key[Array, ""]) -> dict[str, Any]:
    """W_4 and W_5, as slices of one draw a neuron: one call of the generator compiles faster than ten."""
    x, y = config.variables, config.values
    classes = {"variable": (0, x), "value": (config.vocab - 1 - y, y)}
    if config.classes == "all":
        classes = dict.fromkeys(classes, (0, config.vocab))
    read = NEEDED if config.reads == "needed" else dict.fromkeys(NEEDED, tuple(range(SLOTS)))
    shapes = [(token, slot, config.slots[slot][1], classes[token][1]) for token in NEEDED for slot in read[token]]
    total = sum(tokens * count for *_, tokens, count in shapes)
    keys = jax.vmap(lambda r: jax.random.fold_in(key, r))(jnp.arange(config.width))
    drawn = config.sigma * jax.vmap(lambda k: jax.random.normal(k, (total,)), out_axes=1)(keys)
    tables: dict[str, list[Array | None]] = {token: [None] * SLOTS for token in NEEDED}
    for token, slot, tokens, count in shapes:
        part, drawn = jnp.split(drawn, [tokens * count])
        tables[token][slot] = part.reshape(tokens, count, config.width)
    return {
        token: Neurons(
            tables=tuple(tables[token]),
            speaks=jnp.asarray(jnp.arange(config.width) < (config.active or config.width), float),
            bias=jnp.asarray(config.sigma * math.log(config.vocab), float),
            rho=jnp.asarray(config.smoothing, float),
            bound=jnp.asarray(config.bound, float),
            power=config.power,
            branch=config.branch,
            first=classes[token][0],
            vocab=config.vocab,
        )
        for token in NEEDED
    }
