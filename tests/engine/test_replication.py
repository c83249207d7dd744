"""Fresh randomness reaches every key and stream, replication 0 stays what it was, verdicts are set side by side."""

import dataclasses
import json
from pathlib import Path

import jax
import numpy as np
import pytest

from conftest import Cli, Refused
from lemmata.core import RunConfig, Scale, Unattended, named_generator, named_integer, named_key, named_keys
from lemmata.core.config import canonical, decode, encode, override
from lemmata.core.registry import experiments, papers
from lemmata.core.rng import replicated
from lemmata.core.verdict import Status
from lemmata.record import Replication, Replications
from lemmata.run import Store
from lemmata.testing import randomness_problems, unnamed_randomness
from obtaining import obtain
from pages import replications_page, replications_section

# Before there were replications: the key, the integer and the stream of seed 3 for the purpose "task".
BITS_OF_3 = [2909003758, 1831327900, 1306958565993792243, 4577505953353945973]


def bits(seed: int) -> list[int]:
    key = [int(n) for n in jax.random.key_data(named_key(seed, "task"))]
    return [*key, named_integer(seed, "task"), int(named_generator(seed, "task").integers(2**62))]


def test_replication_0_has_the_bits_it_always_had() -> None:
    assert bits(3) == BITS_OF_3
    assert named_integer(7) == 7
    assert (jax.random.key_data(named_key(7)) == jax.random.key_data(jax.random.key(7))).all()


def test_every_source_of_randomness_is_fresh_under_another_number() -> None:
    found = []
    for number in (0, 1, 2):
        with replicated(number):
            found.append([*bits(0), *bits(1), *np.ravel(jax.random.key_data(named_keys([0, 1], "task"))).tolist()])
    for place in range(len(found[0])):
        assert len({row[place] for row in found}) == 3
    with replicated(0):
        assert bits(3) == BITS_OF_3


def test_a_program_that_captured_a_key_is_not_used_for_another_replication() -> None:
    @jax.jit
    def draw(scale: jax.Array) -> jax.Array:
        return scale * jax.random.normal(named_key(0, "captured"))

    one = jax.numpy.ones(())
    reference = float(draw(one))
    with replicated(1):
        fresh = float(draw(one))
        assert fresh == float(jax.random.normal(named_key(0, "captured")))
    assert fresh != reference
    assert float(draw(one)) == reference


def test_digests_made_before_there_were_replications_stand(toy: Path) -> None:
    run = experiments("toy")["toy/decay"].runs(Scale("smoke"))["main"]
    assert "replication" not in canonical(run)
    assert run.digest == "6b47efeb335504362657"
    second = experiments("toy")["toy/decay"].runs(Scale("smoke", replication=2))["main"]
    assert second == override(run, {"replication": "2"})
    assert second.digest != run.digest
    assert decode(type(second), encode(second)) == second
    assert dataclasses.replace(second, replication=0).digest == run.digest


def numbers(config: RunConfig) -> dict[str, np.ndarray]:
    output = config.compute(Unattended())
    return {name: np.asarray(value) for name, value in (*output.metrics.items(), *output.arrays.items())}


def test_workers_and_this_process_give_a_replication_the_same_bits(toy: Path, store: Store) -> None:
    requested = [experiments("toy")["toy/noisy"].runs(Scale("smoke", replication=n))["even"] for n in (0, 1, 2)]
    stored = obtain(requested, store, jobs=2)
    drawn = [stored[config.digest].column("x") for config in requested]
    for config, column in zip(requested, drawn, strict=True):
        assert np.array_equal(column, numbers(config)["x"])
    assert all(not np.any(drawn[a] == drawn[b]) for a, b in ((0, 1), (0, 2), (1, 2)))


CHEAP = [  # experiment, run, and whether there is anything random in it
    ("association/eq-42", "rates", True),
    ("association/thm-3", "flow/inside", True),
    ("ic-recall/eq-gradients", "main", True),
    ("ic-recall/worlds", "figure/16-128", True),
    ("ic-recall/worlds", "other/affine", False),
    ("ic-recall/pairwise-line", "main", False),
    ("knowledge/hoeffding-cover", "main", True),
    ("knowledge/attention", "shared query", True),
    ("lego/distractors", "catalogue", True),
    ("lego/permutation-invariance", "random", True),
]


