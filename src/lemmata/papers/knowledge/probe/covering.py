"""What fine-tuning on one half of the templates, then on the other, does to covered and to uncovered ones."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Metrics, RunResult
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.probe.extraction import extracted_facts
from lemmata.papers.knowledge.task import Questions

KINDS = ("own relation", "other relation", "wrong answer", "dummy")  # what stands in place of an answer


def answered_and_recalled(model: OneLayer, questions: Questions, key: Any = None) -> Metrics:
    """What questions get, and whether each fact is still stored: its sentence, [o s r], gives the answer."""
    facts = questions.facts
    subjects = jnp.arange(facts.vocabulary.subjects)
    sentences = jnp.concatenate([facts.prefixes(subjects), facts.template_names[facts.templates[:, 0]]], axis=1)
    recalled = jnp.argmax(jax.vmap(model.last)(sentences), axis=1) == 1 + facts.vocabulary.templates + subjects
    return {**extracted_facts(model, questions), "recalled": recalled.astype(jnp.float32)}


def labels(run: RunResult, *, shuffled: bool = False) -> np.ndarray:
    """(half, seed, template): covered by that half. Shuffled: every other template of the order instead, so that half
    of those called covered are, and the same number of the others."""
    if not shuffled:
        return run.arrays["covered"]
    even = run.arrays["place"] % 2 == 0
    return np.stack([even, ~even])


def crossed(values: np.ndarray, called: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (half, seed, item) read where the half covers the item, and where the other half does: (seed, item) each.
    Items that neither or both are said to cover are left out as NaN."""
    once = called[0] ^ called[1]
    covered = np.where(once, np.where(called[0], values[0], values[1]), np.nan)
    uncovered = np.where(once, np.where(called[0], values[1], values[0]), np.nan)
    return covered, uncovered


def extraction(run: RunResult, tuning: int | None, *, shuffled: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(seed): the share of held-out facts that come out when their template is covered, and when it is not."""
    covered, uncovered = crossed(_right(run, tuning), _of_facts(run, labels(run, shuffled=shuffled)))
    return np.nanmean(covered, axis=1), np.nanmean(uncovered, axis=1)


def failures(run: RunResult, *, covered: bool) -> np.ndarray:
    """(seed, kind): what the first fine-tuning leaves in place of the right answer, as shares of the failures."""
    reply, facts = after(run, "reply", 0), run.config.facts
    own = reply == 1 + run.arrays["templates"]
    relation = (reply >= 1) & (reply <= facts.templates)
    kinds = (own, relation & ~own, reply > facts.templates, reply == 0)
    return np.stack([of_failures(run, kind.astype(float), covered=covered) for kind in kinds], axis=1)


def of_failures(run: RunResult, values: np.ndarray, *, covered: bool, tuning: int | None = 0) -> np.ndarray:
    """(seed): the mean of values (half, seed, subject) over the held-out facts that do not come out; NaN if all do."""
    called, place = _of_facts(run, labels(run)), 0 if covered else 1
    failed = crossed(1 - _right(run, tuning), called)[place]
    total = np.nansum(failed, axis=1)
    found = np.nansum(crossed(values, called)[place] * failed, axis=1)
    return np.where(total > 0, found / np.maximum(total, 1), np.nan)


def effect(run: RunResult, name: str, tuning: int = 0, *, shuffled: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(seed): the change of a number of templates in fine-tuning, when the template is covered and when it is not."""
    change = after(run, name, tuning) - run.arrays[f"before.{name}"]
    covered, uncovered = crossed(change, labels(run, shuffled=shuffled))
    return np.nanmean(covered, axis=1), np.nanmean(uncovered, axis=1)


def after(run: RunResult, name: str, tuning: int | None) -> np.ndarray:
    """(half, seed, ...) after one of the fine-tunings; None: before any."""
    return run.arrays[f"before.{name}"] if tuning is None else run.arrays[name][tuning]


def _right(run: RunResult, tuning: int | None) -> np.ndarray:
    """(half, seed, subject): 1 where the question gets the subject's own answer, 0 where not, NaN if not held out."""
    facts = run.config.facts
    hit = after(run, "reply", tuning) == 1 + facts.templates + np.arange(facts.subjects)
    return np.where(run.arrays["held_out"], hit.astype(float), np.nan)


def _of_facts(run: RunResult, called: np.ndarray) -> np.ndarray:
    """Labels of templates (half, seed, template) as labels of the subjects that have them."""
    templates = run.arrays["templates"]
    return np.take_along_axis(called, np.broadcast_to(templates, (2, *templates.shape)), axis=2)
