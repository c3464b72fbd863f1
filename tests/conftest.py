"""Fixtures that several rooms of the tests share."""

import base64
import gc
import hashlib
import os
import re
import signal
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

if version("scikit-learn").startswith("1.6."):  # its estimator checks cannot be imported beside array-api-compat else
    os.environ.setdefault("SCIPY_ARRAY_API", "1")
if "PYTEST_XDIST_WORKER" in os.environ:  # beside other workers: before NumPy is imported, here and in child processes
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background jobs; their children would ignore it too
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
from hypothesis import settings

# The same examples every time, so that a change is judged by the change; scripts/full-check explores new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("PARTITA_HYPOTHESIS", "fixed"))

# What `@pytest.mark.posix(kind)` says that a test needs, by kind: why it is skipped on Windows.
POSIX = {
    "signals": "Windows has no signals that kill or interrupt one process",
    "links": "Windows makes links for administrators alone",
    "memory": "Windows does not tell how much memory a process took at most",
}


# Cases of one test from which a sample of them is enough on each commit.
GRID = 3
WHOLE, CASES = (
    [line for line in part.splitlines() if line and not line.startswith("#")]
    for part in Path(__file__).with_name("slow.txt").read_text().split("# cases\n")
)


# Files whose tests compile the same kernels, at ten seconds and more each where nothing is compiled yet, or look at the
# same browser: run by one worker, as the tests of any one file are, for the sake of its fixtures.
FAMILIES = [
    re.compile(rf"tests/({files})")
    for files in (
        r"contract/test_(partition|sampler|shown)|oracle/test_(partition|credible|particles|mixture)|property/test_(partition|draws)"
        r"|unit/test_(partition|baye|mixture|saved_|load_|scams)|reproduce/test_(bayes|scams)|cli/test_cli_draws",
        r"browser/",
    )
]

# Files of which some tests call kernels of every family: they come last, where they find them compiled.
LAST = re.compile(
    r"tests/(browser/|cli/|contract/test_(affinity|criterion|set_output)|fuzz/test_readers|property/test_(offsets|small)|unit/test_messages)"
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: tests also wait for processes, files and the browser."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    # Contract tests stop solvers on purpose: what they say then would bury the failures in the log.
    which = "ignore:the best restart stopped at:sklearn.exceptions.ConvergenceWarning"
    config.addinivalue_line("filterwarnings", which)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Ten thousand cases and the libraries are garbage to nobody: to look through them again and again took as long as
    to collect them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 20, 50)  # compiled kernels leave many objects, which are seldom garbage


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """One worker for each file, and for each family of files; in their order, not by their numbers of tests."""
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    from xdist.scheduler import LoadScopeScheduling

    class ByFamily(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return next((family.pattern for family in FAMILIES if family.match(file)), file)

    return ByFamily(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    patterns = (re.escape(f"tests/{line}").replace(r"\*", ".*") for line in WHOLE + CASES)
    slow = re.compile(rf"({'|'.join(patterns)})(\[.*)?")
    for item in items:
        if slow.fullmatch(item.nodeid):
            item.add_marker("slow")
    for grid in grids(items):
        for item in set(grid) - set(covering(grid)):
            item.add_marker("slow")
    items.sort(key=lambda item: (bool(LAST.match(item.nodeid)), not any(kin.match(item.nodeid) for kin in FAMILIES)))
    if not any("::" in argument for argument in config.args):
        _every_test_keeps_a_case(items)
    _nothing_is_compiled_yet()


def _nothing_is_compiled_yet() -> None:
    """A model that a file of tests fits where it is imported is fitted, and its kernels compiled, by every worker."""
    compiled = sorted(_compiled() - BEFORE)
    if compiled:
        raise pytest.UsageError(f"fit models in tests and fixtures: importing the tests ran {', '.join(compiled)}")


def _compiled() -> set[str]:
    """Kernels that have run in this process."""
    kernels = [(module, vars(sys.modules[module])) for module in sys.modules if module.startswith("partita.kernels.")]
    return {f"{module}.{name}" for module, names in kernels for name in names if getattr(names[name], "signatures", [])}


# An example that `scripts/extension_contracts.py` loads as a plugin may have fitted a model before the tests are found.
BEFORE = _compiled()


def _every_test_keeps_a_case(items: list[pytest.Item]) -> None:
    kept = {item.nodeid.partition("[")[0] for item in items if not item.get_closest_marker("slow")}
    lost = {item.nodeid.partition("[")[0] for item in items} - kept - {f"tests/{line}" for line in WHOLE}
    if lost:
        raise pytest.UsageError(f"no case left on a commit, see tests/slow.txt: {', '.join(sorted(lost))}")


def grids(items: list[pytest.Item]) -> list[list[pytest.Function]]:
    """The cases of each test that has many and several parameters, but for regressions and tests marked `whole`."""
    found: dict[str, list[pytest.Function]] = {}
    for item in items:
        kept = item.get_closest_marker("slow") or item.get_closest_marker("whole") or "tests/regression" in item.nodeid
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not kept:
            found.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [grid for grid in found.values() if len(grid) > GRID and len(grid[0].callspec.params) > 1]


def covering(grid: list[pytest.Function]) -> list[pytest.Function]:
    """Few cases in which every value of every parameter occurs: greedily, of equals a fixed arbitrary one."""
    values = {item: {(name, _known(value)) for name, value in item.callspec.params.items()} for item in grid}
    left = set().union(*values.values())
    order = sorted(grid, key=lambda item: hashlib.blake2b(item.nodeid.encode()).digest())
    chosen = []
    while left:
        best = max(order, key=lambda item: len(values[item] & left))
        chosen.append(best)
        left -= values[best]
    return chosen


def _known(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, type(None))) else id(value)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("posix"):
        reason = POSIX[marker.args[0]]
        if sys.platform == "win32":
            pytest.skip(reason)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the shared data sets; a test that asks for it is skipped where there is none."""
    home = os.environ.get("PARTITA_DATA")
    if not home:
        pytest.skip("PARTITA_DATA is not set")
    assert Path(home, "README.md").is_file(), f"PARTITA_DATA={home} is not the folder of the data sets"
    return Path(home)


# A PNG of one white pixel.
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==")


@pytest.fixture
def unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of reports are made but not painted, which takes most of the time of a command or a page."""
    monkeypatch.setattr("partita.report.pictures.png", lambda figure, dpi: PIXEL)
