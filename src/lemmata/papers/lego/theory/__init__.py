"""Closed forms of "Transformers provably learn chain-of-thought reasoning with length generalization": distractors,
dilution of attention, the features one step leaves, the implicit curriculum. Symbols are explained in `GLOSSARY`."""

from lemmata.papers.lego.glossary import GLOSSARY
from lemmata.papers.lego.theory import curriculum, dilution, distractors, features
