"""Shapes and types are checked at run time in every test; an int may stand where a float is meant."""

from beartype import BeartypeConf, beartype

check_types = beartype(conf=BeartypeConf(is_pep484_tower=True))
