"""The paper's closed forms; `GLOSSARY` explains their symbols."""

from lemmata.papers.lego.glossary import GLOSSARY
from lemmata.papers.lego.theory import clip, curriculum, dilution, distractors, features
