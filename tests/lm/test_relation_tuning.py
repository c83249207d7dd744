"""Figure 4 on relation sets, with tiny models: what is covered, what is asked, what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import Unattended, UserError
from lemmata.lm.cities import CITIES
from lemmata.papers.knowledge.run import relation_tuning
from lemmata.papers.knowledge.run.relation_tuning import RelationTuning
from lemmata.papers.knowledge.task.relation_sets import files, relation_set
from lm_models import save_tiny

KINDS = {"lies in": "In which country is {}?", "is near": "What is {} near?", "is loved in": "Where is {} loved?"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "relations" / "factual"
    place.mkdir(parents=True)
    for number, (words, question) in enumerate(KINDS.items()):
        samples = [{"subject": f"{city} {number}", "object": country} for city, country in CITIES]
        about = {"prompt_templates": [f"{{}} {words}"], "prompt_templates_zs": [question, f"{{}} {words}"]}
        (place / f"{number}.json").write_text(json.dumps({"name": words, "samples": samples} | about))
    monkeypatch.setenv("LEMMATA_LM_DATA", str(tmp_path))
    return place


def test_each_relation_is_covered_once_and_left_out_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught: list[list[str]] = []
    asked: list[list[str]] = []
    real, answers = relation_tuning.tuned, relation_tuning.answers_given

    def tuned(model: object, pairs: list[object], *rest: object, **named: object) -> object:
        taught.append([one.prompt for one in pairs])  # type: ignore
        return real(model, pairs, *rest, **named)  # type: ignore

    def answered(model: object, questions: list[tuple[str, object]], progress: object) -> object:
        given, log = answers(model, questions, progress)  # type: ignore
        asked.append([prompt for prompt, _ in questions])
        return (np.ones_like(given) if len(asked) == 1 else given), log  # all is stored

    monkeypatch.setattr(relation_tuning, "tuned", tuned)
    monkeypatch.setattr(relation_tuning, "answers_given", answered)
    config = RelationTuning(
        model=str(save_tiny("llama", tmp_path / "model")),
        kinds=("factual",),
        looked_at=5,
        spare=6,
        questions=6,
        steps=2,
        batch=2,
        seeds=(0, 1),
    )
    found = config.compute(Unattended())
    assert found.arrays["stored"].tolist() == [5, 5, 5]
    metrics = found.metrics
    assert len(metrics["relation"]) == 2 * 2 * 15
    for seed in (0, 1):
        for name in KINDS:
            covered = metrics["covered"][(metrics["seed"] == seed) & (metrics["relation"] == name)]
            assert sorted(covered.tolist()) == [0] * 5 + [1] * 5
    assert [len(one) for one in taught] == [6] * 4
    for pairs, first, second in zip(taught, asked[1::2], asked[2::2], strict=True):
        cities = [" ".join(word for word in prompt.split() if word.istitle() or word.isdigit()) for prompt in pairs]
        assert not set(pairs) & {*first, *second}
        assert not any(city and city in prompt for prompt in (*first, *second) for city in cities if city[-1].isdigit())
        assert not set(first) & set(second), "the same fact in two wordings"
    assert all(prompt.count("Q: ") == 4 for prompt in asked[0]), "three demonstrations and the question"
    assert all(prompt.startswith("Q: ") and prompt.endswith(" A:") for prompt in asked[1])


def test_the_users_copy_is_looked_for(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [len(relation_set(path).answers) for path in files(("factual",))] == [20] * 3
    assert relation_set(files(("factual",))[0]).wordings == ("{} lies in", "In which country is {}?")
    with pytest.raises(UserError, match="no JSON file of linguistic below"):
        files(("linguistic",))
    monkeypatch.delenv("LEMMATA_LM_DATA")
    with pytest.raises(UserError, match="evandez/relations"):
        files(("factual",))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"name": 3}, "has no text 'name'"),
        ({"prompt_templates": ["no slot"]}, "are not texts with one {}"),
        ({"prompt_templates": [], "prompt_templates_zs": []}, "are not texts with one {}"),
        ({"samples": []}, "'samples' is not a list"),
        ({"samples": [{"subject": "Paris"}]}, "sample 0 has no text 'object'"),
    ],
)
def test_a_bad_file_is_named(changed: dict[str, object], says: str, data: Path) -> None:
    file = data / "0.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(UserError) as refused:
        relation_set(file)
    assert says in str(refused.value)
    assert str(file) in str(refused.value)
