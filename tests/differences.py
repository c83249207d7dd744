"""How far what is fast is from the plain files; `pytest -n 0 --differences tests/*/test_plain.py` prints every one."""

import os
from typing import Any

import numpy as np

SEEN: dict[str, float] = {}  # the largest of each test


def difference(found: Any, expected: Any) -> float:
    """The largest of any entry, over the largest entry that is expected; of arrays in float64."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype == np.float64
    assert found.shape == expected.shape
    largest = np.abs(expected).max()
    assert largest > 0, "nothing was trained"
    value = float(np.abs(found - expected).max() / largest)
    test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" (")[0]
    SEEN[test] = max(value, SEEN.get(test, 0.0))
    return value


def same_spread(found: Any, expected: Any, within: float = 0.08) -> None:
    """Two draws of one law: about 0, as wide as each other."""
    spreads = [float(np.std(np.asarray(one))) for one in (found, expected)]
    assert abs(spreads[0] / spreads[1] - 1) < within, spreads
    assert abs(float(np.mean(np.asarray(found)))) < within * spreads[0]
