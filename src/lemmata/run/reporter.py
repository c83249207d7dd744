"""Whoever watches runs being computed."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Reporter(Protocol):
    def plan(self, total: int) -> None: ...
    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None: ...
    def finished(self, digest: str, kind: str, seconds: float) -> None: ...
    def damaged(self, digest: str, reason: str) -> None: ...
    def resumed(self, digest: str, kind: str, why: str) -> None: ...
    def failed(self, digest: str, kind: str, reason: str) -> None: ...
    def elsewhere(self, digest: str, kind: str) -> None: ...
    def stopped(self, digest: str, kind: str, how: str) -> None: ...


class Silent:
    def plan(self, total: int) -> None:
        pass

    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None:
        pass

    def finished(self, digest: str, kind: str, seconds: float) -> None:
        pass

    def damaged(self, digest: str, reason: str) -> None:
        pass

    def resumed(self, digest: str, kind: str, why: str) -> None:
        pass

    def failed(self, digest: str, kind: str, reason: str) -> None:
        pass

    def elsewhere(self, digest: str, kind: str) -> None:
        pass

    def stopped(self, digest: str, kind: str, how: str) -> None:
        pass
