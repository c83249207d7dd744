"""Indirect-object sentences: what each half may hold, and that the halves share nothing."""

from collections.abc import Callable

import pytest

from lemmata.core import UserError
from lemmata.core.rng import replicated
from lemmata.papers.association.task.language.halves import HALVES, Half, halves
from lemmata.papers.association.task.language.ioi import (
    NAMES,
    PAPERS_SENTENCE,
    PLACES,
    TEMPLATES,
    THINGS,
    Sentence,
    sentences,
    usable_names,
)


def short(text: str) -> bool:
    """A tokenizer to which names of six letters and more are several tokens."""
    return text.startswith(" ") and len(text) <= 6


def some(half: Half, seed: int = 0, count: int = 100, known: Callable[[str], bool] = short) -> tuple[Sentence, ...]:
    return sentences(count, seed=seed, half=half, is_single_token=known)


def test_a_sentence_names_both_and_the_actor_again() -> None:
    for one in (*some("choose"), PAPERS_SENTENCE):
        words = one.prompt.replace(",", "").split()
        assert (words.count(one.io), words.count(one.s)) == (1, 2)
        assert one.prompt.endswith(" to")
        assert (words.index(one.io) < words.index(one.s)) == one.io_first


def test_no_prompt_holds_the_article_in_any_letters() -> None:
    for text in (*NAMES, *TEMPLATES, *PLACES, *THINGS, *(one.prompt for half in HALVES for one in some(half))):
        assert "the" not in text.lower()


def test_no_name_begins_a_prompt() -> None:
    assert not any(template.startswith("{") for template in TEMPLATES), "without a space it would be another token"


def test_both_orders_equally_often_and_no_prompt_twice() -> None:
    found = some("judge", count=200)
    assert sum(one.io_first for one in found) == 100
    assert len({one.prompt for one in found}) == 200


def test_names_are_single_tokens_of_the_tokenizer() -> None:
    assert all(short(f" {one.io}") and short(f" {one.s}") for one in some("choose"))
    assert len(usable_names(short, "choose")) < len(usable_names(lambda text: True, "choose"))
    with pytest.raises(UserError, match="only 0 names of 'choose' are single tokens"):
        some("choose", known=lambda text: False)


def test_the_halves_share_no_name_whatever_the_seeds() -> None:
    named = {
        half: {name for seed in range(5) for one in some(half, seed) for name in (one.io, one.s)} for half in HALVES
    }
    assert not named["choose"] & named["judge"]
    prompts = {half: {one.prompt for seed in range(5) for one in some(half, seed)} for half in HALVES}
    assert not prompts["choose"] & prompts["judge"]
    assert set(usable_names(short, "choose")) <= set(usable_names(lambda text: True, "choose")), (
        "a name stays in its half under another tokenizer"
    )


def test_a_seed_decides_and_another_replication_is_fresh() -> None:
    assert some("choose") == some("choose")
    assert some("choose", count=10) == some("choose")[:10]
    assert some("choose") != some("choose", seed=1)
    reference = some("choose")
    with replicated(1):
        assert some("choose") != reference


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(UserError, match="count = 0"):
        some("choose", count=0)
    with pytest.raises(UserError, match="at most"):
        some("choose", count=10**9)


def test_halves_keep_what_has_one_key_together() -> None:
    pairs = [(name, i) for i in range(3) for name in "abcdefg"]
    split = halves(pairs, key=lambda pair: pair[0])
    assert sorted((*split["choose"], *split["judge"])) == sorted(pairs)
    assert {len({name for name, _ in half}) for half in split.values()} == {3, 4}
    assert not {name for name, _ in split["choose"]} & {name for name, _ in split["judge"]}
