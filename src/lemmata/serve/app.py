"""The routes of the live page. Every refusal is one line; nothing is computed here but what is asked of the queue."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from lemmata.core import UserError
from lemmata.core.registry import paper_ids
from lemmata.core.scale import ScaleName
from lemmata.report.page import style_sheet
from lemmata.run import Store, query
from lemmata.serve import change_page as changing, claim_page as reading, find_page as finding, jobs, more_pages as more
from lemmata.serve.claim_index import Known
from lemmata.serve.figures import KINDS, can_draw, drawing
from lemmata.serve.guard import DRAWING_POLICY
from lemmata.serve.hub import Hub
from lemmata.serve.live_metrics import so_far
from lemmata.serve.live_rules import rules_of
from lemmata.serve.page_cache import Rendered, body, files
from lemmata.serve.playback import playback
from lemmata.serve.question import Question, from_address, from_json, one_experiment
from lemmata.serve.queue import Queue

STATIC = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml"}
MOST_ROWS = 1_000  # of an answer to SQL


@dataclass
class Live:
    """What the routes share."""

    store: Store
    scale: ScaleName
    token: str
    is_over: Callable[[], bool] = lambda: False  # whether the server was asked to end
    opened: Callable[[], None] = lambda: None  # called when the queue has begun

    def __post_init__(self) -> None:
        self.base = f"/{self.token}/"
        self.known = Known(self.store, self.scale)
        self.hub = Hub()
        self.queue = Queue(self.store, self.hub.publish)
        self.rendered = Rendered()
        self.rules_of = lru_cache(maxsize=8)(rules_of)  # the same for every tab that watches
        shipped = {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.suffix in TYPES}
        self.shipped = files(shipped, TYPES) | {"page.css": body(style_sheet().encode(), TYPES[".css"])}

    def question(self, request: Request) -> Question:
        scale = request.query_params.get("scale", self.scale)
        return from_address(_id(request), scale, request.query_params.getlist("set"))

    def kept(self, make: Callable[[Request], str]) -> Callable[[Request], Awaitable[Response]]:
        """A page that shows nothing but what is known of claims: made again when that has changed."""

        async def answer(request: Request) -> Response:
            stamp = self.known.state() or await run_in_threadpool(self.known.wait)
            return await self.rendered.answer(request, stamp, make)

        return answer

    def find(self, request: Request) -> str:
        return finding.find_page(self.base, self.known.records(), self.scale)

    def graph(self, request: Request) -> str:
        wanted = paper_ids([request.path_params["paper"]] if "paper" in request.path_params else [])
        return finding.graphs_page(self.base, self.known.records(), wanted)

    def paper(self, request: Request) -> str:
        return finding.paper_page(self.base, *paper_ids([request.path_params["paper"]]))

    def claim(self, request: Request) -> str:
        record = self.known.record(_id(request))
        is_drawn = can_draw(Question(experiment=record.experiment, scale=self.scale), self.store)
        return reading.claim_page(self.base, record, is_drawn=is_drawn)

    def experiment(self, request: Request) -> str:
        selection = one_experiment(_id(request))
        records = self.known.of(selection.experiment.id)
        is_drawn = can_draw(Question(experiment=selection.experiment.id, scale=self.scale), self.store)
        return reading.experiment_page(self.base, selection, records, self.scale, is_drawn=is_drawn)

    def change(self, request: Request) -> Response:
        requested = self.question(request)
        made, job = requested.made(), self.queue.job(requested.id)
        at_scale = self.known if requested.scale == self.scale else Known(self.store, requested.scale)
        original = at_scale.of(requested.experiment)
        cost = next((one.seconds for one in original if one.seconds), None)
        done = jobs.result(self.store, requested.id) if job and job.state == "done" else None
        head = made.words() if made else []
        is_drawn = can_draw(Question(experiment=requested.experiment, scale=requested.scale), self.store)
        page = changing.change_page(self.base, requested, head, original, job, done, cost, is_drawn=is_drawn)
        return HTMLResponse(page)

    def play(self, request: Request) -> Response:
        return HTMLResponse(more.play_page(self.base, self.question(request)))

    def frames(self, request: Request) -> Response:
        return JSONResponse(playback(self.question(request), self.store))

    def records(self, request: Request) -> Response:
        job = self.queue.job(request.path_params["id"])
        run = job.progress.get("run") if job else None
        views = so_far(self.store, run, self.rules_of(job.question, run)) if job and run else []
        return JSONResponse({"run": run, "views": views})

    def figure(self, request: Request) -> Response:
        return _drawn(drawing(self.question(request), self.store, request.path_params["kind"]))

    def result_file(self, request: Request) -> Response:
        job, name = self.queue.job(request.path_params["id"]), request.path_params["name"]
        done = jobs.result(self.store, job.id) if job else None
        if job is None or done is None or name not in done.files:
            raise UserError(f"there is no result {name[:40]!r} of this question")
        return _drawn(jobs.folder(self.store, job.id) / name)

    def sql(self, request: Request) -> Response:
        text, columns, rows, error = request.query_params.get("sql", ""), [], [], ""
        if text:
            try:
                columns, rows = query(self.store, text, remote=True, most=MOST_ROWS)
            except UserError as refused:
                error = str(refused)
        return HTMLResponse(more.query_page(self.base, text, columns, rows, error), 400 if error else 200)

    def queued(self, request: Request) -> Response:
        return HTMLResponse(changing.queue_page(self.base, self.queue.jobs(), is_ours=self.queue.is_ours))

    async def submit(self, request: Request) -> Response:
        question = await run_in_threadpool(from_json, await request.body())
        job = await run_in_threadpool(self.queue.add, question)
        return JSONResponse(job.to_json(), 202)

    def cancel(self, request: Request) -> Response:
        return JSONResponse(self.queue.cancel(request.path_params["id"]).to_json())

    async def events(self, request: Request) -> Response:
        if self.hub.is_full:
            return PlainTextResponse("too many tabs listen already\n", 503)
        return StreamingResponse(
            self.hub.events([job.to_json() for job in self.queue.jobs()]), media_type="text/event-stream"
        )

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.shipped:
            raise UserError(f"there is no file {name[:80]!r}")
        return self.shipped[name].answer(request, **{"cache-control": "private, max-age=3600"})


def make_app(store: Store, scale: ScaleName, token: str) -> tuple[Starlette, Live]:
    live = Live(store, scale, token)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        live.hub.attach()
        live.queue.open()
        live.opened()
        ending = asyncio.create_task(live.hub.close_when(lambda: live.is_over()))
        yield
        ending.cancel()
        live.hub.close()
        await run_in_threadpool(live.queue.close)

    id = "{paper}/{name}"
    look: dict[str, Callable[..., Any]] = {
        "/": live.kept(live.find),
        "/graphs": live.kept(live.graph),
        "/graph/{paper}": live.kept(live.graph),
        "/paper/{paper}": live.kept(live.paper),
        f"/claim/{id}": live.kept(live.claim),
        f"/experiment/{id}": live.kept(live.experiment),
        f"/change/{id}": live.change,
        f"/play/{id}": live.play,
        f"/frames/{id}": live.frames,
        "/records/{id}": live.records,
        "/figure/{paper}/{name}.{kind}": live.figure,
        "/result/{id}/{name}": live.result_file,
        "/query": live.sql,
        "/queue": live.queued,
        "/events": live.events,
        "/static/{name:path}": live.static,
    }
    routes = [Route(path, answer, methods=["GET"]) for path, answer in look.items()]
    routes += [Route("/ask", live.submit, methods=["POST"]), Route("/cancel/{id}", live.cancel, methods=["POST"])]
    handlers: Any = {UserError: _refused, 404: _nowhere, 500: _broken}
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), live


def _id(request: Request) -> str:
    return f"{request.path_params['paper']}/{request.path_params['name']}"


def _drawn(path: Path) -> Response:
    kind = path.suffix.removeprefix(".")
    policy = {"content-security-policy": DRAWING_POLICY} if kind == "svg" else {}
    return FileResponse(path, media_type=KINDS[kind], headers=policy)


async def _refused(request: Request, error: Exception) -> Response:
    line = " ".join(str(error).split())
    if request.method == "POST":
        return PlainTextResponse(json.dumps({"refused": line}), 400, media_type="application/json")
    return PlainTextResponse(f"{line}\n", 404 if "unknown" in line or "there is no" in line else 400)


async def _nowhere(request: Request, error: Exception) -> Response:
    return PlainTextResponse("there is no such page\n", 404)


async def _broken(request: Request, error: Exception) -> Response:
    return PlainTextResponse("this page could not be made: the terminal says why\n", 500)
