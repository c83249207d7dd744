"""What is known of a claim: its record, the ledger of its rule, baselines, replications, findings, coverage."""

from lemmata.record.baseline import (
    STALE as STALE,
    VERDICTS as VERDICTS,
    Baseline as Baseline,
    baselines as baselines,
    fresh as fresh,
    has_baseline as has_baseline,
    is_fresh as is_fresh,
    origin as origin,
    read_baseline as read_baseline,
)
from lemmata.record.coverage import Stated as Stated, coverage as coverage
from lemmata.record.finding import (
    CheckedFinding as CheckedFinding,
    Finding as Finding,
    Number as Number,
    findings as findings,
)
from lemmata.record.ledger import (
    LEDGER as LEDGER,
    CurrentRule as CurrentRule,
    Kind as Kind,
    Line as Line,
    claim_digest as claim_digest,
    current_rule as current_rule,
    current_rules as current_rules,
    ledger as ledger,
    line_of as line_of,
    of_one_rule as of_one_rule,
)
from lemmata.record.provenance import Badge as Badge, Provenance as Provenance
from lemmata.record.record import (
    EXACT as EXACT,
    NOT_RUN as NOT_RUN,
    Element as Element,
    PartRecord as PartRecord,
    Record as Record,
    Records as Records,
    correction_json as correction_json,
)
from lemmata.record.replication import (
    REPLICATIONS as REPLICATIONS,
    Replication as Replication,
    Replications as Replications,
    kept_replications as kept_replications,
)
from lemmata.record.reply import Reply as Reply, replies as replies
from lemmata.record.result import ExperimentResult as ExperimentResult, NotRun as NotRun
