"""A small GPT-NeoX-shaped model trained on a text, kept at powers of two: the shape of Pythia, at a size for minutes.

Each checkpoint is a folder of its own (`step-0`, `step-1`, `step-2`, `step-4`, ...) that `lemmata.lm.load` takes.
Beside them lie `recipe.json`, by which the same can be made again, and `held_out.txt`, pieces of the text that were
not trained on. Weights are kept in bfloat16, half the bytes.
"""

import dataclasses
import hashlib
import importlib.metadata
import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from lemmata.core import UserError, named_generator, require
from lemmata.lm.extra import library
from lemmata.lm.hashing import hash_file
from lemmata.lm.place import need_room, whole_folder

HELD_OUT, RECIPE = "held_out.txt", "recipe.json"
LIBRARIES = ("torch", "transformers", "tokenizers")
END = "<|endoftext|>"
BLOCKS = 20
LEAST = 10_000  # characters: less makes no vocabulary


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All that decides the weights, besides the text and the machine."""

    steps: int = 4096
    seed: int = 0
    vocabulary: int = 4096  # of a byte-level BPE, made from the part that is trained on
    width: int = 128
    layers: int = 4
    heads: int = 4
    context: int = 256
    batch: int = 32
    learning_rate: float = 2e-3
    warmup: int = 64  # steps; then a cosine down to a tenth
    weight_decay: float = 0.1
    dropout: float = 0.1
    held_out: float = 0.2  # the share of the text: the ends of its blocks
    shuffled: bool = False  # the words of what is trained on in random order: a world in which context tells nothing

    def __post_init__(self) -> None:
        for name in ("steps", "width", "layers", "heads", "context", "batch", "warmup"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        require(self.vocabulary >= 300, "vocabulary", self.vocabulary, "at least 300: the 256 bytes and some words")
        require(self.width % (2 * self.heads) == 0, "width", self.width, f"a multiple of {2 * self.heads}, twice heads")
        require(0 < self.held_out < 1, "held_out", self.held_out, "above 0 and below 1")
        require(self.learning_rate > 0, "learning_rate", self.learning_rate, "above 0")
        require(0 <= self.dropout < 1, "dropout", self.dropout, "at least 0 and below 1")

    def rate(self, step: int) -> float:
        """The learning rate of a step, the first is 1."""
        if step <= self.warmup:
            return self.learning_rate * step / self.warmup
        share = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.learning_rate * (0.55 + 0.45 * math.cos(math.pi * share))


def checkpoint_steps(steps: int) -> tuple[int, ...]:
    """0, the powers of two, and the last."""
    return tuple(sorted({0, steps, *(2**i for i in range(steps.bit_length()) if 2**i <= steps)}))


def pretrain(
    text_file: Path | str,
    out: Path | str,
    recipe: Recipe,
    *,
    device: str = "cpu",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Train, keep the checkpoints and the recipe under `out`; what was recorded. The folder is whole or not there."""
    text_file, out = Path(text_file), Path(out)
    if out.exists():
        raise UserError(f"--out {str(out)!r} exists already: name a folder that does not")
    torch, transformers = library("torch"), library("transformers")
    try:
        text = text_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--text {str(text_file)!r} cannot be read: {error}") from None
    require(len(text) >= LEAST, "--text", str(text_file), f"at least {LEAST} characters; it has {len(text)}")
    seen, unseen = split(text, recipe.held_out)
    tokenizer = make_tokenizer(seen, recipe.vocabulary)
    ids = np.array(tokenizer(in_random_order(seen, recipe.seed) if recipe.shuffled else seen)["input_ids"], np.int64)
    unseen_ids = np.array(tokenizer(unseen)["input_ids"], np.int64)
    for name, some in (("the text", ids), ("its held-out part", unseen_ids)):
        require(len(some) > recipe.context + 1, "context", recipe.context, f"{name} has {len(some)} tokens")
    kept = checkpoint_steps(recipe.steps)
    with _deterministic(torch, recipe.seed):
        network = transformers.AutoModelForCausalLM.from_config(_shape(transformers, recipe, len(tokenizer)))
        weights = sum(weight.numel() for weight in network.parameters())
        need_room(out.parent, len(kept) * (2 * weights + 10**6), f"{len(kept)} checkpoints")
        try:
            network = network.to(device)
        except (RuntimeError, AssertionError) as error:
            raise UserError(f"device = {device!r} is not possible: {str(error).splitlines()[0]}") from None
        with whole_folder(out) as folder:
            losses, hashes = [], {}
            for step, loss in _descend(torch, network, ids, recipe, device):
                if step in kept:
                    place = folder / f"step-{step}"
                    _keep(torch, network, tokenizer, place)
                    hashes[place.name] = hash_file(place / "model.safetensors")
                    held_out = _loss_on(torch, network, unseen_ids, recipe, device)
                    losses.append([step, None if loss is None else round(float(loss), 6), round(held_out, 6)])
                progress(step, recipe.steps)
            (folder / HELD_OUT).write_text(unseen, encoding="utf-8")
            about = {
                "recipe": dataclasses.asdict(recipe),
                "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
                "characters": len(text),
                "tokens": len(ids),
                "weights": weights,
                "device": device,
                "libraries": {
                    name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers")
                },
                "sha256": hashes,
                "losses": losses,  # step, of its batch, of the held-out part
            }
            (folder / RECIPE).write_text(json.dumps(about, indent=1) + "\n")
    return about


