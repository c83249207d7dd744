"""What can be asked for is found by looking: ids, keys, views, and JSON of every command."""

import dataclasses
import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import lemmata
from conftest import Cli, Refused
from lemmata.cli import COMMANDS, OF_LM
from lemmata.cli.help import about
from lemmata.cli.parse import options_of
from lemmata.core import RunConfig, RunContext, RunOutput, Scale, UserError
from lemmata.core.config import path_in
from lemmata.core.field_comments import field_comment
from lemmata.core.registry import experiment, experiments, full_id, papers, select
from lemmata.run import RUNS, change, keys, views


@pytest.mark.parametrize("place", [*COMMANDS.values(), *OF_LM.values()])
def test_every_command_has_json_and_says_of_each_option_what_it_is(place: str) -> None:
    module, _, name = place.partition(":")
    assert about(place).partition("\n")[0].endswith(".")
    if not name:  # a group of commands
        return
    fields = {
        one.name: one.type for one in dataclasses.fields(options_of(getattr(import_module(f"lemmata.{module}"), name)))
    }
    assert "as_json" in fields or place.startswith("serve"), "only the answers of `serve` are pages"
    assert [one for one, kind in fields.items() if not hasattr(kind, "__metadata__")] in ([], ["year"])


def test_the_overview_fits_one_screen(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    assert out.count("\n") <= 40
    assert max(map(len, out.splitlines())) <= 80
    assert [name for name in COMMANDS if f"  {name} " not in out] == []


def test_a_command_that_is_not_there_has_a_suggestion(refused: Refused) -> None:
    refused("shwo", says="unknown command 'shwo': did you mean 'show'?")


def test_version(cli: Cli) -> None:
    code, out, _ = cli("--version")
    assert (code, out) == (0, f"lemmata {lemmata.__version__}\n")


def test_ids_as_shown_are_ids_accepted(cli: Cli) -> None:
    _, out, _ = cli("list", "--json")
    rows = json.loads(out)
    assert len(rows) > 200
    for row in rows:
        for shown in (row["id"], row["experiment"], row["paper"]):
            assert full_id(shown) == shown
            assert full_id(shown.upper()) == shown
        assert full_id(f"{row['paper']}/{Path(row['file']).stem}") == row["experiment"]
        if row.get("root"):
            assert full_id(f"{row['paper']}/{row['root']}") in {one["id"] for one in rows}


def test_an_id_without_its_paper_is_accepted_where_one_paper_has_it(cli: Cli) -> None:
    for words in (("check", "Doubtful"), ("reproduce", "TOY/doubtful"), ("check", "doubtful")):
        _, out, _ = cli(*words, "--scale", "smoke", "--jobs", "1", "--json")
        assert [row["id"] for row in json.loads(out)] == ["toy/bound", "toy/vague"]
    _, out, _ = cli("show", "BOUND", "--scale", "smoke", "--json")
    assert [row["id"] for row in json.loads(out)] == ["toy/bound"]
    _, out, _ = cli("ledger", "toy/BOUND", "--json")
    assert json.loads(out)["changed"] in ([], ["toy/bound"])
    assert [one.experiment.id for one in select(["noisy"])] == ["toy/noisy"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("fig-3", "stands for several: association/fig-3, ic-recall/fig-3, knowledge/fig-3"),
        ("dout-ful", "did you mean 'doubtful'"),
        ("nothing/like-it", "unknown id"),
    ],
)
def test_an_id_that_is_not_clear_is_refused(refused: Refused, wanted: str, message: str) -> None:
    refused("check", wanted, says=message)


def test_papers_in_any_case(cli: Cli) -> None:
    _, out, _ = cli("errata", "Toy", "--json")
    assert list(json.loads(out)) == ["toy"]


def test_every_key_that_is_listed_can_be_set_and_every_other_is_refused() -> None:
    for id in ("ic-recall/fig-2", "ic-recall/thm-4-2", "association/thm-1", "lego/fig-1a"):
        one, scale = experiment(id), Scale("smoke")
        for key in keys(one, scale):
            assert any(path_in(config, key.key) for config in one.runs(scale).values())
        with pytest.raises(UserError, match="unknown key"):
            change(one, scale, {"no_such_key": "1"})


def test_keys_name_defaults_bounds_the_paper_and_other_names() -> None:
    found = {key.key: key for key in keys(experiment("ic-recall/lemma-b-7"), Scale("smoke"))}
    assert found["temperature"].sets == "temperatures"
    assert found["temperature"].allowed == "float, above 0"
    bounded = {key.key: key for key in keys(experiment("ic-recall/lemma-b-6"), Scale("smoke"))}
    assert "list of float, at least 0.002 and at most 0.08, no fewer than 1" in bounded["temperatures"].allowed
    assert found["replication"].note.startswith("another number")
    assert found["replication"].paper == ("0",)
    (rate,) = [key for key in keys(experiment("ic-recall/fig-2"), Scale("smoke")) if key.key == "steps"]
    assert set(rate.held) == {"3000", "400"}
    assert "20000" in rate.paper


