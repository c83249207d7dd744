"""What can happen to a run: its process dies, its code raises, memory ends. The rest goes on, and is told in a line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faulty.run.walk import Walk
from faulty_paper import begin, begun, command, end, faulty, numbers
from lemmata.cli import CLOSED_PIPE
from lemmata.core import UserError
from lemmata.run import Reporter, RunFailed, Store, compute_all
from obtaining import obtain

pytestmark = pytest.mark.usefixtures("faulty")
__all__ = ["faulty"]  # a fixture is used by its name


class CheckedFinding(Reporter):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def resumed(self, digest: str, kind: str, why: str) -> None:
        self.lines.append(f"resumed {digest} {why}")

    def failed(self, digest: str, kind: str, reason: str) -> None:
        self.lines.append(f"failed {digest} {reason}")


def test_a_killed_worker_is_replaced_and_its_run_continues(store: Store, faulty: Path, tmp_path: Path) -> None:
    configs = [Walk(seed=0), Walk(seed=1, fault="die once")]
    checked = CheckedFinding()
    assert compute_all(configs, store, jobs=2, reporter=checked) == {}
    assert len(checked.lines) == 1
    assert checked.lines[0].startswith(f"resumed {configs[1].digest} its process was killed (SIGKILL")
    assert sorted(faulty.read_text().splitlines()) == ["0 0", "1 0", "1 10"]  # from the checkpoint, not from the start
    obtain([Walk(seed=1)], Store(tmp_path / "whole"))
    resumed = store.load(configs[1])
    whole = Store(tmp_path / "whole").load(Walk(seed=1))
    assert resumed.arrays["path"].tobytes() == whole.arrays["path"].tobytes()
    assert not list(store.leftovers())


def test_a_run_that_kills_its_process_is_left_out_after_three_more(store: Store, faulty: Path) -> None:
    configs = [Walk(seed=0), Walk(seed=1, fault="die")]
    checked = CheckedFinding()
    failures = compute_all(configs, store, jobs=2, reporter=checked)
    assert list(failures) == [configs[1].digest]
    assert "4 times" in failures[configs[1].digest]
    assert begun(faulty) == [0, 1, 1, 1, 1]
    assert [line.split()[0] for line in checked.lines] == ["resumed"] * 3 + ["failed"]
    assert store.digests() == [configs[0].digest]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_ends_its_own_run_alone(store: Store, jobs: int) -> None:
    configs = [Walk(seed=0), Walk(seed=1, fault="raise"), Walk(seed=2)]
    failures = compute_all(configs, store, jobs=jobs)
    assert list(failures) == [configs[1].digest]
    reason, _, log = failures[configs[1].digest].partition("; its traceback is ")
    assert reason == "ArithmeticError: the walk has left the plane"
    assert "and a second line" in Path(log).read_text()
    assert Path(log).is_relative_to(store.root)
    assert set(store.digests()) == {configs[0].digest, configs[2].digest}
    with pytest.raises(RunFailed, match="left the plane"):
        obtain(configs, store, jobs=jobs)


def test_a_worker_without_memory_says_so(store: Store) -> None:
    configs = [Walk(seed=0), Walk(seed=1, fault="eat memory"), Walk(seed=2)]
    failures = compute_all(configs, store, jobs=2)
    assert list(failures) == [configs[1].digest]
    assert failures[configs[1].digest].startswith("out of memory")
    assert set(store.digests()) == {configs[0].digest, configs[2].digest}
    assert not store.halves()
    assert (store.root / ".partial" / configs[1].digest / "walk.safetensors").is_file()  # it can continue later


def test_claims_of_a_failed_run_are_undecided_and_the_others_judged(tmp_path: Path) -> None:
    place = tmp_path / "store"
    code, out, err = end(begin("check", "faulty/one-fault", "--jobs", "1", "--json", store=place, fault="raise"))
    rows = {row["id"]: row for row in json.loads(out)}
    assert code == 1
    assert {id: row["status"] for id, row in rows.items()} == {
        "faulty/good": "holds",
        "faulty/bad": "undecided",
        "faulty/last": "holds",
    }
    assert rows["faulty/bad"]["detail"].startswith("the run 'bad' could not be computed: ArithmeticError: the walk")
    assert "Traceback" not in err
    (log,) = place.glob("failures/*.log")
    assert str(log) in err
    assert len([line for line in err.splitlines() if "failed" in line]) == 1
    code, _, err = end(begin("check", "faulty/one-fault", "--jobs", "1", store=place))
    assert code == 0  # the fault is gone, and the same command ends well
    assert "failed" not in err


def test_the_page_shows_what_could_not_be_computed(tmp_path: Path) -> None:
    words = ("reproduce", "faulty/one-fault", "--jobs", "1", "--out", str(tmp_path / "out"))
    code, _, err = end(begin(*words, store=tmp_path / "store", fault="raise"))
    assert code == 1
    assert "Traceback" not in err
    assert "could not be computed" in (tmp_path / "out" / "faulty.html").read_text()


def test_a_run_that_is_refused_ends_the_command(store: Store) -> None:
    class Refusing(Walk):
        def execute(self, context: object) -> object:
            raise UserError("seed = 0 is not possible: above 1")

    with pytest.raises(UserError, match="above 1"):
        compute_all([Refusing(), Walk(seed=3)], store)
    assert not store.root.exists()


@pytest.mark.parametrize("words", [("list", "--json"), ("list",), ("check", "faulty/one-fault", "--json"), ()])
def test_a_closed_pipe_ends_quietly(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTY_FAULT", "none")
    requested = command(*words, store=tmp_path / "store") if words else [sys.executable, "-m", "lemmata", "--help"]
    process = subprocess.Popen(requested, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) in (0, CLOSED_PIPE), "1 would say that a claim fails"
    assert "Error" not in said
    assert "Traceback" not in said


def test_numbers_tell_runs_apart(store: Store) -> None:
    """The tests' own measure: another seed is another number."""
    obtain([Walk(seed=0), Walk(seed=1)], store)
    first, second = numbers(store.root).values()
    assert first != second
