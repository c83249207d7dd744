"""Lemmas H.1 and H.2: the gradient of a linear classifier against autodiff, and a sum against its terms."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, near, rows_of
from lemmata.papers.association.run.useful_lemmas import UsefulLemmas
from lemmata.papers.association.theory import useful
from lemmata.report.plots import new_figure


def gradients(runs: Runs, place: str) -> dict[str, np.ndarray]:
    return {law: runs["main"].arrays[f"{law}.{place}"] for law in ("sample", "population")}


def predicted(runs: Runs, law: str) -> np.ndarray:
    data = runs["main"].arrays
    if law == "sample":
        return useful.sample_gradient(data["output"], data["weight"], data["x"], data["y"])
    return useful.population_gradient(data["output"], data["weight"], data["x"], data["joint"])


GRADIENT = Claim(
    id="lemma-h.1",
    locus="Lemma H.1",
    statement="With fixed output embeddings $W_U$ and logits $W_U W x$, the gradient of the classification loss on "
    r"$m$ samples is $\frac1m \sum_i \sum_k (\hat p_W(k|x_i) - 1\{y_i = k\}) W_U(k) x_i^\top$. As $m \to \infty$ it is "
    r"$\sum_k p(y = k) W_U(k) (\hat\mu_k - \mu_k)^\top$ with $\mu_k = \mathbb{E}[x | y = k]$ and "
    r"$\hat\mu_k = \mathbb{E}[\frac{\hat p_W(k|x)}{p(y = k)} x]$. Compared with autodiff at a random $W$.",
    subject=lambda runs: gradients(runs, "here"),
    wrong=lambda runs: gradients(runs, "elsewhere"),  # at another W
    parts={
        law: Part(
            lambda found, law=law: found[law], near(lambda runs, law=law: predicted(runs, law), rtol=1e-9, atol=1e-12)
        )
        for law in ("sample", "population")
    },
)


def closed_forms(runs: Runs) -> np.ndarray:
    run = runs["main"]
    pairs = zip(run.column("a"), run.column("length"), strict=True)
    return np.array([useful.weighted_power_sum(float(a), int(length)) for a, length in pairs])


SUM = Claim(
    id="lemma-h.2",
    locus="Lemma H.2",
    statement=r"For $a \ne 1$, $\sum_{1 \le t \le T} t a^t = \frac{a(1 - a^T)}{(a-1)^2} + \frac{T a^{T+1}}{a-1}$. "
    "Compared with exact sums of the terms.",
    subject=lambda runs: runs["main"].column("total"),
    wrong=lambda runs: runs["main"].column("plain"),  # the sums of aᵗ
    parts=Part(
        lambda total: total,
        near(closed_forms, rtol=1e-9),
        along={"case": lambda runs: rows_of(runs["main"], a="a", T="length")},
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, ax = new_figure(width=4.4, height=3.4)
    for law, found in gradients(runs, "here").items():
        ax.plot(predicted(runs, law).ravel(), found.ravel(), "o", ms=3, label=law)
    ax.set(xlabel="Lemma H.1", ylabel="autodiff")
    ax.legend(fontsize=7)
    caption = f"Entries of the gradient at a random W: {run.config.classes} classes, d = {run.config.width}."
    return Artefact(figure, dict(run.metrics) | {"closed form": closed_forms(runs)}, caption)


EXPERIMENT = Experiment(
    title="Useful lemmas: a gradient and a sum",
    runs=lambda scale: {"main": UsefulLemmas()},
    claims=(GRADIENT, SUM),
    draw=draw,
)
