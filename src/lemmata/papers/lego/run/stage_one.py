"""Stage 1 of Algorithms 1 and 2 for theory models of one world: their neurons learn T^1, attention is uniform."""

from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunContext, named_key, named_keys, require
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import divisor
from lemmata.papers.lego.run.one_step_descent import Descent, OneStep, Token, score
from lemmata.papers.lego.task import Lego, action
from lemmata.train import History, fit_many, stack, unstack
from lemmata.train.loop import ProbeFn

SCORES = ("loss", "excess", "accuracy", "probability")
PART = 500  # steps between two looks at who rests
DRAWN = 16_384  # sentences for the last scores where the gradient is sampled


def model_config(action_name: str, variables: int, **settings: Any) -> TheoryConfig:
    """Of a model whose sizes are those of a world."""
    actions, values = action(action_name).table.shape
    return TheoryConfig(variables=variables, actions=actions, values=values, **settings)


def variables_in(action_name: str, vocabulary: int) -> int:
    """|X|: what an action leaves of a vocabulary."""
    taken = sum(action(action_name).table.shape) + 1
    require(vocabulary >= taken + 3, "vocabulary", vocabulary, f"at least {taken + 3}: three variables")
    return vocabulary - taken


def new_models(config: TheoryConfig, seeds: Sequence[int]) -> TheoryTransformer:
    """Untrained, one a seed along a leading axis."""
    create = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))
    return stack([create(named_key(seed, "init", "theory")) for seed in seeds])


def train_neurons(
    models: TheoryTransformer, task: Lego, seeds: Sequence[int], descents: Mapping[Token, Descent], context: RunContext
) -> tuple[TheoryTransformer, dict[str, np.ndarray]]:
    """The models after stage 1. The scores of each token, by seed, are returned, never assumed: over all inputs, or
    over many drawn sentences where the gradient was sampled."""
    arrays = {}
    for token, descent in descents.items():
        models, history = descend(models, task, named_keys(seeds, "one-step"), token, descent, context)
        last = {name: history[name][:, -1] for name in SCORES}
        last = last if descent.batch is None else drawn_scores(models, task, token)
        arrays |= {f"one_step.{token}.{name}": np.asarray(values, np.float64) for name, values in last.items()}
        arrays |= {f"one_step.{token}.{name}_history": history[name].astype(np.float64) for name in SCORES[:3]}
        arrays[f"one_step.{token}.step"] = history.steps
    return models, arrays


def descend(
    models: TheoryTransformer,
    task: Lego,
    keys: Key[Array, " replica"],
    token: Token,
    descent: Descent,
    context: RunContext,
    probe: ProbeFn | None = None,
) -> tuple[TheoryTransformer, History]:
    """A descent on stacked models, part by part until all of them rest; who rests first waits unmoved."""
    algorithm = descent.algorithm(token)
    state, tasks = stack([algorithm.init(model) for model in unstack(models)]), stack([task] * len(keys))
    records = descent.steps // descent.every
    together = divisor(records, PART // descent.every) if descent.rests else records
    found: list[History] = []
    for part in range(records // together):
        state, history = fit_many(
            algorithm,
            tasks,
            state,
            jnp.stack([jax.random.fold_in(key, part) for key in keys]),
            steps=together * descent.every,
            every=descent.every,
            probe=probe,
            replicas="auto",
            context=context,
            stage=f"one-step-{token}-{part}",
        )
        found.append(history)
        if descent.rests and np.all(history["excess"][:, -1] <= descent.within):
            break
    return state.model, joined(found, descent.every)


def joined(parts: list[History], every: int) -> History:
    """One history of several, each of which begins at the record where the one before it ends."""
    names, rest = list(parts[0]), parts[:-1]
    columns = {name: np.concatenate([*(one[name][:, :-1] for one in rest), parts[-1][name]], axis=1) for name in names}
    return History(columns, np.arange(columns[names[0]].shape[1]) * every)


def drawn_scores(models: TheoryTransformer, task: Lego, token: Token) -> dict[str, np.ndarray]:
    algorithm, key = OneStep(token=token, batch=DRAWN), named_key(0, "test", token)

    def one(model: TheoryTransformer, key: Key[Array, ""]) -> Metrics:
        neurons = getattr(model, token)
        return score(neurons, *algorithm.inputs(neurons, task, key))

    arrays, static = eqx.partition(models, eqx.is_array)
    found = eqx.filter_jit(lambda arrays, key: jax.lax.map(lambda a: one(eqx.combine(a, static), key), arrays))(
        arrays, key
    )
    return {name: np.asarray(value, np.float64) for name, value in found.items()}
