"""The command line as a person uses it: what it prints, what it writes, how it fails."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import TOY, Cli, Refused


def test_help_teaches_the_tool(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    for command in ("list", "show", "reproduce", "check", "confirm", "run", "runs", "query"):
        assert command in out
    for command in ("reproduce", "check", "confirm", "run", "runs", "query", "list", "show"):
        code, out, _ = cli(command, "--help")
        assert code == 0
        assert "--store" in out


def test_reproduce_writes_the_page_and_a_second_time_the_same(cli: Cli) -> None:
    code, out, _ = cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")
    assert code == 0
    assert "2 holds (1 exact)  ✎ 1 erratum (0 exact)  ? 2 undecided (1 exact)  ✗ 2 fails (1 exact)" in out
    page = (Path("report") / "index.html").read_bytes()
    for name in ("rate", "typo", "bound", "vague"):
        assert f"toy/{name}".encode() in page
    assert (Path("report") / "toy" / "decay.csv").read_text().count("\n") > 40
    record = next(Path(".lemmata").glob("*/record.json"))
    stamp = record.stat().st_mtime_ns
    cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")
    assert record.stat().st_mtime_ns == stamp
    assert (Path("report") / "index.html").read_bytes() == page


def test_check_json_and_exit_codes(cli: Cli) -> None:
    code, out, _ = cli("check", "toy", "--scale", "smoke", "--jobs", "1", "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    assert code == 1
    assert {name: row["status"] for name, row in rows.items()} == {
        "toy/rate": "holds",
        "toy/typo": "erratum",
        "toy/bound": "fails",
        "toy/vague": "undecided",
        "toy/sure": "holds",
        "toy/coin": "fails",
        "toy/close": "undecided",
    }
    for row in rows.values():
        assert {"id", "status", "predicted", "measured", "margin", "control_status"} <= row.keys()
    assert rows["toy/typo"]["control_status"] == "fails"
    assert not (Path("report")).exists()
    code, _, _ = cli("check", "toy/decay", "--scale", "smoke")
    assert code == 0
    code, out, _ = cli("check", "toy/rate", "--scale", "smoke", "--json", "--seeds", "4")
    assert [row["id"] for row in json.loads(out)] == ["toy/rate"]


def test_list_and_show(cli: Cli) -> None:
    _, out, _ = cli("list", "toy", "--scale", "smoke", "--json")
    assert {row["status"] for row in json.loads(out)} == {None}
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    _, out, _ = cli("list", "toy", "--scale", "smoke", "--json")
    assert [row["status"] for row in json.loads(out)] == [
        "holds",
        "erratum",
        "fails",
        "undecided",
        "holds",
        "fails",
        "undecided",
    ]
    code, out, _ = cli("list", "toy", "--scale", "smoke")
    assert code == 0
    assert "erratum" in out
    _, out, _ = cli("show", "toy/typo", "--scale", "smoke")
    for text in ("1 + rate", "1 - rate", "Section 1"):
        assert text in out
    _, out, _ = cli("show", "toy/typo", "--scale", "smoke", "--json")
    (row,) = json.loads(out)
    assert row["measured"] == 0.5
    assert row["seconds"] >= 0


def test_run_with_changed_assumptions(cli: Cli) -> None:
    arguments = ("run", "toy/decay", "--set", "rate=0.25", "steps=10", "--scale", "smoke", "--out", "changed")
    code, _, _ = cli(*arguments)
    assert code == 0
    page = (Path("changed") / "index.html").read_text()
    assert "lemmata run toy/decay --scale smoke --set rate=0.25 steps=10" in page
    _, out, _ = cli("runs", "list", "--json")
    (record,) = json.loads(out)
    assert (record["config"]["rate"], record["config"]["steps"]) == (0.25, 10)
    assert (record["dtypes"]["x"], record["platform"]) == ("float64", "cpu")
    _, out, _ = cli("list", "toy", "--scale", "smoke", "--json")
    assert {row["status"] for row in json.loads(out)} == {None}, "changed assumptions are not the paper's verdict"


def test_runs_verify_show_prune(cli: Cli) -> None:
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    _, out, _ = cli("runs", "list", "--json")
    digest = json.loads(out)[0]["digest"]
    code, out, _ = cli("runs", "show", digest[:6])
    assert code == 0
    assert digest in out
    assert cli("runs", "verify")[0] == 0
    path = Path(".lemmata") / digest / "metrics.parquet"
    data = bytearray(path.read_bytes())
    data[100] ^= 4
    path.write_bytes(bytes(data))
    code, out, _ = cli("runs", "verify", "--json")
    assert code == 1
    assert list(json.loads(out)["damaged"]) == [digest]
    _, _, err = cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")
    assert digest in err
    assert "computed again" in err
    assert cli("runs", "verify")[0] == 0
    cli("run", "toy/decay", "--set", "rate=0.3", "--scale", "smoke")
    _, out, _ = cli("runs", "prune", "--json")
    stale, damaged = json.loads(out)["would_delete"]
    assert damaged.startswith(digest), "what was set aside"
    cli("runs", "prune", "--yes")
    assert not (Path(".lemmata") / stale).exists()
    assert (Path(".lemmata") / digest).exists()


def test_query(cli: Cli) -> None:
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    code, out, _ = cli("query", 'SELECT seed, min(x) AS least FROM "toy/decay" GROUP BY seed ORDER BY seed', "--json")
    assert code == 0
    assert [row["seed"] for row in json.loads(out)] == [0, 1]
    code, out, _ = cli("query", "SELECT kind FROM runs")
    assert "toy/decay" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "toy/rat"), "did you mean 'toy/rate'"),
        (("reproduce", "tory"), "did you mean 'toy'"),
        (("run", "toy/decay", "--set", "rat=1"), "did you mean 'rate'"),
        (("run", "toy/decay", "--set", "rate=3"), "rate = 3.0 is not possible: above 0 and below 2"),
        (("run", "toy/decay", "--set", "rate=fast"), "expected float"),
        (("run", "toy/decay", "--set", "rate"), "write key=value"),
        (("run", "toy"), "takes one"),
        (("check", "toy", "--seeds", "0"), "--seeds"),
        (("show", "toy/nothing-like-it"), "unknown id"),
        (("check", "toy", "--store", "/proc/nowhere"), "cannot be written"),
        (("reproduce", "toy", "--out", "/proc/nowhere"), "cannot be written"),
        (("runs", "show", "abc"), "unknown run"),
        (("runs", "show"), "needs a run id"),
        (("query", "SELECT 1"), "holds no runs"),
        (("check", "toy", "--jobs", "0"), "--jobs"),
    ],
)
def test_bad_input_is_one_line_exit_2_nothing_written(
    refused: Refused, arguments: tuple[str, ...], message: str
) -> None:
    refused(*arguments, says=message)


def test_killed_in_the_middle_continues_to_the_same_bits(tmp_path: Path) -> None:
    changes = ["steps=6000000", "every=3000", "rate=1e-6"]

    def command(store: Path) -> list[str]:
        words = ["run", "toy/decay", "--paper-path", str(TOY), "--scale", "smoke", "--set", *changes, "--jobs", "1"]
        return [sys.executable, "-m", "lemmata", *words, "--store", str(store), "--out", str(tmp_path / "out")]

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(whole), check=True, capture_output=True)
    process = subprocess.Popen(command(killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(killed.glob(".partial/*/train.safetensors")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert list(killed.glob(".partial/*/train.safetensors"))
    assert not list(killed.glob("*/record.json"))
    subprocess.run(command(killed), check=True, capture_output=True)
    first, second = (pq.read_table(next(root.glob("*/metrics.parquet"))) for root in (whole, killed))
    assert first.equals(second)
    assert not list(killed.glob(".partial/*"))


@pytest.mark.parametrize("words", ["--help", "--version", "lm"])
def test_help_loads_nothing_that_computes(words: str) -> None:
    loaded = "import sys\nfrom lemmata.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded, words], capture_output=True, text=True, check=True)
    assert not {"jax", "numpy", "tyro", "torch"} & set(done.stdout.split())
