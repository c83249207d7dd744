"""lemmata makes theory papers about transformers executable.

Exit codes: 0 done; 1 a claim fails or a run is lost or damaged; 2 not possible.
Start with: lemmata list · lemmata show lego · lemmata reproduce --scale smoke
"""

import gc
import os
import sys

import lemmata
from lemmata.cli.help import HELP, Commands, about, overview

GROUPS: dict[str, Commands] = {
    "look": {
        "list": "commands.list:list_claims",
        "show": "commands.show:show",
        "plain": "commands.plain:plain",
        "serve": "serve:open_page",
    },
    "compute": {
        "reproduce": "commands.compute:reproduce",
        "check": "commands.compute:check",
        "run": "commands.compute:run_changed",
        "sweep": "commands.sweep:sweep_experiment",
        "report": "commands.report:report",
    },
    "ask": {
        "fields": "commands.fields:fields",
        "query": "commands.store:query_store",
        "views": "commands.store:list_views",
        "runs": "commands.store:runs",
        "diff": "commands.diff:diff_against",
        "export": "commands.export:export_one",
    },
    "evidence": {
        "confirm": "commands.confirm:confirm_claims",
        "power": "commands.power:power",
        "ledger": "commands.ledger:rule_history",
        "errata": "commands.errata:errata",
        "verify-proof": "commands.proofs:verify_proofs",
    },
    "write a paper": {"new-paper": "commands.new_paper:new_paper", "docs": "commands.docs:docs"},
    "language models": {"lm": "commands.lm"},
}
COMMANDS: Commands = {name: place for group in GROUPS.values() for name, place in group.items()}
OF_LM: Commands = {
    "cover": "commands.lm_cover:cover",
    "truncate": "commands.lm:truncate",
    "map": "commands.lm:draw",
    "export": "commands.lm:export_edited",
    "pretrain": "commands.lm:train",
    "models": "commands.lm:models",
    "fetch": "commands.lm:fetch",
}


CLOSED_PIPE = 141  # as a shell counts SIGPIPE
NO_ROOM = ("failed to map segment", "cannot allocate memory")  # of a library that is loaded
NUMPY_THREADS = "OPENBLAS_NUM_THREADS"  # read on import; PyTorch does not ask for it
SELDOM = 100_000  # looks for garbage: papers and their tables are many objects, and next to none of them is garbage


def main(arguments: list[str] | None = None) -> None:
    gc.set_threshold(SELDOM)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # whoever started us has closed it: nothing is to be said there
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        _answer(sys.argv[1:] if arguments is None else arguments)
    except (ImportError, MemoryError) as error:
        if isinstance(error, ImportError) and not any(sign in str(error) for sign in NO_ROOM):
            raise
        print(f"lemmata: out of memory: {(str(error).splitlines() or ['nothing was left'])[0]}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)


def _answer(words: list[str]) -> None:
    if words == ["--version"]:
        print(f"lemmata {lemmata.__version__}")
    elif not words or words[0] in HELP:
        print(overview("lemmata", GROUPS, __doc__ or ""), end="")
    elif words[0] == "lm" and (not words[1:] or words[1] in HELP):
        print(overview("lemmata lm", {"commands": OF_LM}, about("commands.lm")), end="")
    else:
        os.environ.setdefault(NUMPY_THREADS, "1")  # here as in workers: a sum in two parts has other last digits
        from lemmata.cli.execute import execute  # all that computes is loaded here: asking for help costs nothing

        execute(words, COMMANDS, OF_LM)
    sys.exit(0)
