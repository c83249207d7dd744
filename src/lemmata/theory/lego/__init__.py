"""Closed forms of "Transformers provably learn chain-of-thought reasoning with length generalization": distractors,
dilution of attention, the features one step leaves, the implicit curriculum. Symbols are explained in `GLOSSARY`."""

from lemmata.theory.lego import curriculum, dilution, distractors, features
from lemmata.theory.lego.glossary import GLOSSARY

__all__ = ["GLOSSARY", "curriculum", "dilution", "distractors", "features"]
