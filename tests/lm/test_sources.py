"""Where a model comes from, and every way in which it can fail to: one line each, nothing left behind."""

import errno
import json
import pickle
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import huggingface_hub
import numpy as np
import pytest
import transformers
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError
from safetensors.numpy import load_file, save_file

from lemmata.core import UserError
from lemmata.lm import load, weights_hash
from lemmata.lm.hashing import hash_file
from lemmata.lm.hub import hub_folder
from lemmata.lm.place import cache_folder
from lm_models import PROMPTS, own_logits, save_tiny, tiny, tiny_tokenizer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_tiny("llama", tmp_path / "model")


def in_hub(name: str, family: str = "llama", **saving: Any) -> Path:
    """A model in the hub's cache, as its tools leave it."""
    home = hub_folder() / f"models--{name.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(COMMIT)
    return save_tiny(family, home / "snapshots" / COMMIT, **saving)


def refuses(says: str, model: str | Path, **named: Any) -> None:
    with pytest.raises(UserError) as refused:
        load(str(model), **named)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_of_safetensors(folder: Path) -> None:
    model = load(str(folder))
    assert (model.name, model.revision, model.device) == (str(folder), "local", "cpu")
    assert model.weights == hash_file(folder / "model.safetensors") == weights_hash(str(folder))
    expected = np.stack([own_logits(tiny("llama"), prompt).numpy() for prompt in PROMPTS])
    np.testing.assert_allclose(model.last_logits(PROMPTS), expected, atol=1e-5)
    assert not any(weight.requires_grad for weight in model.network.parameters())
    assert not model.network.training


def test_half_precision_is_computed_in_full(tmp_path: Path) -> None:
    network = transformers.LlamaForCausalLM.from_pretrained(save_tiny("llama", tmp_path / "full")).half()
    network.save_pretrained(tmp_path / "half")
    tiny_tokenizer().save_pretrained(tmp_path / "half")
    model = load(str(tmp_path / "half"))
    assert {str(weight.dtype) for weight in model.network.parameters()} == {"torch.float32"}


def test_the_hash_follows_the_weights_and_is_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = weights_hash(str(folder))
    assert len(list((cache_folder() / "hashes").iterdir())) == 1
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", lambda *given: pytest.fail("read again"))
        assert weights_hash(str(folder)) == first
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"] = weights["model.norm.weight"] + 1
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    assert weights_hash(str(folder)) != first


def test_a_hub_model_comes_from_the_local_cache_with_its_commit() -> None:
    snapshot = in_hub("someone/tiny", max_shard_size="20KB")
    assert len(list(snapshot.glob("*.safetensors"))) > 1
    model = load("someone/tiny")
    assert (model.name, model.revision) == ("someone/tiny", COMMIT)
    assert load("someone/tiny", revision=COMMIT).weights == model.weights == weights_hash("someone/tiny")
    refuses(
        "someone/tiny at revision 'step14000' is not on this machine: `lemmata lm fetch",
        "someone/tiny",
        revision="step14000",
    )


def test_what_is_not_here_is_named_with_size_and_command() -> None:
    refuses(
        "EleutherAI/pythia-160m is not on this machine (about 375 MB): `lemmata lm fetch EleutherAI/pythia-160m`",
        "EleutherAI/pythia-160m",
    )
    refuses(
        "smollm2-135m-instruct is not on this machine: `lemmata lm fetch` takes it (98.4 MB)", "smollm2-135m-instruct"
    )
    refuses("did you mean 'smollm2-135m-instruct'?", "smollm2")
    refuses("no model at './nowhere'", "./nowhere")
    refuses("no model at 'nowhere.gguf'", "nowhere.gguf")
    refuses("a hub name (owner/name), a folder, or a .gguf file", "what is this?")
    assert not hub_folder().exists()


def test_half_downloaded_models_are_told_from_missing_ones() -> None:
    home = hub_folder() / "models--someone--begun"
    (home / "blobs").mkdir(parents=True)
    (home / "blobs" / "abc.incomplete").write_bytes(b"")
    refuses("someone/begun is half-downloaded: `lemmata lm fetch someone/begun` goes on with it", "someone/begun")
    snapshot = in_hub("someone/shards", max_shard_size="20KB")
    first = min(snapshot.glob("*.safetensors"))
    first.unlink()
    refuses(f"weight files are missing, the first is {first.name}", "someone/shards")
    bare = in_hub("someone/bare")
    (bare / "model.safetensors").unlink()
    refuses("someone/bare is half-downloaded", "someone/bare")


@pytest.mark.parametrize("left", [0, 5, 1000, -1])
def test_a_truncated_file_is_damaged(folder: Path, left: int) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:left])
    refuses("model.safetensors is damaged", folder)


