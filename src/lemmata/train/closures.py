"""A function that was made around arrays, as one that is given them.

What a compiled program closes over becomes part of it: with other test sentences, those of another replication say, it
would be another program. Given as arguments, they are not.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import equinox as eqx
import jax

from lemmata.core import to_jax

_opened: WeakKeyDictionary[Any, dict[Any, Callable]] = WeakKeyDictionary()  # the same function, the same program


def opened(function: Callable, *args: Any) -> Callable:
    """`function` for arguments of this form, with the arrays in its closure as leaves of a pytree."""
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return function
    arrays, structure = jax.tree.flatten(eqx.filter(args, eqx.is_array))
    form = (structure, *((leaf.shape, leaf.dtype) for leaf in arrays))
    forms = _opened.setdefault(function, {})
    if form not in forms:
        converted: Any = eqx.filter_closure_convert(function, *args)
        consts = [to_jax(const) for const in converted.consts]
        forms[form] = eqx.tree_at(lambda one: one.consts, converted, consts)
    return forms[form]
