"""The command that gives a result again."""

from collections.abc import Mapping

from lemmata.core import Scale
from lemmata.core.cli_hints import command


def command_of(
    experiment_id: str, scale: Scale, changes: Mapping[str, str] | None = None, verb: str = "reproduce"
) -> str:
    """`verb`: of an experiment as it is; one with changed assumptions is `run`."""
    words = ["run" if changes else verb, experiment_id, "--scale", scale.name]
    words += ["--seeds", str(scale.num_seeds)] if scale.num_seeds else []
    words += ["--replication", str(scale.replication)] if scale.replication else []
    words += ["--set", *(f"{key}={value}" for key, value in changes.items())] if changes else []
    return command(*words)
