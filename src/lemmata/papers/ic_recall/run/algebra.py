"""Runs that take the appendices' algebra at random points: what autodiff through the models says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Bound, Count, Positive, RunConfig, RunContext, RunOutput, named_generator, precision, require
from lemmata.papers.ic_recall.model import (
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
    pattern_logits,
)
from lemmata.papers.ic_recall.run.first_step import (
    affine_log_counts,
    as_jax,
    loss_in_theta,
    loss_in_v,
    scores_of,
    simplex_points,
    warmup_log_counts,
    warmup_rows,
)
from lemmata.papers.ic_recall.task import (
    Affine,
    AllBijections,
    confusing_pattern,
    correct_pattern,
    mismatched_patterns,
    patterns,
)
from lemmata.papers.ic_recall.theory.relations import TABLE_1
from lemmata.papers.ic_recall.theory.saddle import ASCENDING, DESCENDING, SADDLE

Everything = Callable[..., dict[str, jax.Array]]


def _evaluated(everything: Everything, *points: np.ndarray) -> dict[str, np.ndarray]:
    """What one compiled function says at these points, in the caller's precision."""
    return {name: np.asarray(value) for name, value in jax.jit(everything)(*map(as_jax, points)).items()}


def _pattern_of(row: np.ndarray, answers: np.ndarray) -> int:
    """The pattern of a relation that gives the three subjects this row, where the context has these answers."""
    return patterns(2).index(tuple((i, j) for i in range(3) for j in range(2) if row[i] == answers[j]))


@dataclass(frozen=True, kw_only=True)
class WarmupAlgebra(RunConfig):
    """Logits of every token from the memory, and gradients of L_1, at random attention vectors (three subjects)."""

    kind = "ic-recall/warmup-algebra"

    points: Count = 64
    temperature: Positive = 0.07
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        v = simplex_points(self.points, self.seed, "algebra")
        unpaired = v * [1, 1, 1, 1, 0, 1]  # Lemma B.7 speaks of v_5 = 0
        symmetric = unpaired[:, [0, 1, 0, 1, 4, 5]]
        unpaired, symmetric = (u / u.sum(-1, keepdims=True) for u in (unpaired, symmetric))
        table = AllBijections(n=3).draw().table
        with precision("float64"):
            log_counts = warmup_log_counts()
            in_v = jax.vmap(jax.grad(lambda u: loss_in_v(u, log_counts, self.temperature)))
            in_theta = jax.vmap(jax.grad(lambda t: loss_in_theta(t, log_counts, self.temperature)))

            def everything(v: jax.Array, symmetric: jax.Array, scores: jax.Array) -> dict[str, jax.Array]:
                every = in_v(jnp.concatenate([v, symmetric, jnp.full((1, 6), 1 / 6)]))
                both = in_theta(jnp.concatenate([jnp.log(v), scores]))
                return {
                    "token_logits": jax.vmap(_memory_logits)(v),  # s_1 s_2 s_3 a_1 a_2 a_3 r_1 ... r_6
                    "gradient_v": every[: self.points],
                    "symmetric_gradient": every[self.points : -1],
                    "initial_gradient": every[-1],
                    "gradient_theta": both[: self.points],
                    "unpaired_theta": both[self.points :],
                }

            found = _evaluated(everything, v, symmetric, scores_of(unpaired))
        # What the task's patterns call each relation on (0, 1 | 2) under the identity.
        codes = np.full(len(patterns(2)), -1)
        codes[mismatched_patterns(2)], codes[confusing_pattern(2)], codes[correct_pattern(2)] = 2, 1, 0
        kinds = codes[[_pattern_of(row, np.arange(3)) for row in table]]
        given = {"v": v, "symmetric": symmetric, "unpaired": unpaired, "table": table + 1, "kinds": kinds}
        return RunOutput({"point": np.arange(self.points)}, {**given, **found})


def _memory_logits(v: jax.Array) -> jax.Array:
    """What the exact memory gives every token of the three-subject vocabulary on (s_1, a_1, s_2, a_2, s_3, EoS)."""
    table = jnp.asarray(np.array(TABLE_1) - 1)
    subjects, answers = v[jnp.array([0, 2, 4])], jnp.stack([v[1], v[3], jnp.zeros(())])
    relations = jnp.zeros(6)
    return jnp.concatenate(
        [
            exact_subject_logits(table, answers, relations),
            exact_answer_logits(table, subjects, relations),
            exact_relation_logits(table, subjects, answers),
        ]
    )


