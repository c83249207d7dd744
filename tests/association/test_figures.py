"""The training experiments of `association`: what they record, and rules that tell a right story from a wrong one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Claim, Recorded, RunResult, Runs, Scale, Unattended, Undecided, UserError, judge, named_key
from lemmata.core.config import override
from lemmata.core.registry import experiment, experiment_names, papers
from lemmata.papers.association.claims import fig_3, fig_8, fig_9, fig_10, fig_13, fig_20
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run, recall_training
from lemmata.papers.association.model import Transformer, TransformerConfig
from lemmata.papers.association.model.truncate import truncate
from lemmata.papers.association.probe.answers import answers, answers_of_ranks
from lemmata.papers.association.probe.held_out import answer_shown, first, held_out
from lemmata.papers.association.probe.readings import (
    at_end,
    at_fraction,
    early_peak,
    first_step_over,
    learned_something,
    settled,
)
from lemmata.papers.association.run.bigram_allocation import BigramAllocation, allocate
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.task import NoisyRecall, RecallConfig

SEEDS, STEPS = (0, 1, 2), np.arange(0, 1005, 5)


@pytest.fixture(scope="module")
def task() -> NoisyRecall:
    return NoisyRecall.create(RecallConfig(symbols=8, length=24))


def test_answers_of_known_logits(task: NoisyRecall) -> None:
    sample = held_out(task, 64).clean
    noise = task.config.noise_token
    sure = 20.0 * jax.nn.one_hot(sample.correct, 8)
    found = answers(sure, sample, noise)
    assert float(found["correct"]) > 0.999
    assert float(found["accuracy"]) == 1.0
    assert float(found["noise_fraction"]) == 0.0
    torn = jnp.log(
        0.5 * jax.nn.one_hot(sample.correct, 8) + 0.5 * jax.nn.one_hot(jnp.full(sample.tokens.shape, noise), 8)
    )
    torn = jnp.maximum(torn, -30.0)
    found = answers(torn, sample, noise)
    assert abs(float(found["noise"]) - 0.5) < 1e-5
    assert abs(float(found["clean_loss"]) - np.log(2)) < 1e-5


def test_held_out_data_are_clean_and_noisy(task: NoisyRecall) -> None:
    test = held_out(task, 64)
    tokens, correct = np.asarray(test.clean.tokens), np.asarray(test.clean.correct)
    after = correct[:, :-2] >= 0  # the last token is put there, not drawn
    assert (tokens[:, 1:-1][after] == correct[:, :-2][after]).all()
    tokens, correct = np.asarray(test.noisy.tokens), np.asarray(test.noisy.correct)
    after = correct[:, :-2] >= 0
    assert abs((tokens[:, 1:-1][after] == task.config.noise_token).mean() - 0.5) < 0.1
    assert 0.5 < float(answer_shown(test.clean)) <= 1.0


def test_ranks_in_the_probe_are_the_exact_truncations(task: NoisyRecall) -> None:
    config = TransformerConfig(vocab=8, length=24, width=12)
    model = eqx.filter_jit(lambda key: Transformer.create(config, key=key))(named_key(0, "init"))
    sample = first(held_out(task, 64).clean, 16)
    found = eqx.filter_jit(lambda m: answers_of_ranks(m, (0.25, 0.5), sample, 2))(model)
    read = eqx.filter_jit(lambda m: answers(jax.vmap(m)(sample.tokens), sample, 2))
    for fraction in (0.25, 0.5):
        cut, _ = truncate(model, "blocks.1.feed.inner", fraction=fraction)
        for what, value in read(cut).items():
            np.testing.assert_allclose(found[f"rank_{fraction:g}.{what}"], value, rtol=2e-4, atol=1e-5)


def test_padding_units_do_not_matter_and_stay_zero() -> None:
    config = TransformerConfig(vocab=6, length=8, width=4, hidden=10, value_width=6)
    create = eqx.filter_jit(lambda key: allocate(Transformer.create(config, key=key), jnp.array(3), jnp.array(2)))
    padded = create(named_key(0, "init"))

    def narrow(block: Any) -> Any:
        parts = (block.value[:2], block.output[:, :2], block.feed.inner[:, :3], block.feed.outer[:, :3])
        return eqx.tree_at(lambda b: (b.value, b.output, b.feed.inner, b.feed.outer), block, parts)

    small = eqx.tree_at(lambda m: m.blocks, padded, tuple(narrow(block) for block in padded.blocks))
    tokens = jnp.array([0, 3, 2, 5, 1, 1, 4, 0])
    read = eqx.filter_jit(lambda m: m(tokens))
    np.testing.assert_allclose(read(padded), read(small), rtol=1e-5, atol=1e-6)
    gradient = eqx.filter_jit(eqx.filter_grad(lambda m: jnp.sum(m(tokens) ** 2)))(padded)
    for block in gradient.blocks:
        assert float(jnp.abs(block.feed.inner[:, 3:]).max()) == 0.0
        assert float(jnp.abs(block.feed.outer[:, 3:]).max()) == 0.0
        assert float(jnp.abs(block.value[2:]).max()) == 0.0
        assert float(jnp.abs(block.output[:, 2:]).max()) == 0.0
        assert float(jnp.abs(block.feed.outer[:, :3]).max()) > 0.0
    bound = float(jnp.abs(small.blocks[0].feed.outer).max())
    assert 10**-0.5 < bound <= 3**-0.5  # drawn for 3 units, not for 10


def test_a_run_records_its_first_steps_one_by_one() -> None:
    config = replace(recall_training(Scale("smoke")), early_steps=3, steps=8, seeds=(4,))
    output = config.execute(Unattended())
    steps, values = RunResult(config, output.metrics, output.arrays, {}).curve("full.noise", phase=1)
    assert steps.tolist() == [0, 1, 2, 3, 8]
    assert np.isfinite(values).all()
    assert len(np.unique(values)) == 5  # every step changed the model


def test_clean_training_comes_before_noise() -> None:
    config = replace(recall_training(Scale("smoke")), clean_steps=5, early_steps=3, steps=8)
    assert [(s.name, s.phase, s.first, s.steps, s.every, s.alpha) for s in config.stages()] == [
        ("clean", 0, 0, 5, 5, 0.0),
        ("early", 1, 0, 3, 1, 0.5),
        ("final", 1, 3, 5, 5, 0.5),
    ]


def test_attention_is_averaged_over_as_many_sequences_as_set() -> None:
    few = replace(recall_training(Scale("smoke")), maps=True, seeds=(4,))
    snapshots = {
        number: replace(few, attended_sequences=number).execute(Unattended()).arrays for number in (None, 16, 32)
    }
    usual, same, more = (snapshots[number]["final.mass"] for number in (None, 16, 32))
    assert np.array_equal(usual, same)  # `test_sequences`, unless it is said
    assert not np.allclose(usual, more)
    assert np.array_equal(snapshots[None]["final.first_attention"], snapshots[32]["final.first_attention"])
    assert few.digest == replace(few, attended_sequences=None).digest != replace(few, attended_sequences=16).digest


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": 5, "early_steps": 5},
        {"test_sequences": 2},
        {"attended_sequences": 33},  # of 32
        {"model": TransformerConfig(vocab=7, length=16)},
        {"model": TransformerConfig(vocab=8, length=16, feeds=("mlp",))},
        {"seeds": ()},
        {"steps": 12},  # not a multiple of `every`
        {"watch_ranks": True, "model": TransformerConfig(vocab=8, length=16, width=16, feeds=("mlp", "linear"))},
    ],
)
def test_impossible_runs_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        replace(recall_training(Scale("smoke")), **changes)


def test_a_wrong_weight_name_stops_before_training() -> None:
    with pytest.raises(UserError, match="did you mean"):
        replace(recall_training(Scale("smoke")), truncated=("blocks.1.feed.iner",), fractions=(0.5,)).execute(
            Unattended()
        )


def _curves(phase: int = 1, **columns: Callable[[np.ndarray], np.ndarray]) -> dict[str, np.ndarray]:
    table = {
        "seed": np.repeat(SEEDS, len(STEPS)),
        "phase": np.full(len(SEEDS) * len(STEPS), phase),
        "step": np.tile(STEPS, len(SEEDS)),
    }
    return table | {name.replace("__", "."): np.tile(f(STEPS), len(SEEDS)) for name, f in columns.items()}


def _rise(late: float, start: float, end: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda steps: start + (end - start) / (1 + np.exp(-(steps - late) / 20))


def _story(noise_first: bool = True) -> RunResult:
    """The paper's story of Figure 3 as numbers, or one with both tokens exchanged in time."""
    early, late = (10, 300) if noise_first else (300, 10)
    metrics = _curves(
        full__correct=_rise(late, 0.02, 0.52),
        full__noise=_rise(early, 0.02, 0.53),
        full__noise_fraction=_rise(early, 0.0, 1.0),
        margin=_rise(early, -0.2, 1.0) if noise_first else _rise(2000, -0.2, 1.0),
        margin_of_another=lambda steps: -0.5 + 0 * steps,
        without_F2__correct=_rise(late, 0.02, 0.98),
        without_F2__noise=_rise(late, 0.2, 0.02),
        without_F1__noise=_rise(early, 0.02, 0.9),
        without_F1__correct=_rise(late, 0.02, 0.1),
    )
    config = replace(main_run(Scale("laptop")), seeds=SEEDS)
    sweep = np.tile(np.linspace(0.95, 0.5, len(config.fractions)), (1, 3, 1))
    return RunResult(config, Recorded(metrics), Recorded({"sweep.correct": sweep}), {})


