"""Beyond the paper: up to which temperature k pairs in context can be told apart."""

from dataclasses import replace
from typing import NamedTuple

from lemmata.core import RunConfig, Runs
from lemmata.papers.ic_recall.claims._proved import proved
from lemmata.papers.ic_recall.run.pair_temperature_proof import PairTemperature
from lemmata.proofs import proved_by_each


class Pairs(NamedTuple):
    """Bounds, pair weights that recall at the lower one, and what shows the upper one."""

    low: str
    high: str
    too_high: str  # a lower bound that is wrong
    weights: tuple[str, ...]
    prices: tuple[str, ...] | None = None


BOUNDS = {
    2: Pairs("0.085403281", "0.085403282", "0.085403381", ("0.0657082", "0.4342918")),
    3: Pairs("0.01225842", "0.01225843", "0.01225852", ("0.0549833", "0.1593360", "0.2856807")),
    4: Pairs(
        "0.0034849",
        "0.00426",
        "0.0034850",
        ("0.0384761", "0.0897504", "0.1494796", "0.2222939"),
        ("3.7425", "1.7147", "1.286", "1.18850", "0.89137", "0.67909", "0.36029"),
    ),
    5: Pairs(
        "0.0013355",
        "0.001517",
        "0.0013356",
        ("0.0271468", "0.0588509", "0.0945905", "0.1356590", "0.1837528"),
        ("4.88", "1.6677", "1.3342", "1.15595", "0.92478", "0.76906", "0.52841", "0.29881"),
    ),
    6: Pairs(
        "0.00061223",
        "0.0006695",
        "0.00061224",
        ("0.0199573", "0.0418669", "0.0659758", "0.0927375", "0.1226423", "0.1568202"),
        ("6.0103", "1.6375", "1.3646", "1.13500", "0.94583", "0.82344", "0.62925", "0.45876", "0.24448"),
    ),
}


def _runs() -> dict[str, RunConfig]:
    found: dict[str, RunConfig] = {}
    for k, one in BOUNDS.items():
        right = PairTemperature(k=k, low=one.low, high=one.high, weights=one.weights, prices=one.prices)
        high = one.high if float(one.too_high) < float(one.high) else f"{one.too_high}9"
        found[f"temperature/{k}"] = right
        found[f"wrong-temperature/{k}"] = replace(right, low=one.too_high, high=high)
    return found


def _remark(runs: Runs) -> str:
    found = [run.config for run in runs.group("temperature").values()]
    words = [
        f"k = {one.k}: {one.low} to {one.high} ({float(one.low) * (one.k * (one.k + 1)) ** 2 / 2:.3f} gaps or more)"
        for one in found
    ]
    return (
        f"{'; '.join(words)}. A gap is the largest smallest one, 2/(k(k+1))^2 (pair-weights-proved). The control's "
        "lower bound is too high in its last digit, or in the sixth."
    )


EXPERIMENT = proved(
    "k pairs in context: the highest temperature at which they can be told apart",
    _runs(),
    proved_by_each(
        "temperature",
        "k",
        "k",
        BOUNDS,
        id="pair-temperatures-proved",
        locus="beyond the paper: Figure 2, right, has three pairs",
        statement=r"With $k = 2, \ldots, 6$ pairs in context, in the world of all bijections of $k + 1$ subjects, the "
        "highest temperature at which some attention gives $r_1$ more than an even chance lies between two numbers. At "
        "every temperature the best attention is pairwise.",
        remark=_remark,
    ),
)
