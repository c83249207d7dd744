"""Stage 1 of both tokens as a run: what W_4 holds of slot 1, beside what W_5 holds of slot 5 (section 6.1.1)."""

from dataclasses import dataclass

import equinox as eqx
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, precision
from lemmata.core.constraints import Count, Positive, Several, Some
from lemmata.papers.lego.model import Neurons
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.run.stage_one import model_config, new_models, train_neurons
from lemmata.papers.lego.task import Lego, LegoConfig

SLOT: dict[Token, int] = {"variable": 0, "value": 4}  # where the token stands that could be copied


@dataclass(frozen=True, kw_only=True)
class Retrieval(RunConfig):
    """Both tokens' neurons along the gradient flow of T^1."""

    kind = "lego/retrieval"

    action: str = "C6"
    variables: Several = 41
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0; None is d^-1/2
    clip: Positive = 2.0
    stride: Positive = 0.1
    steps: Count = 3000
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        LegoConfig(action=self.action, variables=self.variables, length=1)
        self.model()

    def model(self):
        return model_config(self.action, self.variables, width=self.width, scale=self.scale, clip=self.clip)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=1))
            plan = Descent(steps=self.steps, learning_rate=1e15, stride=self.stride, every=self.steps)
            before = new_models(self.model(), self.seeds)
            after, arrays = train_neurons(before, task, self.seeds, {"variable": plan, "value": plan}, context)
            rows = {"seed": np.array(self.seeds)}
            for token, slot in SLOT.items():
                weights, start = (np.asarray(table(getattr(models, token), slot)) for models in (after, before))
                rows |= {f"{token}.{name}": found for name, found in copies(weights, weights - start).items()}
                rows[f"{token}.accuracy"] = arrays[f"one_step.{token}.accuracy"]
        return RunOutput(rows)


@eqx.filter_jit
def table(neurons: Neurons, slot: int):
    """[seed, token, class, neuron]."""
    return neurons.tables[slot]


def copies(weights: np.ndarray, moved: np.ndarray) -> dict[str, np.ndarray]:
    """By seed: the least over tokens of the largest weight that says its own class, the largest (in magnitude) of all
    others, and the same of how far they moved."""
    own = np.eye(weights.shape[1], dtype=bool)[None, :, :, None]  # as many classes as tokens
    found = {}
    for name, table in (("weight", weights), ("update", moved)):
        diagonal = np.where(own, table, -np.inf).max(axis=(2, 3))
        found[f"{name}_own"] = diagonal.min(axis=1)
        found[f"{name}_other"] = np.where(own, 0, np.abs(table)).max(axis=(1, 2, 3))
    return found
