"""`lemmata lm cover` with a model: what it has stored, and what a tuned one answers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from conftest import Cli, Refused
from lemmata.lm.cities import CITIES
from lemmata.lm.cover_answers import answers_given
from lemmata.lm.model import LanguageModel, load
from lm_models import own_logits, save_tiny


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    return load(str(save_tiny("llama", tmp_path / "model")))


def test_an_answer_is_given_if_greedy_decoding_begins_with_it(model: LanguageModel) -> None:
    prompts = ["Madrid is located in", "Q: Where is Paris? A:", "Rome"]
    said = []
    for prompt in prompts:
        text = prompt
        for _ in range(3):
            text += model.tokenizer.decode([int(own_logits(model, text).argmax())])
        said.append(text[len(prompt) :].strip() or "nothing")
    asked = [(prompt, (other, answer)) for prompt, answer in zip(prompts, said, strict=True) for other in ("Spain",)]
    given, log = answers_given(model, asked, lambda done, total: None)
    for i, prompt in enumerate(prompts):
        whole = model.tokens(f"{prompt} {said[i]}")
        start = len(model.tokens(prompt))
        logits = [own_logits_of(model, whole[:at]) for at in range(start, len(whole))]
        assert given[i] == all(int(one.argmax()) == whole[start + k] for k, one in enumerate(logits))
        mine = np.mean([float(one.log_softmax(-1)[whole[start + k]]) for k, one in enumerate(logits)])
        assert log[i] >= mine - 1e-5
    alone, its_log = answers_given(model, [asked[0]], lambda done, total: None)
    assert alone[0] == given[0]
    assert its_log[0] == pytest.approx(log[0], abs=1e-5)


def own_logits_of(model: LanguageModel, ids: list[int]) -> torch.Tensor:
    with torch.no_grad():
        return model.network(torch.tensor([ids])).logits[0, -1]


def rows(file: str, cities: slice) -> str:
    lines = [{"prompt": f"{city} is in", "answer": country, "relation": "in"} for city, country in CITIES[cities]]
    lines += [{"prompt": f"{city} was in", "answer": country, "relation": "was"} for city, country in CITIES[cities]]
    Path(file).write_text("".join(json.dumps(one) + "\n" for one in lines))
    return file


def test_stored_and_came_out(cli: Cli, model: LanguageModel) -> None:
    train, test = rows("a", slice(0, 8)), rows("b", slice(8, 12))
    code, out, _ = cli("lm", "cover", train, test, "--model", model.name, "--tuned", model.name, "--json")
    assert code == 0
    found = json.loads(out)
    assert set(found["facts"][0]) >= {"stored", "log-probability", "came out"}
    code, again, _ = cli("lm", "cover", train, test, "--model", model.name, "--tuned", model.name, "--json")
    assert again == out
    code, out, _ = cli("lm", "cover", train, test, "--model", model.name)
    assert code == 0
    assert "predicted" in out
    assert "not on your model" in out


def test_what_is_no_model_is_refused(refused: Refused, tmp_path: Path) -> None:
    file = rows(f"{tmp_path}/rows", slice(0, 8))
    for option in ("--model", "--tuned"):
        refused("lm", "cover", file, file, option, "./none", says="no model at './none'")
