"""The world of the paper `lego`: groups and their actions, the LEGO language and its distribution."""

from lemmata.papers.lego.task.actions import Action, action, action_of
from lemmata.papers.lego.task.distinct import distinct
from lemmata.papers.lego.task.groups import Group, cycles, from_generators, group
from lemmata.papers.lego.task.language import CLAUSE, Vocabulary, to_text
from lemmata.papers.lego.task.task import Lego, LegoConfig, check_length, permute_predicates
