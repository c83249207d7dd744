"""Config -> stored result: execute, store, judge, query."""

from lemmata.run.changes import Changes as Changes, change as change, outside_too as outside_too
from lemmata.run.compile_cache import trim_compile_cache as trim_compile_cache
from lemmata.run.evaluate import (
    apart as apart,
    evaluate as evaluate,
    evaluate_each as evaluate_each,
    named_one_by_one as named_one_by_one,
    obstacle as obstacle,
    possible as possible,
    require_possible as require_possible,
)
from lemmata.run.execute import execute as execute, missing as missing
from lemmata.run.io_errors import Unwritable as Unwritable
from lemmata.run.overrides import Key as Key, keys as keys
from lemmata.run.query import RUNS as RUNS, query as query, stored_columns as stored_columns, views as views
from lemmata.run.queue_order import (
    cost_of as cost_of,
    recorded_cost as recorded_cost,
    run_costs as run_costs,
    shape as shape,
)
from lemmata.run.replicate import confirm as confirm, last_replications as last_replications, seen_of as seen_of
from lemmata.run.reporter import Computing as Computing, Reporter as Reporter
from lemmata.run.scheduler import RunFailed as RunFailed, compute_all as compute_all, compute_each as compute_each
from lemmata.run.store import DamagedRun as DamagedRun, Store as Store
from lemmata.run.sweep import Axis as Axis, Cell as Cell, axis as axis, cells as cells, sweep as sweep
from lemmata.run.threads import compute_in_one_thread as compute_in_one_thread
from lemmata.run.verdicts import keep_verdict as keep_verdict, last_verdict as last_verdict
from lemmata.run.xla_flags import compile_fast as compile_fast, compile_lightly as compile_lightly
