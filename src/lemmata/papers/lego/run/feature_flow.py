"""Stage 1 of W_5 along the exact gradient flow, in a vocabulary of any size, with the phases of its features timed."""

import math
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision, require, to_jax
from lemmata.core.constraints import Count, NonNegative, Positive, Several, Share, Some
from lemmata.papers.lego.model.fast.feature_neurons import FeatureNeurons, new_neurons, right_of, slopes
from lemmata.papers.lego.probe.weights import Features
from lemmata.papers.lego.task import action
from lemmata.train import stack

CHUNK = 500
EARLY = 1 / 8  # c_1: Phase I ends where V reaches d^c_1 mu; the paper's constant, ours


@dataclass(frozen=True, kw_only=True)
class FeatureFlow(RunConfig):
    """One action; every seed until its loss is at the floor that the clip leaves, or for all steps."""

    kind = "lego/feature-flow"

    action: str = "C6"
    vocabulary: Positive = 1e8  # d, a number: other tokens have no neurons
    width: Count = 12  # m, neurons a class
    power: Several = 6  # q
    smoothing: Positive = 1.0  # rho
    scale: Positive | None = None  # sigma_0; None is d^-1/2
    clip: Positive = 2.0  # C_B
    leak: NonNegative = 0.0  # varpi of Assumption B.2, the slope below 0; 0 is Definition 3.4
    stride: Positive = 0.1  # no weight moves by more than this share of itself in a step
    finest: Share = 0.01  # near the floor strides shrink down to this share
    tolerance: NonNegative | None = 1e-6  # of the loss over its floor, where the flow ends; none: at the last step
    steps: Count = 20_000
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        require(action(self.action).transitive, "action", self.action, "a transitive one")
        require(self.vocabulary > 20, "vocabulary", self.vocabulary, "over 20")

    @property
    def sigma(self) -> float:
        return self.vocabulary**-0.5 if self.scale is None else self.scale

    @property
    def bias(self) -> float:
        """mu."""
        return self.sigma * math.log(self.vocabulary)

    @property
    def bound(self) -> float:
        """B."""
        return self.clip * math.log(self.vocabulary)

    def execute(self, context: RunContext) -> RunOutput:
        table = action(self.action).table
        shape = (self.width, *table.shape)
        with precision("float64"):
            numbers = (self.vocabulary, self.sigma, self.clip, self.power, self.smoothing, self.leak)
            keys = [named_key(seed, "init", "feature-flow") for seed in self.seeds]
            start = stack([new_neurons(shape, *numbers, key=key) for key in keys])
            within = -np.inf if self.tolerance is None else self.tolerance
            plan = jnp.array([self.stride, self.finest, within])
            now, time, parts = start, jnp.zeros(len(keys)), []
            for number in range(-(-self.steps // CHUNK)):
                now, time, part = follow(now, time, to_jax(table), plan)
                parts.append({name: np.asarray(values) for name, values in part.items()})
                context.progress("steps", number * CHUNK, self.steps)
                if np.all(parts[-1]["excess"][:, -1] <= within):
                    break
            last = eqx.filter_vmap(slopes)(now, jnp.stack([right_of(to_jax(table))] * len(keys)))
        track = {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}
        found = [phases(self, {name: track[name][i] for name in track}) for i in range(len(keys))]
        tables = {"initial": start, "final": now}
        arrays = {name: np.stack([one[name] for one in found]) for name in found[0]}
        for moment, model in tables.items():
            arrays |= {f"{moment}.action": np.asarray(model.actions), f"{moment}.value": np.asarray(model.values)}
        rows = {
            "seed": np.array(self.seeds),
            "excess": track["excess"][:, -1],
            "steps": np.sum(track["excess"] > within, axis=1),
            "slack": np.asarray(last.right).max(axis=(1, 2)),
            "wrong": np.asarray(last.wrong),
        }
        return RunOutput(rows, arrays)


@optimized_jit
def follow(
    neurons: FeatureNeurons, time: Float[Array, " seed"], table: Int[Array, "actions values"], plan: Float[Array, "3"]
) -> tuple[FeatureNeurons, Float[Array, " seed"], dict[str, Array]]:
    """Steps of the flow by strides, every seed at its own pace; what is recorded of each stands before it."""
    return eqx.filter_vmap(lambda one, at: _follow(one, at, table, plan))(neurons, time)


def _follow(
    neurons: FeatureNeurons, time: Float[Array, ""], table: Int[Array, "actions values"], plan: Float[Array, "3"]
) -> tuple[FeatureNeurons, Float[Array, ""], dict[str, Array]]:
    truth, (stride, finest, tolerance) = right_of(table), plan

    def one(carry, _):
        now, time = carry
        found = slopes(now, truth)
        excess = found.loss / now.floor - 1
        x, down = now.read(), (found.actions[:, :, None, :] + found.values[:, :, :, None]) / 2
        # Up: a share of what is read; down (and past rho): of rho, for nothing pulls a reading through 0 by itself.
        room = jnp.where((down < 0) & (x > 0), jnp.clip(x, now.bias, 3 * now.rho), 3 * now.rho)
        fastest = jnp.maximum(jnp.max(jnp.abs(down) / room), jnp.finfo(time.dtype).tiny)
        size = jnp.clip(jnp.sqrt(jnp.maximum(excess, 0) / 0.1), finest, 1) * stride / fastest
        size = jnp.where(excess > tolerance, size, 0)
        moved = eqx.tree_at(
            lambda n: (n.actions, n.values), now, (now.actions - size * found.actions, now.values - size * found.values)
        )
        features = Features(jnp.swapaxes(now.actions, 0, 1), jnp.swapaxes(now.values, 0, 1))
        kept = {
            "time": time,
            "excess": excess,
            "magnitude": features.over_fibres(table),
            "value": features.value,
            "right": found.right,
        }
        return (moved, time + size), kept

    (now, time), kept = jax.lax.scan(one, (neurons, time), length=CHUNK)
    return now, time, kept


def phases(config: FeatureFlow, track: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """When each combination's neuron passes the ends of its phases, [class, value] each, as times of the flow (infinite
    where it never does): I, b + V at twice its start; II.1, V at log d / 2; II.2, 1 - p at d^-1/2 on the fibre. With
    them V(g), V(y) at the end of II.1, and the largest V of another feature of the class at the end of I."""
    magnitude, value, time = track["magnitude"], track["value"], track["time"]  # [step, class, neuron, value]
    classes, _, values = magnitude.shape[1:]
    names = ("emerged", "grown", "confident", "action at grown", "value at grown", "rival at emerged")
    found = {name: np.full((classes, values), np.inf) for name in names} | {"neuron": np.zeros((classes, values), int)}
    table = action(config.action).table
    for j, y in np.ndindex(classes, values):
        r = int(np.argmax(magnitude[-1, j, :, y]))
        own, fibre = magnitude[:, j, r, y], table[:, y] == j
        found["neuron"][j, y] = r
        sure = track["right"][:, y, fibre].max(axis=1) <= config.vocabulary**-0.5
        ends = (own >= config.vocabulary**EARLY * config.bias, own >= np.log(config.vocabulary) / 2, sure)
        for name, passed in zip(names[:3], ends, strict=True):
            if passed.any():
                found[name][j, y] = time[step := int(np.argmax(passed))]
                if name == "grown":
                    found["value at grown"][j, y] = value[step, j, r, y]
                    found["action at grown"][j, y] = 2 * own[step] - value[step, j, r, y]
                if name == "emerged":
                    others = np.delete(magnitude[step, j, r], y)
                    found["rival at emerged"][j, y] = others.max(initial=-np.inf)
    return found
