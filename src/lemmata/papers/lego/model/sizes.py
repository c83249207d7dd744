"""A model's vocabulary is its task's."""

from lemmata.core import require
from lemmata.papers.lego.model.experimental import ExperimentalConfig
from lemmata.papers.lego.model.theory_transformer import TheoryConfig
from lemmata.papers.lego.task import LegoConfig, action


def require_sizes(model: TheoryConfig | ExperimentalConfig, task: LegoConfig) -> None:
    """Refuse a model of another vocabulary, and say what else to set."""
    acting = action(task.action)
    wanted = {"variables": task.variables, "actions": acting.num_actions, "values": acting.num_values}
    settings = " ".join(f"model.{name}={size}" for name, size in wanted.items())
    for name, size in wanted.items():
        given = getattr(model, name)
        require(given == size, f"model.{name}", given, f"{task.action} on {task.variables} variables needs {settings}")
