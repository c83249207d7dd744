"""Noisy in-context recall (section 3): after a trigger comes the sequence's own output, or a noise token."""

import dataclasses
from dataclasses import dataclass, field
from typing import Annotated, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from lemmata.core import AbstractTask, Batch, Bound, Config, Count, Some, platform, require, to_jax
from lemmata.core.config import UNSAID
from lemmata.papers.association.task.alias import alias_draw, alias_table
from lemmata.papers.association.task.statistics import Statistics, counts_of, pinned, uniform_statistics

LossOn = Literal["last", "triggers", "bigrams"]
SCRIPT = {"trigger_outputs": True, "noise_outputs": True, "loss_from": 2, "last": "natural"}
NoiseLevel = Annotated[float, Bound(least=0, below=1)]  # alpha


@dataclass(frozen=True, kw_only=True)
class RecallConfig(Config):
    """The defaults are the paper's: 65 characters, the space as trigger (token 1), token 2 as noise, T = 256."""

    source: str = "corpus"  # of pi_u and pi_b: "corpus" (its counts are shipped), "uniform", or a text file's path
    symbols: Annotated[int, Bound(least=3)] = 65  # N; fewer than the corpus has keeps the most frequent ones
    length: Annotated[int, Bound(least=3)] = 256  # T
    triggers: Some[int] = (1,)
    noise: int | None = 2  # a symbol of the alphabet, or None: an extra token N, which a uniform draw follows
    alpha: NoiseLevel = 0.5  # probability of noise in the place of the answer
    loss_on: LossOn = "triggers"
    # "script": the four fields below as the authors' published code has them.
    conventions: Literal["paper", "script"] = field(default="paper", metadata=UNSAID)
    # Where that code differs from these defaults (and from its paper in the last).
    trigger_outputs: bool = False  # may the output be a trigger? (theirs: yes) At alpha = 0 that absorbs the sequence
    noise_outputs: bool = field(default=False, metadata=UNSAID)  # may it be the noise token? (theirs: yes)
    # The first occurrence of a trigger that the loss is taken at (theirs: 2).
    loss_from: Count = field(default=1, metadata=UNSAID)
    # The last token: put there, or drawn like the others (theirs).
    last: Literal["trigger", "natural"] = field(default="trigger", metadata=UNSAID)

    def cross_check(self) -> None:
        n = self.symbols
        if self.conventions == "script":
            for name, value in SCRIPT.items():
                object.__setattr__(self, name, value)
        if self.source not in ("corpus", "uniform"):
            # A file can change under its name; a config cannot. So the name carries the hash of what it named.
            object.__setattr__(self, "source", pinned(self.source))
        if self.source != "uniform":
            known = len(counts_of(self.source).symbols)
            require(n <= known, "symbols", n, f"at most {known}, the different symbols of {self.source!r}")
        different = len(set(self.triggers)) == len(self.triggers) and all(0 <= q < n for q in self.triggers)
        require(different, "triggers", self.triggers, f"different symbols of the alphabet, 0 to {n - 1}")
        inside = self.noise is None or (0 <= self.noise < n and self.noise not in self.triggers)
        require(inside, "noise", self.noise, f"None, or a symbol from 0 to {n - 1} that is no trigger")
        require(len(self.outputs()) >= 1, "triggers", self.triggers, "at least one symbol must be left as output")
        inside = not self.noise_outputs or self.noise is not None
        require(inside, "noise_outputs", True, "False where the noise is no symbol of the alphabet")
        possible = self.last == "trigger" or self.loss_on != "last"
        require(possible, "last", self.last, "trigger where the loss is on the last position alone")
        require(self.loss_from < self.length, "loss_from", self.loss_from, f"1 to {self.length - 1}")

    @property
    def vocab(self) -> int:
        return self.symbols + (self.noise is None)

    @property
    def noise_token(self) -> int:
        return self.symbols if self.noise is None else self.noise

    def outputs(self) -> tuple[int, ...]:
        """The tokens that the output is drawn from, uniformly."""
        barred = {
            *(() if self.noise_outputs else (self.noise_token,)),
            *(() if self.trigger_outputs else self.triggers),
        }
        return tuple(token for token in range(self.symbols) if token not in barred)

    def statistics(self) -> Statistics:
        if self.source == "uniform":
            return uniform_statistics(self.symbols)
        return counts_of(self.source).statistics(self.symbols)


class RecallSample(eqx.Module):
    """Sequences with what the sampler knows about them; `following` is the token after each position."""

    tokens: Int[Array, "batch seq"]
    following: Int[Array, "batch seq"]
    outputs: Int[Array, "batch trigger"]
    correct: Int[Array, "batch seq"]  # the output of the trigger at this position; -1 where there is none


