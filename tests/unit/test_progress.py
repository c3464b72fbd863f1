"""Progress: what is said of the time that remains, from made-up clocks."""

import io
import itertools
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from partita import SoF
from partita.affinity import DenseAffinity
from partita.objectives import Problem, SoFObjective
from partita.pace import Pace, in_words
from partita.progress import ProgressBar, Stages
from partita.solvers import Progressing, ProjectedGradient, Starts, drive
from synthetic import blobs, diagonal


class Clock:
    """Seconds as the test says."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def told(clock, pace, times, values, *, restart=0, n_restarts=1, first=1, done=False, **options):
    """Iterations that end at the times given, with the optimality given."""
    options = {"max_iter": 1000, "tol": 1e-6} | options
    for n, (time, value) in enumerate(zip(times, values, strict=True), first):
        clock.now = time
        pace.add(Progressing(restart, n_restarts, n, optimality=value, done=False, **options))
    if done:
        pace.add(Progressing(restart, n_restarts, n, optimality=value, done=True, **options))


@pytest.mark.parametrize("factor", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("step", [0.01, 2.0])
def test_a_geometric_fall_is_carried_on_to_the_tolerance(factor, step):
    clock = Clock()
    pace = Pace(clock)
    times = step * np.arange(1, 21)
    told(clock, pace, times, 0.3 * factor ** np.arange(1, 21), max_iter=10**6)
    # 0.3 factor^n = 1e-6 at n = log(1e-6 / 0.3) / log(factor); 20 are done
    expected = max(np.log(1e-6 / 0.3) / np.log(factor) - 20, 0.0) * step
    assert pace.rate == pytest.approx(1 / step)
    assert pace.remaining.seconds == pytest.approx(expected, abs=1e-9)
    assert not pace.remaining.at_most


def test_noise_about_the_line_moves_the_estimate_little():
    clock, rng = Clock(), np.random.default_rng(0)
    pace = Pace(clock)
    n = np.arange(1, 121)
    told(clock, pace, 1.0 * n, 0.9**n * np.exp(0.3 * rng.normal(size=120)), tol=1e-12, max_iter=10**6)
    expected = np.log(1e-12) / np.log(0.9) - 120
    # The slope of the last 40 points has a standard error of .3 / sqrt(40^3 / 12) = .004, 4% of log .9 and so 6 of the
    # 142 iterations to come; the last point is off by .3, three iterations. Three standard errors:
    assert pace.remaining.seconds == pytest.approx(expected, abs=3 * np.hypot(6, 3))


@pytest.mark.parametrize("values", [np.full(20, 0.3), 0.3 * 1.1 ** np.arange(20), np.exp(np.sin(7.0 * np.arange(20)))])
def test_without_a_falling_line_only_a_bound_is_given(values):
    clock = Clock()
    pace = Pace(clock)
    told(clock, pace, 0.5 * np.arange(1, 21), values, max_iter=100)
    assert pace.remaining.seconds == pytest.approx(80 * 0.5)
    assert pace.remaining.at_most
    assert str(pace) == "2 iterations/s, at most 40 s left"


def test_the_iterations_allowed_bound_a_slow_fall():
    clock = Clock()
    pace = Pace(clock)
    told(clock, pace, np.arange(1, 21), 0.999 ** np.arange(20), max_iter=50)
    assert (pace.remaining.seconds, pace.remaining.at_most) == (30.0, True)
    assert str(pace.remaining) == "at most 30 s left"


def test_a_tolerance_of_zero_is_never_met_and_says_at_most():
    clock = Clock()
    pace = Pace(clock)
    told(clock, pace, np.arange(1, 21), 0.5 ** np.arange(20), tol=0.0, max_iter=100)
    assert (pace.remaining.seconds, pace.remaining.at_most) == (80.0, True)


def test_the_time_limit_bounds_everything():
    clock = Clock()
    pace = Pace(clock)
    told(clock, pace, np.arange(1, 21), 0.9 ** np.arange(20), max_iter=10**6, seconds_left=7.0)
    assert (pace.remaining.seconds, pace.remaining.at_most) == (7.0, True)
    told(clock, pace, [21.0], [0.9**20], first=21, max_iter=10**6, seconds_left=1e4)
    assert not pace.remaining.at_most
    told(clock, pace, [22.0], [0.9**21], first=22, seconds_left=-1.0)
    assert pace.remaining.seconds == 0.0


def test_restarts_that_wait_last_as_long_as_those_that_ended():
    clock = Clock()
    pace = Pace(clock)
    told(clock, pace, np.arange(0.0, 11.0), 0.1 ** np.arange(11), n_restarts=4, done=True)  # ten seconds
    told(clock, pace, np.arange(11.0, 32.0), 0.1 ** np.arange(21), restart=1, n_restarts=4, done=True)  # twenty
    assert pace.remaining.seconds == pytest.approx(2 * 15.0)
    n = np.arange(1, 11)
    told(clock, pace, 32.0 + n, 0.5**n, restart=2, n_restarts=4, tol=2.0**-30)
    assert pace.remaining.seconds == pytest.approx(20 + 15.0)  # 2^-30 is 20 iterations of a second away
    assert pace.share == pytest.approx((42.0 - 0.0) / (42.0 + 35.0))


def test_before_any_restart_ended_those_that_wait_last_as_long_as_the_one_that_runs():
    clock = Clock()
    pace = Pace(clock)
    n = np.arange(1, 11)
    told(clock, pace, 1.0 * n, 0.5**n, n_restarts=3, tol=2.0**-30)
    # 9 s since it was first told of, 20 s to go, and two more of 29 s
    assert pace.remaining.seconds == pytest.approx(20 + 2 * 29)


def test_restarts_side_by_side_share_what_waits_and_their_rates_add_up():
    clock = Clock()
    pace = Pace(clock)
    for n in range(1, 11):
        told(clock, pace, [1.0 * n], [0.5**n], restart=0, n_restarts=4, first=n, tol=2.0**-30)
        told(clock, pace, [1.0 * n], [0.5**n], restart=1, n_restarts=4, first=n, tol=2.0**-20)
    assert pace.rate == pytest.approx(2.0)
    # 20 s to go at most by tol=2^-20, the last one told of: both are ten iterations off it, and two of 19 s wait
    assert pace.remaining.seconds == pytest.approx((10 + 10 + 2 * 19) / 2)


def test_restarts_finished_by_an_earlier_process_do_not_wait():
    clock = Clock()
    pace = Pace(clock)
    n = np.arange(1, 11)
    told(clock, pace, 1.0 * n, 0.5**n, restart=3, n_restarts=4, n_earlier=3, tol=2.0**-30)
    assert pace.remaining.seconds == pytest.approx(20.0)


def test_where_only_ends_are_told_their_rate_is_what_there_is():
    clock = Clock()
    pace = Pace(clock)
    for r, time in enumerate([100.0, 130.0, 160.0]):
        clock.now = time
        pace.add(Progressing(r, 10, 50, 1000, 1e-5, True, 1e-4))
        assert (pace.rate, pace.remaining is None) == (None, r == 0)
    assert pace.remaining.seconds == pytest.approx(7 * 30.0)
    assert str(pace) == "about 4 min left"


def test_nothing_is_said_before_anything_is_known_and_nothing_is_left_at_the_end():
    clock = Clock()
    pace = Pace(clock)
    assert (pace.rate, pace.remaining, pace.share, str(pace)) == (None, None, 0.0, "")
    told(clock, pace, [1.0], [0.5])
    assert (pace.rate, pace.remaining) == (None, None)
    told(clock, pace, np.arange(2.0, 5.0), [0.2, 0.1, 0.01], first=2, done=True)
    assert pace.remaining.seconds == 0.0
    assert pace.share == 1.0


def test_durations_are_said_as_people_say_them():
    assert [in_words(s) for s in (0.2, 59.4, 59.6, 3569, 3571, 7260)] == [
        "0 s",
        "59 s",
        "1 min",
        "59 min",
        "1 h 0 min",
        "2 h 1 min",
    ]


def test_the_driver_tells_what_the_estimate_needs():
    right = []
    for seed in range(6):
        half, labels = np.random.default_rng(seed).random((120, 120)), np.arange(120) % 4
        P = DenseAffinity((half + half.T) / 4 + 0.5 * (labels[:, None] == labels))
        seconds, seen = itertools.count(), []
        pace = Pace(lambda seconds=seconds: float(next(seconds)))

        def progress(at, pace=pace, seen=seen):
            pace.add(at)
            seen.append((at, pace.remaining))

        result = drive(
            *(Problem(P, SoFObjective()), ProjectedGradient(), Starts(P, 4), "dirichlet"),
            **{"seed": seed, "n_init": 2, "max_iter": 4000, "tol": 1e-6, "max_seconds": 1e5, "progress": progress},
        )
        assert {at.tol for at, _ in seen} == {1e-6}
        assert all(0 < at.seconds_left <= 1e5 for at, _ in seen)
        assert seen[-1][1].seconds == 0.0
        # An iteration a second: in the second half of the last restart the estimate is mostly of the right size.
        n = result.restarts[1].n_iter
        assert n > 25
        late = [(n - at.iteration, left) for at, left in seen if at.restart == 1 and n // 2 < at.iteration <= n - 5]
        right += [true / 4 <= left.seconds <= 4 * true for true, left in late]
    assert np.mean(right) > 0.5


# The bar


def shown(bar):
    """What the bar would print, as plain text."""
    console = Console(file=io.StringIO(), width=200)
    console.print(bar._bar.get_renderable())
    return console.file.getvalue()


def test_the_bar_is_silent_for_two_seconds_and_then_says_rate_and_remaining_time():
    clock = Clock()
    with ProgressBar(delay=1e6, clock=clock) as bar:
        clock.now = 1.0
        with bar.stage("building the affinity"):
            assert bar._bar is None
            clock.now = 66.0
            bar._show()  # what the timer does
            assert "building the affinity" in shown(bar)
            assert "0:01:06" in shown(bar)  # since the whole began
        with bar.stage("finding a start"):
            assert "finding a start" in shown(bar)
            assert "0:01:06" in shown(bar)
            clock.now = 76.0
            assert "0:01:16" in shown(bar)
            for n in range(1, 11):
                clock.now = 76.0 + n
                bar(Progressing(0, 1, n, 1000, 0.5**n, False, 2.0**-30))
            text = shown(bar)
            assert "restart 1 of 1, iteration 10, optimality 9.8e-04" in text
            assert "1 iterations/s, about 20 s left" in text
            assert "0:01:26" in text
            share = bar._bar.tasks[0].percentage
            assert share == pytest.approx(100 * 9 / 29)
            clock.now += 50.0  # a slow iteration must not turn the bar back
            bar(Progressing(0, 1, 11, 1000, 0.5, False, 2.0**-30))
            assert bar._bar.tasks[0].percentage >= share
        with bar.stage("calibrating the memberships"):
            text = shown(bar)
            assert "calibrating" in text
            assert "left" not in text


def test_while_numba_compiles_the_bar_says_so_and_not_when_it_has():
    from numba import njit

    told = []

    class Ear(ProgressBar):
        def _describe(self):
            super()._describe()
            told.append(shown(self))

    @njit
    def twice(x):
        return 2 * x

    with Ear(delay=1e6) as bar:
        bar.enter("moving items")
        bar._show()
        assert "compiling" not in shown(bar)
        assert twice(3) == 6
        assert ["compiling (first use): moving items" in text for text in told] == [True, False]
        assert twice(4) == 8
        assert len(told) == 2
    assert twice(1.5) == 3.0
    assert len(told) == 2  # a bar that is closed hears no more


def test_a_bar_does_not_load_numba():
    code = "import sys; from partita.progress import ProgressBar\nwith ProgressBar() as bar: bar.enter('x')\n"
    code += "print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_stages_say_what_is_under_way_with_a_bar_or_without():
    stages = Stages()
    with stages("building the affinity"):
        assert stages.now == "building the affinity"
    with ProgressBar(delay=1e6) as bar:
        stages = Stages(bar)
        stages.enter("finding a start")
        assert bar._stage == stages.now == "finding a start"


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        ("partita.affinity.from_features", "nth_closest", "building the affinity"),
        ("partita.estimators.items", "merge_identical", "preparing the items"),
        ("partita.solvers.restarts", "run_restart", None),
    ],
)
@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_ctrl_c_before_there_is_a_membership_says_what_it_cut_short(module, name, said, on_interrupt, monkeypatch):
    import sys

    X = np.random.default_rng(0).normal(size=(50, 2))
    if said is None:
        module = "partita.solvers.start"

        def interrupt(*arguments, **options):
            raise KeyboardInterrupt

        monkeypatch.setitem(sys.modules[module].STARTS, "dirichlet", interrupt)
        said = "first iterate"
    else:

        def interrupt(*arguments, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(sys.modules[module], name, interrupt)
    model = SoF(3, on_interrupt=on_interrupt, random_state=0)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit(X)
    assert said in str(caught.value) if on_interrupt == "best" else str(caught.value) == ""
    assert not hasattr(model, "membership_")


@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_ctrl_c_after_the_factorization_leaves_its_result(on_interrupt, monkeypatch):
    import sys

    from partita import SoftClustering

    rng = np.random.default_rng(0)
    X = blobs(90, apart=6.0, at=diagonal, seed=rng)[0]
    expected = SoftClustering(3, affinity="neighbors", probabilities="fitted").fit(X)

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["partita.estimators.pipeline"], "other_answers", interrupt)
    model = SoftClustering(3, on_interrupt=on_interrupt, affinity="neighbors", probabilities="fitted")
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
        return
    model.fit(X)
    assert model.result_.status == "interrupted"
    assert "interrupted while comparing with other sizes" in model.result_.notes
    np.testing.assert_array_equal(model.membership_, expected.membership_)
    assert model.predict(X[:3]).shape == (3,)


def test_a_notebook_without_widgets_is_not_warned_about_them(monkeypatch, recwarn):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("partita.progress.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setitem(sys.modules, "IPython.display", type(sys)("IPython.display"))
    with ProgressBar(delay=0.0) as bar:
        bar._timer.join()
        bar.enter("waiting")
        assert bar._bar is not None
        bar._bar.refresh()
    assert not [w for w in recwarn if "ipywidgets" in str(w.message)]


def test_steps_of_a_stage_say_the_time_that_remains():
    clock = Clock()
    bar = ProgressBar(delay=1e9, clock=clock)
    stages = Stages(bar)
    with bar:
        clock.now = 5.0
        stages.enter("building")
        clock.now = 10.0
        stages.step("clustering", 0, 8)
        assert (bar._left, stages.now) == ("", "clustering")
        clock.now = 16.0
        stages.step("clustering", 2, 8)
        assert bar._left == "about 18 s left of this step"
        clock.now = 34.0
        stages.step("clustering", 8, 8)
        assert bar._left == ""
        stages.step("placing", 0, 0)  # nothing to do
        assert (bar._left, stages.now) == ("", "placing")


def test_a_stage_that_compiles_does_not_say_what_time_remains():
    clock = Clock()
    bar = ProgressBar(delay=1e9, clock=clock)
    with bar:
        bar.step("clustering", 0, 8)
        bar._compilations.notify(SimpleNamespace(is_start=True))
        bar._compilations.notify(SimpleNamespace(is_start=False))
        clock.now = 12.0
        bar.step("clustering", 2, 8)
        assert bar._left == ""
        bar.step("placing", 0, 4)
        clock.now = 14.0
        bar.step("placing", 2, 4)
        assert bar._left == "about 2 s left of this step"