def _clean() -> RunResult:
    """A model that has seen no noise: the phase before the fine-tuning."""
    never = lambda steps: 0.001 + 0 * steps  # noqa: E731
    right = _rise(60, 0.02, 0.98)
    metrics = _curves(0, full__correct=right, full__noise=never, without_F2__correct=right, without_F2__noise=never)
    return RunResult(replace(fine_tuned_run(Scale("laptop")), seeds=SEEDS), Recorded(metrics), Recorded({}), {})


def _runs(main: RunResult) -> Runs:
    return Runs({"main": main, "fine-tuned": _clean()})


SMALL = [claim for claim in fig_3.EXPERIMENT.claims if claim.id != "fig-3-98"]  # of any size


@pytest.mark.parametrize("claim", [*SMALL, *fig_10.EXPERIMENT.claims], ids=lambda claim: claim.id)
def test_rules_accept_the_papers_story(claim: Claim) -> None:
    judgement = judge(claim, _runs(_story()), fig_3.EXPERIMENT.needs)
    assert judgement.status == "holds", judgement.detail
    assert judgement.control_status == "fails"


@pytest.mark.parametrize("claim", SMALL[1:], ids=lambda claim: claim.id)
def test_rules_refuse_the_opposite_order(claim: Claim) -> None:
    assert judge(claim, _runs(_story(noise_first=False))).status == "fails"


