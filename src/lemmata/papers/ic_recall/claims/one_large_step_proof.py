"""Lemma C.1's bound on confusing sequences, which lies far below rounding, in ball arithmetic."""

from lemmata.core import Experiment, RunConfig, Runs, Scale
from lemmata.papers.ic_recall.run.proofs import OneLargeStep
from lemmata.proofs import proved_by_each, table_of_proofs

# The temperatures up to which the bound holds with constant 1: for many subjects that is all of T < 1/(40 log n).
HIGHEST = {7: "0.004", 101: "0.003", 10**6: "0.00181", 2**61 - 1: "0.000592"}
COLDEST = "0.000001"


def _runs(scale: Scale) -> dict[str, RunConfig]:
    steps = {"one-step": 100, "wrong-one-step": 40}  # too short a step leaves more to the mismatched relations
    return {
        f"{name}/{n}": OneLargeStep(n=n, least=COLDEST, most=most, factor=factor)
        for name, factor in steps.items()
        for n, most in HIGHEST.items()
    }


def _remark(runs: Runs) -> str:
    found = [run.config for run in runs.group("one-step").values()]
    sets = "; ".join(f"n = {one.n}: T from {one.least} to {one.most}" for one in found)
    (factor,) = {run.config.factor for run in runs.group("wrong-one-step").values()}
    return (
        f"{sets}. The control steps with {factor}, the factor of the other schedule: then exp(-1/sqrt(T)) is exceeded "
        "at these temperatures, and the o() of the lemma sets in at lower ones."
    )


CLAIMS = (
    proved_by_each(
        "one-step",
        "n",
        "n",
        HIGHEST,
        id="lemma-c.1-proved",
        locus="Lemma C.1",
        statement="Population of a full world, eta_1 = 100 T^(3/2) log(1/T): after the step v_1 = v_3, v_2 = v_4 "
        "exactly and 0 < 1/2 - p(r_1) < exp(-1/sqrt(T)), with an explicit highest temperature.",
        remark=_remark,
    ),
)

EXPERIMENT = Experiment(
    title="Lemma C.1 below rounding: one large step in ball arithmetic",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
