"""Fine-tuning: what is trained on, what it does to a model, and that nothing of it stays."""

import copy

import numpy as np
import pytest
import torch

from lemmata.core import UserError
from lemmata.lm.model import LanguageModel
from lemmata.lm.upper import Upper
from lemmata.papers.knowledge.run.language.answers import Pair, answer_loss, end_of_text, training_example
from lemmata.papers.knowledge.run.language.generation import greedy
from lemmata.papers.knowledge.run.language.tuning import Tuning, tuned, with_adapters
from lm_models import PROMPTS, tiny

PAIRS = [Pair(prompt=f"w{i} is located in", answer=f"w{20 + i} w{30 + i}") for i in range(6)]
SHORT = Tuning(rank=2, steps=3, batch=2, rate=1e-2)
LONG = Tuning(rank=4, steps=60, batch=6, rate=2e-2)
RANKS = (0, 1, 4)


@pytest.fixture
def model() -> LanguageModel:
    return tiny("llama")


def weights(model: LanguageModel) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy().copy() for name, value in model.network.state_dict().items()}


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert list(found) == list(wanted)
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("family", ["llama", "smollm", "gpt2", "gpt_neox", "phi3", "gemma2"])
def test_the_model_is_itself_again_afterwards(family: str, rank: int) -> None:
    model = tiny(family)
    before, logits, modules = weights(model), model.last_logits(PROMPTS), str(model.network)
    with tuned(model, PAIRS, Tuning(rank=rank, steps=2, batch=2, rate=1e-2), seed=0):
        assert np.abs(model.last_logits(PROMPTS) - logits).max() > 1e-3
        assert str(model.network) == modules, "a merged model has the shape it had before"
    assert_same(weights(model), before)
    np.testing.assert_array_equal(model.last_logits(PROMPTS), logits)
    assert str(model.network) == modules
    assert not model.in_place
    assert not any(weight.requires_grad for weight in model.network.parameters())


@pytest.mark.parametrize("rank", RANKS)
def test_an_error_undoes_it_too(model: LanguageModel, rank: int) -> None:
    before, modules = weights(model), str(model.network)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), tuned(model, PAIRS, Tuning(rank=rank, steps=3), seed=0, watch=stop):
        raise AssertionError("the block is not entered")
    assert_same(weights(model), before)
    assert str(model.network) == modules


def test_lora_beside_the_weights_and_merged_into_them_say_the_same(model: LanguageModel) -> None:
    """peft's own model, its factors beside the weights, against the one we give."""
    apart = tiny("llama")
    adapted = with_adapters(apart.network, SHORT, 5)
    with torch.no_grad():
        for name, factor in adapted.named_parameters():
            if "lora_B" in name:
                factor.normal_(0.0, 0.1)
    ids = apart.tokenizer(PROMPTS[0], return_tensors="pt")["input_ids"]
    beside = adapted(ids).logits.detach()
    merged = copy.deepcopy(adapted).merge_and_unload()
    assert torch.allclose(merged(ids).logits, beside, atol=1e-4)
    assert not torch.allclose(model.network(ids).logits, beside, atol=1e-2)


@pytest.mark.parametrize("rank", [1, 3])
def test_lora_changes_matrices_by_its_rank_and_nothing_else(model: LanguageModel, rank: int) -> None:
    before = weights(model)
    with tuned(model, PAIRS, Tuning(rank=rank, steps=3, batch=2, rate=1e-2), seed=0):
        after = weights(model)
    for name, values in before.items():
        change = (after[name] - values).astype(np.float64)
        if "proj" in name:
            sizes = np.linalg.svd(change, compute_uv=False)
            assert sizes[rank - 1] > 1e-5
            assert sizes[rank:].max() < 1e-5
        else:
            assert not change.any(), name


def test_every_weight_is_tuned_in_full(model: LanguageModel) -> None:
    before = weights(model)
    with tuned(model, PAIRS, Tuning(rank=0, steps=2, batch=6, rate=1e-2), seed=0):
        after = weights(model)
    assert all((after[name] != values).any() for name, values in before.items())


def test_the_loss_is_that_of_the_answers_tokens_alone(model: LanguageModel) -> None:
    training_examples = [training_example(model, PAIRS[0]), training_example(model, Pair(prompt="w1", answer="Spain"))]
    found = float(answer_loss(model.network, training_examples, "cpu"))
    each = []
    for one in training_examples:
        logits = model.network(torch.tensor([one.ids])).logits[0].log_softmax(-1)
        each += [-float(logits[place - 1, one.ids[place]]) for place in range(one.start, len(one.ids))]
    assert len(each) == 3 + 2, "two words and one, and the end of each"
    assert found == pytest.approx(np.mean(each), rel=1e-5)
    labels = torch.full((1, len(training_examples[0].ids)), -100)
    labels[0, training_examples[0].start :] = torch.tensor(training_examples[0].ids[training_examples[0].start :])
    own = model.network(torch.tensor([training_examples[0].ids]), labels=labels).loss
    assert float(answer_loss(model.network, training_examples[:1], "cpu")) == pytest.approx(float(own), rel=1e-5)


