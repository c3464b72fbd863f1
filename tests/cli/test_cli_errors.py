"""What the command line makes of an exception: whose fault it is, and the exit code."""

import numpy as np
import pytest
import typer

from partita.cli.console import guarded
from partita.errors import InputError, MemoryLimitError, MissingExtraError


def ended(error, capsys):
    @guarded
    def command(**_options):
        raise error

    with pytest.raises(typer.Exit) as stop:
        command()
    return stop.value.exit_code, capsys.readouterr().err


@pytest.mark.parametrize("kind", [InputError, MemoryLimitError, MissingExtraError, ValueError, FileNotFoundError])
def test_what_the_input_explains_is_the_users(kind, capsys):
    assert ended(kind("say which"), capsys) == (2, "partita: error: say which\n")


@pytest.mark.parametrize("kind", [np.linalg.LinAlgError, RuntimeError, KeyError, AssertionError])
def test_what_it_does_not_explain_is_a_bug_of_ours(kind, capsys):
    code, said = ended(kind("gave up"), capsys)
    assert code == 1
    assert f"internal error: {kind.__name__}: " in said
    assert "bug in Partita" in said