def test_missing_tensors_and_wrong_shapes_are_damage_not_random_weights(folder: Path) -> None:
    file = folder / "model.safetensors"
    weights = load_file(file)
    taken = weights.pop("model.layers.1.mlp.up_proj.weight")
    save_file(weights, file, {"format": "pt"})
    refuses("is damaged: 1 tensors are missing, the first is model.layers.1.mlp.up_proj.weight", folder)
    save_file(weights | {"model.layers.1.mlp.up_proj.weight": taken[:5].copy()}, file, {"format": "pt"})
    refuses("cannot be loaded", folder)


def test_pickles_are_never_opened(folder: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
    refuses("holds its weights in pytorch_model.bin, which could run code", folder)
    refuses("could run code when it is loaded: only safetensors and GGUF are read", folder / "pytorch_model.bin")
    assert not (tmp_path / "sprung").exists()


def test_code_of_a_models_repository_is_never_executed(folder: Path, tmp_path: Path) -> None:
    (folder / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "trap.Config", "AutoModelForCausalLM": "trap.Model"}
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": own}))
    load(str(folder))  # transformers' own code for this model_type is used
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": own, "model_type": "trap"}))
    refuses("model_type 'trap' in config.json is not one of transformers' own", folder)
    assert not (tmp_path / "sprung").exists()


def test_what_is_not_a_causal_model_is_refused(tmp_path: Path, folder: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path / "bert")
    tiny_tokenizer().save_pretrained(tmp_path / "bert")
    refuses("is not a causal language model: its architecture is BertForMaskedLM", tmp_path / "bert")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"quantization_config": {"quant_method": "awq"}}))
    refuses("is quantized", folder)
    (folder / "config.json").write_text("[]")
    refuses("config.json is damaged", folder)
    (folder / "config.json").unlink()
    refuses("no config.json", folder)
    refuses("is one file of a model: name its folder", folder / "model.safetensors")


def test_a_folder_without_a_tokenizer_is_refused(folder: Path) -> None:
    for file in folder.glob("tokenizer*"):
        file.unlink()
    refuses("cannot be loaded", folder)


def test_a_revision_or_device_that_makes_no_sense(folder: Path) -> None:
    refuses("revision = 'main' is not possible", folder, revision="main")
    refuses("revision = 'main' is not possible", "smollm2-135m-instruct", revision="main")
    refuses("device = 'abacus' is not possible", folder, device="abacus")


def info(**sizes: int) -> Any:
    files = [Mock(rfilename=name.replace("__", "."), size=size) for name, size in sizes.items()]
    return lambda *given, **named: Mock(siblings=files)


def test_a_download_happens_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[dict[str, Any]] = []

    def snapshot_download(name: str, **named: Any) -> None:
        requested.append(named)
        in_hub(name)

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", info(model__safetensors=1000))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert load("someone/tiny", allow_download=True).revision == COMMIT
    assert load("someone/tiny", allow_download=True).revision == COMMIT
    assert len(requested) == 1  # what is here is not asked for again
    assert not any(pattern.endswith((".bin", ".py", "*")) for pattern in requested[0]["allow_patterns"])


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (GatedRepoError("403", response=Mock()), "is gated: accept its licence on its page, `hf auth login`, then"),
        (RepositoryNotFoundError("404", response=Mock()), "the hub has no model 'someone/tiny', or it is private"),
        (RevisionNotFoundError("404", response=Mock()), "someone/tiny has no revision 'v9'"),
        (ConnectionError("no route\nto host"), "someone/tiny cannot be downloaded: ConnectionError: no route"),
        (OSError(errno.ENOSPC, "No space left on device"), "cannot be downloaded: no room on disk"),
    ],
)
def test_a_download_that_fails_says_why(error: Exception, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def snapshot_download(name: str, **named: Any) -> None:
        blobs = hub_folder() / "models--someone--tiny" / "blobs"
        blobs.mkdir(parents=True)
        (blobs / "abc.incomplete").write_bytes(b"half")
        raise error

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", info(model__safetensors=1000))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    refuses(says, "someone/tiny", revision="v9", allow_download=True)
    assert ("no room" in says) == (not list(hub_folder().rglob("*.incomplete")))


def test_a_download_without_safetensors_or_room_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *given, **named: pytest.fail("downloaded"))
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", info(pytorch_model__bin=1000))
    refuses("only pickled weights, which are never loaded; nothing was downloaded", "someone/tiny", allow_download=True)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", info(model__safetensors=10**18))
    refuses("no room on disk: someone/tiny needs 1e+09 GB", "someone/tiny", allow_download=True)
    assert not hub_folder().exists()
