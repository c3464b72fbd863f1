"""Parameters checked against their constraints, and what is wrong with one in our words.

scikit-learn says "The 'n_init' parameter of BayesianPartition must be an int in the range [0, inf). Got -1 instead.";
here an error names the parameter as it is written, what came and what was expected.
"""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from partita.errors import InputError

__all__ = ["check_parameters", "seed_of"]

SAID = re.compile(
    r"The '(?P<name>\w+)' parameter of \w+ must be (?P<wanted>.*)\. Got (?P<came>.*) instead\.", re.DOTALL
)
# Ranges as scikit-learn writes them, and in words.
RANGES = (
    (r"(?:a float|an int) in the range \(0(?:\.0)?, inf\)", "a number above 0"),
    (r"an int in the range \[(\d+), inf\)", r"a whole number of at least \1"),
)
# The longest value that is shown whole.
LONGEST = 60


def check_parameters(estimator: Any) -> None:
    """Raise for a parameter that its constraints do not allow.

    Raises
    ------
    InputError

    Examples
    --------
    >>> from partita import BayesianPartition
    >>> check_parameters(BayesianPartition(max_seconds=0))
    Traceback (most recent call last):
    partita.errors.InputError: max_seconds=0: expected None or a number above 0
    """
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        found = SAID.fullmatch(str(error))
        if found is None:
            raise InputError(str(error)) from error
        wanted, came = found["wanted"], found["came"]
        for pattern, words in RANGES:
            wanted = re.sub(pattern, words, wanted)
        came = came if len(came) <= LONGEST else came[: LONGEST - 3] + "..."
        raise InputError(f"{found['name']}={came}: expected {wanted}") from error


def seed_of(random_state: Any) -> int | None:
    """Return a whole number from any of the ways to say a seed."""
    if random_state is None or isinstance(random_state, Integral):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(random_state.randint(2**31 - 1))
