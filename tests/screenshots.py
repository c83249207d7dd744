"""The pictures of the docs, made again with one command: seven views of the live page, three of the report.

    make pictures

Each picture keeps the digest of the verdicts that it shows; a test compares it with those of the papers' folders.

The store needs the runs of laptop scale (`make reproduce`), whose report is the other folder; a system's Chromium takes
the pictures. One question is asked for the picture of a run under way, and cancelled again.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from PIL.PngImagePlugin import PngInfo

import browser

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

KEY = "verdicts"
DOCS = Path(__file__).parents[1] / "docs"
COLOURS = 256  # of a picture's palette: text stays sharp, and files stay small
VIEWS = {
    "live-find": "?q=temperature",
    "live-graph": "graph/ic-recall",
    "live-claim": "claim/ic-recall/pairwise-line",
    "live-form": "change/association/fig-3?scale=laptop",
    "live-play": "play/ic-recall/thm-4-2",
}
REPORT = {
    "report": "index.html",
    "report-paper": "ic-recall.html",
    "report-claim": "ic-recall.html#ic-recall/thm-b.3-unique",
}
CHANGED = "change/ic-recall/thm-b-3?scale=laptop&set=temperatures%3D0.02,0.04,0.08"  # seconds
WATCHED = "change/association/fig-3?scale=laptop&set=replication%3D78"


def verdicts_digest() -> str:
    """Of the verdicts that the papers of this package keep."""
    kept = sorted(DOCS.parent.glob("src/lemmata/papers/*/verdicts.json"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in kept)).hexdigest()[:16]


@contextmanager
def serving(store: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "lemmata", "serve", "--store", str(store), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\S+", process.stdout.readline())
        assert found
        yield found.group()
    finally:
        process.terminate()
        process.wait(30)


def keep(page: "Page", name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.png"
        page.screenshot(path=whole)
        small = Image.open(whole).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        about = PngInfo()
        about.add_text(KEY, verdicts_digest())
        small.save(DOCS / f"{name}.png", optimize=True, pnginfo=about)
    print(f"docs/{name}.png: {(DOCS / f'{name}.png').stat().st_size // 1000} kB")


def live(context: "BrowserContext", address: str) -> None:
    page = context.new_page()
    for name, path in VIEWS.items():
        page.goto(address + path)
        page.wait_for_timeout(1500)
        if name == "live-play":
            page.get_by_role("slider", name="Training time").fill("160")  # on the way
        keep(page, name)


def changed(context: "BrowserContext", address: str) -> None:
    """A question and its answer, side by side."""
    page = context.new_page()
    page.goto(address + CHANGED)
    page.get_by_role("button", name="Compute it").click()
    page.get_by_role("heading", name="Side by side").wait_for(timeout=200_000)
    page.wait_for_timeout(1_500)
    keep(page, "live-change")


def watched(context: "BrowserContext", address: str) -> None:
    """A run under way, with the verdict of what it has recorded so far."""
    page = context.new_page()
    page.goto(address + WATCHED)
    page.get_by_role("button", name="Compute it").click()
    page.get_by_role("heading", name="final: full.noise").wait_for(timeout=400_000)  # its last stage
    page.wait_for_timeout(15_000)
    page.locator("#job").scroll_into_view_if_needed()
    keep(page, "live-watch")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_timeout(1_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path(".lemmata"))
    parser.add_argument("--report", type=Path, default=Path("report"))
    given = parser.parse_args()
    if reason := browser.lack():
        sys.exit(reason)
    with browser.launched() as chromium:
        context = chromium.new_context(viewport=browser.DESK)
        page = context.new_page()
        for name, path in REPORT.items():
            file, _, anchor = path.partition("#")
            page.goto((given.report / file).absolute().as_uri() + (f"#{anchor}" if anchor else ""))
            page.wait_for_timeout(1_500)
            keep(page, name)
        with serving(given.store) as address:
            live(context, address)
            changed(context, address)
            watched(context, address)


if __name__ == "__main__":
    main()
