"""The live page in a real Chromium: found, read, changed, watched, played back; by everybody, and on a phone."""

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import browser
from lemmata.core import Scale
from lemmata.core.registry import select
from lemmata.run import Store, evaluate
from live_page import TOKEN, Page, needs_serve
from serving import NEXT, SLOW, ask, serving, state, wait_for

if not (LACK := browser.lack()):
    from playwright.sync_api import expect
if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page as Tab

pytestmark = [needs_serve, pytest.mark.skipif(bool(LACK), reason=LACK)]

ATTENTION = "ic-recall/fig-2?scale=smoke"
VIEWS = {
    "find": "",
    "graph": "graph/ic-recall",
    "claim": "claim/ic-recall/pairwise-line",
    "change": "change/toy/decay?scale=smoke&set=rate%3D0.25",
    "play": f"play/{ATTENTION}",
}
SMALL_VIEWS = {"queue": "queue", "sql": "query?sql=SELECT+*+FROM+runs", "experiment": "experiment/toy/decay"}
HEARS = """
window.heard = [];
const Plain = EventSource;
window.EventSource = class extends Plain {
  constructor(address) {
    super(address);
    this.addEventListener("job", (event) => window.heard.push(event.data));
  }
};
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.launched() as found:
        yield found


@pytest.fixture(scope="module")
def address(page: Page) -> str:
    return f"http://127.0.0.1:{page.port}/{TOKEN}/"


@pytest.fixture(scope="module")
def computed(page: Page, smoke_store: Store) -> None:
    """One changed question of the toy, and runs whose attention was recorded: those that other tests need, too."""
    job = json.loads(page.post("ask", NEXT).text)
    (item,) = evaluate(select(["ic-recall/fig-2"]), Scale("smoke"), smoke_store)
    for id in item.run_ids:
        shutil.copytree(smoke_store.folder(id), page.store.folder(id))
    assert page.until(job["id"], "done", "failed") == "done"


@pytest.fixture
def context(chromium: "Browser") -> Iterator["BrowserContext"]:
    made = chromium.new_context(viewport=browser.DESK)
    yield made
    made.close()


@pytest.fixture
def tab(context: "BrowserContext") -> Iterator["Tab"]:
    """A tab; no script of the page may fail in it, and nothing be blocked by the page's own policy."""
    complaints: list[str] = []
    yield browser.tab(context, complaints)
    assert complaints == []


def test_from_a_search_to_a_claim_to_a_changed_run_to_its_verdict(tab: "Tab", address: str) -> None:
    tab.goto(address)
    tab.keyboard.type("decays surely")  # the field has the focus
    expect(tab.locator("#count")).to_have_text("1 claim")
    assert re.search(r"\?q=decays", tab.url)
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/claim/toy/rate")
    tab.get_by_role("link", name="change its assumptions").click()
    tab.get_by_label("rate", exact=True).fill("-3")
    tab.get_by_role("button", name="Compute it").click()
    expect(tab.locator("#refusal")).to_contain_text("-3")
    tab.get_by_label("rate", exact=True).fill("0.75")
    with tab.expect_navigation(url=re.compile("set=rate%3D0.75")):
        tab.get_by_role("button", name="Compute it").click()
    tab.get_by_role("heading", name="Side by side").wait_for(timeout=60_000)
    row = tab.locator(".compared tr", has_text="toy/rate")
    assert "holds" in row.inner_text()
    assert "0.25" in row.inner_text()  # 1 - rate
    assert "0.75 (instead of 0.5" in tab.locator(".changed").inner_text()
    assert tab.locator("svg.moved").count() == tab.locator(".compared tbody tr").count()
    expect(tab.get_by_text("Both at scale")).to_contain_text("seeds and panels are the same")


def test_what_is_compared_was_computed_at_one_scale(tab: "Tab", address: str, page: Page) -> None:
    for question in ({"experiment": "toy/decay", "scale": "smoke"}, NEXT | {"set": {"rate": "0.75"}}):
        job = json.loads(page.post("ask", question).text)
        assert page.until(job["id"], "done", "failed") == "done"
    tab.goto(f"{address}change/toy/decay?scale=smoke&set=rate%3D0.75")
    pair = tab.locator(".pair img")
    expect(pair).to_have_count(2)
    assert "scale=smoke" in (pair.first.get_attribute("src") or "")
    assert pair.evaluate_all("all => all.every((one) => one.complete && one.naturalWidth > 0)")


@pytest.mark.parametrize(
    "view", ["claim/toy/rate", "claim/lego/fig-1a", "experiment/toy/decay", "experiment/lego/fig-1a"]
)
def test_no_box_is_empty(tab: "Tab", address: str, view: str) -> None:
    """What is not drawn is said in words; every picture that has a place is there."""
    tab.goto(address + view)
    tab.wait_for_load_state("networkidle")
    empty = """[...document.querySelectorAll('main :is(img, figure, section, dd, .hover)')].filter((one) =>
        one.offsetParent && (one.tagName === 'IMG' ? !one.naturalWidth
                             : !one.innerText.trim() && !one.querySelector('img, svg')))"""
    assert tab.evaluate(f"{empty}.map((one) => one.outerHTML.slice(0, 99))") == []


