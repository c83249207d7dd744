"""The checks of a paper, for the suite of this package and of any outside paper."""

from lemmata.testing.paper_checks import (
    breach as breach,
    check_paper as check_paper,
    coverage_problems as coverage_problems,
    experiment_problems as experiment_problems,
    findings_problems as findings_problems,
    imported_modules as imported_modules,
    ledger_problems as ledger_problems,
    package_problems as package_problems,
    randomness_problems as randomness_problems,
    unnamed_randomness as unnamed_randomness,
)
