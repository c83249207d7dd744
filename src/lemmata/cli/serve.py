"""The command that opens the live page."""

from dataclasses import dataclass, field
from typing import Annotated

import tyro
from rich.console import Console

from lemmata.cli.options import Places, ScaleOption, Where
from lemmata.core import UserError
from lemmata.core.extras import missing_extra


@dataclass(frozen=True, kw_only=True)
class Serve:
    """A page on this machine where every claim can be found, read, changed and watched (extra `serve`).

    It listens on the loopback alone, at an address with a random token. A port that is taken gives the next one.

    Example: lemmata serve 'change/ic-recall/fig-2?scale=smoke&set=temperature%3D0.2'
    """

    page: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[PAGE]", help="What to show first, as a page's `Send it` says."),
    ] = ""
    scale: ScaleOption = "laptop"
    port: Annotated[int, tyro.conf.arg(help="The first port to try; 0: any that is free.")] = 8765
    browser: Annotated[bool, tyro.conf.arg(help="Open it in the default browser.")] = False
    where: Where = field(default_factory=Places)

    def __call__(self, console: Console) -> int:
        if reason := missing_extra("serve"):
            raise UserError(f"serve: {reason}")
        from lemmata.run import Store
        from lemmata.serve import serve

        store = Store(self.where.store)
        return serve(self.page, store, self.scale, self.port, browser=self.browser, console=console)