def test_a_claims_link_and_entry_are_copied(context: "BrowserContext", tab: "Tab", address: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto(f"{address}claim/toy/rate")
    tab.get_by_role("button", name="Copy BibTeX").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    assert tab.evaluate("navigator.clipboard.readText()").startswith("@misc{lemmata-toy-rate,")


def test_a_search_knows_titles_and_greek_letters_and_a_slash_leads_to_it(tab: "Tab", address: str) -> None:
    tab.goto(address)
    box, shown = tab.get_by_label("Search"), tab.locator(".claims > li:visible")
    whole = shown.count()
    tab.keyboard.press("/")  # the field has the focus already
    expect(box).to_have_value("")
    box.blur()
    tab.keyboard.press("/")
    expect(box).to_be_focused()
    found = {}
    for words in ("phase diagram", "alpha", "α"):
        box.fill(words)
        found[words] = shown.count()
        assert 0 < found[words] < whole
    assert found["alpha"] == found["α"]


def test_the_slider_moves_the_attention_map(tab: "Tab", address: str, computed: None) -> None:
    tab.goto(f"{address}play/{ATTENTION}")
    cells = tab.locator("table.matrix").first.locator("tbody td")
    cells.first.wait_for()
    at_the_end, shade = cells.all_inner_texts(), "getComputedStyle(document.querySelector('.matrix td:nth-child(2)'))"
    shaded = tab.evaluate(f"{shade}.backgroundColor")
    tab.get_by_role("slider", name="Training time").focus()
    tab.keyboard.press("Home")
    at_the_start = cells.all_inner_texts()
    assert tab.locator("#step").inner_text() == "step 0"
    assert at_the_start != at_the_end
    assert tab.evaluate(f"{shade}.backgroundColor") != shaded
    assert sum(float(text) for text in at_the_start[: len(at_the_start) // 2] if text != "–") == pytest.approx(
        1, abs=0.05
    )
    tab.get_by_role("button", name="Play").click()
    expect(cells.first).not_to_have_text(at_the_start[0])
    tab.get_by_role("button", name="Pause").click()


def test_a_figure_says_the_number_under_the_pointer(tab: "Tab", page: Page, address: str, computed: None) -> None:
    job = json.loads(page.post("ask", {"experiment": "toy/decay", "scale": "smoke"}).text)
    assert page.until(job["id"], "done", "failed") == "done"
    x, y, words = json.loads(page.get("figure/toy/decay.points?scale=smoke").text)[3]
    tab.goto(f"{address}experiment/toy/decay")
    image = tab.locator(".hover img")
    image.scroll_into_view_if_needed()
    image.hover()  # the numbers are asked for
    tab.wait_for_load_state("networkidle")
    box = image.bounding_box()
    assert box is not None
    image.hover(position={"x": x * box["width"], "y": y * box["height"]})
    expect(tab.locator(".hover output")).to_have_text(words)


def test_two_tabs_see_the_same_stream(context: "BrowserContext", page: Page, address: str) -> None:
    complaints: list[str] = []
    context.add_init_script(HEARS)
    tabs = [browser.tab(context, complaints) for _ in range(2)]
    for one in tabs:
        one.goto(f"{address}queue")
        expect(one.locator("body")).to_have_attribute("data-stream", "open")
    job = json.loads(page.post("ask", NEXT | {"set": {"rate": "0.625"}}).text)
    for one in tabs:
        expect(one.locator(f"[data-job='{job['id']}'] .state")).to_have_text("done", timeout=60_000)
    checked = [[json.loads(text) for text in one.evaluate("window.heard")] for one in tabs]
    assert checked[0] == checked[1]
    states = [one["state"] for one in checked[0]]
    assert states[0] == "waiting"
    assert "running" in states
    assert complaints == []


def test_a_killed_server_is_restarted_and_the_queue_goes_on(context: "BrowserContext", tmp_path: Path) -> None:
    store, shown = tmp_path / "store", context.new_page()
    with serving(store) as (process, address):
        first, second = ask(address, SLOW), ask(address, NEXT)
        shown.goto(f"{address}{first['path']}")
        expect(shown.locator("#state")).to_have_text("running", timeout=60_000)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        shown.get_by_text("The server does not answer").wait_for()
    assert state(store, second["id"]) == "waiting"
    with serving(store, first["path"]) as (_, sent):
        assert sent.endswith(first["path"])
        shown.goto(sent)
        address = sent.removesuffix(first["path"])
        assert "30000000 (instead of 20" in shown.locator(".changed").inner_text()
        expect(shown.locator("#state")).to_have_text("running", timeout=60_000)
        shown.get_by_role("button", name="Cancel").click()
        shown.goto(f"{address}queue")
        expect(shown.locator(f"[data-job='{second['id']}'] .state")).to_have_text("done", timeout=60_000)
        wait_for(store, first["id"], "cancelled")
    assert len(Store(store).digests()) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave(tab: "Tab", address: str, computed: None, scheme: str) -> None:
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found = {}
    for name, path in (VIEWS | SMALL_VIEWS).items():
        tab.goto(address + path)
        if name == "play":
            tab.locator("table.matrix").first.wait_for()
        found[name] = browser.grave_violations(tab)
    assert {name: checked for name, checked in found.items() if checked} == {}


def test_nothing_scrolls_sideways_on_a_phone(tab: "Tab", address: str, computed: None) -> None:
    tab.set_viewport_size(browser.PHONE)  # type: ignore[arg-type]
    needed = {}
    for name, path in (VIEWS | SMALL_VIEWS).items():
        tab.goto(address + path)
        if name == "play":
            tab.locator("table.matrix").first.wait_for()
        needed[name] = browser.width_needed(tab)
    assert {name: width for name, width in needed.items() if width > 390} == {}
