"""Config -> stored result: execute, store, judge, query."""

from lemmata.run.changes import Changes as Changes, change as change
from lemmata.run.confirm import confirm as confirm, last_confirmation as last_confirmation
from lemmata.run.examine import (
    apart as apart,
    examine as examine,
    examine_in_turn as examine_in_turn,
    obstacle as obstacle,
    possible as possible,
)
from lemmata.run.execute import (
    Reporter as Reporter,
    Silent as Silent,
    execute as execute,
    fill as fill,
    filled as filled,
    missing as missing,
    obtain as obtain,
)
from lemmata.run.query import query as query
from lemmata.run.store import DamagedRun as DamagedRun, Store as Store
from lemmata.run.verdicts import keep_verdict as keep_verdict, last_verdict as last_verdict
