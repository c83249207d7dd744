"""Who computes a run: a lease on its digest, so that processes and hosts that share a store share its work.

`<store>/.leases/<digest>` names its holder and counts the holder's heartbeats. Whoever waits watches the count by its
own monotonic clock: one that has stood still too long belongs to nobody. No clock is compared with another host's, and
a lease decides only who works: two holders would write the same run, and the store keeps it once.
"""

import contextlib
import os
import stat
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from lemmata.run.io_errors import writing

try:
    import fcntl
except ImportError:  # not a POSIX system: the heartbeat alone decides there
    fcntl = None

FOLDER = ".leases"
DAMAGED = ".damaged"  # what was set aside, to be looked at; `runs prune` takes it away
NO_OTHER = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link's target, no waiting for a pipe
STALE_AFTER = 30.0  # seconds without a heartbeat
BEAT_EVERY = 3.0
LONGEST = 4096  # bytes of a lease that are read


def _kernel() -> str:
    """This boot of this kernel; nothing where it has no name."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip() if fcntl else ""
    except OSError:
        return ""


KERNEL = _kernel()


class Leases:
    """Those that one process holds or waits for; a thread of its own keeps them alive."""

    def __init__(self, root: Path, *, stale_after: float = STALE_AFTER, beat_every: float = BEAT_EVERY) -> None:
        self._root, self._folder = root, root / FOLDER
        self._owner = uuid.uuid4().hex
        self._stale_after, self._beat_every = stale_after, beat_every
        self._held: dict[str, tuple[int, str]] = {}  # digest -> descriptor, kernel
        self._seen: dict[str, tuple[bytes, float]] = {}  # what others' leases said, and since when by our own clock
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._beats = 0

    def __enter__(self) -> "Leases":
        with writing(self._root):
            self._folder.mkdir(parents=True, exist_ok=True)
        threading.Thread(target=self._beat, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        for digest in list(self._held):
            self.release(digest)
        clear_abandoned(self._root)

    def take(self, digest: str) -> bool:
        """Whether this process may compute the run now."""
        with writing(self._root):
            return self._take(digest)

    def _take(self, digest: str) -> bool:
        path = self._folder / digest
        for _ in range(2):
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
            except FileNotFoundError:  # another process has just removed the empty folder
                self._folder.mkdir(parents=True, exist_ok=True)
                continue
            except FileExistsError:
                if not self._clear_if_abandoned(path):
                    return False
                continue
            descriptor, locked = _locked(path, descriptor)
            kernel = KERNEL if locked else ""
            try:
                self._write(descriptor, path, kernel)
            except OSError:
                os.close(descriptor)
                path.unlink(missing_ok=True)
                raise
            with self._lock:
                self._held[digest] = descriptor, kernel
            self._seen.pop(digest, None)
            return True
        return False

    def release(self, digest: str) -> None:
        with self._lock:
            descriptor, _ = self._held.pop(digest)
        path = self._folder / digest
        with contextlib.suppress(OSError):
            if _said(path).startswith(self._owner.encode()):
                path.unlink()
        os.close(descriptor)

    def _clear_if_abandoned(self, path: Path) -> bool:
        try:
            said = _said(path)
        except FileNotFoundError:
            return True
        words, now = said.decode(errors="replace").split(), time.monotonic()
        # A dead process of this kernel has let go of its lock; of another host's, only the heartbeat tells.
        if not (KERNEL and words[1:2] == [KERNEL] and not _is_locked(path)):
            before, since = self._seen.setdefault(path.name, (said, now))
            if before != said:
                self._seen[path.name] = said, now
            if before != said or now - since < self._stale_after:
                return False
        with _alone(self._folder):
            return _clear(path, said)

    def _write(self, held: int, path: Path, kernel: str) -> None:
        descriptor = os.open(path, os.O_WRONLY | NO_OTHER)
        try:
            if os.fstat(descriptor).st_ino == os.fstat(held).st_ino:  # else it was stolen, and this is the next one
                os.pwrite(descriptor, f"{self._owner} {kernel or '-'} {self._beats:012d}\n".encode(), 0)
                os.fsync(descriptor)  # other hosts see what has reached the server
        finally:
            os.close(descriptor)

    def _beat(self) -> None:
        while not self._ended.wait(self._beat_every):
            self._beats += 1
            with self._lock:
                for digest, (descriptor, kernel) in self._held.items():
                    with contextlib.suppress(OSError):  # a full or read-only store: the run's own writing will say so
                        self._write(descriptor, self._folder / digest, kernel)


def clear_abandoned(root: Path) -> None:
    """Remove the leases of dead processes of this kernel: a run that was finished when its holder died is never asked
    for again."""
    folder = root / FOLDER
    if not folder.is_dir():
        return
    with contextlib.suppress(OSError):  # the store may be one that can only be read
        for path in folder.iterdir():
            said = _said(path)
            if not is_leased(root, path.name):
                with _alone(folder):
                    _clear(path, said)
        folder.rmdir()


def is_leased(root: Path, digest: str) -> bool:
    """Whether somebody may be computing the run: of a lease from another host, nobody can tell at a glance."""
    path = root / FOLDER / digest
    try:
        words = _said(path).decode(errors="replace").split()
    except FileNotFoundError:
        return False
    except OSError:  # in a folder of another user
        return True
    return not (KERNEL and words[1:2] == [KERNEL]) or _is_locked(path)


def _said(path: Path) -> bytes:
    """What a lease says. A link, a pipe or a folder in its place is nobody's lease: it is set aside, never opened."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode):
        kept = path.parent.parent / DAMAGED / f"lease-{path.name}-{uuid.uuid4().hex}"
        kept.parent.mkdir(exist_ok=True)
        path.rename(kept)
        raise FileNotFoundError(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_OTHER)
    except PermissionError:  # another user's: a heartbeat changes its time all the same
        return f"- - {about.st_mtime_ns}".encode()
    try:
        return os.read(descriptor, LONGEST)
    finally:
        os.close(descriptor)


def _clear(path: Path, said: bytes) -> bool:
    """Remove a lease that says this; whether there is none now. Where `_alone` could not lock, another process may
    have cleared it since and hold the next one: that is given back."""
    aside = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        if _said(path) != said:
            return False
        path.rename(aside)
    except FileNotFoundError:
        return True
    mine = _said(aside) == said
    if not mine:
        with contextlib.suppress(OSError):
            os.link(aside, path)
    aside.unlink(missing_ok=True)
    return mine


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time, as far as the file system has locks."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Whether it is locked now, by this process alone."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a file system without locks
        return False
    return True


def _locked(path: Path, made: int) -> tuple[int, bool]:
    """A descriptor that holds the lock, and whether it does: one that only reads, where the file system lets it lock,
    so that the store may become read-only meanwhile."""
    reading = os.open(path, os.O_RDONLY)
    if lock(reading):
        os.close(made)
        return reading, True
    os.close(reading)
    return made, lock(made)


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:  # another user's: what cannot be opened is held
        return True
    try:
        return not lock(descriptor)
    finally:
        os.close(descriptor)
