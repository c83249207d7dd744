"""Wrong versions of what the paper says that `lemmata power` tries beside those it makes: slips that once passed.

By claim, then by name: the wrong target of each part that changes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.core import Runs
from lemmata.papers.ic_recall.theory import low_temperature, smoothness

Versions = Mapping[str, Mapping[str, Mapping[str, Any]]]


def _second_bound(runs: Runs) -> Any:
    """With G^2/2 for 2 G^2."""
    config, t = runs["two logits"].config, runs["two logits"].metrics["temperature"]
    return smoothness.second_bound(config.slope / 2, config.bend, t)


def _twelve_for_thirteen(runs: Runs) -> Any:
    metrics = runs["sample sizes"].metrics
    return np.ceil(12 / 13 * low_temperature.sample_size(metrics["zeta"], metrics["delta"]))


WRONG_VERSIONS: Versions = {
    "prop-e.1": {"G²/2 for 2G²": {"second derivative, two logits": _second_bound}},
    "thm-4.4-sample": {"12 samples for 13": {"": _twelve_for_thirteen}},
    "lemma-d.1-lead": {
        "31/147 for 32/147": {"least at n = 3": 31 / 147},
        "33/147 for 32/147": {"lead": 33 / 147, "least at n = 3": 33 / 147},
    },
    "lemma-b.6": {"100 times the drop": {"drop over promised": 100.0}},
    "lemma-c.2-eigenvalue": {"1/16 for 1/18": {"over p_conf, as T falls": 1 / 16}},
    "lemma-c.3": {"10^3 for 10^4 in the growth of g": {"growth of g": 1e-3}},
}
