"""GGUF files: converted once, exactly, and saved again as anybody's folder."""

import errno
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from lemmata.core import UserError
from lemmata.lm import Edit, Largest, Matrix, edited, export, load, weights_hash
from lemmata.lm.conversion import VERSION
from lemmata.lm.hashing import hash_file
from lemmata.lm.place import cache_folder
from lm_gguf import VOCABULARY, write_gguf
from lm_models import GATED, save_tiny


@pytest.fixture(scope="module")
def network() -> Any:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(**(GATED | {"vocab_size": VOCABULARY}), rms_norm_eps=1e-6)
    network = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim == 2:
                weight.normal_(0.0, 0.2)
    return network


@pytest.fixture
def file(network: Any, tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf", network)


def test_a_gguf_file_is_the_model_it_was_made_from(file: Path, network: Any) -> None:
    checked: list[str] = []
    model = load(str(file), say=checked.append)
    assert len(checked) == 1
    assert "converting tiny.gguf" in checked[0]
    assert model.weights == hash_file(file) == weights_hash(str(file))
    assert (model.layers, model.revision) == (3, "local")
    ids = model.tokens("Madrid in")
    assert model.tokenizer.decode(ids) == "Madrid in"
    with torch.no_grad():
        own = network(torch.tensor([ids])).logits[0, -1].numpy()
    np.testing.assert_allclose(model.last_logits(["Madrid in"])[0], own, atol=1e-5)


@pytest.mark.parametrize(("said", "begins"), [(True, True), (False, False), (None, False)])
def test_a_first_token_is_added_where_the_file_wants_one(
    said: bool | None, begins: bool, network: Any, tmp_path: Path
) -> None:
    model = load(str(write_gguf(tmp_path / "tiny.gguf", network, begins_with_bos=said)))
    plain = model.tokenizer("Madrid", add_special_tokens=False)["input_ids"]
    assert model.tokens("Madrid") == ([0, *plain] if begins else plain)
    assert model.first_token("Madrid") == plain[0]
    with torch.no_grad():
        own = network(torch.tensor([model.tokens("Madrid")])).logits[0, -1].numpy()
    np.testing.assert_allclose(model.last_logits(["Madrid"])[0], own, atol=1e-5)


def test_it_is_converted_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(str(file)).last_logits(["Madrid"])
    monkeypatch.setattr("lemmata.lm.conversion._read", lambda name, file: pytest.fail("converted again"))
    checked: list[str] = []
    np.testing.assert_array_equal(load(str(file), say=checked.append).last_logits(["Madrid"]), first)
    assert checked == []
    assert [folder.name for folder in (cache_folder() / "converted").iterdir()] == [f"{hash_file(file)}.{VERSION}"]


def test_an_export_loads_anywhere(file: Path, tmp_path: Path) -> None:
    model = load(str(file))
    edit = Edit(2, "mlp in", Largest(0.2))
    out = tmp_path / "cut"
    (change,) = export(model, out, edit)
    assert (change.rank, change.full) == (6, 32)
    with edited(model, edit):
        expected = model.last_logits(["Madrid in"])[0]
    other = transformers.AutoModelForCausalLM.from_pretrained(out)
    tokenizer = transformers.AutoTokenizer.from_pretrained(out)
    assert not hasattr(other.config, "quantization_config")
    with torch.no_grad():
        logits = other(**tokenizer("Madrid in", return_tensors="pt", return_token_type_ids=False)).logits[0, -1]
    np.testing.assert_allclose(logits.numpy(), expected, atol=1e-5)
    assert np.linalg.matrix_rank(Matrix(2, "mlp in").get(other), tol=1e-4) == 6
    assert {found.suffix for found in out.iterdir()} <= {".safetensors", ".json", ".jinja"}
    again = load(str(out))
    np.testing.assert_allclose(again.last_logits(["Madrid in"])[0], expected, atol=1e-5)
    assert "rank 6 of 32" in (out / "lemmata.json").read_text()
    with pytest.raises(UserError, match="exists already"):
        export(model, out, edit)


def test_no_room_for_the_conversion_or_the_export_leaves_nothing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(network: Any, folder: Path, **named: Any) -> None:
        (Path(folder) / "model.safetensors").write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    model = load(str(save_tiny("llama", tmp_path / "model")))
    monkeypatch.setattr(transformers.PreTrainedModel, "save_pretrained", full_disk)
    with pytest.raises(UserError, match=r"converted/[\w.]+ cannot be written: no room on disk \(\$LEMMATA_LM_CACHE"):
        load(str(file))
    assert list((cache_folder() / "converted").iterdir()) == []
    before = set(tmp_path.iterdir())
    with pytest.raises(UserError, match="cut cannot be written: no room on disk"):
        export(model, tmp_path / "cut", Edit(1, "q", Largest(2)))
    assert set(tmp_path.iterdir()) == before
    assert model.in_place == []


def test_too_little_room_is_seen_before_anything_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: small)
    with pytest.raises(UserError, match=r"no room on disk: .*tiny.gguf as float32 needs .* 1 kB are free"):
        load(str(file))
    assert not (cache_folder() / "converted").exists()


@pytest.mark.parametrize(("left", "says"), [(3, "damaged"), (40, "damaged"), (5000, "damaged"), (-400, "cut off")])
def test_a_file_that_was_cut_off_is_damaged(file: Path, left: int, says: str) -> None:
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(UserError, match=says) as refused:
        load(str(file))
    assert "\n" not in str(refused.value)
    assert not list((cache_folder()).glob("converted/*"))


def test_a_file_with_a_wrong_beginning_is_damaged(file: Path) -> None:
    file.write_bytes(b"GGML" + file.read_bytes()[4:])
    with pytest.raises(UserError, match="is damaged, or not a GGUF file: it does not begin with 'GGUF'"):
        weights_hash(str(file))


def test_an_architecture_that_transformers_cannot_read_is_refused(tmp_path: Path) -> None:
    import gguf

    writer = gguf.GGUFWriter(tmp_path / "odd.gguf", "nothing-known")
    writer.add_tensor("x", np.zeros((2, 2), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UserError, match=r"odd.gguf cannot be converted: .*nothing-known"):
        load(str(tmp_path / "odd.gguf"))
    assert not list((cache_folder()).glob("converted/*"))
