"""Stage 1 of W_4 reading all five slots, along the exact gradient flow over every sentence of one step (Appendix A)."""

import math
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision
from lemmata.core.constraints import Count, NonNegative, Positive, Several, Some
from lemmata.papers.lego.model.theory_transformer import smooth_relu
from lemmata.papers.lego.run.stage_one import model_config
from lemmata.papers.lego.task import action

CHUNK = 100
Tables = tuple[Float[Array, "_ classes neurons"], ...]  # by slot: x_1, g_1, x_0, x_0, y_0


@dataclass(frozen=True, kw_only=True)
class VariableFlow(RunConfig):
    """Until the loss is at the floor that the clip leaves, or for all steps; every token has neurons."""

    kind = "lego/variable-flow"

    action: str = "C2"
    variables: Several = 16
    width: Count = 4  # m
    power: Several = 4
    scale: Positive | None = None  # sigma_0; None is d^-1/2
    clip: Positive = 2.0  # C_B
    stride: Positive = 0.1  # no reading grows by more than this share of itself in a step
    tolerance: NonNegative = 1e-3  # of the loss over its floor
    steps: Count = 2000
    seeds: Some[int] = (0, 1)

    def cross_check(self) -> None:
        self.model()

    def model(self):
        given = {"width": self.width, "power": self.power, "scale": self.scale, "clip": self.clip}
        return model_config(self.action, self.variables, **given)

    @property
    def bias(self) -> float:
        """mu."""
        return self.model().sigma * math.log(self.model().vocab)

    def execute(self, context: RunContext) -> RunOutput:
        model, sentences = self.model(), every_sentence(self.variables, action(self.action).table)
        found = []
        with precision("float64"):
            plan = jnp.array([self.bias, model.bound, model.floor, self.stride, self.tolerance])
            for number, seed in enumerate(self.seeds):
                keys = jax.random.split(named_key(seed, "init", "variable-flow"), 5)
                shapes = [(count, model.vocab, self.width) for _, count in model.slots]
                start = tuple(model.sigma * jax.random.normal(k, s) for k, s in zip(keys, shapes, strict=True))
                found.append(self.one(start, jnp.asarray(sentences), plan))
                context.progress("seeds", number + 1, len(self.seeds))
        rows = {"seed": np.array(self.seeds)} | {
            name: np.array([one[0][name] for one in found]) for name in ("excess", "slack", "wrong", "first", "last")
        }
        tables = {f"slot {i + 1}": np.stack([np.asarray(one[1][i]) for one in found]) for i in range(5)}
        return RunOutput(rows, tables)

    def one(
        self, tables: Tables, sentences: Int[Array, "sentences 5"], plan: Float[Array, "5"]
    ) -> tuple[dict[str, float], Tables]:
        """`first` and `last`: when Gamma_{4,j} = max_r <W_{4,j,r,1}, e_j> + mu passes 1 / m, over the variables."""
        time, times, above, excess = jnp.asarray(0.0), [], [], jnp.array([jnp.inf])
        diagonal = np.arange(self.variables)
        for _ in range(-(-self.steps // CHUNK)):
            tables, time, (excess, at, gamma) = follow(tables, time, sentences, plan, self.power)
            times.append(np.asarray(at))
            above.append(np.asarray(gamma)[:, diagonal] + self.bias > 1 / self.width)
            if float(excess[-1]) <= self.tolerance:
                break
        passed, clock = np.concatenate(above), np.append(np.concatenate(times), np.inf)
        arrivals = clock[np.where(passed.any(axis=0), passed.argmax(axis=0), -1)]
        _, slack, wrong = scores(tables, sentences, plan, self.power)
        numbers = {
            "excess": excess[-1],
            "slack": slack,
            "wrong": wrong,
            "first": arrivals.min(),
            "last": arrivals.max(),
        }
        return {name: float(number) for name, number in numbers.items()}, tables


def every_sentence(variables: int, table: np.ndarray) -> Int[np.ndarray, "sentences 5"]:
    """Tokens of the five slots, counted within each slot: x_1, g_1, x_0, x_0, y_0; x_0 is another variable."""
    x1, g, x0, y = np.indices((variables, table.shape[0], variables, table.shape[1])).reshape(4, -1)
    return np.stack([x1, g, x0, x0, y], axis=1)[x1 != x0]


def logits(
    tables: Tables, sentences: Int[Array, "sentences 5"], plan: Float[Array, "5"], power: int
) -> tuple[Float[Array, "sentences classes"], Float[Array, "sentences classes neurons"]]:
    read = sum(table[sentences[:, slot]] for slot, table in enumerate(tables)) / 2 + plan[0]
    return jnp.sum(smooth_relu(read, jnp.ones(()), power), axis=-1), read


@eqx.filter_jit
def scores(tables: Tables, sentences: Int[Array, "sentences 5"], plan: Float[Array, "5"], power: int):
    """The loss, the largest 1 - p of the right variable, the largest d p / (1 - p of the right one) of a wrong one."""
    clipped = jnp.minimum(logits(tables, sentences, plan, power)[0], plan[1])
    right = jnp.take_along_axis(clipped, sentences[:, :1], axis=1)
    others = jnp.exp(clipped - right).at[jnp.arange(len(right)), sentences[:, 0]].set(0)
    odds = jnp.sum(others, axis=1)
    wrong = clipped.shape[1] * jnp.max(others / odds[:, None])
    return jnp.mean(jnp.log1p(odds)), jnp.max(odds / (1 + odds)), wrong


@optimized_jit
def follow(tables: Tables, time: Float[Array, ""], sentences: Array, plan: Float[Array, "5"], power: int):
    """Steps of the flow by strides; excess, time and the largest diagonal weight over neurons stand before each."""
    bias, bound, floor, stride, tolerance = plan

    def one(carry, _):
        now, time = carry

        def loss(tables: Tables) -> tuple[Array, Array]:
            found, read = logits(tables, sentences, plan, power)
            clipped = jnp.minimum(found, bound)
            right = jnp.take_along_axis(clipped, sentences[:, :1], axis=1)
            others = jnp.exp(clipped - right).at[jnp.arange(len(right)), sentences[:, 0]].set(0)
            return jnp.mean(jnp.log1p(jnp.sum(others, axis=1))), read

        (value, read), slopes = jax.value_and_grad(loss, has_aux=True)(now)
        down = sum(table[sentences[:, slot]] for slot, table in enumerate(slopes)) / 2
        room = jnp.where((down < 0) & (read > 0), jnp.clip(read, bias, 3.0), 3.0)
        fastest = jnp.maximum(jnp.max(jnp.abs(down) / room), jnp.finfo(time.dtype).tiny)
        excess = value / floor - 1
        size = jnp.clip(jnp.sqrt(jnp.maximum(excess, 0) / 0.1), 0.01, 1) * stride / fastest
        size = jnp.where(excess > tolerance, size, 0)
        moved = tuple(w - size * g for w, g in zip(now, slopes, strict=True))
        own = jnp.max(jnp.diagonal(now[0]), axis=0)  # [r, j] -> the largest over neurons
        return (moved, time + size), (excess, time, own)

    (tables, time), kept = jax.lax.scan(one, (tables, time), length=CHUNK)
    return tables, time, kept
