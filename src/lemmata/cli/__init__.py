"""lemmata makes theory papers about transformers executable. Every lemma, theorem, table and figure of a paper is a
claim: a program that predicts, measures, compares under a rule written beforehand, and gives a verdict.

Exit codes: 0 done, 1 a claim fails (check, confirm), a run could not be computed or is damaged (runs verify), 2 the
request is not possible.
What needs an extra or weights that are not here is listed as `not run`, with what would help, and changes no exit code;
asked for by its own name it is refused.

Start with:  lemmata list  ·  lemmata show lego  ·  lemmata show ic-recall/table-2  ·  lemmata reproduce --scale smoke
"""

import errno
import gc
import os
import sys
from functools import partial
from typing import Annotated, Any, NoReturn

import tyro

import lemmata
from lemmata.cli.compute import Check, Confirm, Diff, Export, Report, Reproduce, Run, Sweep
from lemmata.cli.gpu import prepare_gpu
from lemmata.cli.help import help_from_code
from lemmata.cli.lm import Lm
from lemmata.cli.look import Fields, List, Query, Runs, Show, VerifyProof, Views
from lemmata.cli.papers import Docs, Errata, Ledger, NewPaper
from lemmata.cli.serve import Serve
from lemmata.core import UserError
from lemmata.core.cli_hints import cli_options
from lemmata.core.registry import add_paper_path

Command = (
    Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Confirm, tyro.conf.subcommand("confirm")]
    | Annotated[Run, tyro.conf.subcommand("run")]
    | Annotated[Sweep, tyro.conf.subcommand("sweep")]
    | Annotated[Fields, tyro.conf.subcommand("fields")]
    | Annotated[Runs, tyro.conf.subcommand("runs")]
    | Annotated[VerifyProof, tyro.conf.subcommand("verify-proof")]
    | Annotated[Query, tyro.conf.subcommand("query")]
    | Annotated[Views, tyro.conf.subcommand("views")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[Diff, tyro.conf.subcommand("diff")]
    | Annotated[Serve, tyro.conf.subcommand("serve")]
    | Annotated[Lm, tyro.conf.subcommand("lm")]
    | Annotated[Ledger, tyro.conf.subcommand("ledger")]
    | Annotated[Errata, tyro.conf.subcommand("errata")]
    | Annotated[Docs, tyro.conf.subcommand("docs")]
    | Annotated[NewPaper, tyro.conf.subcommand("new-paper")]
)


CLOSED_PIPE = 141  # as a shell counts SIGPIPE
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
SELDOM = 100_000  # looks for garbage: papers and their tables are many objects, and next to none of them is garbage


def main(arguments: list[str] | None = None) -> None:
    gc.set_threshold(SELDOM)
    try:
        _main(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)


def _main(words: list[str]) -> None:
    if words == ["--version"]:
        print(f"lemmata {lemmata.__version__}")
        sys.exit(0)
    prepare_gpu()
    parse = partial(tyro.cli, Command, prog="lemmata", description=__doc__)  # pyright: ignore
    more = help_from_code(words)
    command: Any = parse(args=words if more is None else more)
    from lemmata.report.terminal import make_console

    console = make_console(stderr=True)
    try:
        for path in command.where.paper_path:
            add_paper_path(path)
        if getattr(command, "scale", None) == "smoke":
            from lemmata.run import compile_hastily

            compile_hastily()
        with cli_options(command.where.given()):
            code = command(make_console())
        if more is not None:  # the command's own help stands beneath what tyro cannot know
            parse(args=[words[0], "--help"])
        sys.stdout.flush()
        sys.exit(code)
    except UserError as error:
        _refuse(console, str(error))
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        _refuse(console, f"{error.filename or 'a file'} cannot be written: {error.strerror}; what is finished is kept")
    except KeyboardInterrupt:
        console.print("lemmata: interrupted; finished runs are kept, run the same command again to continue")
        sys.exit(130)


def _refuse(console: Any, message: str) -> NoReturn:
    console.print(f"lemmata: {message}", style="red", soft_wrap=True, markup=False, highlight=False)
    sys.exit(2)
