"""The dense model is the model, and the printed gradients are its gradients at any weights."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import Recorded, RunResult, Unattended, named_generator, precision
    from lemmata.papers.lego.claims import gradients as judging
    from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
    from lemmata.papers.lego.model.dense import Dense, logits
    from lemmata.papers.lego.run.gradients import Gradients
    from lemmata.papers.lego.task import Lego, LegoConfig


def as_dense(model: TheoryTransformer, config: TheoryConfig) -> Dense:
    feed, query = np.zeros((5, config.vocab, config.width, 5, config.vocab)), np.zeros((5, config.vocab) * 2)
    for place, neurons in ((3, model.variable), (4, model.value)):
        classes = slice(neurons.first, neurons.first + neurons.classes)
        for slot, (first, count) in enumerate(config.slots):
            table = np.asarray(neurons.tables[slot])  # [token, class, neuron]
            feed[place, classes, :, slot, first : first + count] = np.moveaxis(table, 0, -1)
    query[3, : config.variables, 2, : config.variables] = model.query_third
    query[3, : config.variables, 3, : config.variables] = model.query_fourth
    return Dense(jnp.asarray(feed), jnp.asarray(query))


def test_the_dense_model_says_what_the_theory_model_says() -> None:
    config = TheoryConfig(variables=5, actions=6, values=3, width=2, scale=0.5, reads="all", classes="all", clip=50)
    drawing = named_generator(0, "dense")
    with precision("float64"):
        model = TheoryTransformer.create(config, key=jax.random.key(0))
        blocks = [jnp.asarray(drawing.normal(size=(5, 5))) for _ in range(2)]
        model = TheoryTransformer(*blocks, model.variable, model.value, model.slots, model.vocab)
        sentence = Lego.create(LegoConfig(action="S3", variables=5, length=2)).draw(1, key=jax.random.key(1))[0, :4]
        said = model.next_clause(sentence, 1)
        found = logits(as_dense(model, config), sentence, config.sigma * np.log(config.vocab), config.power)
        np.testing.assert_allclose(found[3], said.variable[-1], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found[4], said.value[-1], rtol=1e-10, atol=1e-12)
    assert np.ptp(found[4]) > 0.1, "the sentence is told apart"


@pytest.fixture(scope="module")
def runs() -> dict[str, RunResult]:
    found = {}
    for bare in (False, True):
        config = Gradients(action="S3", width=1, sentences=16, seed=3, bare=bare, bias=0.0 if bare else 0.2)
        out = config.execute(Unattended())
        found["bare" if bare else "full"] = RunResult(config, out.metrics, Recorded(out.arrays), {})
    return found


@pytest.mark.parametrize("name", judging.TABLE)
def test_a_printed_gradient_is_autodiff_and_another_bias_is_not(name: str, runs: dict[str, RunResult]) -> None:
    of, pair = judging.TABLE[name]
    run = runs["bare" if "bare" in of else "full"]
    for off, same in ((0.0, True), (0.1, False)):
        printed, measured = (np.concatenate([np.ravel(one) for one in side]) for side in pair(judging.Point(run, off)))
        assert np.abs(measured).max() > 1e-4, "something is compared"
        assert (np.abs(printed - measured).max() < 1e-12 * np.abs(measured).max()) == same


def test_the_first_predicate_alone_is_not_the_gradient_of_a_longer_chain(runs: dict[str, RunResult]) -> None:
    at = judging.Point(runs["full"])
    measured = judging.normed(at.by_query(*judging.LONG)[0])
    assert np.abs(judging.third_block(at, printed=False) - measured).max() < 1e-12
    assert np.abs(judging.third_block(at, printed=True) - measured).max() > 0.05
    for step in (judging.TWO, judging.LONG):
        bare = judging.Point(runs["bare"])
        right = judging.diagonal_sum(bare, step, "autodiff")
        assert np.abs(judging.diagonal_sum(bare, step, "right") - right).max() < 1e-12
        wrong = "twice" if step == judging.TWO else "swapped"
        assert np.abs(judging.diagonal_sum(bare, step, wrong) - right).max() > 0.01
