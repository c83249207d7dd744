"""Training step, long evaluation and self-labelling of the experimental LEGO model against plain PyTorch, on two cores;
and the theory model's exact population against the time it is allowed.

    python benchmarks/lego.py            # two tables
    python benchmarks/lego.py --json     # the same numbers as JSON

Sides take turns, warm, and the median of each one's repetitions is shown. PyTorch is written with the same care:
queries at answer clauses only, the tokens of a clause looked up by one `embedding_bag`, fused attention, fused Adam,
and the faster of two forms: keys and values of every clause by matrix products, or looked up in projected tables. Its
rollout keeps keys and values in a cache that is allocated once. Shares are of the machine's own matrix rate
(matrix_work.py); "products alone" is the time of exactly the matrix products of our side.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import torch
from matrix_work import Product, alone, differentiated, operations, rows_times
from side_by_side import Row, in_turns, show

from lemmata.core import Unattended, named_key
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner
from lemmata.papers.lego.run.next_clause import SentenceSet, next_clause_adam, written_answers
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import Lego, LegoConfig

THREADS = 2
RATE = 1e-4
EIGHT = (  # action, vocabulary, width
    *(("C5", 167, 12), ("D5", 167, 12), ("F5", 167, 12), ("A5", 167, 12)),
    *(("C12", 66, 32), ("A4:self", 66, 32), ("D6", 66, 32), ("A4", 66, 32)),
)
IN_A_PASS, IN_A_ROLLOUT = 4, 32  # sentences whose activations, or whose keys and values, fit in a core's cache
functional = torch.nn.functional


class FixedBatch(SentenceSet):
    """A set that always gives all of itself: the step alone is timed."""

    def batch(self, num: int, *, key: jax.Array) -> jax.Array:
        return self.clauses


class TorchReasoner:
    """The same transformer, weights copied from ours. `form` is how keys and values come about."""

    def __init__(self, model: ExperimentalReasoner, form: Literal["clauses", "tables"]) -> None:
        self.config, self.form, self.scale = model.config, form, float(model.score_scale)
        names = ("embedding", "query", "key", "value", "gain", "inner", "bias", "outer")
        self.weights = {name: torch.nn.Parameter(torch.from_numpy(np.array(getattr(model, name)))) for name in names}
        self.starts = np.cumsum((0, *self.config.rows)).tolist()

    def projected(self, name: str, slots: tuple[int, ...]) -> torch.Tensor:
        """Every row's share of a projection, and the blank's zeros."""
        parts = []
        for slot, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            part = self.weights["embedding"][start:stop]
            parts.append(part @ self.weights[name][slot] if slot in slots else part.new_zeros(stop - start, self.width))
        return torch.cat([*parts, parts[0].new_zeros(1, self.width)])

    @property
    def width(self) -> int:
        return self.config.clause

    @property
    def slots(self) -> dict[str, tuple[int, ...]]:
        every = (0, 1, 2, 3, 4)
        sparse = self.config.attention == "block-sparse"
        return {"query": (3,) if sparse else every, "key": (2, 3) if sparse else every, "value": every}

    def spread_embedding(self) -> torch.Tensor:
        """Each row at its slot's place in the clause."""
        width, parts = self.config.width, []
        for slot, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            sides = (slot * width, (4 - slot) * width)
            parts.append(functional.pad(self.weights["embedding"][start:stop], sides))
        return torch.cat([*parts, parts[0].new_zeros(1, self.width)])

    def projections(self) -> dict[str, torch.Tensor]:
        if self.form == "tables":
            made = {name: self.projected(name, slots) for name, slots in self.slots.items()}
            return made | ({"embedding": self.spread_embedding()} if self.config.residual else {})
        return {"embedding": self.spread_embedding()}

    def read(self, made: dict[str, torch.Tensor], rows: torch.Tensor, name: str) -> torch.Tensor:
        """Queries, keys or values of clauses given as rows [..., 3]: [..., inner]."""
        flat = rows.reshape(-1, 3)
        if self.form == "tables":
            found = functional.embedding_bag(flat, made[name], mode="sum")
        else:
            found = functional.embedding_bag(flat, made["embedding"], mode="sum")
            width, slots = self.config.width, self.slots[name]
            used = torch.cat([found[:, slot * width : (slot + 1) * width] for slot in slots], dim=1)
            matrix = torch.cat([self.weights[name][slot] for slot in slots])
            found = (found if len(slots) == 5 else used) @ matrix
        return found.reshape(*rows.shape[:-1], self.config.clause)

    def heads(self, flat: torch.Tensor) -> torch.Tensor:
        return flat.reshape(*flat.shape[:-1], self.config.heads, -1).transpose(1, 2)

    def answer(self, made: dict[str, torch.Tensor], mixed: torch.Tensor, asking: torch.Tensor) -> torch.Tensor:
        """Logits of what attention gave [answers, inner] to clauses given as rows [..., 3]."""
        if self.config.residual:
            mixed = mixed + functional.embedding_bag(asking.reshape(-1, 3), made["embedding"], mode="sum")
        if self.config.layer_norm:
            mixed = functional.layer_norm(mixed, mixed.shape[-1:], self.weights["gain"])
        return torch.relu(torch.addmm(self.weights["bias"], mixed, self.weights["inner"])) @ self.weights["outer"]

    def logits(self, rows: torch.Tensor, answers: int) -> torch.Tensor:
        """Of the last `answers` clauses of every sentence: [batch * answers, 2 vocab]."""
        made = self.projections()
        queries = self.heads(self.read(made, rows[:, -answers:], "query"))
        keys, values = (self.heads(self.read(made, rows, name)) for name in ("key", "value"))
        clauses = rows.shape[1]
        seen = torch.arange(clauses) <= torch.arange(clauses - answers, clauses)[:, None]
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=seen, scale=self.scale)
        return self.answer(made, mixed.transpose(1, 2).reshape(-1, self.config.clause), rows[:, -answers:])

    @torch.inference_mode()
    def rollout(self, rows: torch.Tensor, steps: int) -> torch.Tensor:
        """Greedy answers after predicates and the first answer: tokens [batch, steps, 2]."""
        made, batch, given = self.projections(), len(rows), rows.shape[1]
        room = (batch, self.config.heads, given + steps, self.config.clause // self.config.heads)
        keys, values = torch.empty(room), torch.empty(room)
        keys[:, :, : given - 1] = self.heads(self.read(made, rows[:, :-1], "key"))
        values[:, :, : given - 1] = self.heads(self.read(made, rows[:, :-1], "value"))
        last, written = rows[:, -1:], torch.empty(batch, steps, 2, dtype=torch.long)
        first_answer, first_value = sum(self.config.rows[:3]), self.config.variables + self.config.actions
        blank = sum(self.config.rows)
        for step in range(steps):
            position = given - 1 + step
            keys[:, :, position : position + 1] = self.heads(self.read(made, last, "key"))
            values[:, :, position : position + 1] = self.heads(self.read(made, last, "value"))
            query = self.heads(self.read(made, last, "query"))
            mixed = functional.scaled_dot_product_attention(
                query, keys[:, :, : position + 1], values[:, :, : position + 1], scale=self.scale
            )
            logits = self.answer(made, mixed.transpose(1, 2).reshape(batch, -1), last)
            written[:, step, 0] = logits[:, : self.config.vocab].argmax(dim=1)
            written[:, step, 1] = logits[:, self.config.vocab :].argmax(dim=1)
            x, y = written[:, step, 0], written[:, step, 1] - first_value
            x = torch.where(x < self.config.variables, first_answer + x, blank)
            y = torch.where(
                (y >= 0) & (y < self.config.values), first_answer + self.config.variables + y, torch.tensor(blank)
            )
            last = torch.stack([x, y, torch.full_like(x, blank)], dim=1)[:, None]
        return written


def world(length: int, variables: int, width: int, hidden: int) -> tuple[Lego, ExperimentalReasoner]:
    task = Lego.create(LegoConfig(action="S5", variables=variables, length=length))
    sizes = task.vocabulary
    config = ExperimentalConfig(
        variables=variables, actions=sizes.actions, values=sizes.values, width=width, hidden=hidden
    )
    return task, eqx.filter_jit(ExperimentalReasoner.create)(config, key=named_key(0, "init"))


def torch_rows(model: ExperimentalReasoner, clauses: jax.Array) -> torch.Tensor:
    """Which three rows of the embedding a clause has: tokens 1 and 4, and 2 and 5, never stand in one clause."""
    counts, tokens = np.array(model.config.rows), np.asarray(clauses) - np.array(model.config.firsts)
    rows = np.where((tokens >= 0) & (tokens < counts), tokens + np.cumsum(counts) - counts, counts.sum())
    few = np.stack([np.minimum(rows[..., 0], rows[..., 3]), np.minimum(rows[..., 1], rows[..., 4]), rows[..., 2]], -1)
    return torch.from_numpy(few).long()


def tables(config: ExperimentalConfig, what: int, slots: tuple[int, ...]) -> list[Product]:
    """Of queries, keys or values, `what` of them, in some slots."""
    return [rows_times(config.rows[slot], config.width, config.clause, what) for slot in slots]


def attention(config: ExperimentalConfig, batch: int, queries: int, keys: int, times: int = 1) -> list[Product]:
    requested, read = ((config.heads, batch, number, config.clause // config.heads) for number in (queries, keys))
    weights = (config.heads, batch, queries, keys)
    scores = Product("hbqs,hbks->hbqk", requested, read, times)
    return [scores, Product("hbqk,hbks->hbqs", weights, read, times)]


def feed_forward(config: ExperimentalConfig, answers: int, times: int = 1) -> list[Product]:
    inner, logits = config.hidden, sum(config.predicted)
    return [rows_times(answers, config.clause, inner, times), rows_times(answers, inner, logits, times)]


def step_products(config: ExperimentalConfig, batch: int, length: int) -> list[Product]:
    looked_up = [*tables(config, 2, (0, 1, 2)), *tables(config, 3, (3, 4))]
    made = [*looked_up, *attention(config, batch, length, 2 * length), *feed_forward(config, batch * length)]
    return differentiated(*made)


def torch_step_operations(config: ExperimentalConfig, form: str, batch: int, length: int) -> float:
    if form == "tables":
        made = tables(config, 3, (0, 1, 2, 3, 4))
    else:
        number, clause = batch * length, config.clause
        made = [rows_times(number, clause, clause), rows_times(2 * number, clause, clause, 2)]
    made += [*attention(config, batch, length, 2 * length), *feed_forward(config, batch * length)]
    return operations(differentiated(*made))


def pass_products(config: ExperimentalConfig, num: int, length: int) -> list[Product]:
    parts = num // IN_A_PASS
    made = [*tables(config, 3, (0, 1, 2, 3, 4)), *attention(config, IN_A_PASS, length, 2 * length, parts)]
    return made + feed_forward(config, IN_A_PASS * length, parts)


def rollout_operations(config: ExperimentalConfig, form: str, num: int, length: int) -> float:
    """Ours has room for every clause from the start, PyTorch's grows by one a step: the mean is counted for both."""
    made = tables(config, 3, (0, 1, 2, 3, 4))
    if form == "clauses":
        made = [rows_times(num * 2 * length, config.clause, config.clause, 2)]
        made.append(rows_times(num * length, config.clause, config.clause))
    made += attention(config, num, 1, (3 * length + 1) // 2, length)
    return operations(made + feed_forward(config, num, length))


def training_step(repeats: int, *, variables: int, width: int, hidden: int, batch: int) -> Row:
    length = 5
    task, model = world(length, variables, width, hidden)
    algorithm = next_clause_adam(batch, RATE)
    clauses = task.draw(batch, key=named_key(0, "data"))
    arrays, static = eqx.partition(algorithm.init(model), eqx.is_array)

    @partial(jax.jit, donate_argnums=0)  # in place, as in the training loop and as PyTorch does
    def step(arrays: Any, clauses: jax.Array) -> tuple[Any, jax.Array]:
        state = eqx.combine(arrays, static)
        new, metrics = algorithm.step(FixedBatch(clauses), state, key=named_key(0, "unused"))
        return eqx.filter(new, eqx.is_array), metrics["loss"]

    holder = [jax.tree.map(jnp.copy, arrays)]

    def ours() -> float:
        holder[0], loss = step(holder[0], clauses)
        return float(loss)

    def torch_step(form: Literal["clauses", "tables"]) -> Callable[[], float]:
        other = TorchReasoner(model, form)
        rule = torch.optim.Adam(other.weights.values(), lr=RATE, fused=True)
        rows = torch_rows(model, clauses)[:, :-1]
        targets = torch.from_numpy(np.array(clauses[:, length + 1 :, 3:])).long().reshape(-1, 2)

        def one() -> float:
            rule.zero_grad(set_to_none=True)
            logits = other.logits(rows, length)
            loss = functional.cross_entropy(logits[:, : model.vocab], targets[:, 0])
            loss = loss + functional.cross_entropy(logits[:, model.vocab :], targets[:, 1])
            loss.backward()
            rule.step()
            return float(loss.detach())

        return one

    theirs = {form: torch_step(form) for form in ("clauses", "tables")}
    for _ in range(3):  # the same numbers, or the race is not worth running
        found = ours()
        for one in theirs.values():
            np.testing.assert_allclose(found, one(), rtol=1e-4)
    products = step_products(model.config, batch, length)
    found = in_turns({"ours": ours, "alone": alone(products), **theirs}, repeats)
    form = min(theirs, key=lambda name: found[name])
    return Row(
        "training step",
        f"S5, X {variables}, width {width}, {hidden} neurons, batch {batch}",
        found["ours"],
        f"PyTorch, {form}",
        found[form],
        1.0,
        operations(products),
        torch_step_operations(model.config, form, batch, length),
        THREADS,
        found["alone"],
    )


def all_right(model: ExperimentalReasoner, clauses: jax.Array) -> jax.Array:
    """Sentences whose every clause is right, by parallel passes over a few sentences each: caches hold so many."""
    length = (clauses.shape[1] - 1) // 2

    def some(part: jax.Array) -> jax.Array:
        written = jax.vmap(lambda one: model.next_clause(one, length))(part[:, :-1]).greedy()
        return jnp.all(written[..., 3:] == part[:, length + 1 :, 3:], axis=(1, 2))

    return jax.lax.map(some, clauses.reshape(-1, IN_A_PASS, *clauses.shape[1:])).reshape(-1)


def long_evaluation(repeats: int, *, variables: int, width: int, hidden: int, length: int, num: int) -> list[Row]:
    task, model = world(length, variables, width, hidden)
    clauses = task.draw(num, key=named_key(0, "data"))
    evaluate = eqx.filter_jit(all_right)
    write = eqx.filter_jit(written_answers)
    sentences = SentenceSet(clauses)
    rows = torch_rows(model, clauses)[:, : length + 1]
    theirs = {form: TorchReasoner(model, form) for form in ("clauses", "tables")}
    products = pass_products(model.config, num, length)
    sides = {
        "ours": lambda: jax.block_until_ready(evaluate(model, clauses)),
        "alone": alone(products),
        "rolled": lambda: jax.block_until_ready(write(model, sentences, most=IN_A_ROLLOUT)),
        **{form: lambda t=t: t.rollout(rows, length) for form, t in theirs.items()},
    }
    found = in_turns(sides, repeats)
    form = min(theirs, key=lambda name: found[name])
    what, size = "accuracy, parallel pass", f"{num} sentences of length {length}"
    ours, count, alone_ms = found["ours"], operations(products), found["alone"]
    by_torch, by_us = (rollout_operations(model.config, kind, num, length) for kind in (form, "tables"))
    against = f"PyTorch, cached rollout, {form}"
    return [
        Row(what, size, ours, against, found[form], 5.0, count, by_torch, THREADS, alone_ms),
        Row(what, size, ours, "our cached rollout", found["rolled"], 1.0, count, by_us, other_is_ours=True),
    ]


def self_labelling(repeats: int, *, variables: int, width: int, hidden: int, length: int, num: int) -> Row:
    task, model = world(length, variables, width, hidden)
    clauses = task.draw(num, key=named_key(0, "data"))
    write = eqx.filter_jit(written_answers)
    sentences = SentenceSet(clauses)
    rows = torch_rows(model, clauses)[:, : length + 1]
    theirs = {form: TorchReasoner(model, form) for form in ("clauses", "tables")}
    written = np.asarray(write(model, sentences, most=IN_A_ROLLOUT).clauses)[:, length + 1 :, 3:]
    for other in theirs.values():  # the same labels, but for ties that rounding may break
        same = (written == other.rollout(rows, length).numpy()).all(axis=(1, 2)).mean()
        assert same > 0.9, f"the two label {same:.2f} of the sentences alike"
    sides = {
        "ours": lambda: jax.block_until_ready(write(model, sentences, most=IN_A_ROLLOUT)),
        **{form: lambda t=t: t.rollout(rows, length) for form, t in theirs.items()},
    }
    found = in_turns(sides, repeats)
    form = min(theirs, key=lambda name: found[name])
    by_us, by_torch = (rollout_operations(model.config, kind, num, length) for kind in ("tables", form))
    size, against = f"{num} sentences of length {length}", f"PyTorch, cached rollout, {form}"
    return Row("self-labelling", size, found["ours"], against, found[form], 1.0, by_us, by_torch, THREADS)


def growth(repeats: int, *, variables: int, width: int, hidden: int, length: int, num: int) -> Row:
    """One parallel pass against one rollout, both ours, at one of several lengths."""
    task, model = world(length, variables, width, hidden)
    clauses = task.draw(num, key=named_key(0, "data"))
    evaluate, write, sentences = eqx.filter_jit(all_right), eqx.filter_jit(written_answers), SentenceSet(clauses)
    sides = {
        "parallel": lambda: jax.block_until_ready(evaluate(model, clauses)),
        "rolled": lambda: jax.block_until_ready(write(model, sentences, most=IN_A_ROLLOUT)),
    }
    found = in_turns(sides, repeats)
    counts = (
        operations(pass_products(model.config, num, length)),
        rollout_operations(model.config, "tables", num, length),
    )
    size, times = f"{num} sentences of length {length}", (found["parallel"], "our cached rollout", found["rolled"])
    return Row("growth with length", size, *times, 0.0, *counts, other_is_ours=True)


def population(*, variables: int, actions: tuple[tuple[str, int, int], ...], last: float) -> list[Row]:
    """The exact engine against the time it is allowed: each side once, compiling included, as a user waits for it."""

    def seconds(*runs: PopulationRun) -> float:
        began = time.perf_counter()
        for run in runs:
            found = run.execute(Unattended())
            assert np.all(found.arrays["one_step.excess"] < 0.05), "stage 1 is not at its floor"
        return time.perf_counter() - began

    single = {"lengths": (2,), "test_sentences": 4, "seeds": (0,)}
    c6 = PopulationRun(action="C6", vocabulary=variables + 13, clips=(2.0,), widths=(24,), records=(last,), **single)
    eight = [
        PopulationRun(action=name, vocabulary=d, widths=(width,), records=(last,), **single)
        for name, d, width in actions
    ]
    names = ", ".join(name for name, *_ in actions)
    return [
        Row("T1 and T2, exact", f"C6, X {variables}, time {last:g}", 1e3 * seconds(c6), "allowed", 10_000.0, 1.0),
        Row("T1 and T2, exact", f"{names}, time {last:g}", 1e3 * seconds(*eight), "allowed", 60_000.0, 1.0),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--small", action="store_true", help="tiny sizes: does it run?")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    if options.small:
        tiny = {"variables": 12, "width": 4, "hidden": 16}
        found = [training_step(2, batch=8, **tiny), *long_evaluation(2, length=8, num=4, **tiny)]
        found += [self_labelling(2, length=5, num=8, **tiny), growth(2, length=5, num=4, **tiny)]
        found += population(variables=20, actions=(("C3", 20, 6), ("S3", 20, 6)), last=100.0)
    else:
        size = {"variables": 170, "width": 64, "hidden": 1024}
        laptop = {"variables": 41, "width": 16, "hidden": 128}
        found = [training_step(50, batch=64, **laptop), training_step(15, batch=128, **size)]
        found += [*long_evaluation(5, length=160, num=16, **size)]
        found.append(self_labelling(5, length=40, num=256, **size))
        found += [growth(5, length=length, num=16, **size) for length in (20, 40, 80, 160)]
        found += population(variables=641, actions=EIGHT, last=1e8)
    title = f"lemmata against PyTorch {torch.__version__}, {THREADS} threads, median milliseconds"
    show(found, title, as_json=options.json)


if __name__ == "__main__":
    main()
