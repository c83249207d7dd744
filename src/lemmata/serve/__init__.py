"""The live page (extra `serve`)."""

from typing import Annotated

import tyro
from rich.console import Console

from lemmata.commands.options import AtScale
from lemmata.core import UserError
from lemmata.core.extras import missing_extra
from lemmata.run import Store


def open_page(
    scale: AtScale,
    store: Store,
    page: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[PAGE]", help="What to show first, as a page's `Send it` says."),
    ] = "",
    port: Annotated[int, tyro.conf.arg(help="The first port to try; 0: any that is free.")] = 8765,
    *,
    console: Console,
    browser: Annotated[bool, tyro.conf.arg(help="Open it in the default browser.")] = False,
) -> int:
    """A page on this machine to find, read, change and watch claims.

    It needs the extra `serve`. It listens on the loopback alone, at an address with a random token. A port that is
    taken gives the next one.

    Example: lemmata serve 'change/ic-recall/fig-2?scale=smoke&set=temperature%3D0.2'
    """
    if reason := missing_extra("serve"):
        raise UserError(f"serve: {reason}")
    from lemmata.serve.start import serve

    return serve(page, store, scale.name, port, browser=browser, console=console)
