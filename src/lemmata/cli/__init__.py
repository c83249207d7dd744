"""lemmata makes theory papers about transformers executable.

Exit codes: 0 done; 1 a claim fails or a run is lost or damaged; 2 not possible.
Start with: lemmata list · lemmata show lego · lemmata reproduce --scale smoke
"""

import errno
import gc
import os
import sys
from functools import partial
from typing import Any, NoReturn

import tyro

import lemmata
from lemmata.cli.compute import Check, Confirm, Report, Reproduce, Run, Sweep
from lemmata.cli.gpu import prepare_gpu
from lemmata.cli.help import HELP, help_from_code, overview
from lemmata.cli.lm import COMMANDS as OF_LM, Lm
from lemmata.cli.papers import Docs, Errata, Ledger, NewPaper, Plain, VerifyProof
from lemmata.cli.show import Fields, List, Power, Serve, Show
from lemmata.cli.store import Diff, Export, Query, Runs, Views
from lemmata.cli.table import Commands, call, union
from lemmata.core import UserError, unknown
from lemmata.core.cli_hints import cli_options
from lemmata.core.errors import EngineLost
from lemmata.core.registry import add_paper_path

GROUPS: dict[str, Commands] = {
    "look": {
        "list": (List, "commands.list:list_claims"),
        "show": (Show, "commands.show:show"),
        "plain": (Plain, "commands.plain:plain"),
        "serve": (Serve, "serve:open_page"),
    },
    "compute": {
        "reproduce": (Reproduce, "commands.compute:reproduce"),
        "check": (Check, "commands.compute:check"),
        "run": (Run, "commands.compute:run_changed"),
        "sweep": (Sweep, "commands.sweep:sweep_experiment"),
        "report": (Report, "commands.report:report"),
    },
    "ask": {
        "fields": (Fields, "commands.fields:fields"),
        "query": (Query, "commands.store:query_store"),
        "views": (Views, "commands.store:list_views"),
        "runs": (Runs, "commands.store:runs"),
        "diff": (Diff, "commands.compute:diff_against"),
        "export": (Export, "commands.compute:export_one"),
    },
    "evidence": {
        "confirm": (Confirm, "commands.confirm:confirm_claims"),
        "power": (Power, "commands.power:power"),
        "ledger": (Ledger, "commands.ledger:rule_history"),
        "errata": (Errata, "commands.errata:errata"),
        "verify-proof": (VerifyProof, "commands.proofs:verify_proofs"),
    },
    "write a paper": {"new-paper": (NewPaper, "commands.new_paper:new_paper"), "docs": (Docs, "commands.docs:docs")},
    "language models": {"lm": (Lm, "")},
}
COMMANDS: Commands = {name: command for group in GROUPS.values() for name, command in group.items()}


CONTINUES = "finished runs are kept, run the same command again to continue"
CLOSED_PIPE = 141  # as a shell counts SIGPIPE
NO_ROOM = ("failed to map segment", "cannot allocate memory")  # of a library that is loaded
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR)
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
SELDOM = 100_000  # looks for garbage: papers and their tables are many objects, and next to none of them is garbage


def main(arguments: list[str] | None = None) -> None:
    gc.set_threshold(SELDOM)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # whoever started us has closed it: nothing is to be said there
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        _main(sys.argv[1:] if arguments is None else arguments)
    except (ImportError, MemoryError) as error:
        if isinstance(error, ImportError) and not any(sign in str(error) for sign in NO_ROOM):
            raise
        print(f"lemmata: out of memory: {(str(error).splitlines() or ['nothing was left'])[0]}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)


def _main(words: list[str]) -> None:
    if words == ["--version"]:
        print(f"lemmata {lemmata.__version__}")
        sys.exit(0)
    if not words or words[0] in HELP:
        print(overview(GROUPS, __doc__ or ""), end="")
        sys.exit(0)
    prepare_gpu()
    parse = partial(tyro.cli, union(COMMANDS), prog="lemmata")
    more = help_from_code(words)
    from lemmata.report.terminal import make_console

    console = make_console(stderr=True)
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        _refuse(console, str(unknown("command", words[0], COMMANDS)))
    command: Any = parse(args=words if more is None else more)
    try:
        for path in command.where.paper_path:
            add_paper_path(path)
        if getattr(command, "scale", None) == "smoke":
            from lemmata.run import compile_fast

            compile_fast()
        with cli_options(command.where.given()):
            lm = getattr(command, "action", None) if isinstance(command, Lm) else None
            code = call(OF_LM, lm, make_console()) if lm else call(COMMANDS, command, make_console())
        if more is not None:  # the command's own help stands beneath what tyro cannot know
            parse(args=[words[0], "--help"])
        sys.stdout.flush()
        sys.exit(code)
    except UserError as error:
        _refuse(console, str(error))
    except OSError as error:
        if error.errno not in (*UNWRITABLE, *FORBIDDEN):
            raise
        what = "used" if error.errno in FORBIDDEN else "written"
        _refuse(console, f"{error.filename or 'a file'} cannot be {what}: {error.strerror}; what is finished is kept")
    except EngineLost as error:
        _refuse(console, f"{error}; {CONTINUES}", code=1)
    except KeyboardInterrupt:
        console.print(f"lemmata: interrupted; {CONTINUES}")
        sys.exit(130)


def _refuse(console: Any, message: str, code: int = 2) -> NoReturn:
    console.print(f"lemmata: {message}", style="red", soft_wrap=True, markup=False, highlight=False)
    sys.exit(code)
