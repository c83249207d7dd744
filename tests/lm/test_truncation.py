"""Truncation is exact: torch's own SVD at every rank of every matrix of every family."""

import errno
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from lemmata.core import UserError
from lemmata.lm import Edit, Keep, Largest, Matrix, RandomSubspace, Scaled, Smallest, Without, changes, edited, spectrum
from lemmata.lm.place import cache_folder
from lemmata.lm.roles import roles_of
from lemmata.lm.spectra import decompose, spectrum_of
from lm_models import FAMILIES, PROMPTS, tiny


def torch_truncated(matrix: np.ndarray, kept: slice) -> np.ndarray:
    u, s, vt = torch.linalg.svd(torch.from_numpy(matrix).double(), full_matrices=False)
    return ((u[:, kept] * s[kept]) @ vt[kept]).numpy()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_rank_of_every_matrix_is_torchs(family: str) -> None:
    model = tiny(family)
    for role in roles_of(model.network):
        matrix = Matrix(2, role)
        before = matrix.get(model.network)
        full = min(before.shape)
        for rank in range(1, full + 1):
            with edited(model, Edit(2, role, Largest(rank))):
                np.testing.assert_allclose(matrix.get(model.network), torch_truncated(before, slice(rank)), atol=1e-5)
            with edited(model, Edit(2, role, Smallest(rank))):
                after = matrix.get(model.network)
                np.testing.assert_allclose(after, torch_truncated(before, slice(full - rank, full)), atol=1e-5)
        np.testing.assert_array_equal(matrix.get(model.network), before)


@pytest.mark.parametrize("shape", [(40, 24), (24, 40), (16, 16)])
def test_a_matrix_of_low_rank_is_decomposed_exactly_too(shape: tuple[int, int]) -> None:
    drawn = np.random.default_rng(0)
    low = (drawn.standard_normal((shape[0], 5)) @ drawn.standard_normal((5, shape[1]))).astype(np.float32)
    for found in (decompose(low), spectrum_of(low), spectrum_of(low)):
        np.testing.assert_allclose(found.u.T @ found.u, np.eye(min(shape)), atol=1e-5)
        np.testing.assert_allclose(found.vt @ found.vt.T, np.eye(min(shape)), atol=1e-5)
        np.testing.assert_allclose((found.u * found.s) @ found.vt, low, atol=1e-5)
        assert found.s[4] > 0.1
        assert found.s[5] < 1e-5


def test_all_zeros_stay_zeros() -> None:
    found = decompose(np.zeros((6, 4), np.float32))
    assert not found.s.any()
    assert np.isfinite(found.u).all()


