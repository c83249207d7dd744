"""What a run's action must be for a claim about its family."""

from lemmata.core import OutsideSetting, RunResult, Undecided
from lemmata.papers.lego.task import action


def simply_transitive(run: RunResult) -> Undecided | None:
    name = run.config.task.action
    return None if action(name).simply_transitive else OutsideSetting(f"{name} is not simply transitive")


def symmetric(run: RunResult) -> Undecided | None:
    """Transitive, with more actions than values: S_n, and whatever stands in its place."""
    acting = action(run.config.task.action)
    wanted = acting.transitive and not acting.simply_transitive
    other = f"{acting.name} is no transitive action with more elements than values"
    return None if wanted else OutsideSetting(other)


FAMILIES = {"transitive": simply_transitive, "symmetric": symmetric}  # runs by role, and what each needs