@pytest.mark.parametrize(("width", "status"), [(256, "holds"), (64, "undecided")])
def test_the_captions_number_is_of_the_papers_size(width: int, status: str) -> None:
    story = _story()
    config = replace(story.config, model=replace(story.config.model, width=width))
    (claim,) = (claim for claim in fig_3.EXPERIMENT.claims if claim not in SMALL)
    judged = judge(claim, _runs(RunResult(config, story.metrics, story.arrays, {})))
    assert judged.status == status
    assert judged.control_status == ("fails" if status == "holds" else "undecided")


def test_the_rank_sweep_must_fall() -> None:
    story = _story()
    rising = RunResult(story.config, story.metrics, {"sweep.correct": story.arrays["sweep.correct"][..., ::-1]}, {})
    assert judge(fig_3.EXPERIMENT.claims[0], _runs(rising)).status == "fails"


def test_a_run_that_learned_nothing_decides_nothing() -> None:
    story = _story()
    untrained = RunResult(
        story.config, Recorded(dict(story.metrics) | {"full.correct": 0.02 + 0 * story.metrics["step"]}), {}
    )
    assert learned_something(story) is None
    assert "little is learned" in str(learned_something(untrained))
    judged = judge(fig_3.EXPERIMENT.claims[0], _runs(untrained), fig_3.EXPERIMENT.needs)
    assert judged.status == "undecided"


def test_what_changed_settings_leave_out_is_undecided() -> None:
    story = _story()
    tuned_never_clean = judge(fig_8.EXPERIMENT.claims[0], Runs({"main": story, "fine-tuned": story}))
    assert tuned_never_clean.control_status == "undecided"  # it is the clean phase
    with pytest.raises(Undecided, match="first 4 steps"):
        early_peak(story, "full.noise", 4)
    with pytest.raises(Undecided, match=r"fraction 0\.3"):
        at_fraction(story, 0.3)
    two = Recorded({"sweep.correct": story.arrays["sweep.correct"][..., :2]})
    other = RunResult(override(story.config, {"fractions": "0.5,0.25"}), story.metrics, two)
    for claim in (*fig_13.EXPERIMENT.claims, *fig_9.EXPERIMENT.claims):
        names: tuple[str, ...] = ("attention only", "with MLPs", "one trigger", "several triggers")
        assert judge(claim, Runs(dict.fromkeys(names, other))).status == "undecided"


def test_the_matching_matrix_must_peak_at_every_trigger() -> None:
    def run(config: RecallTraining, peaks: float) -> RunResult:
        size, triggers = config.task.vocab, list(config.task.triggers)
        good = np.full((3, size, size), 0.5)
        good[:, triggers, triggers] = 3.0
        good[:, triggers[-1], triggers[-1]] = peaks
        wrong = np.tile(np.random.default_rng(0).normal(size=(size, size)), (3, 1, 1))
        return RunResult(config, {}, {"final.matching_logits": good, "final.other_matching_logits": wrong}, {})

    several = fig_9.several_triggers_run(Scale("laptop"))
    for peaks, status in ((2.0, "holds"), (0.4, "fails")):
        runs = Runs({"one trigger": run(main_run(Scale("laptop")), 3.0), "several triggers": run(several, peaks)})
        assert judge(fig_9.EXPERIMENT.claims[0], runs).status == status


