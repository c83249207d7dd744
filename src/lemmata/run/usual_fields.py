"""Fields that runs of several papers have: of which group each is, and what it means where a run does not say.

A field that is named nowhere here belongs to the world: it says what is learned.
"""

from typing import Literal

Group = Literal["world", "model", "training", "measurement"]
FOLDED: dict[str, Group] = {  # by the field that holds it
    "model": "model",
    "optimizer": "training",
    "pretraining": "training",
    "fine_tuning": "training",
    "tuning": "training",
    "descent": "training",
    "schedule": "training",
    "stages": "training",
    "one_step": "measurement",
}
MODEL = {
    "width": "neurons, or dimensions, of a layer",
    "hidden": "neurons of the hidden layer",
    "layers": "layers, one after another",
    "heads": "attention heads of a layer",
    "vocab": "tokens that the model knows",
    "precision": "of the numbers in training",
    "temperature": "divides the logits before the softmax",
    "temperatures": "a run at each; divides the logits before the softmax",
    "query": "which positions ask in attention",
}
TRAINING = {
    "batch": "sequences a step",
    "beta_1": "Adam's decay of the mean",
    "beta_2": "Adam's decay of the squares",
    "clean_steps": "steps without noise, before those with it",
    "epochs": "times through the data",
    "learning_rate": "of gradient descent",
    "learning_rates": "one run at each",
    "momentum": "of gradient descent",
    "optimizer": "what makes a step of a gradient",
    "perturbation": "added where descent would stand still",
    "steps": "of gradient descent",
    "steps1": "of the first stage",
    "steps2": "of the second stage",
    "warmup": "steps over which the rate rises",
    "weight_decay": "of each step, times the rate",
}
MEASUREMENT = {
    "every": "steps from one record to the next",
    "final_sequences": "that the end is measured on",
    "attended_sequences": "that attention is averaged over",
    "lengths": "of the sequences it is tested on",
    "replication": "another number: all randomness fresh, everything else equal",
    "samples": "drawn anew, for a mean and its spread",
    "seed": "of everything random",
    "seeds": "one trained model each",
    "short_seeds": "of the runs that are cut short",
    "test_sentences": "that accuracy is a mean over",
    "test_sequences": "that accuracy is a mean over",
    "tests": "sequences that it is measured on",
    "tolerance": "up to which numbers count as equal",
}
MEANINGS = MODEL | TRAINING | MEASUREMENT


def group(key: str) -> Group:
    *folders, name = key.split(".")
    if name in MEASUREMENT:
        return "measurement"
    for folder in folders:
        if folder in FOLDED:
            return FOLDED[folder]
    if name in MODEL and not folders:
        return "model"
    return "training" if name in TRAINING and not folders else "world"


def meaning(key: str) -> str:
    """In the field's words; empty where only the paper knows."""
    return MEANINGS.get(key.rpartition(".")[2], "")
