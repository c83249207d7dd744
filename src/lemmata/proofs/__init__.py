"""Proofs by exact arithmetic and by balls (Arb, through python-flint; the extra `proofs`).

A proof is a list of steps. Three kinds: `Positive`, a function is positive on a box of one or two variables; `Zeros`,
a function of one variable has so many zeros; `Exact`, an identity or inequality of integers and fractions. What follows
from the steps is said by the proposition, and argued in docs/proofs.md.
"""

from lemmata.proofs.balls import exact as exact, spanning as spanning
from lemmata.proofs.claims import (
    proved_by as proved_by,
    proved_by_each as proved_by_each,
    table_of_proofs as table_of_proofs,
)
from lemmata.proofs.proving import check as check, prove as prove
from lemmata.proofs.run import ProofRun as ProofRun, certificate_of as certificate_of, exact_decimal as exact_decimal
from lemmata.proofs.steps import Exact as Exact, Positive as Positive, Step as Step, Zeros as Zeros