class NoisyRecall(AbstractTask):
    """Appendix B.4's several triggers have an output each, drawn independently; the last token is one of them."""

    table: UInt32[Array, "rows columns"]  # V rows for the current token; the last one draws the first token
    output_tokens: Int[Array, " outputs"]
    config: RecallConfig = eqx.field(static=True)

    @classmethod
    def create(cls, config: RecallConfig) -> "NoisyRecall":
        table = alias_table(transition_rows(config))
        return cls(to_jax(table), to_jax(config.outputs(), dtype=jnp.int32), config)

    def with_alpha(self, alpha: float) -> "NoisyRecall":
        """The same world with another noise level (0 for the clean test data)."""
        return NoisyRecall.create(dataclasses.replace(self.config, alpha=alpha))

    def with_table_of(self, alpha: float) -> "NoisyRecall":
        """Draws at another noise level, by the same compiled programs: a level is a row of the table."""
        return eqx.tree_at(lambda task: task.table, self, self.with_alpha(alpha).table)

    @property
    def queries(self) -> int:
        """No sequence has more positions under the mask than this."""
        config = self.config
        if config.loss_on == "last":
            return 1
        # Without triggers among the outputs no trigger follows another; if the one at T was put there, T - 1 is never
        # under the mask.
        sparse = config.loss_on == "triggers" and not config.trigger_outputs
        return (config.length - 1) // 2 + 1 if sparse else config.length

    def draw(self, num: int, *, key: Key[Array, ""]) -> RecallSample:
        """`num` sequences, all positions of the batch at once: one scan of length T, one look-up a token."""
        config, slots = self.config, len(self.config.triggers)
        output_key, last_key, chain_key = jax.random.split(key, 3)
        picks = jax.random.randint(output_key, (num, slots), 0, len(self.output_tokens))
        outputs = self.output_tokens[picks]
        draws = jax.random.bits(chain_key, (config.length, num), dtype=jnp.uint32)

        def resolve(symbol: Int[Array, " batch"]) -> Int[Array, " batch"]:
            """Symbols from V on stand for "the output of trigger slot k"."""
            for slot in range(slots):
                symbol = jnp.where(symbol == config.vocab + slot, outputs[:, slot], symbol)
            return symbol

        def advance(current: Array, draw: UInt32[Array, " batch"]) -> tuple[Array, Array]:
            new = resolve(alias_draw(self.table, current, draw))
            return new, new

        start = jnp.full(num, config.vocab, dtype=jnp.int32)
        unroll = 1 if platform() == "cpu" else 8  # a CPU gains nothing by it, and compiles for longer
        _, context = jax.lax.scan(advance, start, draws[:-1], unroll=unroll)
        if config.last == "trigger":
            picked = jax.random.randint(last_key, (num,), 0, slots)
            last = jnp.asarray(config.triggers, dtype=jnp.int32)[picked]
        else:
            last = resolve(alias_draw(self.table, context[-1], jax.random.bits(last_key, (num,), dtype=jnp.uint32)))
        tokens = jnp.concatenate([context.T, last[:, None]], axis=1)
        answer = resolve(alias_draw(self.table, last, draws[-1]))
        following = jnp.concatenate([tokens[:, 1:], answer[:, None]], axis=1)
        correct = jnp.full(tokens.shape, -1, dtype=jnp.int32)
        for slot, trigger in enumerate(config.triggers):
            correct = jnp.where(tokens == trigger, outputs[:, slot, None], correct)
        return RecallSample(tokens, following, outputs, correct)

    def mask(self, sample: RecallSample) -> Bool[Array, "batch seq"]:
        """Where the loss is taken. A trigger at T - 1 is left out: the trigger at T was put there, not drawn."""
        position = jnp.arange(self.config.length)
        is_last = jnp.broadcast_to(position == self.config.length - 1, sample.tokens.shape)
        if self.config.loss_on == "last":
            return is_last
        chosen = (sample.correct >= 0) == (self.config.loss_on == "triggers")
        if self.config.loss_on == "triggers" and self.config.loss_from > 1:
            chosen &= occurrence(sample.tokens) >= self.config.loss_from
        return chosen & (position != self.config.length - 2) if self.config.last == "trigger" else chosen

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        drawn = self.draw(num, key=key)
        return Batch(drawn.tokens, drawn.following, self.mask(drawn))


def occurrence(tokens: Int[Array, "batch seq"]) -> Int[Array, "batch seq"]:
    """How often each position's token has occurred up to it, itself counted."""
    so_far = jnp.tril(jnp.ones((tokens.shape[1],) * 2, dtype=bool))
    return jnp.sum((tokens[:, :, None] == tokens[:, None, :]) & so_far, axis=2)


def transition_rows(config: RecallConfig) -> Float[np.ndarray, "rows outcomes"]:
    """The chain's rows: one a token, then the first draw. Columns from V on stand for each trigger's own output."""
    n, vocab, statistics = config.symbols, config.vocab, config.statistics()
    rows = np.zeros((vocab + 1, vocab + len(config.triggers)))
    rows[:n, :n] = statistics.bigram
    rows[n:vocab, :n] = 1 / n  # what follows a noise token outside the alphabet
    rows[vocab, :n] = statistics.unigram
    for slot, trigger in enumerate(config.triggers):
        rows[trigger] = 0
        rows[trigger, [config.noise_token, vocab + slot]] = config.alpha, 1 - config.alpha
    return rows
