"""Fine-tuning on questions and answers: every weight, or LoRA of some rank; in place for as long as a block lasts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import Config, Count, Natural, Positive, UserError, named_generator, named_integer
from lemmata.lm.extra import library
from lemmata.lm.model import LanguageModel
from lemmata.papers.knowledge.run.language.answers import Pair, TrainingExample, answer_loss, training_example

Watch = Callable[[int, int], None]  # steps done, of so many


@dataclass(frozen=True, kw_only=True)
class Tuning(Config):
    """AdamW without decay; a linear way up over the first tenth of the steps, and a linear way down to zero."""

    rank: Natural = 4  # of LoRA on every linear layer of the blocks; 0: every weight is tuned
    steps: Count = 20
    batch: Count = 8
    rate: Positive = 1e-3
    scale: Positive = 2.0  # what LoRA's product is multiplied by, at any rank

    def learning_rate_at(self, step: int) -> float:
        """Steps count from 0."""
        up = max(1, self.steps // 10)
        return self.rate * min((step + 1) / up, (self.steps - step) / max(1, self.steps - up + 1))


@dataclass(frozen=True)
class Tuned:
    """The mark of a fine-tuning among a model's edits: every layer from the first on may have changed."""

    tuning: Tuning
    layer: int = 1


@contextmanager
def tuned(
    model: LanguageModel,
    pairs: Sequence[Pair],
    tuning: Tuning,
    *,
    seed: int,
    names: Sequence[str] = (),
    watch: Watch = lambda done, total: None,
) -> Iterator[Float[np.ndarray, " step"]]:
    """The model fine-tuned on the pairs, LoRA merged into its weights; gives the loss of each step.

    Undone bit for bit when the block ends, even by an error. The batches and LoRA's first values depend on the seed
    and the names alone: on one device the same call gives the same bits.
    """
    torch = library("torch")
    if not pairs:
        raise UserError("no questions to fine-tune on were given")
    training_examples = [training_example(model, pair) for pair in pairs]
    weights = list(model.network.parameters())
    before, known = [weight.detach().clone() for weight in weights], len(model.in_place)
    try:
        model.in_place.append(Tuned(tuning))
        yield _tune(model, training_examples, tuning, seed, tuple(names), watch)
    finally:
        model.network.requires_grad_(False).eval()
        with torch.no_grad():
            for weight, values in zip(weights, before, strict=True):
                weight.copy_(values)
        del model.in_place[known:]


def _tune(
    model: LanguageModel,
    training_examples: Sequence[TrainingExample],
    tuning: Tuning,
    seed: int,
    names: tuple[str, ...],
    watch: Watch,
) -> np.ndarray:
    if not tuning.rank:
        model.network.requires_grad_(True)
        return _descend(
            model.network,
            training_examples,
            tuning,
            _order(len(training_examples), tuning, seed, names),
            model.device,
            watch,
        )
    adapted = with_adapters(model.network, tuning, named_integer(seed, "adapters", *names))
    try:
        losses = _descend(
            adapted, training_examples, tuning, _order(len(training_examples), tuning, seed, names), model.device, watch
        )
        adapted.merge_adapter()
    finally:
        adapted.unload()
        model.network.__dict__.pop("peft_config", None)  # what peft leaves on the network it has been lent
    return losses


def with_adapters(network: Any, tuning: Tuning, seed: int) -> Any:
    """The network inside peft, LoRA's factors beside every linear layer but the output's; they alone are trained."""
    torch, peft = library("torch"), library("peft")
    config = peft.LoraConfig(
        r=tuning.rank,
        lora_alpha=tuning.scale * tuning.rank,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        fan_in_fan_out=any(type(part).__name__ == "Conv1D" for part in network.modules()),
    )
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        adapted = peft.get_peft_model(network, config)
    return adapted


def _order(count: int, tuning: Tuning, seed: int, names: tuple[str, ...]) -> Iterator[list[int]]:
    """Batches: every pair once, in a fresh order, before any comes again."""
    stream = named_generator(seed, "order", *names)
    waiting: list[int] = []
    for _ in range(tuning.steps):
        while len(waiting) < tuning.batch:
            waiting += stream.permutation(count).tolist()
        yield waiting[: tuning.batch]
        waiting = waiting[tuning.batch :]


def _descend(
    network: Any,
    training_examples: Sequence[TrainingExample],
    tuning: Tuning,
    order: Iterator[list[int]],
    device: str,
    watch: Watch,
) -> np.ndarray:
    """In evaluation mode: no dropout, so that the model that is tuned is the one that is asked."""
    torch = library("torch")
    learns = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learns, lr=tuning.rate, betas=(0.9, 0.99), weight_decay=0.0)
    network.eval()
    losses = []
    for step, batch in enumerate(order):
        for group in optimizer.param_groups:
            group["lr"] = tuning.learning_rate_at(step)
        loss = answer_loss(network, [training_examples[place] for place in batch], device)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learns, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(float(loss.detach()))
        watch(step + 1, tuning.steps)
    for weight in learns:
        weight.grad = None
    return np.array(losses)
