"""What needs an extra or weights that are not here: listed as `not run`, with what would help, and counted apart."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import lemmata
from conftest import Cli
from lemmata.commands import docs as docs_command
from lemmata.commands.docs import documented
from lemmata.core import Experiment, Scale, UserError, registry
from lemmata.core.config import canonical, digest
from lemmata.core.extras import EXTRAS, missing_extra
from lemmata.core.registry import experiments, papers, select
from lemmata.record import coverage, read_baseline
from lemmata.report.markdown import claims_table
from lemmata.run import Store, evaluate
from lemmata.testing import check_paper, package_problems
from pages import claim_page, controls_section, coverage_section, paper_line

NEEDY = Path(__file__).parents[1] / "needy"


@pytest.fixture
def needy(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The needy paper, copied so that it may be written to; neither its extra nor its weights are there."""
    folder = tmp_path / "papers" / "needy"
    shutil.copytree(NEEDY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in [name for name in sys.modules if name.split(".")[0] == "needy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv(registry.PATHS, str(folder))
    monkeypatch.setenv("NEEDY_FOLDER", str(tmp_path))
    monkeypatch.setitem(EXTRAS, "lm", ("no_such_module",))
    registry.forget()
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "needy"]:
        monkeypatch.delitem(sys.modules, name)
    sys.path.remove(str(folder.parent))
    registry.forget()


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "lm", ("json",))  # a module that is there


SMOKE = ("--scale", "smoke", "--jobs", "1")


def test_part_of_a_paper_is_listed_apart_and_changes_no_exit_code(cli: Cli, needy: Path) -> None:
    for command in ("check", "reproduce"):
        code, out, err = cli(command, "needy", *SMOKE)
        assert code == 0
        assert "1 claim: ✓ 1 holds" in out
        assert "not run: 2 claims of needy/weights: the extra lm is not installed (no no_such_module)" in out
        assert "pip install 'lemmata[lm]'" in out
        assert "Traceback" not in err
    page = (Path("report") / "index.html").read_text()
    assert 'id="not-run"' in page
    assert "2 not run here" in page
    assert "of 1 claim judged here<" in page
    assert "(3 claims in all)" in page
    assert "pip install &#x27;lemmata[lm]&#x27;" in page
    _, out, _ = cli("check", "needy", *SMOKE, "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    assert {id: row["status"] for id, row in rows.items()} == {
        "needy/small": "holds",
        "needy/long": "not run",
        "needy/even": "not run",
    }
    assert "the extra lm is not installed" in rows["needy/long"]["detail"]
    code, out, _ = cli("confirm", "needy", "--replications", "1", *SMOKE)
    assert code == 0
    assert "1 of 1 claim replicated" in out
    assert "not run: 2 claims of needy/weights" in out


@pytest.mark.parametrize(
    "words",
    [
        ("check", "needy/weights"),
        ("check", "needy", "needy/long"),
        ("reproduce", "needy/even"),
        ("confirm", "needy/weights"),
        ("run", "needy/weights"),
        ("export", "needy/long"),
    ],
)
def test_asked_for_by_name_it_is_refused_in_one_line(cli: Cli, needy: Path, words: tuple[str, ...]) -> None:
    code, out, err = cli(*words, *SMOKE)
    assert code == 2
    assert out == ""
    assert err.strip().count("\n") == 0
    assert "needy/weights cannot be run here: the extra lm is not installed" in err
    assert list(Path.cwd().iterdir()) == []


