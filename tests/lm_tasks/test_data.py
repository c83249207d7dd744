"""Published data from the user's folder: what is read, and what is said of a folder that does not hold it."""

import json
from pathlib import Path

import pytest
import yaml

from lemmata.core import UserError
from lemmata.lm.data import VARIABLE
from lemmata.papers.association.task.language import gsm8k
from lemmata.papers.association.task.language.facts import MADRID, TABLE_5, known_facts, relations
from lemmata.papers.association.task.language.sentences import PREPOSITIONS, SENTENCES
from lemmata.papers.knowledge.task.popqa import TEMPLATES, questions, split_by_subject

RELATION = {
    "name": "city in country",
    "prompt_templates": ["{} is part of", "{} is in the country of"],
    "samples": [{"subject": "Rome", "object": "Italy"}, {"subject": "Bonn", "object": "Germany"}],
}
KNOWN = {"subject": "Vinson Massif", "attribute": "Antarctica", "prompt": "Vinson Massif is in", "relation_id": "P30"}
SOLUTION = "She sells 1,000 - 4 = <<1000-4=996>>996 eggs.\nShe makes $996.\n#### 996"


def popqa_row(subject: str, relation: str = "capital", answers: tuple[str, ...] = ("Rome", "Roma")) -> dict:
    return {
        "metadata": {"subj": subject, "prop": relation, "obj": answers[0], "s_pop": 7},
        "golden_answers": [*answers],
    }


def write(path: Path, *rows: object, lines: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows[0]))
    return path.parent


def test_the_papers_own_inputs() -> None:
    assert (len(TABLE_5), len({fact.prompt for fact in TABLE_5})) == (20, 20)
    assert TABLE_5[2].prompt == "The Nobel Prize is awarded in"
    assert (MADRID.prompt, MADRID.answer) == ("Madrid is located in", "Spain")
    assert (len(PREPOSITIONS), len(set(PREPOSITIONS))) == (30, 30)
    assert (len(SENTENCES), len(set(SENTENCES))) == (40, 40)
    assert {sentence.split()[-1] for sentence in SENTENCES} <= set(PREPOSITIONS)


def test_relations_make_prompts_by_any_of_their_templates(tmp_path: Path) -> None:
    write(tmp_path / "relations" / "factual" / "city.json", RELATION, lines=False)
    (one,) = relations(tmp_path).values()
    assert (one.name, one.kind) == ("city in country", "factual")
    assert [(fact.prompt, fact.answer) for fact in one.facts(1)] == [
        ("Rome is in the country of", "Italy"),
        ("Bonn is in the country of", "Germany"),
    ]
    with pytest.raises(UserError, match="template = 2"):
        one.facts(2)
    write(tmp_path / "relations" / "factual" / "again.json", RELATION, lines=False)
    with pytest.raises(UserError, match="the same name"):
        relations(tmp_path)


def test_known_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(write(tmp_path / "known_1000.json", [KNOWN], lines=False)))
    (fact,) = known_facts()
    assert (fact.prompt, fact.answer, fact.relation) == ("Vinson Massif is in", "Antarctica", "P30")


def test_popqa_of_either_form(tmp_path: Path) -> None:
    (one,) = questions(write(tmp_path / "popqa.jsonl", popqa_row("Italy")))
    assert (one.prompt, one.answers, one.popularity) == ("Q: What is the capital of Italy? A:", ("Rome", "Roma"), 7)
    head = "id\tsubj\tprop\tobj\ts_pop\tquestion\tpossible_answers"
    (tmp_path / "upstream").mkdir()
    (tmp_path / "upstream" / "popQA.tsv").write_text(
        f'{head}\n1\tItaly\tcapital\tRome\t7\tWhat?\t"[""Rome"", ""Roma""]"\n'
    )
    assert questions(tmp_path / "upstream") == (one,)


def test_popqa_is_split_by_subject(tmp_path: Path) -> None:
    rows = [popqa_row(f"S{i}", relation) for i in range(20) for relation in ("capital", "country")]
    rows += [popqa_row(f"T{i}", "sport") for i in range(10)]
    asked = questions(write(tmp_path / "popqa.jsonl", *rows))
    train, out = split_by_subject(asked, held_out=0.4, seed=0)
    assert sorted(map(repr, (*train, *out))) == sorted(map(repr, asked))
    assert not {one.subject for one in train} & {one.subject for one in out}
    assert [sum(one.relation == name for one in out) for name in ("capital", "country", "sport")] == [8, 8, 4]
    assert split_by_subject(asked, held_out=0.4, seed=0) == (train, out)
    assert split_by_subject(asked, held_out=0.4, seed=1) != (train, out)
    with pytest.raises(UserError, match="held_out = 1"):
        split_by_subject(asked, held_out=1, seed=0)


