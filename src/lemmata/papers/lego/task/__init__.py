"""The world of the paper `lego`: groups and their actions, the LEGO language and its distribution."""

from lemmata.papers.lego.task.actions import Action, action, action_of
from lemmata.papers.lego.task.distinct import distinct
from lemmata.papers.lego.task.groups import Group, cycles, from_generators, group
from lemmata.papers.lego.task.language import from_text, to_text
from lemmata.papers.lego.task.task import Lego, LegoConfig, check_length, follow, permute_predicates
from lemmata.papers.lego.task.vocabulary import CLAUSE, Vocabulary
