"""`lemmata lm` as a person uses it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import transformers

from conftest import Cli, Refused
from lm_models import save_tiny

CUT = ("--matrix", "mlp in", "--layer", "2", "--rank", "0.25")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(save_tiny("llama", tmp_path / "model"))


def test_help_teaches(cli: Cli) -> None:
    code, out, _ = cli("lm", "--help")
    assert code == 0
    for name in ("cover", "truncate", "map", "export", "pretrain", "models", "fetch"):
        assert name in out
        code, text, _ = cli("lm", name, "--help")
        assert code == 0
        assert name == "models" or "Example: lemmata lm" in text


def test_truncate_prints_the_table(cli: Cli, folder: str) -> None:
    code, out, err = cli("lm", "truncate", folder, *CUT, "--prompt", "Madrid is located in", "--top", "3")
    assert (code, err) == (0, "")
    assert "mlp in of layer 2 (48 x 32): kept the largest directions, rank 8 of 32" in out
    assert "whole model" in out
    code, out, _ = cli("lm", "truncate", folder, *CUT, "--prompt", "Madrid is located in", "--top", "3", "--json")
    found = json.loads(out)
    assert (found["edit"]["rank"], found["edit"]["full"]) == (8, 32)
    whole = [row["whole"] for row in found["tokens"]]
    assert whole[:3] == sorted(whole, reverse=True)[:3]
    assert 3 <= len(whole) <= 6
    assert any(abs(row["whole"] - row["edited"]) > 1e-4 for row in found["tokens"])
    kinds = {}
    for keep in ("smallest", "random"):
        _, out, _ = cli("lm", "truncate", folder, *CUT, "--keep", keep, "--prompt", "Madrid", "--json")
        kinds[keep] = json.loads(out)["edit"]
    assert kinds["smallest"]["energy"] < kinds["random"]["energy"] < found["edit"]["energy"]
    assert "random subspace (seed 0)" in kinds["random"]["kept"]


def test_a_count_and_a_share_are_told_apart(cli: Cli, folder: str) -> None:
    ranks = {}
    for rank in ("1", "1.0", "0.5"):
        cut = ("--matrix", "q", "--layer", "1", "--rank", rank)
        _, out, _ = cli("lm", "truncate", folder, *cut, "--prompt", "Madrid", "--json")
        ranks[rank] = json.loads(out)["edit"]["rank"]
    assert ranks == {"1": 1, "1.0": 32, "0.5": 16}


def test_map_writes_figure_and_table(cli: Cli, folder: str) -> None:
    Path("asked.tsv").write_text("Madrid is located in\tSpain\nParis is located in\tFrance\n")
    code, out, _ = cli(
        "lm", "map", folder, "--questions", "asked.tsv", "--ranks", "0.2", "0.5", "--out", "maps/own.png"
    )
    assert code == 0
    assert "2 prompts" in out
    assert {file.name for file in Path("maps").iterdir()} == {"own.png", "own.svg", "own.csv", "own.json"}
    lines = (Path("maps") / "own.csv").read_text().splitlines()
    assert lines[0] == "layer,matrix,share,rank,answer,reference,ratio,over_base"
    assert len(lines) == 1 + 3 * 7 * 2
    code, out, _ = cli("lm", "map", folder, "--ranks", "0.5", "--jobs", "1", "--json")
    found = json.loads(out)
    assert found["base"] == pytest.approx(found["base_answer"] / found["base_reference"])
    assert len(found["cuts"]) == 21


def test_export_saves_a_model_that_loads(cli: Cli, folder: str) -> None:
    code, out, _ = cli("lm", "export", folder, *CUT, "--out", "cut")
    assert code == 0
    assert "rank 8 of 32" in out
    transformers.AutoModelForCausalLM.from_pretrained("cut")
    code, _, err = cli("lm", "export", folder, *CUT, "--out", "cut")
    assert code == 2
    assert "exists already" in err


def test_models_and_fetch(cli: Cli, folder: str) -> None:
    code, out, _ = cli("lm", "models")
    assert code == 0
    assert "smollm2-135m-instruct" in out
    assert "lemmata lm fetch EleutherAI/pythia-1b" in out
    rows = {row["model"]: row for row in json.loads(cli("lm", "models", "--json")[1])}
    assert rows["smollm2-135m-instruct"]["from"] == "registry package"
    assert rows["gpt2"]["size"] == "about 548 MB"
    code, out, _ = cli("lm", "fetch", folder)
    assert code == 0
    assert "3 layers, weights sha256" in out


def test_what_is_not_possible_is_one_line(refused: Refused, folder: str) -> None:
    prompt = ("--prompt", "Madrid")
    cut = ("--matrix", "mlp in", "--layer", "1", "--rank")
    refused("lm", "truncate", folder, "--matrix", "q", "--layer", "7", "--rank", "1", *prompt, says="1 to 3")
    refused("lm", "truncate", folder, *cut, "99", *prompt, says="rank = 99 is not possible")
    refused("lm", "truncate", folder, *cut, "0.2", "--prompt", "", says="at least one token")
    refused("lm", "truncate", folder, *cut, "0.2", *prompt, "--top", "0", says="--top = 0")
    refused("lm", "truncate", "nobody/nothing", *cut, "1", *prompt, says="nobody/nothing is not on this machine")
    refused("lm", "truncate", *cut, "1", *prompt, says="`lemmata lm fetch` takes it")
    refused("lm", "map", folder, "--questions", "none.tsv", says="cannot be read")
    refused("lm", "map", folder, "--jobs", "0", says="--jobs = 0")
    refused("lm", "map", folder, "--out", "map.pdf", says="a name that ends in .png")
    refused("lm", "map", folder, "--out", f"{folder}/config.json/map.png", says="or not a folder")
    refused("lm", "map", folder, "--jobs", "1", "--ranks", "0.001", says="it keeps none")
    refused("lm", "export", folder, *cut, "99", "--out", "new", says="rank = 99")


def test_a_wrong_questions_file_is_refused(cli: Cli, folder: str) -> None:
    Path("asked.tsv").write_text("no tab here\n")
    code, _, err = cli("lm", "map", folder, "--questions", "asked.tsv")
    assert code == 2
    assert "each line is a prompt, a tab and the answer" in err


def test_a_slip_is_refused_in_one_line_before_anything_is_loaded(tmp_path: Path) -> None:
    slips = {
        ("--matrix", "mlp inn", "--layer", "2"): "unknown matrix 'mlp inn': did you mean 'mlp in'?",
        ("--matrix", "q", "--layer", "0"): "--layer = 0 is not possible: at least 1",
        ("smollm2-135m-instrct", "--matrix", "q", "--layer", "1"): "did you mean 'smollm2-135m-instruct'?",
        ("./none", "--matrix", "q", "--layer", "1"): "no model at './none'",
    }
    rest = ["--rank", "1", "--prompt", "x"]
    code = (
        "import sys\nfrom lemmata.cli import main\n"
        f"for slip in {list(slips)!r}:\n"
        "    try:\n"
        f"        main(['lm', 'truncate', *slip, *{rest!r}])\n"
        "    except SystemExit as stop:\n"
        "        print(stop.code, {'torch', 'transformers'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["2 set()"] * len(slips), done.stderr
    for line, says in zip(done.stderr.splitlines(), slips.values(), strict=True):
        assert says in line


def test_a_matrix_is_dropped_by_rank_0(cli: Cli, folder: str) -> None:
    code, out, _ = cli("lm", "truncate", folder, *CUT[:-1], "0", "--prompt", "Madrid", "--json")
    assert code == 0
    assert json.loads(out)["edit"] | {"rank": 0, "energy": 0.0, "change": 1.0} == json.loads(out)["edit"]
