"""What a run's action must be for a claim about its family."""

from lemmata.core import RunResult
from lemmata.papers.lego.task import action


def simply_transitive(run: RunResult) -> str | None:
    name = run.config.task.action
    return None if action(name).simply_transitive else f"{name} is not simply transitive"


def symmetric(run: RunResult) -> str | None:
    """Transitive, with more actions than values: S_n, and whatever stands in its place."""
    acting = action(run.config.task.action)
    wanted = acting.transitive and not acting.simply_transitive
    return None if wanted else f"{acting.name} is no transitive action with more elements than values"


FAMILIES = {"transitive": simply_transitive, "symmetric": symmetric}  # runs by role, and what each needs