def test_a_key_is_listed_once_and_says_which_run_allows_it_what() -> None:
    for paper in papers():
        for one in experiments(paper).values():
            listing = [key.key for key in keys(one, Scale("smoke"))]
            assert len(listing) == len(set(listing)), one.id
    (steps,) = [key for key in keys(experiment("ic-recall/thm-4-2"), Scale("smoke")) if key.key == "steps"]
    assert steps.allowed == "escape: int, at least 1\nlowest: int, at least 0"
    assert [name for names in steps.held.values() for name in names] == ["escape", "lowest"]


@dataclass(frozen=True, kw_only=True)
class Commented(RunConfig):
    kind = "test/commented"
    plain: int = 1
    said: int = 2  # eta of the paper
    # of nobody in particular
    folded: tuple[int, ...] = (3,)  # over several lines

    def execute(self, context: RunContext) -> RunOutput:
        said: int = 3  # not a field's
        return RunOutput({"x": [said]})  # pyright: ignore


def test_a_fields_comment_is_its_meaning() -> None:
    noted = {name: field_comment(Commented(), name) for name in ("plain", "said", "folded")}
    assert noted == {"plain": "", "said": "eta of the paper", "folded": "over several lines"}


@pytest.mark.parametrize("words", [("run", "toy/decay", "--help"), ("show", "toy/decay"), ("fields", "toy/decay")])
def test_keys_are_shown_where_they_are_looked_for(cli: Cli, words: tuple[str, ...]) -> None:
    code, out, _ = cli(*words)
    assert code == 0
    for text in ("rate", "float, above 0 and below 2", "0.5", "steps", "200", "2000", "replication"):
        assert text in out
    if words[0] == "run":
        assert "--seeds" in out, "the options of the command are shown too"


def test_help_on_an_unknown_experiment_is_one_line(refused: Refused) -> None:
    refused("run", "toy/decai", "--help", says="did you mean 'toy/decay'")


def test_query_help_names_the_views_that_exist(cli: Cli) -> None:
    _, out, _ = cli("query", "--help")
    for view in views():
        assert view in out
    for column in RUNS:
        assert column in out
    assert "One SELECT statement" in out
    assert "Nothing is stored in '.lemmata' yet" in out
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    for view in ("runs", "metrics", '"toy/decay"', '"toy/noise"'):
        assert view in views()
        assert cli("query", f"SELECT count(*) FROM {view}")[0] == 0
    stored = json.loads(cli("views", "--json")[1])["stored here"]
    assert set(stored) == {'"toy/decay"', '"toy/noise"'}
    assert stored['"toy/decay"'] == ["run", "seed", "step", "x"]
    assert cli("query", 'SELECT run, seed, step, x FROM "toy/decay"')[0] == 0
    assert "run, seed, step, x" in cli("query", "--help")[1]


def test_runs_say_their_experiment_and_their_config(cli: Cli) -> None:
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    cli("check", "toy/noisy", "--scale", "smoke", "--jobs", "1", "--replication", "2")
    cli("run", "toy/decay", "--set", "rate=0.25", "--scale", "smoke")
    _, out, _ = cli("query", "SELECT * FROM runs", "--json")
    rows = json.loads(out)
    assert list(rows[0]) == list(RUNS)
    by_kind: dict[str, set[Any]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], set()).add(tuple(row["experiment"] or ()))
    assert by_kind == {"toy/decay": {("toy/decay", "toy/doubtful"), ()}, "toy/noise": {("toy/noisy",)}}
    for condition in ("experiment = 'toy/doubtful'", "r.experiment='toy/doubtful'", "experiment LIKE '%doubt%'"):
        _, out, _ = cli("query", f"SELECT kind FROM runs r WHERE {condition}", "--json")
        assert json.loads(out) == [{"kind": "toy/decay"}]
    sql = "SELECT config->>'rate' AS rate, typeof(config) AS type FROM runs WHERE experiment IS NULL"
    _, out, _ = cli("query", sql, "--json")
    assert json.loads(out) == [{"rate": "0.25", "type": "JSON"}]
    _, out, _ = cli("query", "SELECT config FROM runs WHERE experiment IS NULL", "--json")
    assert json.loads(out)[0]["config"]["rate"] == 0.25


def test_an_unknown_view_is_refused_with_a_guess(cli: Cli) -> None:
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    code, _, err = cli("query", "SELECT * FROM run")
    assert code == 2
    assert "unknown view 'run': did you mean 'runs'?" in err
    code, _, err = cli("query", 'SELECT * FROM "ic-recall/adam"')
    assert (code, "no run of kind 'ic-recall/adam' is stored here yet" in err) == (2, True)


def test_the_experiments_of_every_paper_have_keys_or_no_runs(toy: Path) -> None:
    for paper in papers():
        for one in experiments(paper).values():
            assert bool(keys(one, Scale("smoke"))) == bool(one.runs(Scale("smoke")))