def split(text: str, held_out: float) -> tuple[str, str]:
    """What is trained on, and the end of each block of the text: so what is held out speaks of the same people."""
    seen, unseen = [], []
    for i in range(BLOCKS):
        block = text[_gap(text, i * len(text) // BLOCKS) : _gap(text, (i + 1) * len(text) // BLOCKS)]
        place = _gap(block, int(len(block) * (1 - held_out)))
        seen.append(block[:place])
        unseen.append(block[place:])
    return "".join(seen), "".join(unseen)


def _gap(text: str, place: int) -> int:
    """Just after the empty line that is next, where one is near; else the place itself."""
    gap = text.find("\n\n", place, place + 500) if 0 < place < len(text) else -1
    return gap + 2 if gap >= 0 else place


def in_random_order(text: str, seed: int) -> str:
    """The same words, each with the white space after it."""
    words = re.findall(r"\S+\s*", text)
    return "".join(words[i] for i in named_generator(seed, "pretrain", "shuffled").permutation(len(words)))


def make_tokenizer(text: str, vocabulary: int) -> Any:
    """A byte-level BPE of the text: any other text can be encoded too."""
    tokenizers, transformers = library("tokenizers"), library("transformers")
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[END], initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator(text.splitlines(keepends=True), trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token=END, bos_token=END)


def _shape(transformers: Any, recipe: Recipe, vocabulary: int) -> Any:
    return transformers.GPTNeoXConfig(
        vocab_size=vocabulary,
        hidden_size=recipe.width,
        intermediate_size=4 * recipe.width,
        num_attention_heads=recipe.heads,
        num_hidden_layers=recipe.layers,
        max_position_embeddings=recipe.context,
        hidden_dropout=recipe.dropout,
        attention_dropout=recipe.dropout,
        bos_token_id=0,
        eos_token_id=0,
        use_cache=False,
    )


def _descend(
    torch: Any, network: Any, ids: Int[np.ndarray, " token"], recipe: Recipe, device: str
) -> Iterator[tuple[int, Any]]:
    """Steps of AdamW, each with its batch by its number, and the batch's loss; step 0 is the model as it was made."""
    yield 0, None
    optimizer = torch.optim.AdamW(network.parameters(), betas=(0.9, 0.95), weight_decay=recipe.weight_decay)
    for step in range(1, recipe.steps + 1):
        starts = named_generator(recipe.seed, "pretrain", str(step)).integers(
            len(ids) - recipe.context, size=recipe.batch
        )
        batch = torch.from_numpy(np.stack([ids[start : start + recipe.context] for start in starts])).to(device)
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate(step)
        network.train()
        loss = network(batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        yield step, loss.detach()


def _loss_on(torch: Any, network: Any, ids: Int[np.ndarray, " token"], recipe: Recipe, device: str) -> float:
    """The mean loss over the first pieces of a text."""
    count = min(recipe.batch, len(ids) // recipe.context)
    pieces = torch.from_numpy(ids[: count * recipe.context].reshape(count, recipe.context)).to(device)
    network.eval()
    with torch.inference_mode():
        return float(network(pieces, labels=pieces).loss)


def _keep(torch: Any, network: Any, tokenizer: Any, folder: Path) -> None:
    """Weights rounded to bfloat16; the network that is trained on is left as it is."""
    rounded = {name: weight.detach().to("cpu", torch.bfloat16) for name, weight in network.state_dict().items()}
    network.save_pretrained(folder, state_dict=rounded)
    tokenizer.save_pretrained(folder)


@contextmanager
def _deterministic(torch: Any, seed: int) -> Iterator[None]:
    """Initial weights and dropout by the seed; the caller's random numbers are as they were afterwards."""
    before, was = torch.get_rng_state(), torch.are_deterministic_algorithms_enabled()
    try:
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True, warn_only=True)
        yield
    finally:
        torch.use_deterministic_algorithms(was)
        torch.set_rng_state(before)
