"""`lemmata lm cover` without a model: what is counted, what is found, what is refused; no torch."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli, Refused
from lemmata.lm.cities import CITIES
from lemmata.lm.cover import facts_of, placed
from lemmata.lm.cover_chance import auc, auc_interval, on_held_out
from lemmata.lm.cover_rows import Row
from lemmata.lm.cover_templates import templates_of

GUIDE = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text()
GOOD = {"prompt": "The capital of France is", "answer": "Paris"}
Given = dict[str, Any]


def row(line: int, prompt: str, *answers: str, **fields: Any) -> Row:
    return Row(line=line, prompt=prompt, answers=answers, **fields)


def write(file: str, *rows: Given | str) -> str:
    Path(file).write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in rows))
    return file


def test_the_guides_example(cli: Cli) -> None:
    train, test = re.findall(r"```jsonl\n(.*?)```", GUIDE, re.DOTALL)
    shown = re.search(r"lemmata lm cover train.jsonl test.jsonl\n```\n```\n(.*?)```", GUIDE, re.DOTALL)
    assert shown is not None
    Path("train.jsonl").write_text(train)
    Path("test.jsonl").write_text(test)
    code, out, err = cli("lm", "cover", "train.jsonl", "test.jsonl")
    assert (code, err) == (0, "")
    assert " ".join(shown[1].split()) == " ".join(out.split())
    assert {file.suffix for file in Path().glob("lm-cover.*")} == {".png", ".svg", ".csv", ".json"}


FEW = ("{} is in the country of", "The country that {} lies in is called", "Q: Where is {}? A:")


@pytest.mark.parametrize("count", [3, 7, 20])
def test_templates_are_found(count: int) -> None:
    made = {words.replace("{}", city): (words, city) for words in FEW for city, _ in CITIES[:count]}
    found = templates_of(made)
    assert {prompt: (one.template, one.subject) for prompt, one in found.items()} == made
    assert templates_of(reversed(list(made))) == found


def test_what_is_not_shared_stands_for_itself() -> None:
    prompts = ["Who wrote Emma?", "Two plus two makes", "Once upon a time"]
    assert {one.template for one in templates_of(prompts).values()} == set(prompts)
    assert templates_of([]) == {}


def test_templates_that_share_facts_ask_for_one_relation() -> None:
    rows = [row(i, FEW[i % 2].replace("{}", city), country) for i, (city, country) in enumerate(CITIES)]
    rows += [row(i, FEW[(i + 1) % 2].replace("{}", city), country) for i, (city, country) in enumerate(CITIES[:2])]
    rows += [row(i, f"{country} borders on", city) for i, (city, country) in enumerate(CITIES)]
    found = placed(rows)
    assert len({one.relation for one in found}) == 2
    assert {one.relation for one in found[:20]} == {one.relation for one in found[20:22]} != {found[-1].relation}


def test_what_is_given_is_taken() -> None:
    given = [
        row(1, "The capital of Peru is", "Lima", relation="capital", subject="Peru"),
        row(2, "The capital of Peru is", "Lima", relation="capital", template="The capital of {} is"),
    ]
    for one in placed(given):
        assert (one.relation, one.template, one.subject) == ("capital", "The capital of {} is", "Peru")


def test_counts_and_leaks() -> None:
    train = [
        row(1, "The capital of Peru is", "Lima", relation="capital", subject="Peru"),
        row(2, "The chief city of Kenya is", "Nairobi", relation="capital", subject="Kenya"),
        row(3, "People of Norway speak", "Norwegian", relation="language", subject="Norway"),
        row(4, "The capital of Chad is", "Paris", relation="capital", subject="Chad"),
    ]
    test = [
        row(1, "The capital of  PERU is", "Lima", relation="capital", subject="PERU"),
        row(2, "The capital of Kenya is", "Nairobi", relation="capital", subject="Kenya"),
        row(3, "The capital of Norway is", "Oslo", relation="capital", subject="Norway"),
        row(4, "The capital of Chad is", "N'Djamena", "Ndjamena", relation="capital", subject="Chad"),
        row(5, "The anthem of Chad is", "La Tchadienne", relation="anthem", subject="Chad"),
    ]
    word, again, other, wrong, new = facts_of(placed(train), placed(test))
    assert word.shared["prompt"] == word.shared["fact"] == (1,)
    assert not word.contradicted
    assert again.shared["prompt"] == ()
    assert again.shared["fact"] == (2,)
    assert again.shared["template"] == (1, 4)
    assert again.shared["relation"] == (1, 2, 4)
    assert other.shared["fact"] == other.shared["answer"] == ()
    assert other.shared["subject"] == (3,)
    assert wrong.contradicted
    assert new.shared["relation"] == new.shared["template"] == ()
    assert new.shared["subject"] == (4,)


def test_auc_is_the_share_of_pairs_in_order() -> None:
    drawn = np.random.default_rng(0)
    score, y = drawn.integers(0, 4, 60).astype(float), drawn.random(60) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a in score[y] for b in score[~y]]
    assert auc(score, y) == pytest.approx(np.mean(pairs))
    assert np.isnan(auc(score, np.ones(60, bool)))
    relations = [str(i // 6) for i in range(60)]
    low, high = auc_interval(score, y, relations)
    assert low < auc(score, y) < high


def test_a_prediction_never_sees_its_own_relation() -> None:
    """A relation's outcomes turned over move no prediction of its own facts, and what is true of all is found."""
    drawn = np.random.default_rng(1)
    x, relations = drawn.standard_normal((400, 2)), [str(i // 20) for i in range(400)]
    y = drawn.random(400) < 1 / (1 + np.exp(-2 * x[:, 0]))
    found = on_held_out(x, y, relations)
    assert found is not None
    assert auc(found, y) > 0.8
    turned = y.copy()
    turned[:20] = ~y[:20]
    other = on_held_out(x, turned, relations)
    assert other is not None
    np.testing.assert_array_equal(other[:20], found[:20])
    assert not np.array_equal(other, found)
    noise = on_held_out(x, drawn.permutation(y), relations)
    assert noise is not None
    assert auc(noise, y) < 0.65


def test_measured_outcomes_score_the_prediction(cli: Cli) -> None:
    names = [city for city, _ in CITIES]
    test = [
        {"prompt": f"{what} of {name} is", "answer": name, "relation": what, "subject": name}
        | {"correct": (i + j) % 3 > 0}
        for j, what in enumerate(("mayor", "river", "tower", "bridge", "park", "gate"))
        for i, name in enumerate(names)
    ]
    train = [one for one in test if one["relation"] in ("mayor", "park")][::2]
    code, out, _ = cli("lm", "cover", write("a", *train), write("b", *test), "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found["auc"]) == {"relation", "template", "answer", "predicted"}
    assert all(low <= value <= high for value, low, high in found["auc"].values())
    assert [one["came out"] for one in found["facts"]] == [one["correct"] for one in test]


@pytest.mark.parametrize("outcome", [True, False])
def test_one_outcome_has_no_score(outcome: bool, cli: Cli) -> None:
    rows = [GOOD | {"relation": str(i % 7), "correct": outcome} for i in range(21)]
    code, out, _ = cli("lm", "cover", write("a", *rows), write("b", *rows), "--json")
    found = json.loads(out, parse_constant=lambda one: pytest.fail(f"{one} is no JSON"))
    assert code == 0
    assert found["auc"] == {}
    assert "No AUC: all facts came out, or none." in found["notes"]


BAD: dict[str, tuple[tuple[Given | str, ...], tuple[Given | str, ...], str]] = {
    "not JSON": ((GOOD, "{"), (GOOD,), "train:2 is not JSON"),
    "not an object": (("[1]",), (GOOD,), "train:1 is not a JSON object"),
    "empty": ((), (GOOD,), "train holds no questions"),
    "blank lines alone": ((GOOD,), ("", " "), "test holds no questions"),
    "no prompt": ((GOOD,), (GOOD, GOOD, {"answer": "Paris"}), "test:3 has no text 'prompt'"),
    "no answer": (({"prompt": "x"},), (GOOD,), "train:1 has no text 'answer'"),
    "prompt is a number": (({"prompt": 3, "answer": "x"},), (GOOD,), "train:1 has no text 'prompt'"),
    "blank prompt": (({"prompt": " ", "answer": "x"},), (GOOD,), "train:1: the prompt is blank"),
    "blank answer": (({"prompt": "x", "answer": " "},), (GOOD,), "train:1: an answer is blank"),
    "no answers": (({"prompt": "x", "answers": []},), (GOOD,), "train:1: an answer is blank, or there is none"),
    "answers are a text": (({"prompt": "x", "answers": "yx"},), (GOOD,), "train:1: 'answers' is not a list"),
    "answers are numbers": (({"prompt": "x", "answers": [1]},), (GOOD,), "train:1: 'answers' is not a list"),
    "relation is a number": ((GOOD | {"relation": 1},), (GOOD,), "train:1 has no text 'relation'"),
    "relation at times": ((GOOD | {"relation": "a"}, GOOD), (GOOD,), "train:2 has no 'relation', other rows have"),
    "relation in one file": ((GOOD | {"relation": "a"},), (GOOD,), "give 'relation' in both files, or in neither"),
    "correct at times": ((GOOD,), (GOOD, GOOD | {"correct": True}), "test:1 has no 'correct', other rows have"),
    "correct is a text": ((GOOD,), (GOOD | {"correct": "yes"},), "test:1: 'correct' = 'yes' is neither true nor"),
    "no slot": (
        (GOOD | {"template": "The capital is"},),
        (GOOD,),
        "train:1: 'template' = 'The capital is' has not one",
    ),
    "two slots": ((GOOD | {"template": "{} of {} is"},), (GOOD,), "train:1: 'template' = '{} of {} is' has not one"),
    "another template": ((GOOD | {"template": "{} is in"},), (GOOD,), "is not of the template '{} is in'"),
    "another subject": ((GOOD | {"subject": "Peru"},), (GOOD,), "train:1: the subject 'Peru' is not in the prompt"),
    "not the subject": (
        (GOOD | {"subject": "capital", "template": "The capital of {} is"},),
        (GOOD,),
        "train:1: template and subject do not make the prompt",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_are_named_by_their_line(name: str, refused: Refused, tmp_path: Path) -> None:
    train, test, says = BAD[name]
    refused("lm", "cover", write(f"{tmp_path}/train", *train), write(f"{tmp_path}/test", *test), says=says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--shots", "0"), "--shots"),
        (("--out", "figure.pdf"), "a name that ends in .png"),
        (("--tuned", "./model"), "has 'correct' already"),
    ],
)
def test_bad_options_are_refused(options: tuple[str, str], says: str, refused: Refused, tmp_path: Path) -> None:
    rows = write(f"{tmp_path}/rows", GOOD | {"correct": True})
    refused("lm", "cover", rows, rows, *options, says=says)
    refused("lm", "cover", rows, f"{tmp_path}/none", says="none cannot be read")
