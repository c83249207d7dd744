"""How models of LEGO sentences learn."""

from lemmata.train.lego.one_step import OneStep, Pace, all_inputs

__all__ = ["OneStep", "Pace", "all_inputs"]
