"""A need of every claim about a language model: it is no broken or wrong one, of which any cut would say nothing."""

from lemmata.core import RunResult, of_result

LEAST = 0.01  # of the answer, in the mean: hundreds of times what a model without training gives


@of_result
def knows(run: RunResult) -> str | None:
    """The whole model gives the answers some probability."""
    return too_little(run.config.model, float(run.column("answer", edit="whole").mean()))


@of_result
def knows_at_end(run: RunResult) -> str | None:
    """The same of a training's last checkpoint."""
    return too_little(run.config.model, float(run.column("answer", step=max(run.config.steps), edit=0).mean()))


def too_little(model: str, answer: float) -> str | None:
    if answer >= LEAST:
        return None
    return (
        f"the whole {model} gives the answers a mean probability of {answer:.2g}: it does not know them, "
        "or its weights are wrong or broken"
    )
