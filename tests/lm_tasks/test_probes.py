"""Readings of logits against brute force on small vocabularies, and words as tokens."""

import subprocess
import sys

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.association.probe import logits as probes
from lemmata.papers.knowledge.task import popqa

WORDS = ["Madrid", " is", " in", " the", " Spain", " Ma", "ry", " John", "and"]


def encode(text: str) -> list[int]:
    """The longest known piece first, as a small tokenizer would."""
    found = []
    while text:
        piece = max((word for word in WORDS if text.startswith(word)), key=len)
        found.append(WORDS.index(piece))
        text = text[len(piece) :]
    return found


LOGITS = np.log(np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7]])) + np.array([[3.0], [-50.0]])


def test_probability_rank_and_odds() -> None:
    tokens = np.array([1, 3])
    np.testing.assert_allclose(probes.probability(LOGITS, tokens), [0.2, 0.7], rtol=1e-12)
    np.testing.assert_allclose(probes.log_odds(LOGITS, tokens), np.log([0.2 / 0.8, 0.7 / 0.3]), rtol=1e-12)
    assert probes.rank(LOGITS, tokens).tolist() == [2, 1]
    assert probes.rank(LOGITS, np.array([2, 0])).tolist() == [2, 2], "equals share the better rank"
    np.testing.assert_allclose(probes.log_ratio(LOGITS, np.array([0, 0]), tokens), np.log([2.5, 1 / 7]), rtol=1e-12)
    found = probes.read(LOGITS, tokens)
    assert found.rank.tolist() == [2, 1]
    np.testing.assert_allclose(found.probability, [0.2, 0.7], rtol=1e-12)


def test_float32_logits_of_any_size_and_a_sure_answer() -> None:
    logits = np.array([[1000.0, 960.0, 900.0]], np.float32)
    assert probes.probability(logits, np.array([0])) == 1
    np.testing.assert_allclose(probes.log_odds(logits, np.array([0])), [40.0], rtol=1e-6)
    assert logits[0, 0] == 1000, "what is read is not changed"


def test_the_ratio_is_of_means_not_the_mean_of_ratios() -> None:
    answers, others = np.array([0, 0]), np.array([3, 3])
    assert probes.ratio_of_means(LOGITS, answers, others) == pytest.approx((0.5 + 0.1) / (0.1 + 0.7))


def test_top_is_in_order_with_probabilities() -> None:
    found = probes.top(LOGITS[0], 3, lambda token: "abcd"[token])
    assert [word for word, _ in found] == ["a", "b", "c"]
    np.testing.assert_allclose([p for _, p in found], [0.5, 0.2, 0.2], rtol=1e-12)
    with pytest.raises(UserError, match="count = 5"):
        probes.top(LOGITS[0], 5, str)


def test_a_words_token_is_the_one_after_the_prompt() -> None:
    prompts = ["Madrid is in", "and in"]
    assert probes.next_tokens(prompts, ["Spain", "Mary"], encode).tolist() == [
        WORDS.index(" Spain"),
        WORDS.index(" Ma"),
    ]
    assert probes.the_tokens(prompts, encode).tolist() == [WORDS.index(" the")] * 2
    single = probes.single_token(encode)
    assert (single(" John"), single(" Mary")) == (True, False)
    with pytest.raises(UserError, match="joins 'is' to the prompt"):
        probes.next_token("Madrid", "is", lambda text: [len(text)])


def test_generated_text_is_matched_in_plain_words() -> None:
    assert popqa.exact_match(" The Ralph Rainger.\nQ: Who", ["Ralph Rainger"])
    assert not popqa.exact_match("Ralph Rainger and others", ["Ralph Rainger"])
    assert popqa.mentions("It was Ralph  Rainger, who wrote it", ["Leo Robin", "ralph rainger"])
    assert not popqa.mentions("Romania", ["Roma", ""])
    assert not popqa.exact_match("", ["", "the"])
    assert not popqa.exact_match("The", ["a"])


def test_tasks_and_probes_need_no_torch() -> None:
    code = (
        "import sys\n"
        "from lemmata.papers.association.probe import logits\n"
        "from lemmata.papers.association.task.language import facts, gsm8k, ioi, sentences\n"
        "from lemmata.papers.knowledge.task import popqa\n"
        "found = ioi.sentences(3, seed=0, half='judge', is_single_token=lambda text: True)\n"
        "print(len(found), {'torch', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "3 set()", done.stderr
