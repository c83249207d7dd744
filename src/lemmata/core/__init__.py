"""The words an author of a paper needs. No domain knowledge lives here."""

from lemmata.core.algorithm import AbstractAlgorithm as AbstractAlgorithm, Metrics as Metrics, TrainState as TrainState
from lemmata.core.arrays import jax_zeros as jax_zeros, to_jax as to_jax
from lemmata.core.axis_labels import crossed as crossed, rows_of as rows_of
from lemmata.core.certified import certified as certified
from lemmata.core.claim import Claim as Claim, Correction as Correction, Part as Part, Severity as Severity
from lemmata.core.condition import (
    Condition as Condition,
    of_config as of_config,
    of_result as of_result,
    only as only,
    several as several,
    within as within,
)
from lemmata.core.config import Config as Config, also as also, stored_as as stored_as
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
from lemmata.core.errors import (
    OutsideSetting as OutsideSetting,
    TooShort as TooShort,
    Undecided as Undecided,
    UserError as UserError,
    invalid as invalid,
    require as require,
    unknown as unknown,
)
from lemmata.core.experiment import Artefact as Artefact, Experiment as Experiment
from lemmata.core.jit_options import optimized_jit as optimized_jit
from lemmata.core.judge import judge as judge
from lemmata.core.model import AbstractModel as AbstractModel, Trace as Trace
from lemmata.core.precision import platform as platform, precision as precision
from lemmata.core.protocol import EXACT as EXACT, Protocol as Protocol
from lemmata.core.registry import Paper as Paper
from lemmata.core.rng import (
    named_fold as named_fold,
    named_generator as named_generator,
    named_integer as named_integer,
    named_key as named_key,
    named_keys as named_keys,
)
from lemmata.core.rule import (
    Rule as Rule,
    at_least as at_least,
    at_most as at_most,
    exactly as exactly,
    falls as falls,
    log_slope as log_slope,
    mean_near as mean_near,
    near as near,
    rises as rises,
    slope_near as slope_near,
)
from lemmata.core.run import (
    Checkpoint as Checkpoint,
    Recorded as Recorded,
    RunConfig as RunConfig,
    RunContext as RunContext,
    RunOutput as RunOutput,
    RunResult as RunResult,
    Runs as Runs,
    Unattended as Unattended,
)
from lemmata.core.sample import LEVEL as LEVEL, SHARE as SHARE, Sample as Sample, Seeds as Seeds, Successes as Successes
from lemmata.core.scale import Scale as Scale, Size as Size
from lemmata.core.task import AbstractTask as AbstractTask, Batch as Batch
from lemmata.core.verdict import Verdict as Verdict
from lemmata.core.view import (
    Curves as Curves,
    Follow as Follow,
    Frames as Frames,
    Live as Live,
    Track as Track,
    View as View,
)
from lemmata.core.wording import Configs as Configs, Word as Word, word as word
