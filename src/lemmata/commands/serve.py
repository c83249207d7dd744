"""`lemmata serve`: the live page, where its extra is installed."""

from rich.console import Console

from lemmata.core import Scale, UserError
from lemmata.core.extras import missing_extra
from lemmata.run import Store


def open_page(page: str, store: Store, scale: Scale, port: int, *, browser: bool, console: Console) -> int:
    if reason := missing_extra("serve"):
        raise UserError(f"serve: {reason}")
    from lemmata.serve import serve

    return serve(page, store, scale.name, port, browser=browser, console=console)
