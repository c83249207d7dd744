"""Any assumption can be changed: each field of each run of each experiment, set to another value at smoke scale, and
random values of several fields, end in a result, an `undecided` with its reason, or one line of refusal. A sample of
both here, all with `--walk-all` (`make test-all`)."""

import zlib

import pytest

from lemmata.core.registry import papers
from lemmata.run import Store
from walking import Case, cases, ends_in_an_answer, name, random_case

SHARE = 1000  # one case in so many belongs to the sample
FEW, ALL = 10, 300  # random changes
CRASHED_ONCE = (
    ("association/fig-8", {"clean_steps": "0"}),
    ("association/fig-9", {"task.triggers": "1"}),
    ("association/fig-13", {"model.feeds": "mlp,mlp"}),
    ("association/eq-12", {"num_tokens": "100001"}),
    ("lego/regime-map", {"action": "C3"}),
    ("lego/thm-5-1", {"action": "C3"}),
    ("lego/curriculum-order", {"task.action": "C4", "model.actions": "4", "model.values": "4"}),
    ("ic-recall/fig-3", {"trained": "position block"}),
    ("ic-recall/lemma-c-3", {"sample_constants": "1.0"}),
    ("ic-recall/thm-4-4", {"constant": "0.01"}),
    ("ic-recall/regime", {"sequences": "4"}),
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--walk-all")
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(ALL if everything else FEW))
    if "case" in metafunc.fixturenames:
        chosen = cases()
        if not everything:
            chosen = [case for case in chosen if zlib.crc32(f"{case[0]} {list(case[1])}".encode()) % SHARE == 0]
        here = [case for case in CRASHED_ONCE if case[0].split("/")[0] in papers()]
        found = {name(case): case for case in (*here, *chosen)}
        apart = sorted(found, key=lambda text: zlib.crc32(text.encode()))  # neighbours would wait for each other's runs
        metafunc.parametrize("case", [found[text] for text in apart], ids=name)


def test_a_changed_field_ends_in_an_answer(case: Case, smoke_store: Store) -> None:
    ends_in_an_answer(case, smoke_store)


def test_a_random_change_ends_in_an_answer(number: int, smoke_store: Store) -> None:
    case = random_case(number)
    print(name(case))  # shown where it fails
    ends_in_an_answer(case, smoke_store)


def test_there_are_hundreds_of_cases() -> None:
    everything = cases()
    assert len(everything) > 60 * len(papers())
    assert len(everything) == len(set(map(name, everything)))


def test_random_changes_are_seeded_by_name() -> None:
    assert [random_case(number) for number in range(5)] == [random_case(number) for number in range(5)]
    assert len({name(random_case(number)) for number in range(20)}) == 20