@dataclass(frozen=True, kw_only=True)
class SaddleAlgebra(RunConfig):
    """The warm-up's saddle over temperatures: curvatures by autodiff along softmax(theta + x e), and its pieces."""

    kind = "ic-recall/saddle-algebra"
    version = 2

    lowest: Positive = 0.01
    highest: float = 1.0
    temperatures: Annotated[int, Bound(least=3)] = 41

    def cross_check(self) -> None:
        require(self.lowest < self.highest, "lowest", self.lowest, f"below highest = {self.highest}")

    def execute(self, context: RunContext) -> RunOutput:
        grid = np.geomspace(self.lowest, self.highest, self.temperatures)
        with precision("float64"):
            log_counts = warmup_log_counts()
            rows = np.array(warmup_rows())
            start = as_jax(np.where(SADDLE > 0, 0.0, -300.0))
            tilted = start + as_jax(np.log([1.0, 1, 2, 2, 1, 1]))  # (1/6, 1/6, 1/3, 1/3, 0, 0), not a saddle
            direction = as_jax(DESCENDING)

            def logits(x: jax.Array) -> jax.Array:
                return pattern_logits(jax.nn.softmax(start + x * direction), 2)

            def hessian(at: jax.Array, t: jax.Array) -> jax.Array:
                return jax.hessian(loss_in_theta)(at, log_counts, t)

            def probability(logits: jax.Array, t: jax.Array) -> jax.Array:
                return jax.nn.softmax(logits / t + log_counts)

            def first(logits: jax.Array, t: jax.Array) -> jax.Array:
                return probability(logits, t)[rows[0]]

            def pieces(t: jax.Array) -> dict[str, jax.Array]:
                zero = jnp.zeros(())
                here = logits(zero)
                slope, bend = jax.jacfwd(logits)(zero), jax.jacfwd(jax.jacfwd(logits))(zero)
                p = probability(here, t)
                finite = jnp.where(jnp.isfinite(log_counts), 1.0, 0.0)
                here_and_tilted = jax.vmap(lambda at: hessian(at, t))(jnp.stack([start, tilted]))
                along = as_jax(np.stack([DESCENDING, ASCENDING]))
                curvature = jnp.einsum("di,sij,dj->sd", along, here_and_tilted, along)
                return {
                    "curvature": curvature[0, 0],
                    "ascending": curvature[0, 1],
                    "tilted_curvature": curvature[1, 0],
                    "tilted_ascending": curvature[1, 1],
                    "loss": loss_in_theta(start, log_counts, t),
                    "p1": p[rows[0]],
                    "p3": p[rows[2]],
                    "term_one": jax.grad(first)(here, t) @ (bend * finite),
                    "term_two": (slope * finite) @ jax.hessian(first)(here, t) @ (slope * finite),
                    "least_eigenvalue": jnp.linalg.eigvalsh(here_and_tilted[0])[0],
                }

            found = _evaluated(jax.vmap(pieces), grid)
            here = as_jax(SADDLE)
            arrays = {
                "logit_gradients": np.asarray(jax.jacfwd(lambda u: pattern_logits(u, 2))(here))[rows],
                "logits": np.asarray(pattern_logits(here, 2))[rows],
            }
        return RunOutput({"temperature": grid, **found}, arrays)


