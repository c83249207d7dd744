"""Gains over prompts and their intervals; choices and judgements on prompts apart. No language model is run."""

import numpy as np
import pytest

from lemmata.core import UserError, at_least
from lemmata.core.config import override
from lemmata.papers.association.probe.gains import OverPrompts, Probabilities, best, fold, gain, over_prompts
from lemmata.papers.association.probe.writing import Pointer, constancy
from lemmata.papers.association.run._cutting import upper_layers
from lemmata.papers.association.run._questions import check_apart, facts_of
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation
from lemmata.papers.association.run.fixed_truncation import EXCHANGED
from lemmata.papers.association.run.noise_directions import NoiseDirections
from lemmata.papers.association.task.language.facts import CITIES, OTHER_WORDINGS, TABLE_5


def test_a_gain_is_the_ratio_of_ratios_of_means() -> None:
    before = Probabilities(np.array([0.1, 0.3]), np.array([0.4, 0.4]))
    after = Probabilities(np.array([0.2, 0.6]), np.array([0.1, 0.3]))
    assert gain(after, before).mean == pytest.approx((0.4 / 0.2) / (0.2 / 0.4))
    assert fold(after.answer, before.answer).mean == pytest.approx(2.0)


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says() -> None:
    stream, covered, trials = np.random.default_rng(3), 0, 300
    for _ in range(trials):
        answer, the = stream.lognormal(0.0, 0.5, 25), stream.lognormal(0.0, 0.5, 25)
        one = gain(Probabilities(3.0 * answer, the), Probabilities(np.ones(25), np.ones(25)))
        low, high = one.interval()
        covered += low <= 3.0 <= high
    assert 0.9 <= covered / trials <= 0.99


def test_equal_gains_leave_no_doubt_and_one_prompt_leaves_all() -> None:
    before = Probabilities(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.4, 0.6]))
    after = Probabilities(4 * before.answer, before.the)
    assert gain(after, before).interval() == pytest.approx((4.0, 4.0))
    alone = OverPrompts(4.0, np.full(9, 4.0), 1, True)
    assert alone.interval() == (0.0, np.inf)
    assert at_least(3.0, over_seeds=True, unit="prompts")(3.0, alone).status == "undecided"


def test_more_prompts_narrow_the_interval() -> None:
    one = over_prompts(lambda rows: np.arange(8.0)[rows].mean(axis=-1), 8, is_ratio=False)
    wide, narrow = np.ptp(one.interval()), np.ptp(one.interval(count=800))
    assert narrow < wide / 9


def test_a_cut_that_wrecks_the_answer_is_not_chosen() -> None:
    answer = np.array([[0.4, 0.4], [0.001, 0.001], [0.3, 0.3]])
    the = np.array([[0.2, 0.2], [1e-6, 1e-6], [0.1, 0.1]])
    assert best(answer, the, least=0.2) == 2
    assert best(answer, the, least=0.0) == 1
    assert best(answer, the, least=0.5) is None


@pytest.mark.parametrize("config", [ChosenTruncation(), NoiseDirections()])
def test_choice_and_judgement_on_the_same_prompts_are_refused(config: ChosenTruncation | NoiseDirections) -> None:
    with pytest.raises(UserError, match="judged_on = 'choose' is not possible: another half than chosen_on"):
        override(config, {"judged_on": "choose"})
    with pytest.raises(UserError, match="judged_on"):
        override(config, {"chosen_on": "judge"})
    exchanged = override(config, {"chosen_on": "judge", "judged_on": "choose"})
    assert (exchanged.chosen_on, exchanged.judged_on) == ("judge", "choose")
    with pytest.raises(UserError, match="1 prompts are both chosen and judged on, the first is 'b'"):
        check_apart(("a", "b"), ("b", "c"))


def test_no_fact_and_no_answer_is_in_both_halves() -> None:
    choose, judge = facts_of("choose"), facts_of("judge")
    assert set(choose) | set(judge) == {*TABLE_5, *CITIES, *OTHER_WORDINGS}
    assert not {fact.prompt for fact in choose} & {fact.prompt for fact in judge}
    assert not {fact.answer for fact in choose} & {fact.answer for fact in judge}
    assert min(len(choose), len(judge)) >= 15
    for half in (choose, judge):
        assert {fact in TABLE_5 for fact in half[:4]} == {True, False}, "the first few are of both"


def test_upper_layers_count_from_one() -> None:
    assert upper_layers(30, 0.5) == tuple(range(16, 31))
    assert upper_layers(3, 0.01) == (3,)
    assert upper_layers(4, 1.0) == (1, 2, 3, 4)


def test_the_exchanged_sentence_asks_for_the_other_one() -> None:
    assert EXCHANGED.prompt == "When Mary and John went to a store, Mary gave a drink to"


def test_what_points_at_a_word() -> None:
    word = Pointer(np.array([3.0, 4.0]))
    np.testing.assert_allclose(word.direct_logits(np.array([[1.0, 0.0], [0.0, 2.0]])), [3.0, 8.0])
    assert word.overlap(np.array([[3.0, 4.0], [6.0, 8.0]])) == pytest.approx(1.0)
    assert word.overlap(np.array([[4.0, -3.0]])) == pytest.approx(0.0)
    np.testing.assert_allclose(constancy(np.array([[2.0, 1.0, 0.0], [2.0, -1.0, 0.0]])), [1.0, 0.0, 0.0])
