"""The live page (extra `serve`)."""

from rich.console import Console

from lemmata.core import Scale, UserError
from lemmata.core.extras import missing_extra
from lemmata.run import Store


def open_page(page: str, store: Store, scale: Scale, port: int, *, browser: bool, console: Console) -> int:
    """`lemmata serve`, where its extra is installed."""
    if reason := missing_extra("serve"):
        raise UserError(f"serve: {reason}")
    from lemmata.serve.start import serve

    return serve(page, store, scale.name, port, browser=browser, console=console)
