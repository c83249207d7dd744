"""lemmata makes theory papers about transformers executable.

Exit codes: 0 done; 1 a claim fails or a run is lost or damaged; 2 not possible.
Start with: lemmata list · lemmata show lego · lemmata reproduce --scale smoke
"""

import errno
import gc
import os
import sys
from typing import Any, NoReturn

import lemmata
from lemmata.cli.gpu import prepare_gpu
from lemmata.cli.help import HELP, help_from_code, overview
from lemmata.cli.parse import Call, Commands, about, parsed
from lemmata.core import UserError, unknown
from lemmata.core.cli_hints import cli_options
from lemmata.core.errors import EngineLost
from lemmata.core.registry import add_paper_path

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
        print(overview("lemmata", GROUPS, __doc__ or ""), end="")
        sys.exit(0)
    if words[0] == "lm" and (not words[1:] or words[1] in HELP):
        print(overview("lemmata lm", {"commands": OF_LM}, about("commands.lm")), end="")
        sys.exit(0)
    prepare_gpu()
    more = help_from_code(words)
    from lemmata.report.terminal import make_console

    console = make_console(stderr=True)
    try:
        call = _call(words if more is None else more)
        for path in call.where.paper_path:
            add_paper_path(path)
        if getattr(getattr(call.options, "scale", None), "name", "") == "smoke":
            from lemmata.run import compile_fast

            compile_fast()
        with cli_options(call.where.given()):
            code = call.run(make_console())
        if more is not None:  # the command's own help stands beneath what tyro cannot know
            _call([words[0], "--help"])
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


def _call(words: list[str]) -> Call:
    name, *rest = words
    known, prog = COMMANDS, "lemmata"
    if name == "lm":
        (name, *rest), known, prog = rest, OF_LM, "lemmata lm"
    if name not in known:
        raise unknown("command", name, known)
    return parsed(known[name], f"{prog} {name}", rest)


def _refuse(console: Any, message: str, code: int = 2) -> NoReturn:
    console.print(f"lemmata: {message}", style="red", soft_wrap=True, markup=False, highlight=False)
    sys.exit(code)
