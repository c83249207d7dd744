"""GSM8K: grade-school arithmetic in words, scored as lm-evaluation-harness scores it, and its task for the harness.

`write_task` makes a folder for the harness's `include_path`: a task that reads local files alone, so it runs offline.
Shots are whole solutions (chain of thought). Without examples of their own, the first questions of the file serve as
examples and are not asked.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lemmata.core import UserError, require
from lemmata.lm.data import Source, find, read_lines, text_field

GSM8K = Source(
    title="the test questions of GSM8K",
    project="openai/grade-school-math",
    licence="MIT",
    files=("gsm8k_test.jsonl", "test.jsonl"),
)
TASK = "lemmata_gsm8k"
INVALID = "[invalid]"  # what the harness puts where it finds no answer
STRICT = re.compile(r"#### (\-?[0-9\.\,]+)")
FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
IGNORED = (",", r"\$", r"(?s).*#### ", r"\.$")


@dataclass(frozen=True, kw_only=True)
class Problem:
    question: str
    solution: str  # ends with "#### " and the answer

    @property
    def answer(self) -> str:
        return plain_number(self.solution)


def problems(folder: Path | str | None = None) -> tuple[Problem, ...]:
    """The user's copy, in its order."""
    found = []
    for where, row in read_lines(find(GSM8K, folder)):
        question, solution = (text_field(row, key, where) for key in ("question", "answer"))
        if not STRICT.search(solution):
            raise UserError(f"{where}: 'answer' does not end with '#### ' and a number")
        found.append(Problem(question=question, solution=solution))
    return tuple(found)


def strict_answer(text: str) -> str:
    """The first number after "#### "."""
    found = STRICT.findall(text)
    return found[0].strip() if found else INVALID


def flexible_answer(text: str) -> str:
    """The last number, whatever stands before it."""
    found = FLEXIBLE.findall(text)
    return next(part for part in found[-1] if part).strip() if found else INVALID


def plain_number(text: str) -> str:
    """Without what the harness ignores: commas, dollars, a last point, all before "#### "."""
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text.lower()


def is_right(problem: Problem, extracted: str) -> bool:
    """Whether an extracted answer is the problem's."""
    return plain_number(extracted) == problem.answer


def write_task(
    folder: Path | str, requested: Sequence[Problem], *, shots: int, examples: Sequence[Problem] | None = None
) -> tuple[str, int]:
    """Write the harness's task and its data into a folder; the task's name, and how many questions it asks."""
    folder = Path(folder)
    require(shots >= 0, "shots", shots, "at least 0")
    if examples is None:
        examples, requested = requested[:shots], requested[shots:]
    require(len(examples) >= shots, "shots", shots, f"at most {len(examples)}, the number of examples")
    if not requested:
        raise UserError(f"no question is left to ask beside {shots} examples")
    folder.mkdir(parents=True, exist_ok=True)
    questions = _write_lines(folder / "questions.jsonl", requested)
    # The harness wants a split of examples even where it shows none.
    shown = _write_lines(folder / "examples.jsonl", examples[:shots] or requested[:1])
    _write(folder / f"{TASK}.yaml", task_text(questions, shown, shots))
    return TASK, len(requested)


def task_text(questions: Path, examples: Path, shots: int) -> str:
    """The task's YAML: the harness's own gsm8k, with local files in the place of the hub's."""
    files = json.dumps({"train": str(examples.resolve()), "test": str(questions.resolve())})
    return f"""task: {TASK}
dataset_path: json
dataset_kwargs:
  data_files: {files}
output_type: generate_until
training_split: train
fewshot_split: train
test_split: test
num_fewshot: {shots}
fewshot_config:
  sampler: first_n
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: ["Question:", "</s>", "<|im_end|>"]
  do_sample: false
repeats: 1
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: {json.dumps(STRICT.pattern)}
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        group_select: -1
        regex_pattern: {json.dumps(FLEXIBLE.pattern)}
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    ignore_punctuation: false
    regexes_to_ignore: {json.dumps(list(IGNORED))}
metadata:
  version: 1.0
"""


def _write_lines(path: Path, rows: Sequence[Problem]) -> Path:
    lines = [json.dumps({"question": row.question, "answer": row.solution}, ensure_ascii=False) for row in rows]
    return _write(path, "\n".join(lines) + "\n")


def _write(path: Path, text: str) -> Path:
    """Whole or not at all."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    return temporary.replace(path)
