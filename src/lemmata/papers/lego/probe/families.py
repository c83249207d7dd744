"""What a run's action must be for a claim about its family."""

from typing import Any

from lemmata.core import OutsideSetting, Undecided, of_config
from lemmata.papers.lego.task import action


@of_config
def simply_transitive(config: Any) -> Undecided | None:
    name = config.task.action
    return None if action(name).simply_transitive else OutsideSetting(f"{name} is not simply transitive")


@of_config
def symmetric(config: Any) -> Undecided | None:
    """Transitive, with more actions than values: S_n, and whatever stands in its place."""
    acting = action(config.task.action)
    wanted = acting.transitive and not acting.simply_transitive
    other = f"{acting.name} is no transitive action with more elements than values"
    return None if wanted else OutsideSetting(other)


FAMILIES = {"transitive": simply_transitive, "symmetric": symmetric}  # runs by role, and what each needs


@of_config
def acts_freely(config: Any) -> str | None:
    """A rule's setting, for runs that name their action themselves."""
    return None if action(config.action).simply_transitive else f"{config.action} is not simply transitive"


@of_config
def has_a_stabilizer(config: Any) -> str | None:
    acting = action(config.action)
    wanted = acting.transitive and not acting.simply_transitive
    return None if wanted else f"{config.action} is no transitive action with more elements than values"


BY_ROLE = {"transitive": acts_freely, "symmetric": has_a_stabilizer}
