"""Config -> stored result: execute, store, judge, query."""

from lemmata.run.changes import Changes as Changes, change as change, outside_too as outside_too
from lemmata.run.confirm import confirm as confirm, last_confirmation as last_confirmation, seen_of as seen_of
from lemmata.run.examine import (
    apart as apart,
    examine as examine,
    examine_in_turn as examine_in_turn,
    obstacle as obstacle,
    possible as possible,
)
from lemmata.run.execute import execute as execute, missing as missing
from lemmata.run.fill import RunFailed as RunFailed, fill as fill, filled as filled, obtain as obtain
from lemmata.run.hasty import compile_hastily as compile_hastily, compile_lightly as compile_lightly
from lemmata.run.keys import Key as Key, keys as keys
from lemmata.run.programs import trim_programs as trim_programs
from lemmata.run.query import RUNS as RUNS, query as query, stored_columns as stored_columns, views as views
from lemmata.run.reporter import Reporter as Reporter, Silent as Silent
from lemmata.run.store import DamagedRun as DamagedRun, Store as Store
from lemmata.run.sweep import Axis as Axis, Cell as Cell, axis as axis, cells as cells, sweep as sweep
from lemmata.run.threads import compute_in_one_thread as compute_in_one_thread
from lemmata.run.verdicts import keep_verdict as keep_verdict, last_verdict as last_verdict
from lemmata.run.writing import Unwritable as Unwritable
