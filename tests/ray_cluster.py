"""A Ray cluster on the loopback of this machine, whose workers and nodes can be killed. It needs Ray and /proc."""

import contextlib
import importlib.util
import ipaddress
import os
import re
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

POSSIBLE = importlib.util.find_spec("ray") is not None and Path("/proc").is_dir()
# Without the second, Ray takes 127.0.0.1 for this machine's address on its network (it is read when Ray is imported);
# without the third, its workers wait for whatever else the machine does.
OWN = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
NODE = {"node_ip_address": "127.0.0.1", "object_store_memory": 80 * 2**20, "include_dashboard": False}


Address = ipaddress.IPv4Address | ipaddress.IPv6Address
LISTENS = "0A"  # as /proc/net/tcp says it


@contextlib.contextmanager
def cluster(*cpus: int) -> Iterator["Cluster"]:
    """One node a number, the first is the head; commands that begin meanwhile join it. All are gone afterwards."""
    before = dict(os.environ)
    os.environ |= OWN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own
        from ray.cluster_utils import Cluster

        made = Cluster()
        try:
            for count in cpus:
                made.add_node(num_cpus=count, **NODE)
            os.environ["RAY_ADDRESS"] = made.address
            yield made
        finally:
            made.shutdown()
            os.environ.clear()
            os.environ |= before


def busy_workers(*nodes: Any) -> list[int]:
    """Processes of nodes that compute a run: Ray names them by their task, which is named by its digest."""
    raylets, found = {node.all_processes["raylet"][0].process.pid for node in nodes}, []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) in raylets:
                title = (path.parent / "cmdline").read_text()
                found += [int(path.parent.name)] if re.match(r"ray::[0-9a-f]{8}", title) else []
    return found


def started_by(pid: int) -> dict[int, str]:
    """The processes beneath one, and what they execute."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(path.read_text().rpartition(")")[2].split()[1]), []).append(int(path.parent.name))
    found, known = {}, list(children.get(pid, ()))
    for one in known:
        known += children.get(one, ())
        with contextlib.suppress(OSError):
            found[one] = Path(f"/proc/{one}/cmdline").read_text().partition("\0")[0]
    return found


def listening(pid: int) -> list[tuple[Address, int]]:
    """Addresses and ports where a process waits for connections."""
    sockets, found = set(), []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(path))
    for version in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{version}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and f"socket:[{inode}]" in sockets:
                address, port = local.split(":")
                words = [bytes.fromhex(address[start : start + 8])[::-1] for start in range(0, len(address), 8)]
                found.append((ipaddress.ip_address(b"".join(words)), int(port, 16)))
    return found


def kill(pid: int) -> bool:
    """Whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def lose(made: "Cluster", node: Any) -> int:
    """A node without warning, as if its power went; how many runs it was computing."""
    workers = busy_workers(node)
    made.remove_node(node, allow_graceful=False)  # first, or it would still tell of its workers' end
    return sum(kill(worker) for worker in workers)
