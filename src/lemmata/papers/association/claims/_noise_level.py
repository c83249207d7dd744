"""Where rules that were written for the paper's noise level α = 1/2 still have a meaning."""

from typing import Any

from lemmata.core import Condition, of_config, within, word

OTHERS = "the claim any-alpha is about other noise levels"
AT_HALF = {r"\alpha = 1/2": word(r"\alpha = {}", "main.task.alpha")}  # the statement's words for the noise level


def room_for(factor: float) -> Condition:
    """A rule that the correct token's probability grows so many times: the full model's is 1 - α, and 1 is the most."""

    @of_config
    def condition(config: Any) -> str | None:
        alpha = config.task.alpha
        if (1 - alpha) * factor <= 1:
            return None
        correct = f"at α = {alpha:g} the full model has {1 - alpha:g} on the correct token"
        return f"{correct}, which cannot grow {factor:g} times"

    return condition


def noise_within(least: float, below: float) -> Condition:
    """A rule with a threshold for the noise's probability, which tends to α, or for the correct token's, 1 - α."""

    @of_config
    def condition(config: Any) -> str | None:
        alpha = config.task.alpha
        limits = f"the noise tends to a probability of {alpha:g} and the correct token to {1 - alpha:g}"
        return None if least <= alpha < below else f"{limits}; its thresholds are for α from {least:g} to {below:g}"

    return condition


def above_blind(threshold: float) -> Condition:
    """A rule that asks when the correct token's probability passes a threshold: one who knows only α is below it."""

    @of_config
    def condition(config: Any) -> str | None:
        blind = (1 - config.task.alpha) / len(config.task.outputs())
        if threshold >= 2 * blind:
            return None
        guess = f"at α = {config.task.alpha:g} a blind guess of {len(config.task.outputs())} tokens gives {blind:.3f}"
        return f"{guess}, and to pass {threshold:g} is hardly to learn anything"

    return condition


def about_half(why: str) -> Condition:
    """A rule whose bars were set at the paper's noise level, for the reason that is given."""
    return within("task.alpha", f"its bars are for α from 0.4 to under 0.6: {why}", least=0.4, below=0.6)


@of_config
def some_noise(config: Any) -> str | None:
    return None if config.task.alpha > 0 else "α = 0: there is no noise to learn"