def test_list_and_show_say_why(cli: Cli, needy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = cli("list", "needy", "--scale", "smoke", "--json")
    assert [row["status"] for row in json.loads(out)] == [None, "not run", "not run"]
    code, out, _ = cli("list", "needy", "--scale", "smoke")
    assert code == 0
    assert "○ 2 not run" in out
    assert "lemmata[lm]" in out
    install(monkeypatch)
    _, out, _ = cli("show", "needy/long", "--scale", "smoke")
    assert "no weights 'weights': `fetch weights`" in out
    assert "ledger" not in cli("ledger", "needy")[2]


def test_with_extra_and_weights_it_is_judged_and_what_is_stored_needs_no_extra(
    cli: Cli, needy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    (needy / "weights").write_bytes(b"12345")
    code, out, _ = cli("check", "needy", *SMOKE, "--json")
    assert code == 1
    assert [row["status"] for row in json.loads(out)] == ["holds", "holds", "fails"]
    monkeypatch.setitem(EXTRAS, "lm", ("no_such_module",))
    _, out, _ = cli("list", "needy", "--scale", "smoke", "--json")
    assert [row["status"] for row in json.loads(out)] == ["holds", "holds", "fails"]
    (needy / "weights").unlink()
    _, out, _ = cli("list", "needy", "--scale", "smoke", "--json")
    assert [row["status"] for row in json.loads(out)] == ["holds", "not run", "not run"]


def test_inputs_are_part_of_the_digest_and_of_the_record(
    cli: Cli, needy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    (needy / "weights").write_bytes(b"1234")
    run = experiments("needy")["needy/weights"].runs(Scale("smoke"))
    first = run["main"].digest
    assert cli("check", "needy", *SMOKE)[0] == 0
    record = Store(Path(".lemmata")).record(first)
    assert record["input_hashes"] == list(run["main"].input_hashes())
    assert "input_hashes" not in Store(Path(".lemmata")).record(run["small"].digest)
    (needy / "weights").write_bytes(b"123456")
    assert run["main"].digest != first
    _, out, _ = cli("check", "needy/long", *SMOKE, "--json")
    assert json.loads(out)[0]["measured"] == 6
    _, out, _ = cli("runs", "prune", "--json")
    assert json.loads(out)["would_delete"] == [first], "it was of other weights"
    (needy / "weights").unlink()
    _, out, _ = cli("runs", "prune", "--json")
    assert json.loads(out)["would_delete"] == [], "without the weights nobody can tell"


def test_digests_of_runs_without_input_files_are_what_they_were() -> None:
    found = [
        config
        for paper in papers().values()
        if paper.package.startswith("lemmata.")
        for experiment in experiments(paper.id).values()
        for config in experiment.runs(Scale("smoke")).values()
        if config.lacks() is None and not config.input_hashes()
    ]
    assert len(found) > 100
    for config in found:
        assert config.digest == digest(f"{config.kind}@{config.version}:{canonical(config)}")
    main = experiments("association")["association/lemma-h"].runs(Scale("smoke"))["main"]
    assert main.digest == "5c963c7718483fc4fc31"


def test_a_changed_setting_asks_for_its_own_weights(cli: Cli, needy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    (needy / "mine").write_bytes(b"12345678")
    code, _, err = cli("run", "needy/weights", *SMOKE)
    assert (code, "fetch weights" in err) == (2, True)
    assert cli("run", "needy/weights", "--set", "name=mine", *SMOKE)[0] == 0


def test_the_front_door_keeps_them_apart(needy: Path, tmp_path: Path) -> None:
    found = lemmata.check("needy", scale="smoke", store=tmp_path / "store")
    assert list(found) == ["needy/small"]
    (apart,) = found.not_run
    assert apart.experiment.id == "needy/weights"
    assert "not run" in repr(found)
    assert "lemmata[lm]" in found._repr_html_()
    assert list(lemmata.results("needy", scale="smoke", store=tmp_path / "store")) == ["needy/small"]
    with pytest.raises(UserError, match="needy/weights cannot be run here"):
        lemmata.check("needy/long", scale="smoke", store=tmp_path / "store")
    with pytest.raises(UserError, match="cannot be run here"):
        evaluate(select(["needy/weights"]), Scale("smoke"), Store(tmp_path / "store"))


def test_check_paper_says_what_it_could_not_run(needy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (apart,) = check_paper(papers()["needy"])
    assert apart.experiment.id == "needy/weights"
    install(monkeypatch)
    (needy / "weights").write_bytes(b"1234")
    assert check_paper(papers()["needy"]) == []
    assert list(package_problems(papers()["needy"])) == []


def test_documents_are_the_same_on_every_machine(cli: Cli, needy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs_command, "page_of", lambda paper: "")
    paper = papers()["needy"]
    cli("check", "needy", *SMOKE)
    cli("docs", "needy", "--scale", "smoke")
    without = read_baseline(paper)
    assert list(without.claims) == ["needy/small"]
    records = documented(paper)
    assert [one.status for one in records] == ["holds", "not run", "not run"]
    assert "| not run |" in claims_table(records)
    assert claims_table(records).count("pip install 'lemmata[lm]'") == 1
    assert "the paper's sizes" not in claims_table(records)
    large = claims_table([replace(records[0], at_paper="fails"), *records[1:]])
    assert "1 claim has been judged: 1 fails." in large
    assert [line.split("|")[-2].strip() for line in large.splitlines()[2:5]] == ["fails", "–", "–"]
    assert "3 claims: 1 judged (1 holds (1 exact)), 2 not run (models that they need were not there)." in paper_line(
        paper, records, 0
    )
    assert "**not run**: needs `pip install 'lemmata[lm]'`" in claim_page(records[1])
    statements = "3 statements: 1 judged, by 1 claim; 1 by claims that were not run; 1 not."
    assert statements in coverage_section(paper, coverage(paper), records)
    assert "Not run, as they need an extra: 2 of 3 claims." in controls_section(paper, records)

    install(monkeypatch)
    (needy / "weights").write_bytes(b"12345")
    assert [one.status for one in documented(paper)] == ["holds", "not run", "not run"]
    cli("check", "needy", *SMOKE)
    cli("docs", "needy", "--scale", "smoke")
    judged = read_baseline(paper)
    assert [one.status for one in documented(paper)] == ["holds", "holds", "fails"]

    monkeypatch.setitem(EXTRAS, "lm", ("no_such_module",))
    (needy / "weights").unlink()
    cli("docs", "needy", "--scale", "smoke")
    assert read_baseline(paper) == judged, "verdicts that cannot be judged again here stay"
    stale = json.loads((paper.folder / "verdicts.json").read_text())
    stale["claims"]["needy/long"]["digest"] = "0" * 20
    (paper.folder / "verdicts.json").write_text(json.dumps(stale))
    assert [one.status for one in documented(paper)] == ["holds", "not run", "fails"], "it was of another rule"


def test_an_extra_is_looked_for_without_importing_it(tmp_path: Path) -> None:
    for module in EXTRAS["lm"]:
        (tmp_path / f"{module}.py").write_text("raise RuntimeError('imported')\n")
    code = (
        "import sys; from lemmata.core.extras import missing_extra; print(missing_extra('lm'), 'torch' in sys.modules)"
    )
    path = f"{tmp_path}:{Path(lemmata.__file__).parents[1]}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert done.stdout.strip() == "None False", done.stderr


def test_an_unknown_extra_is_a_mistake_of_the_paper() -> None:
    assert missing_extra("") is None
    with pytest.raises(ValueError, match="is none of lm"):
        Experiment(title="", runs=lambda scale: {}, claims=(), draw=lambda runs: None, extra="ml")  # pyright: ignore