def test_readings_of_a_curve() -> None:
    run = _story()
    rise = _rise(10, 0.02, 0.53)(STEPS)
    assert first_step_over(run, "full.noise", 0.5).tolist() == [float(STEPS[rise > 0.5][0])] * 3
    assert np.isinf(first_step_over(run, "full.noise", 0.9)).all()
    np.testing.assert_allclose(at_end(run, "full.noise"), 0.53, atol=1e-6)
    np.testing.assert_allclose(settled(run, "full.noise", 0.5), rise[STEPS >= 500].mean())
    np.testing.assert_allclose(early_peak(run, "full.noise", 20), _rise(10, 0.02, 0.53)(np.array([20.0]))[0])


def test_a_positive_margin_is_counted_in_steps_and_not_in_records() -> None:
    steps, margins = np.array([0, 1, 2, 3, 4, 100]), np.array([-1.0, 1.0, -1.0, -1.0, 1.0, -1.0])
    columns = {"seed": np.zeros(6, int), "phase": np.ones(6, int), "step": steps, "margin": margins}
    run = RunResult(replace(recall_training(Scale("smoke")), seeds=(0,)), columns, {}, {})
    np.testing.assert_allclose(fig_3.positive_afterwards((run, "margin")).values, [97 / 99])


@pytest.mark.parametrize(
    "change", [{"shares": (0.01,)}, {"shares": (0.5, 0.51)}, {"learning_rates": (0.1, 0.1)}, {"seeds": ()}]
)
def test_impossible_allocations_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        BigramAllocation(units=(8,), **change)


@pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
def test_figures_share_their_runs(scale: str) -> None:
    at = Scale(scale)  # pyright: ignore[reportArgumentType]
    named = [name for name in experiment_names(papers()["association"]) if name.startswith("fig") and name != "fig-18"]
    figures = [one for name in named if not (one := experiment(f"association/{name}")).extra]
    digests = [config.digest for figure in figures for config in figure.runs(at).values()]
    assert digests.count(main_run(at).digest) == 7
    # A laptop has a run of its own for the clean model.
    assert digests.count(fine_tuned_run(at).digest) == (3 if scale == "laptop" else 4)
    assert len(set(digests)) == {"smoke": 10, "laptop": 15, "paper": 21}[scale]


def test_paper_scale_is_the_papers() -> None:
    config = main_run(Scale("paper"))
    assert (config.task.symbols, config.task.length, config.model.width, config.batch) == (65, 256, 256, 512)
    assert (config.steps, config.every, config.task.alpha) == (2000, 5, 0.5)


def _cut(correct: list[list[float]], width: int = 128) -> RunResult:
    """A model without feed-forward layers, W_O¹ and W_O² cut to the fractions of Figure 13."""
    config = fig_13.EXPERIMENT.runs(Scale("laptop"))["attention only"]
    config = replace(config, model=replace(config.model, width=width), seeds=SEEDS)
    sweep = np.repeat(np.array(correct)[:, None], len(SEEDS), axis=1)
    metrics = _curves(full__correct=_rise(300, 0.02, 0.5))
    return RunResult(config, Recorded(metrics), Recorded({"sweep.correct": sweep}), {})


FALLING = [0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.4, 0.5]


@pytest.mark.parametrize(
    ("first", "width", "status"),
    [
        ([0.0, 0.05, 0.3, 0.5, 0.6, 0.58, 0.55, 0.52, 0.5], 128, "holds"),
        (FALLING, 128, "fails"),  # no inner rank helps
        ([0.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.5], 128, "fails"),  # no smaller rank destroys
        ([0.0, 0.05, 0.3, 0.5, 0.6, 0.58, 0.55, 0.52, 0.5], 64, "undecided"),  # a hundredth of 64 is nothing
    ],
)
def test_figure_13_asks_for_a_best_inner_rank(first: list[float], width: int, status: str) -> None:
    runs = Runs({"attention only": _cut([first, FALLING], width), "with MLPs": _story()}, Scale("paper"))
    judged = judge(fig_13.EXPERIMENT.claims[0], runs, fig_13.EXPERIMENT.needs)
    assert judged.status == status, judged.detail


def test_adam_runs_that_have_not_learned_the_task_decide_nothing() -> None:
    config = replace(fig_20.runs(Scale("paper"))["depth/3"], seeds=SEEDS)
    known = _curves(full__correct=_rise(300, 0.02, 0.45), full__distractor=_rise(300, 0.02, 0.05))
    torn = known | {"full.distractor": known["full.correct"]}
    assert fig_20.decides(RunResult(config, Recorded(known), {})) is None
    assert "has not learned" in str(fig_20.decides(RunResult(config, Recorded(torn), {})))
    assert "rank 0" in str(fig_20.decides(RunResult(fig_20.runs(Scale("laptop"))["depth/3"], Recorded(known), {})))
