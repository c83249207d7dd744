"""The commands that look: at claims, at fields, at the store."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import tyro
from rich.console import Console

from lemmata.cli.options import Ids, Json, Places, ScaleOption, Where
from lemmata.core import Scale


@dataclass(frozen=True, kw_only=True)
class List:
    """Papers, experiments and claims, with the last verdicts.

    Example: lemmata list knowledge --unstable
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    unstable: Annotated[
        bool, tyro.conf.arg(help="Only claims whose verdict moved under fresh randomness (`lemmata confirm`).")
    ] = False
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.list import list_claims

        scale, store = Scale(self.scale), self.where.store
        return list_claims(self.ids, scale, store, unstable=self.unstable, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Show:
    """Of a paper what was found, and its claims; of an experiment every claim in full, and the keys of its runs; of a
    claim its statement, where the paper says it, its rule, prediction, measurement, evidence and cost.

    Example: lemmata show lego

    Example: lemmata show ic-recall/table-2
    """

    id: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="A paper, experiment or claim.")]
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.show import show

        return show(self.id, Scale(self.scale), self.where.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Fields:
    """What `--set` may change in an experiment: every field of its runs, what it may hold, and what it holds.

    `lemmata run EXPERIMENT --help` shows the same.
    """

    experiment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id.")]
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.fields import fields

        return fields(self.experiment, Scale(self.scale), as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The store: list its runs, show one, verify (re-hash every file), or prune what is stale, half-written or too
    much (compiled programs are kept up to 1 GiB)."""

    action: Annotated[Literal["list", "show", "verify", "prune"], tyro.conf.Positional]
    run: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[RUN]", help="For show: the run's id or its beginning."),
    ] = None
    where: Where = field(default_factory=Places)
    yes: Annotated[bool, tyro.conf.arg(help="For prune: delete; without it, only say what would go.")] = False
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import runs

        return runs(self.action, self.run, self.where.store, delete=self.yes, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class VerifyProof:
    """Check the stored certificate of a claim that is proved: every box again, against the claim's own statement.

    It searches for nothing: the statement gives the steps, the certificate the boxes. Of a paper or an experiment, all
    its claims that are proved. Exits 1 if a certificate does not prove its claim. Needs the extra `proofs`.

    Example: lemmata verify-proof ic-recall/turning-points-proved
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.proofs import verify_proofs

        return verify_proofs(self.ids, Scale(self.scale), self.where.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Views:
    """The views that `lemmata query` may name, what each holds, and the columns of those that are stored here.
    `lemmata query --help` shows the same."""

    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import list_views
        from lemmata.run import Store

        return list_views(Store(self.where.store), as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Query:
    """DuckDB over all stored metrics. Views: `runs`, `metrics`, and one a kind of run, named in double quotes.

    Example: lemmata query "SELECT kind, count(*), sum(seconds) FROM runs GROUP BY kind"

    Example: lemmata query "SELECT run, config->>'temperature' AS t FROM runs WHERE experiment LIKE '%fig-2%'"
    """

    sql: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SQL", help="One SELECT statement.")]
    unconfined: Annotated[bool, tyro.conf.arg(help="Any statement, any file: COPY and ATTACH too.")] = False
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import query_store

        return query_store(self.sql, self.where.store, unconfined=self.unconfined, as_json=self.json, console=console)
