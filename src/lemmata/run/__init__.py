"""Config -> stored result: execute, store, judge, query."""

from lemmata.run.examine import Examined, changed, examine
from lemmata.run.execute import Reporter, Silent, execute, obtain
from lemmata.run.query import query
from lemmata.run.store import DamagedRun, Store
from lemmata.run.verdicts import keep_verdict, last_verdict

__all__ = [
    "DamagedRun",
    "Examined",
    "Reporter",
    "Silent",
    "Store",
    "changed",
    "examine",
    "execute",
    "keep_verdict",
    "last_verdict",
    "obtain",
    "query",
]