@pytest.mark.parametrize("shape", [(40, 24), (24, 40)])
def test_a_spectrum_is_read_from_disk_the_second_time(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    first = spectrum_of(matrix)
    (file,) = (cache_folder() / "spectra").iterdir()
    assert file.stat().st_size < 4 * (24 * 24 + 24) + 400  # the small side alone is kept
    monkeypatch.setattr("lemmata.lm.spectra.decompose", lambda matrix: pytest.fail("decomposed again"))
    second = spectrum_of(matrix)
    for name in ("u", "s", "vt"):
        np.testing.assert_allclose(getattr(second, name), getattr(first, name), atol=2e-6)
    monkeypatch.undo()


def test_a_damaged_spectrum_is_made_again(own_caches: object) -> None:
    matrix = np.random.default_rng(0).standard_normal((9, 7)).astype(np.float32)
    first = spectrum_of(matrix)
    (file,) = (cache_folder() / "spectra").iterdir()
    file.write_bytes(file.read_bytes()[:50])
    np.testing.assert_array_equal(spectrum_of(matrix).vt, first.vt)
    assert file.stat().st_size > 50


def test_no_room_for_a_spectrum_is_one_line_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(file: Path, content: bytes) -> None:
        with file.open("wb") as out:
            out.write(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    model = tiny("llama")
    before = Matrix(1, "q").get(model.network)
    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(UserError, match="cannot be written: no room on disk"), edited(model, Edit(1, "q", Largest(2))):
        pytest.fail("the edit is not possible")
    assert list((cache_folder() / "spectra").iterdir()) == []
    np.testing.assert_array_equal(Matrix(1, "q").get(model.network), before)


def test_edits_compose_and_are_undone_bit_for_bit() -> None:
    model = tiny("gpt_neox")
    before = {name: weight.clone() for name, weight in model.network.named_parameters()}
    matrix = Matrix(2, "q")
    start = matrix.get(model.network)
    twice = (Edit(2, "q", Without((1,))), Edit(2, "q", Largest(3)), Edit(2, "k", Largest(1)))
    with edited(model, *twice) as same:
        assert same is model
        np.testing.assert_allclose(matrix.get(model.network), torch_truncated(start, slice(1, 4)), atol=1e-5)
        with edited(model, Edit(3, "mlp out", Smallest(2))):
            assert len(model.in_place) == 4
        assert len(model.in_place) == 3
    with pytest.raises(ZeroDivisionError), edited(model, *twice):
        raise ZeroDivisionError
    with pytest.raises(UserError, match="layer = 9"), edited(model, twice[0], Edit(9, "q", Largest(1))):
        pytest.fail("the second edit is not possible")
    assert model.in_place == []
    assert all(torch.equal(weight, before[name]) for name, weight in model.network.named_parameters())


def test_all_but_named_directions() -> None:
    model = tiny("llama")
    matrix = Matrix(1, "mlp in")
    before, found = matrix.get(model.network), spectrum(model, matrix)
    with edited(model, Edit(1, "mlp in", Without((2, 5)))):
        gone = before - matrix.get(model.network)
    expected = sum(found.s[i] * np.outer(found.u[:, i], found.vt[i]) for i in (1, 4))
    np.testing.assert_allclose(gone, expected, atol=1e-5)


def test_a_matrix_is_dropped_or_scaled() -> None:
    model = tiny("llama")
    matrix = Matrix(1, "mlp out")
    before = matrix.get(model.network)
    for keep in (Largest(0), Smallest(0), RandomSubspace(0), Scaled(0.0), Without(tuple(range(1, 33)))):
        with edited(model, Edit(1, "mlp out", keep)):
            assert not matrix.get(model.network).any()
    with edited(model, Edit(1, "mlp out", Scaled(0.2))):
        np.testing.assert_allclose(matrix.get(model.network), 0.2 * before, rtol=1e-6)
    assert (Edit(1, "mlp out", Largest(0)).describe(model).rank, Scaled(0.2).words()) == (
        0,
        "all directions, times 0.2",
    )
    np.testing.assert_array_equal(matrix.get(model.network), before)


@pytest.mark.parametrize("role", ["mlp in", "mlp out"])
def test_a_random_subspace_is_a_projection_of_the_short_side(role: str) -> None:
    model = tiny("llama")
    matrix = Matrix(1, role)  # type: ignore
    before = matrix.get(model.network)

    def kept(rank: int, seed: int) -> np.ndarray:
        with edited(model, Edit(1, role, RandomSubspace(rank, seed))):  # type: ignore
            return matrix.get(model.network)

    after = kept(10, 3)
    assert np.linalg.matrix_rank(after, tol=1e-4) == 10
    short = before.T if role == "mlp out" else before
    cut = after.T if role == "mlp out" else after
    projection = np.linalg.lstsq(short, cut, rcond=None)[0]
    np.testing.assert_allclose(projection @ projection, projection, atol=1e-3)
    np.testing.assert_allclose(projection, projection.T, atol=1e-3)
    np.testing.assert_array_equal(after, kept(10, 3))
    assert np.abs(after - kept(10, 4)).max() > 0.05
    assert np.linalg.norm(kept(20, 3)) > np.linalg.norm(after)


def test_an_edit_says_what_it_changed() -> None:
    model = tiny("llama")
    before = Matrix(3, "mlp in").get(model.network)
    values = np.linalg.svd(before, compute_uv=False)
    change = Edit(3, "mlp in", Largest(0.26)).describe(model)
    assert (change.rank, change.full, change.shape) == (8, 32, (48, 32))
    assert change.energy == pytest.approx((values[:8] ** 2).sum() / (values**2).sum(), abs=1e-5)
    assert change.change == pytest.approx(np.sqrt((values[8:] ** 2).sum() / (values**2).sum()), abs=1e-5)
    assert re.match(r"mlp in of layer 3 \(48 x 32\): kept the largest directions, rank 8 of 32, \d+\.\d% ", str(change))
    np.testing.assert_array_equal(Matrix(3, "mlp in").get(model.network), before)
    first, second = changes(model, Edit(3, "q", Largest(4)), Edit(3, "q", Largest(8)))
    assert first.change > 0.1
    assert second.change < 1e-6  # of a matrix of rank 4, eight directions are all there is


@pytest.mark.parametrize(
    ("keep", "says"),
    [
        (Largest(-1), "rank = -1 is not possible: a count from 0 to 32"),
        (Largest(33), "rank = 33 is not possible: a count from 0 to 32, or a share in (0, 1]"),
        (Largest(0.0), "rank = 0.0 is not possible: a share in (0, 1]"),
        (Smallest(1.5), "rank = 1.5 is not possible: a share in (0, 1], or a count from 0 to 32"),
        (RandomSubspace(0.01), "of 32 directions it keeps none; the smallest share is 0.031"),
        (Without((33,)), "direction = 33 is not possible: 1 to 32, counted from 1"),
    ],
)
def test_a_rank_that_is_not_there_is_refused(keep: Keep, says: str) -> None:
    model = tiny("llama")
    with pytest.raises(UserError, match=re.escape(says)), edited(model, Edit(1, "mlp in", keep)):
        pytest.fail("the edit is not possible")


def test_the_whole_rank_changes_nothing() -> None:
    model = tiny("phi3")
    whole = model.last_logits(PROMPTS)
    for keep in (Largest(1.0), Smallest(32), RandomSubspace(1.0), Without(())):
        with edited(model, Edit(2, "mlp in", keep)):
            np.testing.assert_array_equal(model.last_logits(PROMPTS), whole)
