"""What a run's action must be for a claim about its family."""

from typing import Any

from lemmata.core import Condition, of_config
from lemmata.papers.lego.task import Action, action


def action_of_run(config: Any) -> Action:
    """A run names its action itself, or its task does."""
    return action(config.task.action if hasattr(config, "task") else config.action)


@of_config
def simply_transitive(config: Any) -> str | None:
    acting = action_of_run(config)
    return None if acting.simply_transitive else f"{acting.name} is not simply transitive"


@of_config
def symmetric(config: Any) -> str | None:
    """Transitive, with more actions than values: S_n, and whatever stands in its place."""
    acting = action_of_run(config)
    wanted = acting.transitive and not acting.simply_transitive
    return None if wanted else f"{acting.name} is no transitive action with more elements than values"


FAMILIES: dict[str, Condition] = {"transitive": simply_transitive, "symmetric": symmetric}  # by role, what is needed