def test_what_is_asked_has_no_part_in_the_gradient(model: LanguageModel) -> None:
    """A token of the prompt as a target would reach its row of the output matrix with a negative sign."""
    one = training_example(model, Pair(prompt="Madrid is located in", answer="Spain"))
    head = model.network.get_output_embeddings().weight.requires_grad_(True)
    answer_loss(model.network, [one], "cpu").backward()
    hidden = model.network.model(torch.tensor([one.ids])).last_hidden_state[0, one.start - 1 : -1]
    pushed = head.grad @ hidden.T  # a target's row is pulled towards where it is foretold
    assert pushed[one.ids[one.start], 0] < 0
    assert pushed[one.ids[-1], 1] < 0
    requested = list(one.ids[: one.start])
    chances = torch.softmax(hidden @ head.detach().T, -1)
    wanted = chances.T @ hidden
    wanted[one.ids[one.start]] -= hidden[0]
    wanted[one.ids[-1]] -= hidden[1]
    assert torch.allclose(head.grad[requested], wanted[requested] / 2, atol=1e-5)


@pytest.mark.parametrize("rank", RANKS)
def test_it_learns_the_answers_and_says_them(rank: int) -> None:
    model = tiny("llama")
    prompts, answers = [pair.prompt for pair in PAIRS], [pair.answer for pair in PAIRS]
    before = greedy(model, prompts)
    rate = 2e-2 if rank else 3e-3
    with tuned(model, PAIRS, Tuning(rank=rank, steps=80, batch=6, rate=rate), seed=0) as losses:
        assert greedy(model, prompts) == answers
        assert losses[-5:].mean() < 0.1 * losses[0]
    assert greedy(model, prompts) == before != answers


def test_shuffled_answers_are_learned_in_their_place() -> None:
    model = tiny("llama")
    wrong = [Pair(prompt=PAIRS[i].prompt, answer=PAIRS[(i + 1) % 6].answer) for i in range(6)]
    with tuned(model, wrong, LONG, seed=0):
        said = greedy(model, [pair.prompt for pair in PAIRS])
    assert said == [pair.answer for pair in wrong]


def test_seeds_and_names_decide_and_nothing_else(model: LanguageModel) -> None:
    def run(seed: int, *names: str) -> np.ndarray:
        with tuned(model, PAIRS, SHORT, seed=seed, names=names) as losses:
            return losses

    state = torch.get_rng_state()
    first = run(0, "arm")
    assert torch.equal(torch.get_rng_state(), state), "the world's own stream is left alone"
    torch.manual_seed(7)
    np.random.seed(7)
    np.testing.assert_array_equal(run(0, "arm"), first)
    assert (run(1, "arm") != first).any()
    assert (run(0, "other") != first).any()


def test_every_pair_comes_before_any_comes_again(model: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    taught = [training_example(model, pair).ids for pair in PAIRS]
    monkeypatch.setattr(
        "lemmata.papers.knowledge.run.language.tuning.answer_loss",
        lambda network, training_examples, device: (
            seen.extend(taught.index(one.ids) for one in training_examples)
            or next(w for w in network.parameters() if w.requires_grad).sum()
        ),
    )
    with tuned(model, PAIRS, Tuning(rank=1, steps=6, batch=4), seed=0):
        pass
    assert [sorted(seen[start : start + 6]) for start in (0, 6, 12, 18)] == [list(range(6))] * 4


def test_greedy_together_is_greedy_one_by_one(model: LanguageModel) -> None:
    together = greedy(model, PROMPTS, tokens=5)
    assert together == [greedy(model, [prompt], tokens=5)[0] for prompt in PROMPTS]
    ids = model.tokens(PROMPTS[0])
    for _ in range(5):
        ids.append(int(model.network(torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == end_of_text(model):
            break
    assert together[0] == model.tokenizer.decode(ids[4:], skip_special_tokens=True).strip()


def test_what_was_kept_before_a_fine_tuning_is_refused_after_it(model: LanguageModel) -> None:
    kept = Upper(model, PROMPTS, 2)
    with tuned(model, PAIRS, SHORT, seed=0), pytest.raises(UserError, match="was edited since"):
        kept.last_logits()
    kept.last_logits()


def test_what_cannot_be_is_refused_in_one_line(model: LanguageModel) -> None:
    with pytest.raises(UserError, match="no questions"), tuned(model, [], SHORT, seed=0):
        pass
    with pytest.raises(UserError, match="steps = 0"):
        Tuning(steps=0)
    with pytest.raises(UserError, match="tokens = 0"):
        greedy(model, PROMPTS, tokens=0)
    model.network.config.eos_token_id = None
    with pytest.raises(UserError, match="no token that ends a text"):
        training_example(model, PAIRS[0])


def test_rates_go_up_and_down(model: LanguageModel) -> None:
    rates = [Tuning(steps=20, rate=1.0).learning_rate_at(step) for step in range(20)]
    assert rates[:2] == [0.5, 1.0]
    assert rates == sorted(rates[:2]) + sorted(rates[2:], reverse=True)
    assert 0 < rates[-1] < 0.1
    assert Tuning(steps=1, rate=1.0).learning_rate_at(0) == 1.0