@pytest.mark.parametrize(("id", "name", "random"), CHEAP, ids=[f"{id} {name}" for id, name, _ in CHEAP])
def test_a_papers_run_changes_with_the_replication_if_it_is_random(id: str, name: str, random: bool) -> None:
    experiment = experiments(id.split("/")[0])[id]
    runs = [experiment.runs(Scale("smoke", replication=number))[name] for number in (0, 1, 2)]
    found = [numbers(run) for run in runs]
    assert len({run.digest for run in runs}) == 3
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert found[a].keys() == found[b].keys()
        same = [np.array_equal(found[a][key].astype(str), found[b][key].astype(str)) for key in found[a]]
        assert all(same) != random


@pytest.mark.parametrize("paper", papers())
def test_papers_draw_by_name_alone(paper: str) -> None:
    assert list(randomness_problems(papers()[paper])) == []


def test_unnamed_randomness_would_be_seen() -> None:
    source = """
import jax, numpy as np
a = np.random.default_rng(0)
b = jax.random.key(3)
c = dict(key=named_key(3))
@cache
def table(n):
    return named_generator(0, "table").normal(size=n)
"""
    assert sorted(line for line, _ in unnamed_randomness(source)) == [3, 4, 7]


def test_confirm_judges_each_replication_and_says_what_moved(cli: Cli) -> None:
    arguments = ("confirm", "toy", "--replications", "4", "--scale", "smoke", "--jobs", "1")
    code, out, _ = cli(*arguments, "--json")
    assert code == 1, "toy/bound fails"
    rows = {row["id"]: row for row in json.loads(out)}
    assert rows["toy/coin"]["reference"] is None, "replication 0 was not judged here"
    assert rows["toy/sure"]["replicated"] == "replicated 4 of 4"
    cli("check", "toy/noisy", "--scale", "smoke", "--jobs", "1")
    code, out, err = cli(*arguments)
    assert "[1/" not in err, "what is stored is not computed again"
    assert "replicated 1 of 4" in out
    assert "1: holds (margin +" in out
    assert "6 of 7 claims replicated in all of 4 (2 of them undecided again); 1 moved." in out
    code, _, _ = cli("confirm", "toy/sure", "--replications", "2", "--scale", "smoke")
    assert code == 0
    _, out, _ = cli("list", "toy", "--unstable", "--scale", "smoke", "--json")
    (row,) = json.loads(out)
    assert row["id"] == "toy/coin"
    assert row["replications"] == {"1": "holds", "2": "holds", "3": "holds", "4": "fails"}
    _, out, _ = cli("show", "toy/sure", "--scale", "smoke")
    assert "replicated 4 of 4" in out, "two of four that were repeated leave the other two"
    cli("reproduce", "toy/noisy", "--scale", "smoke", "--jobs", "1")
    assert "replicated 1 of 4" in (Path("report") / "index.html").read_text()
    _, out, _ = cli("runs", "prune", "--json")
    assert json.loads(out)["would_delete"] == [], "replications of wanted runs are wanted"
    _, out, _ = cli("check", "toy/coin", "--scale", "smoke", "--replication", "1", "--json")
    assert json.loads(out)[0]["status"] == "holds"
    _, out, _ = cli("list", "toy/coin", "--scale", "smoke", "--json")
    assert json.loads(out)[0]["status"] == "fails", "the reference stays the reference"


@pytest.mark.parametrize(
    ("option", "says"), [("--replications", "--replications = 0"), ("--first", "replication 0 is the reference")]
)
def test_impossible_replications_are_refused(refused: Refused, option: str, says: str) -> None:
    refused("confirm", "toy/coin", option, "0", says=says)


def confirmation(reference: Status | None, *statuses: Status, date: str = "2026-01-02") -> Replications:
    verdicts = {
        str(n): Replication(status=s, margin=0.1, computed=date, seconds=1.0) for n, s in enumerate(statuses, start=1)
    }
    return Replications(digest="a", scale="laptop", reference=reference, verdicts=verdicts)


