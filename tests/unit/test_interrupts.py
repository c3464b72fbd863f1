"""A real Ctrl-C while compiled code runs in the main thread: the process lives and hands back what it has."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.posix("signals")

SEARCH = """
import numpy as np
from partita import BayesianPartition
rng = np.random.default_rng(1)
t = rng.integers(0, 30, 1500)
D = np.where(rng.random((400, 1500)) < .45, rng.integers(0, 30, (400, 1500)), t).astype(np.int16)
BayesianPartition({name!r}, n_init=2, random_state=0).fit(D[:20, :50])  # all is compiled before the clock starts
print(pressed(lambda: BayesianPartition({name!r}, on_interrupt="best", n_init=500).fit(D)).result_.status)
"""
SAMPLE = """
import numpy as np
from partita import DPGaussianMixture
rng = np.random.default_rng(1)
X = rng.normal(size=(1500, 3)) + 4 * rng.integers(0, 3, (1500, 1))
DPGaussianMixture({name!r}, n_draws=3, burn_in=2, n_jobs=1, random_state=0).fit(X)
print(pressed(lambda: DPGaussianMixture({name!r}, n_draws=50000, n_jobs=1, random_state=0).fit(X)).result_.status)
"""
# On a busy machine there may be nothing yet to hand back: then Ctrl-C ends the call, and comes twice as late.
PRESS = """
import os, signal, threading, warnings
warnings.simplefilter("ignore")
def pressed(call, after={after}):
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        return call()
    except KeyboardInterrupt:
        return pressed(call, 2 * after)
"""


@pytest.mark.parametrize("after", [0.7, 1.6])
@pytest.mark.parametrize(
    ("code", "name"), [(SEARCH, "vi"), (SEARCH, "nid"), (SAMPLE, "collapsed"), (SAMPLE, "auxiliary"), (SAMPLE, "slice")]
)
def test_ctrl_c_in_compiled_code_of_the_main_thread(code, name, after):
    whole = PRESS.format(after=after) + code.format(name=name)
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "interrupted"
