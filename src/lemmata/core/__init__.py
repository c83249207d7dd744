"""The words everyone shares. No domain knowledge lives here."""

from lemmata.core.algorithm import AbstractAlgorithm as AbstractAlgorithm, Metrics as Metrics, TrainState as TrainState
from lemmata.core.arrays import jax_zeros as jax_zeros, to_jax as to_jax
from lemmata.core.certificate import (
    ARRAY as ARRAY,
    AXES as AXES,
    Certificate as Certificate,
    Outcome as Outcome,
    Proposition as Proposition,
    ProvedStep as ProvedStep,
    read_certificate as read_certificate,
)
from lemmata.core.certified import certified as certified
from lemmata.core.claim import Claim as Claim, Correction as Correction, Judgement as Judgement, Part as Part
from lemmata.core.config import (
    Config as Config,
    also as also,
    canonical as canonical,
    decode as decode,
    described as described,
    encode as encode,
    has_path as has_path,
    override as override,
    path_in as path_in,
    paths as paths,
)
from lemmata.core.confirmation import (
    REPLICATIONS as REPLICATIONS,
    Confirmation as Confirmation,
    documented_confirmations as documented_confirmations,
)
from lemmata.core.constraints import (
    Bound as Bound,
    Count as Count,
    Inside as Inside,
    Natural as Natural,
    NonNegative as NonNegative,
    Positive as Positive,
    Several as Several,
    Share as Share,
    Some as Some,
)
from lemmata.core.counted import counted as counted
from lemmata.core.coverage import Stated as Stated, coverage as coverage
from lemmata.core.engine import ENGINES as ENGINES, EngineName as EngineName, Resources as Resources
from lemmata.core.errors import (
    InvalidField as InvalidField,
    OutsideSetting as OutsideSetting,
    TooShort as TooShort,
    Undecided as Undecided,
    UserError as UserError,
    invalid as invalid,
    nearest as nearest,
    require as require,
    unknown as unknown,
)
from lemmata.core.evidence import KEPT as KEPT, Evidence as Evidence, crossed as crossed, rows_of as rows_of
from lemmata.core.examined import NOT_RUN as NOT_RUN, Examined as Examined, NotRun as NotRun
from lemmata.core.experiment import Artefact as Artefact, Experiment as Experiment
from lemmata.core.extras import EXTRAS as EXTRAS, missing_extra as missing_extra
from lemmata.core.finding import (
    Finding as Finding,
    Number as Number,
    Told as Told,
    VerdictRows as VerdictRows,
    findings as findings,
)
from lemmata.core.judge import judge as judge
from lemmata.core.ledger import (
    LEDGER as LEDGER,
    Line as Line,
    claim_digest as claim_digest,
    claim_digests as claim_digests,
    has_reference as has_reference,
    ledger as ledger,
)
from lemmata.core.model import AbstractModel as AbstractModel, Trace as Trace
from lemmata.core.notes import field_note as field_note
from lemmata.core.places import command as command, given_places as given_places
from lemmata.core.plain import plain as plain
from lemmata.core.precision import Precision as Precision, platform as platform, precision as precision
from lemmata.core.quiet import quiet_if as quiet_if
from lemmata.core.reference import (
    STALE as STALE,
    VERDICTS as VERDICTS,
    is_fresh as is_fresh,
    kept_verdicts as kept_verdicts,
    origin as origin,
    references as references,
)
from lemmata.core.registry import (
    Paper as Paper,
    Selection as Selection,
    add_paper_path as add_paper_path,
    experiment as experiment,
    experiments as experiments,
    file_of as file_of,
    full_id as full_id,
    paper_ids as paper_ids,
    papers as papers,
    run_type as run_type,
    run_types as run_types,
    select as select,
    select_one as select_one,
)
from lemmata.core.rng import (
    named_fold as named_fold,
    named_generator as named_generator,
    named_integer as named_integer,
    named_key as named_key,
    named_keys as named_keys,
    replicated as replicated,
)
from lemmata.core.rule import (
    Rule as Rule,
    at_least as at_least,
    at_most as at_most,
    bootstrap_error as bootstrap_error,
    exactly as exactly,
    falls as falls,
    log_slope as log_slope,
    mean_near as mean_near,
    moves as moves,
    near as near,
    rises as rises,
    slope_near as slope_near,
)
from lemmata.core.run import (
    Checkpoint as Checkpoint,
    Need as Need,
    Recorded as Recorded,
    RunConfig as RunConfig,
    RunContext as RunContext,
    RunOutput as RunOutput,
    RunResult as RunResult,
    Runs as Runs,
    Setting as Setting,
    Unattended as Unattended,
)
from lemmata.core.sample import LEVEL as LEVEL, SHARE as SHARE, Sample as Sample, Seeds as Seeds, Successes as Successes
from lemmata.core.scale import SCALES as SCALES, Scale as Scale, ScaleName as ScaleName
from lemmata.core.setting import all_of as all_of, only as only, several as several, within as within
from lemmata.core.standing import Badge as Badge, Standing as Standing
from lemmata.core.task import AbstractTask as AbstractTask, Batch as Batch
from lemmata.core.thorough import THOROUGH as THOROUGH, thorough_jit as thorough_jit
from lemmata.core.verdict import Status as Status, Verdict as Verdict
from lemmata.core.view import Curves as Curves, Follow as Follow, Frames as Frames, Track as Track, View as View
from lemmata.core.wording import Configs as Configs, Word as Word, word as word
