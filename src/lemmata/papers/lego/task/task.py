"""The LEGO distribution D^L (Assumption 3.2): chains of distinct variables, uniform actions, values carried along.

A sentence is L predicate clauses, then the L + 1 answer clauses. D^{L,L'} is its first L + L' + 1 clauses, and the true
next answer of any prefix is the next clause.
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from lemmata.core import AbstractTask, Batch, Config, Several, require, to_jax
from lemmata.papers.lego.task.actions import action
from lemmata.papers.lego.task.distinct import below, distinct, distinct_from_bits
from lemmata.papers.lego.task.language import CLAUSE, Vocabulary


@dataclass(frozen=True, kw_only=True)
class LegoConfig(Config):
    action: str = "S5"  # see `lemmata.papers.lego.task.action`
    variables: Several = 41  # a step joins two
    length: int = 5  # steps of the chain

    def cross_check(self) -> None:
        action(self.action)
        check_length(self.length, self.variables)


def check_length(length: int, variables: int) -> None:
    """Variables are drawn without replacement, so a chain of L steps needs L + 1 of them."""
    require(length >= 1, "length", length, "at least 1 step")
    longest = f"at most {variables - 1} steps: a chain of L steps needs L + 1 of the {variables} variables"
    require(length < variables, "length", length, longest)


class Lego(AbstractTask):
    table: Int[Array, "action value"]  # table[g, y] is g(y)
    config: LegoConfig = eqx.field(static=True)

    @classmethod
    def create(cls, config: LegoConfig) -> "Lego":
        return cls(to_jax(action(config.action).table, dtype=jnp.int32), config)

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.config.variables, *self.table.shape[-2:])

    def draw(self, num: int, *, key: Key[Array, ""], length: int | None = None) -> Int[Array, "num clauses 5"]:
        """`num` sentences of D^L with all their answers; `length` replaces the config's own."""
        length = self.config.length if length is None else length
        check_length(length, self.config.variables)
        return _draw(self.table, self.config.variables, num, length, key)

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        """Sentences as flat tokens; the mask is on the variable and the value of every answer after the first."""
        clauses = self.draw(num, key=key)
        length = self.config.length
        tokens = clauses.reshape(num, -1)
        targets = jnp.roll(tokens, -1, axis=1)
        place = (jnp.arange(tokens.shape[1]) + 1) % tokens.shape[1]  # of the target
        mask = (place // CLAUSE > length) & (place % CLAUSE >= 3)
        return Batch(tokens, targets, jnp.broadcast_to(mask, tokens.shape))


@eqx.filter_jit
def _draw(
    table: Int[Array, "action value"], variables: int, num: int, length: int, key: Key[Array, ""]
) -> Int[Array, "num clauses 5"]:
    vocabulary = Vocabulary(variables, *table.shape)
    bits = jax.random.bits(key, (2 * length + 2, num), dtype=jnp.uint32)
    x = distinct_from_bits(bits[: length + 1], variables)
    g = below(bits[length + 1 : -1], vocabulary.actions).T
    first = below(bits[-1], vocabulary.values)

    def step(value: Int[Array, " num"], acting: Int[Array, " num"]) -> tuple[Int[Array, " num"], Int[Array, " num"]]:
        new = table[acting, value]
        return new, new

    _, later = jax.lax.scan(step, first, g.T, unroll=min(length, 4))
    y = jnp.concatenate([first[None], later]).T
    blanks = jnp.full((num, length + 1, 3), vocabulary.blank, dtype=jnp.int32)
    predicates = [x[:, 1:, None], g[..., None] + vocabulary.first_action, x[:, :-1, None], blanks[:, 1:, :2]]
    answers = [blanks, x[..., None], y[..., None] + vocabulary.first_value]
    return jnp.concatenate([jnp.concatenate(predicates, axis=2), jnp.concatenate(answers, axis=2)], axis=1)


@eqx.filter_jit
def permute_predicates(clauses: Int[Array, "num clauses 5"], key: Key[Array, ""]) -> Int[Array, "num clauses 5"]:
    """Each sentence with its predicates in an order of its own."""
    num, length = len(clauses), (clauses.shape[1] - 1) // 2
    order = distinct(length, length, num, key=key)
    shuffled = jnp.take_along_axis(clauses[:, :length], order[..., None], axis=1)
    return jnp.concatenate([shuffled, clauses[:, length:]], axis=1)
