"""Training step, long evaluation and self-labelling of the experimental LEGO model against plain PyTorch, on two cores;
and the theory model's exact population against the time it is allowed.

    python benchmarks/lego.py            # two tables
    python benchmarks/lego.py --json     # the same numbers as JSON

Sides take turns, warm, and the median of each one's repetitions is shown. PyTorch is examples/torch/lego.py, written
with the same care: queries at answer clauses only, the tokens of a clause looked up by one `embedding_bag`, fused
attention, fused Adam, and the faster of two forms: keys and values of every clause by matrix products, or looked up in
projected tables. Its rollout keeps keys and values in a cache that is allocated once. Shares are of the machine's own
matrix rate (matrix_work.py); "products alone" is the time of exactly the matrix products of our side.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import torch
from matrix_work import Product, alone, differentiated, operations, rows_times
from side_by_side import Row, in_turns, show
from twin import twin

from lemmata.core import Unattended, named_key
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner
from lemmata.papers.lego.run.next_clause import SentenceSet, next_clause_adam, written_answers
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import Lego, LegoConfig

theirs = twin("lego")
FORMS = ("clauses", "tables")
THREADS = 2
RATE = 1e-4
EIGHT = (  # action, vocabulary, width
    *(("C5", 167, 12), ("D5", 167, 12), ("F5", 167, 12), ("A5", 167, 12)),
    *(("C12", 66, 32), ("A4:self", 66, 32), ("D6", 66, 32), ("A4", 66, 32)),
)
IN_A_PASS, IN_A_ROLLOUT = 4, 32  # sentences whose activations, or whose keys and values, fit in a core's cache


class FixedBatch(SentenceSet):
    """A set that always gives all of itself: the step alone is timed."""

    def batch(self, num: int, *, key: jax.Array) -> jax.Array:
        return self.clauses


def torch_decoder(model: ExperimentalReasoner, form: str) -> torch.nn.Module:
    """Our weights in examples/torch. `form`: how keys and values come about."""
    config = model.config
    sizes = theirs.World(config.variables, config.actions, config.values)
    other = theirs.Decoder(sizes, config.width, config.hidden, tables=form == "tables")
    whole = {"W_Q": model.query, "W_K": model.key, "W_V": model.value}
    arrays = {name: array.reshape(config.clause, config.clause) for name, array in whole.items()}
    arrays |= {"E": model.embedding, "gain": model.gain, "bias": model.bias, "W_in": model.inner, "W_out": model.outer}
    other.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})
    return other


def world(length: int, variables: int, width: int, hidden: int) -> tuple[Lego, ExperimentalReasoner]:
    task = Lego.create(LegoConfig(action="S5", variables=variables, length=length))
    sizes = task.vocabulary
    config = ExperimentalConfig(
        variables=variables, actions=sizes.actions, values=sizes.values, width=width, hidden=hidden
    )
    return task, eqx.filter_jit(ExperimentalReasoner.create)(config, key=named_key(0, "init"))


def torch_rows(model: ExperimentalReasoner, clauses: jax.Array) -> torch.Tensor:
    """Which three rows of the embedding a clause has."""
    sizes = theirs.World(model.config.variables, model.config.actions, model.config.values)
    return theirs.rows(sizes, torch.from_numpy(np.array(clauses)).long())


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

    def torch_step(form: str) -> Callable[[], float]:
        other = torch_decoder(model, form)
        rule = theirs.optimizer_of(other.parameters(), RATE)
        rows, targets = theirs.split(other.world, torch.from_numpy(np.array(clauses)).long())
        return lambda: theirs.step(other, rule, rows, targets)

    racing = {form: torch_step(form) for form in FORMS}
    for _ in range(3):  # the same numbers, or the race is not worth running
        found = ours()
        for one in racing.values():
            np.testing.assert_allclose(found, one(), rtol=1e-4)
    products = step_products(model.config, batch, length)
    found = in_turns({"ours": ours, "alone": alone(products), **racing}, repeats)
    form = min(racing, key=lambda name: found[name])
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
    racing = {form: torch_decoder(model, form) for form in FORMS}
    products = pass_products(model.config, num, length)
    sides = {
        "ours": lambda: jax.block_until_ready(evaluate(model, clauses)),
        "alone": alone(products),
        "rolled": lambda: jax.block_until_ready(write(model, sentences, most=IN_A_ROLLOUT)),
        **{form: lambda t=t: t.rollout(rows, length) for form, t in racing.items()},
    }
    found = in_turns(sides, repeats)
    form = min(racing, key=lambda name: found[name])
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
    racing = {form: torch_decoder(model, form) for form in FORMS}
    written = np.asarray(write(model, sentences, most=IN_A_ROLLOUT).clauses)[:, length + 1 :, 3:]
    for other in racing.values():  # the same labels, but for ties that rounding may break
        same = (written == other.rollout(rows, length).numpy()).all(axis=(1, 2)).mean()
        assert same > 0.9, f"the two label {same:.2f} of the sentences alike"
    sides = {
        "ours": lambda: jax.block_until_ready(write(model, sentences, most=IN_A_ROLLOUT)),
        **{form: lambda t=t: t.rollout(rows, length) for form, t in racing.items()},
    }
    found = in_turns(sides, repeats)
    form = min(racing, key=lambda name: found[name])
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
