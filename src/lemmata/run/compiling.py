"""How long a process spends on compiling: tracing, lowering, and XLA's own part or reading a program that was kept."""

import time
from types import TracebackType
from typing import Any

import jax

EVENTS = "/jax/core/compile/"
BACKEND = f"{EVENTS}backend_compile_duration"


class Compiling:
    """The seconds of compiling, and the number of programs, while it is entered."""

    def __init__(self) -> None:
        self.programs = 0
        self._spans: list[tuple[float, float]] = []

    @property
    def seconds(self) -> float:
        return sum((end - begin for begin, end in self._spans), 0.0)

    def hear(self, event: str, duration_secs: float, **kwargs: Any) -> None:
        """JAX tells of each piece when it has ended; a piece may contain those that ended before it."""
        if not event.startswith(EVENTS):
            return
        self.programs += event == BACKEND
        end = time.monotonic()
        while self._spans and self._spans[-1][0] >= end - duration_secs:
            self._spans.pop()
        self._spans.append((end - duration_secs, end))

    def __enter__(self) -> "Compiling":
        jax.monitoring.register_event_duration_secs_listener(self.hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        jax.monitoring.unregister_event_duration_listener(self.hear)