def test_together_all_must_agree_with_the_reference() -> None:
    assert confirmation("holds", "holds", "holds").together == "holds"
    assert confirmation("fails", "holds", "holds").together == "undecided"
    assert confirmation(None, "holds", "fails", "holds").usual == "holds"
    assert list(confirmation(None, "holds", "fails", "holds").moved) == ["2"]
    merged = confirmation("holds", "fails").merged(confirmation("holds", "holds", "holds", date="2026-01-01"))
    assert (merged.statuses, merged.date) == (("fails", "holds"), "2026-01-01")
    assert merged.confirms("2026-01-01T") is False, "the one that is younger moved"
    assert confirmation("holds", "holds").confirms("2026-01-01")
    assert not confirmation("holds", "holds").confirms("2026-01-03"), "the rule had seen it"


def test_what_is_undecided_again_is_not_confirmed(cli: Cli) -> None:
    again = confirmation("undecided", "undecided", "undecided")
    assert again.words() == "again undecided in 2 of 2"
    assert confirmation("undecided", "undecided", "holds").words() == "again undecided in 1 of 2"
    assert not again.confirms("2026-01-01")
    cli("check", "toy/vague", "toy/rate", "--scale", "smoke", "--jobs", "1")
    cli("confirm", "toy/vague", "toy/rate", "--replications", "2", "--scale", "smoke", "--jobs", "1")
    _, out, _ = cli("show", "toy/vague", "--scale", "smoke")
    assert "again undecided in 2 of 2 (1: undecided, 2: undecided)" in out
    assert "replicated 2 of 2" in cli("show", "toy/rate", "--scale", "smoke")[1]
    cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")
    page = (Path("report") / "toy.html").read_text()
    assert "again undecided in 2 of 2" in page
    assert page.count("again undecided in 2 of 2") == 3, "in the claim's line, a badge, and in full"


def test_the_gravest_move_is_named() -> None:
    assert confirmation("holds", "holds", "holds").change is None
    assert confirmation("holds", "undecided", "fails").change == "reversed"
    assert confirmation("erratum", "fails").change == "reversed"
    assert confirmation("undecided", "holds").change == "undecided"
    assert confirmation("fails", "undecided").change == "undecided"
    assert confirmation("holds", "erratum").change == "corrected"


def test_the_table_of_replications_counts_what_moved(toy: Path) -> None:
    found = {
        "toy/noisy": {"toy/sure": confirmation("holds", "holds", "holds"), "toy/coin": confirmation("fails", "holds")},
        "toy/decay": {
            "toy/rate": confirmation("holds", "undecided", "holds"),
            "toy/typo": confirmation(None, "erratum"),
        },
    }
    text = replications_section(papers()["toy"], found)
    assert (
        "2 of 4 claims replicated in all; 1 moved between holds or erratum and fails, 1 into or out of undecided. "
        "Computing: 4.0 s." in text
    ), "claims of one experiment share its runs"
    assert "| claim | reference | the same in | otherwise |" in text
    found["toy/decay"]["toy/typo"] = confirmation("undecided", "undecided")
    assert "2 of 4 claims replicated in all (1 of them undecided again); " in replications_section(
        papers()["toy"], found
    )
    assert "| `toy/rate` | holds | 1 of 2 | 1 undecided |" in text
    assert "| `toy/coin` | fails | 0 of 1 | 1 holds |" in text
    assert "No replications are kept yet" in replications_section(papers()["toy"], {"toy/noisy": {}})
    together = replications_page({papers()["toy"]: found})
    assert "\nAll papers: 2 of 4 claims replicated in all (1 of them undecided again); 1 moved between " in together
    assert "Those that moved: `toy/coin`, `toy/rate`." in together


def test_headlines_are_those_that_a_paper_names(refused: Refused) -> None:
    refused("confirm", "toy", "--headlines", "--scale", "smoke", says="--headlines: none of these papers names any")