def test_every_relation_has_one_place_for_its_subject() -> None:
    assert len(TEMPLATES) == 16
    assert all(template.count("{}") == 1 for template in TEMPLATES.values())


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (relations, ("evandez/relations", "MIT", "relations or data")),
        (known_facts, ("kmeng01/rome", "MIT", "known_1000.json")),
        (questions, ("AlexTMallen/adaptive-retrieval", "MIT", "popQA.tsv")),
        (gsm8k.problems, ("openai/grade-school-math", "MIT", "test.jsonl")),
    ],
)
def test_missing_data_are_named_with_their_source(load, words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for folder in (None, tmp_path):
        with pytest.raises(UserError) as refusal:
            load(folder)
        text = str(refusal.value)
        assert "\n" not in text
        assert all(word in text for word in words)
        assert (f"${VARIABLE}" if folder is None else str(tmp_path)) in text


@pytest.mark.parametrize(
    ("load", "name", "content", "says"),
    [
        (relations, "relations/a.json", '{"name": "x"', "cannot be read as JSON"),
        (
            relations,
            "relations/a.json",
            '{"name": "x", "prompt_templates": ["no place"], "samples": [1]}',
            "one {} each",
        ),
        (relations, "relations/a.json", json.dumps(RELATION | {"samples": [{"subject": "a"}]}), "sample 0 has no text"),
        (known_facts, "known_1000.json", '[{"prompt": "x"}]', "fact 0 has no text 'attribute'"),
        (known_facts, "known_1000.json", "{}", "is not a list"),
        (questions, "popqa.jsonl", '{"metadata": 3}', "popqa.jsonl:1 has no 'metadata'"),
        (questions, "popqa.jsonl", json.dumps(popqa_row("x", "capitol")), "did you mean 'capital'"),
        (questions, "popqa.jsonl", "\n[]", "popqa.jsonl:2 is not a JSON object"),
        (gsm8k.problems, "test.jsonl", '{"question": "x", "answer": "3"}', "does not end with '#### '"),
        (gsm8k.problems, "test.jsonl", "{", "test.jsonl:1 is not JSON"),
    ],
)
def test_damaged_data_are_refused_in_one_line(load, name: str, content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError) as refusal:
        load(tmp_path)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def problem() -> gsm8k.Problem:
    return gsm8k.Problem(question="How many?", solution=SOLUTION)


@pytest.mark.parametrize(
    ("text", "strict", "flexible", "right"),
    [
        ("so it is\n#### 996", "996", "996", (True, True)),
        ("#### $996.00", "[invalid]", "$996.00", (False, False)),
        ("The answer is $996.", "[invalid]", "$996.", (False, True)),
        ("#### 1,996", "1,996", "1,996", (False, False)),
        ("996 eggs; 5 are left", "[invalid]", "5", (False, False)),
        ("no number", "[invalid]", "[invalid]", (False, False)),
    ],
)
def test_answers_are_extracted_as_the_harness_does(
    text: str, strict: str, flexible: str, right: tuple[bool, bool]
) -> None:
    assert (gsm8k.strict_answer(text), gsm8k.flexible_answer(text)) == (strict, flexible)
    assert (gsm8k.is_right(problem(), strict), gsm8k.is_right(problem(), flexible)) == right


def test_the_harness_task_reads_local_files_alone(tmp_path: Path) -> None:
    rows = [{"question": f"{i}?", "answer": f"#### {i}"} for i in range(6)]
    asked = gsm8k.problems(write(tmp_path / "gsm8k_test.jsonl", *rows))
    assert [one.answer for one in asked] == list("012345")
    name, count = gsm8k.write_task(tmp_path / "task", asked, shots=2)
    task = yaml.safe_load((tmp_path / "task" / f"{name}.yaml").read_text())
    assert (task["task"], task["dataset_path"], task["num_fewshot"], count) == (name, "json", 2, 4)
    assert task["doc_to_text"] == "Question: {{question}}\nAnswer:"
    files = {split: Path(path) for split, path in task["dataset_kwargs"]["data_files"].items()}
    kept = {split: [json.loads(line) for line in path.read_text().splitlines()] for split, path in files.items()}
    assert kept == {"train": rows[:2], "test": rows[2:]}
    patterns = [one["filter"][0]["regex_pattern"] for one in task["filter_list"]]
    assert patterns == [gsm8k.STRICT.pattern, gsm8k.FLEXIBLE.pattern]
    assert task["metric_list"][0]["regexes_to_ignore"] == list(gsm8k.IGNORED)
    assert sorted(path.name for path in (tmp_path / "task").iterdir()) == [
        "examples.jsonl",
        "lemmata_gsm8k.yaml",
        "questions.jsonl",
    ]
    _, count = gsm8k.write_task(tmp_path / "other", asked[2:], shots=2, examples=asked[:2])
    assert count == 4
    with pytest.raises(UserError, match="shots = 3"):
        gsm8k.write_task(tmp_path / "never", asked[2:], shots=3, examples=asked[:2])
    with pytest.raises(UserError, match="no question is left"):
        gsm8k.write_task(tmp_path / "never", asked, shots=6)
    assert not (tmp_path / "never").exists()
