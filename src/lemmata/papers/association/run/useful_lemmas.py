"""The run behind Lemmas H.1 and H.2: gradients by autodiff on random data, sums term by term."""

from dataclasses import dataclass
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Several, Some, named_generator, precision


@dataclass(frozen=True, kw_only=True)
class UsefulLemmas(RunConfig):
    """`elsewhere` is another weight matrix, at which the gradients are others."""

    kind = "association/useful-lemmas"

    classes: Several = 7  # N + 1
    width: Count = 5
    samples: Count = 24
    bases: Some[int] = (-3, 2, 5)  # a = each of these over 4
    lengths: Some[Count] = (1, 2, 7, 20)
    seed: int = 100

    def execute(self, context: RunContext) -> RunOutput:
        stream = named_generator(self.seed, "data")
        output, weight, elsewhere = (
            stream.normal(size=shape) for shape in ((self.classes, self.width), *[(self.width, self.width)] * 2)
        )
        x, y = stream.normal(size=(self.samples, self.width)), stream.integers(0, self.classes, self.samples)
        joint = stream.dirichlet(np.ones(self.samples * self.classes)).reshape(self.samples, self.classes)
        on_sample = np.eye(self.classes)[y] / self.samples
        with precision("float64"):

            def loss(weight: Array, mass: Array) -> Array:
                return -jnp.sum(mass * jax.nn.log_softmax(jnp.asarray(x) @ weight.T @ jnp.asarray(output).T))

            gradient = jax.jit(jax.grad(loss))
            found = {
                f"{law}.{place}": np.asarray(gradient(jnp.asarray(at), jnp.asarray(mass)))
                for law, mass in (("sample", on_sample), ("population", joint))
                for place, at in (("here", weight), ("elsewhere", elsewhere))
            }
        rows = []
        for base in self.bases:
            for length in self.lengths:
                powers = [Fraction(base, 4) ** t for t in range(1, length + 1)]
                total = sum((t * power for t, power in enumerate(powers, 1)), Fraction(0))
                rows.append((base / 4, length, float(total), float(sum(powers))))
        table = {name: np.array([row[i] for row in rows]) for i, name in enumerate(("a", "length", "total", "plain"))}
        data = {"output": output, "weight": weight, "x": x, "y": y, "joint": joint}
        return RunOutput(table, data | found)
