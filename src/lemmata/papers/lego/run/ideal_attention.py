"""Stage 2 of Algorithm 1 on neurons that are those of Theorem B.1 or C.1 exactly: no network is as wide as d, so d may
be 10^16."""

import itertools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision, require, to_jax
from lemmata.core.constraints import Count, NonNegative, Positive, Several, Some
from lemmata.papers.lego.model.fast.four_scores import SCORES, attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.fast.long_chains import at_lengths, ceiling, draw_chains
from lemmata.papers.lego.run.fast.population_loss import population
from lemmata.papers.lego.run.population import start_flow
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import balanced_structure, magnitude

_at_lengths = optimized_jit(at_lengths)


class World(NamedTuple):
    vocabulary: float  # d
    clip: float  # C_B


@dataclass(frozen=True, kw_only=True)
class IdealAttention(RunConfig):
    """Every combination of d and C_B is a world; each is read at the times d^(C_B - 1 + c)."""

    kind = "lego/ideal-attention"

    action: str = "C6"
    vocabularies: Some[Positive] = (1e4, 1e8, 1e12, 1e16)
    clips: Some[Positive] = (4.0,)
    degrees: Some[NonNegative] = (0.0, 0.25)  # c of T_2
    power: Several = 4  # q
    smoothing: Positive = 1.0  # rho
    stride: Positive = 0.05  # of a score, in a step of the flow
    evaluations: Count = 20_000  # of its slope, at most
    lengths: Some[Several] = (2, 8)
    chains: Count = 4  # sampled at the greatest length

    def cross_check(self) -> None:
        require(list(self.degrees) == sorted(set(self.degrees)), "degrees", self.degrees, "increasing")
        deepest = max(self.clips) * math.log(max(self.vocabularies))
        require(deepest < 600, "clips", self.clips, "B under 600: the loss comes down to e^-B, a float64")
        least = sum(action(self.action).table.shape) + 2 + max(self.lengths)
        require(min(self.vocabularies) >= least, "vocabularies", self.vocabularies, f"at least {least} for its chains")

    def worlds(self) -> list[World]:
        return [World(*world) for world in itertools.product(self.vocabularies, self.clips)]

    def neurons(self, world: World) -> ValueNeurons:
        """One a combination (fibre of (j, y), y), at what says B."""
        table, bound = action(self.action).table, world.clip * math.log(world.vocabulary)
        actions, points = table.shape
        shape, psi = balanced_structure(points, actions // points), magnitude(bound, 0.0, self.smoothing, self.power)
        own = np.arange(points)
        right = table.T[:, None, :] == own[None, :, None]  # [neuron y, class j, g]: whether g(y) is j
        of_values = np.where(own[:, None] == own, shape.value, shape.other_value)[:, None, :]
        numbers = {"bias": 0.0, "rho": self.smoothing, "bound": bound, "vocab": world.vocabulary}
        return ValueNeurons(
            actions=to_jax(psi * np.where(right, shape.action, shape.other_action), float),
            values=to_jax(psi * np.broadcast_to(of_values, (points, points, points)), float),
            speaks=jnp.ones(points),
            power=self.power,
            **{name: to_jax(number, float) for name, number in numbers.items()},
        )

    def execute(self, context: RunContext) -> RunOutput:
        rows: list[dict[str, Any]] = []
        shares: list[np.ndarray] = []
        with precision("float64"):
            for number, world in enumerate(self.worlds()):
                for row, share in self.train(world):
                    rows.append({**world._asdict(), **row})
                    shares.append(share)
                context.progress("worlds", number + 1, len(self.worlds()))
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]}, {"share": np.stack(shares)})

    def train(self, world: World) -> list[tuple[dict[str, float], np.ndarray]]:
        """At each time the model's attention, and equation (5) over its ceiling by length."""
        table, neurons = action(self.action).table, self.neurons(world)
        variables = world.vocabulary - sum(table.shape) - 1
        chains = draw_chains(to_jax(table), self.chains, max(self.lengths), key=named_key(0, "test"))
        flow = start_flow(neurons, table, population(table), np.zeros(4), variables, self.stride)
        found = []
        for degree in self.degrees:
            time = world.vocabulary ** (world.clip - 1 + degree)
            flow.advance(time, evaluations=self.evaluations)
            read = _at_lengths(neurons, to_jax(flow.scores), chains, to_jax(np.array(self.lengths)))
            short = attention(to_jax(flow.scores), 2.0, 2.0)
            row = {"degree": degree, "time": time, "reached": flow.time, "loss": flow.loss}
            row |= {"epsilon": float(short.epsilon), "gap": float(short.gap)}
            row |= dict(zip(SCORES, flow.scores.tolist(), strict=True))
            found.append((row, np.asarray(read["accuracy"]) / float(ceiling(neurons))))
        return found