@dataclass(frozen=True, kw_only=True)
class GeneralAlgebra(RunConfig):
    """Any number of subjects: every relation's logit from the memory, gradients of both steps, curvature at v = 1/6."""

    kind = "ic-recall/general-algebra"
    version = 2

    n: int = 7
    points: Count = 32
    temperature: Positive = 0.07
    low_temperature: Annotated[float, Bound(above=0, below=0.01)] = 1e-3
    seed: int = 0

    def cross_check(self) -> None:
        Affine(n=self.n)

    def execute(self, context: RunContext) -> RunOutput:
        v = simplex_points(self.points, self.seed, "general")
        q = named_generator(self.seed, "second step").dirichlet(np.ones(7), size=self.points)
        world = Affine(n=self.n).draw()
        sequence = world.sequences(1, 2, seed=self.seed, name="general")
        table, subjects, answers = world.table, sequence.subjects[0], sequence.answers[0]
        pattern = np.array([_pattern_of(row, answers) for row in table[:, subjects]])
        tilted = _tilted(self.points, self.seed)
        with precision("float64"):
            log_counts = affine_log_counts(self.n)

            def on_subjects(u: jax.Array) -> jax.Array:
                return jnp.zeros(self.n).at[subjects].set(u[jnp.array([0, 2, 4])])

            def memory(u: jax.Array) -> jax.Array:
                on_answers = jnp.zeros(self.n).at[answers[:2]].set(u[jnp.array([1, 3])])
                return exact_relation_logits(jnp.asarray(table), on_subjects(u), on_answers)

            def second(u: jax.Array) -> jax.Array:
                decoded = jnp.zeros(len(table)).at[int(sequence.relations[0])].set(1 + u[6])
                scaled = exact_answer_logits(jnp.asarray(table), on_subjects(u), decoded) / self.temperature
                return jax.nn.logsumexp(scaled) - scaled[answers[2]]

            in_omega = jax.grad(lambda w: second(jax.nn.softmax(w)))
            low = self.low_temperature
            direction = as_jax(DESCENDING)
            two = jnp.array([correct_pattern(2), confusing_pattern(2)])

            def curve(x: jax.Array) -> jax.Array:
                return jax.nn.softmax(x * direction)

            def everything(v: jax.Array, q: jax.Array, tilted: jax.Array) -> dict[str, jax.Array]:
                zero, uniform = jnp.zeros(()), jnp.full(6, 1 / 6)
                velocity, acceleration = jax.jacfwd(curve)(zero), jax.jacfwd(jax.jacfwd(curve))(zero)
                slopes = jax.jacfwd(lambda u: pattern_logits(u, 2)[two])(uniform)
                bends = jax.hessian(lambda u: pattern_logits(u, 2)[two])(uniform)
                parts = (slopes @ acceleration, jnp.einsum("rij,i,j->r", bends, velocity, velocity))
                return {
                    "memory_logits": jax.vmap(memory)(v),
                    "gradient_v": jax.vmap(jax.grad(lambda u: loss_in_v(u, log_counts, self.temperature)))(v),
                    "gradient_q": jax.vmap(jax.grad(second))(q),
                    "initial_q": jax.grad(second)(jnp.full(7, 1 / 7)),
                    "initial_omega": in_omega(jnp.zeros(7)),
                    "leading_omega": jax.vmap(in_omega)(jnp.log(_query_first(q))),
                    "trailing_omega": jax.vmap(in_omega)(jnp.log(_query_first(q, last=True))),
                    "initial_p": jnp.exp(-second(jnp.full(7, 1 / 7))),
                    "tilted_gradient": jax.vmap(jax.grad(lambda u: loss_in_v(u, log_counts, low)))(tilted),
                    "tilted_theta": jax.vmap(jax.grad(lambda t: loss_in_theta(t, log_counts, low)))(jnp.log(tilted)),
                    "tilted_p": jax.vmap(lambda u: jax.nn.softmax(pattern_logits(u, 2) / low + log_counts)[two])(
                        tilted
                    ),
                    "acceleration": acceleration,
                    "second_order": jnp.concatenate([*parts, parts[0] + parts[1]]),
                }

            found = _evaluated(everything, v, q, tilted)
        arrays = {"v": v, "q": q, "tilted": tilted, "pattern": pattern, **found}
        return RunOutput({"point": np.arange(self.points)}, arrays)


def _query_first(q: jax.Array, last: bool = False) -> jax.Array:
    """The same weights with the largest (or the least) on the query subject, which it exchanges with."""
    rows, there = jnp.arange(len(q)), q.argmin(axis=1) if last else q.argmax(axis=1)
    chosen, own = q[rows, there], q[:, 4]
    return q.at[rows, there].set(own).at[:, 4].set(chosen)


def _tilted(rows: int, seed: int) -> np.ndarray:
    """Attention as Stage 2 finds it: near (1/6 + a, 1/6, 1/6 + a, 1/6, 1/6 - 2a, 1/6), the two pairs a little apart."""
    rng = named_generator(seed, "tilted")
    base = np.array([1 / 6 + 0.05, 1 / 6, 1 / 6 + 0.05, 1 / 6, 1 / 6 - 0.1, 1 / 6])
    return base + rng.uniform(0.001, 0.02, size=(rows, 2)) @ np.array([[1, 0, -1, 0, 0, 0], [0, 1, 0, -1, 0, 0]])
