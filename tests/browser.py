"""A real Chromium for tests of the live page: the system's own, never a download."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = {"playwright": "playwright", "axe_playwright_python": "axe-playwright-python"}
REFUSED = "status of 400"  # in Chromium's words
GRAVE = ("serious", "critical")
DESK, PHONE = {"width": 1300, "height": 900}, {"width": 390, "height": 844}


def chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def lack() -> str:
    """Why there is no browser here; empty: there is one."""
    if absent := [name for module, name in PACKAGES.items() if find_spec(module) is None]:
        return f"not installed: {', '.join(absent)} (pip install 'lemmata[test]')"
    return "" if chromium() else f"no browser: none of {', '.join(NAMES)} is on the PATH (apt install chromium)"


@contextmanager
def launched() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root has no sandbox of its own, and a container's /dev/shm is small.
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=options)
        yield browser
        browser.close()


def tab(context: "BrowserContext", complaints: list[str]) -> "Page":
    """A tab that notes every error of its scripts, and everything the page's own policy had to block. A refusal, which
    the page says in words, is none."""

    def note(text: str) -> None:
        if REFUSED not in text:
            complaints.append(text)

    made = context.new_page()
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.on("console", lambda said: note(said.text) if said.type == "error" else None)
    return made


def grave_violations(page: "Page") -> list[str]:
    """What axe-core finds that would keep somebody from using the page: the rule, and the first place."""
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then((told) => told.violations)"
    )
    grave = [one for one in found if one["impact"] in GRAVE]
    return [f"{one['id']} ({one['impact']}, {len(one['nodes'])}): {one['nodes'][0]['html'][:160]}" for one in grave]


def width_needed(page: "Page") -> int:
    return page.evaluate("document.scrollingElement.scrollWidth")
