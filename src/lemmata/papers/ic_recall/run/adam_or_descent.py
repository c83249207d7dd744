"""Adam and gradient descent as one update rule, so that one program trains by both."""

from typing import Any

import jax
import optax


def adam_or_descent(learning_rates: tuple[Any, Any]) -> optax.GradientTransformation:
    """A step of Adam at the first learning rate and of gradient descent at the second: with one of them 0, one program
    for both rules."""
    adam = optax.adam(learning_rates[0])

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        steps, state = adam.update(updates, state, params)
        return jax.tree.map(lambda step, slope: step - learning_rates[1] * slope, steps, updates), state

    return optax.GradientTransformation(adam.init, update)


RULES = {"adam": lambda eta: (eta, 0.0), "gradient descent": lambda eta: (0.0, eta)}  # of `adam_or_descent`
