"""Without the extra `lm`: help, configs and hashes work, everything else says in one line what is missing."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

BLOCKED = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "transformers", "gguf", "huggingface_hub", "peft", "lm_eval"}:
            raise ImportError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


def without_the_extra(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    caches = {"LEMMATA_LM_CACHE": str(folder / "cache"), "HF_HUB_CACHE": str(folder / "hub")}
    command = [sys.executable, "-c", BLOCKED + code]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | caches, cwd=folder)


def test_what_needs_the_extra_says_so_in_one_line(tmp_path: Path) -> None:
    words = ["lm", "truncate", "--matrix", "q", "--layer", "1", "--rank", "1", "--prompt", "x"]
    done = without_the_extra(f"from lemmata.cli import main; main({words})", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    for part in ("need the extra `lm`", "torch is not installed", "pip install 'lemmata[lm]'", "`make lm`"):
        assert part in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_configs_help_and_hashes_work(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    header = b"{}"
    (model / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    code = (
        "from lemmata import lm\nfrom lemmata.cli import main\n"
        "assert lm.Edit(1, 'q', lm.Largest(0.2)) == lm.Edit(1, 'q', lm.Largest(0.2))\n"
        "assert lm.Without((1, 2)).count(5) == 3\n"
        "print(lm.weights_hash('model'))\n"
        "main(['lm', 'models'])\n"
    )
    done = without_the_extra(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines[0]) == 64
    assert any("smollm2-135m-instruct" in line for line in lines)


def test_a_fine_tuning_set_is_looked_at_without_it(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"prompt": "The capital of France is", "answer": "Paris"}\n')
    words = ["lm", "cover", "rows.jsonl", "rows.jsonl"]
    done = without_the_extra(f"from lemmata.cli import main; main({words})", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 asked word for word" in done.stdout
    done = without_the_extra(f"from lemmata.cli import main; main({[*words, '--model', 'x/y']})", tmp_path)
    assert done.returncode == 2
    assert "need the extra `lm`" in done.stderr


def test_every_name_of_the_front_door_is_there() -> None:
    from lemmata import lm

    for name in lm._HOME_OF:
        assert getattr(lm, name) is not None
    for name in ("spectrum", "export", "load", "edited"):
        assert callable(getattr(lm, name))
