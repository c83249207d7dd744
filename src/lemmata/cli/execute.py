"""A command is carried out, and what goes wrong is said in one line."""

import errno
import sys
from typing import Any, NoReturn

from lemmata.cli.gpu import prepare_gpu
from lemmata.cli.help import Commands, help_from_code
from lemmata.cli.parse import Call, parsed
from lemmata.core import UserError, unknown
from lemmata.core.cli_hints import cli_options
from lemmata.core.errors import EngineLost
from lemmata.core.registry import add_paper_path
from lemmata.report.terminal import make_console

CONTINUES = "finished runs are kept, run the same command again to continue"
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR)
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def execute(words: list[str], commands: Commands, of_lm: Commands) -> NoReturn:
    prepare_gpu()
    more = help_from_code(words)
    console = make_console(stderr=True)
    try:
        call = _call(words if more is None else more, commands, of_lm)
        for path in call.where.paper_path:
            add_paper_path(path)
        if getattr(getattr(call.options, "scale", None), "name", "") == "smoke":
            from lemmata.run import compile_fast

            compile_fast()
        with cli_options(call.where.given()):
            code = call.run(make_console())
        if more is not None:  # the command's own help stands beneath what tyro cannot know
            _call([words[0], "--help"], commands, of_lm)
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


def _call(words: list[str], commands: Commands, of_lm: Commands) -> Call:
    name, *rest = words
    known, prog = commands, "lemmata"
    if name == "lm":
        (name, *rest), known, prog = rest, of_lm, "lemmata lm"
    if name not in known:
        raise unknown("command", name, known)
    return parsed(known[name], f"{prog} {name}", rest)


def _refuse(console: Any, message: str, code: int = 2) -> NoReturn:
    console.print(f"lemmata: {message}", style="red", soft_wrap=True, markup=False, highlight=False)
    sys.exit(code)
