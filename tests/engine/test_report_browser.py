"""The report in a real Chromium: links land, statements open in place, mathematics is typeset, phones can read it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import browser
from conftest import Cli

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page as Tab

pytestmark = pytest.mark.skipif(bool(LACK := browser.lack()), reason=LACK)
NEAR = 100  # px
HOW_FAR = """id => {
  const place = document.getElementById(id).getBoundingClientRect().top, page = document.scrollingElement;
  const atTheEnd = page.scrollTop + innerHeight >= page.scrollHeight - 2;
  return [place, atTheEnd && place < innerHeight];
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.launched() as found:
        yield found


@pytest.fixture
def report(cli: Cli) -> Path:
    assert cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")[0] == 0
    return Path("report").resolve()


@pytest.fixture
def tab(chromium: "Browser") -> Iterator["Tab"]:
    context, complaints = chromium.new_context(viewport=browser.DESK), list[str]()
    yield browser.tab(context, complaints)
    context.close()
    assert complaints == []


def test_every_link_lands_where_it_says_and_opens_what_is_folded(report: Path, tab: "Tab") -> None:
    for page in ("index.html", "toy.html"):
        tab.goto((report / page).as_uri())
        targets = tab.evaluate("[...document.links].map(one => one.href).filter(one => one.includes('#'))")
        assert len(targets) > 5
        for target in dict.fromkeys(targets):
            tab.goto("about:blank")
            tab.goto(target)
            tab.wait_for_load_state("load")
            top, is_last = tab.evaluate(HOW_FAR, target.partition("#")[2])
            assert is_last or -2 <= top < NEAR, f"{target}: {top} px"


def test_a_papers_page_is_entered_by_its_statements(report: Path, tab: "Tab") -> None:
    tab.goto((report / "toy.html").as_uri())
    assert tab.evaluate("document.scrollingElement.scrollHeight") < 8 * browser.DESK["height"]
    assert tab.locator("nav.contents a").count() > 3
    line = tab.locator("details.line").first
    assert line.locator(".statement").is_hidden()
    line.locator("summary").first.click()
    assert line.locator(".statement").first.is_visible()
    shown = tab.locator("details.line:visible").count()
    tab.locator("label:has(#show-erratum)").click()
    assert 0 < tab.locator("details.line:visible").count() < shown


def test_mathematics_is_typeset_and_a_slip_is_marked(cli: Cli, tab: "Tab") -> None:
    assert cli("reproduce", "ic-recall/lemma-3-1", "--scale", "smoke", "--jobs", "1")[0] == 0
    tab.goto(Path("report/ic-recall.html").resolve().as_uri() + "#errata/ic-recall")
    assert tab.locator(".tex .katex").count() > 3
    assert tab.locator(".katex-error").count() == 0
    slip = tab.locator("article.erratum").first
    colours = slip.evaluate(
        "one => [...one.querySelectorAll('.katex [style*=color], mark')].map(x => getComputedStyle(x).color)"
    )
    assert len(set(colours)) == 2, "what is printed and what is right"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anyone_can_read_it(report: Path, chromium: "Browser", scheme: str) -> None:
    context = chromium.new_context(viewport=browser.PHONE, color_scheme=scheme)
    page = context.new_page()
    for name in ("index.html", "toy.html"):
        page.goto((report / name).as_uri())
        assert browser.width_needed(page) <= browser.PHONE["width"]
        assert browser.grave_violations(page) == []
    context.close()
