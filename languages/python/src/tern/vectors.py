"""Lists of numbers as arrays of numpy, where that is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .errors import TernError
from .layout import integer_width, is_signed
from .schema import Boolean, Expression, Float, Integer


def finisher(element: Expression) -> Callable[[list[Any]], Any] | None:
    """Makes an array of a list, where a type of numpy holds all of its elements."""
    name = dtype(element)
    if name is None:
        return None
    try:
        array = importlib.import_module("numpy").array
    except ImportError:
        raise TernError("arrays need the package numpy") from None
    return lambda values: array(values, dtype=name)


def dtype(element: Expression) -> str | None:
    """The type of numpy that holds all values of an expression.

    >>> [dtype(one) for one in (Float(32), Integer(0, 255), Integer(-1, 2**40), Integer())]
    ['float32', 'uint8', 'int64', None]
    """
    match element:
        case Boolean():
            return "bool"
        case Float(bits):
            return f"float{bits}"
        case Integer(low, high) if low is not None and high is not None:
            width = integer_width(element)
            for bits in (8, 16, 32, 64):
                if width and bits < 8 * width:
                    continue
                least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(element) else (0, (1 << bits) - 1)
                if least <= low and high <= most:
                    return ("int" if is_signed(element) else "uint") + str(bits)
            return None
        case _:
            return None
