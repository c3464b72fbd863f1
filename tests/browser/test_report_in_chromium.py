"""The report in a real browser: everything is there, pictures decode, nothing is logged, nothing is asked for."""

import json
import re
import subprocess

import numpy as np
import pytest
from devtools import CHROMIUM, FLAGS, SECONDS, needs_chromium
from sklearn.datasets import load_iris

from partita.estimators import BayesianPartition, SoftClustering
from partita.report import FitReport, PartitionReport, write_partition_report, write_report

pytestmark = needs_chromium

LOGGING = ["--enable-logging=stderr", "--v=0"]


def browse(address, tmp_path, *flags):
    profile = tmp_path / "profile"
    profile.mkdir(exist_ok=True)
    command = [CHROMIUM, *FLAGS, *LOGGING, f"--user-data-dir={profile}", *flags, address]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)


def fit_page(path):
    data = load_iris()
    model = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(data.data)
    report = FitReport(
        title="Iris <b>in</b> a browser",
        source="iris.csv",
        ids=[f"<img src=x onerror=alert({i})>" for i in range(150)],
        columns=list(data.feature_names),
        estimator=model,
        features=data.data,
        parameters={"n_clusters": 3},
        scores={"purity": 0.9},
        notes=["A note."],
        seconds=0.1,
        versions={"partita": "0.1.0"},
        command="partita fit iris.csv --k 3",
    )
    write_report(path, report)


def partition_page(path):
    """Of draws about either of two partitions, a chain each: every section that a report can have."""
    rng = np.random.default_rng(0)
    item, chain = np.arange(60), np.arange(300) // 150
    truth = np.where(chain[:, None] == 0, item // 15, item % 15 // 5)
    draws = np.where(rng.random(truth.shape) < 0.05, rng.integers(0, 4, truth.shape), truth)
    model = BayesianPartition(random_state=0).fit(draws, chain=chain)
    report = PartitionReport(
        title="Iris <b>in</b> a browser",
        source="draws.npz",
        ids=[f"<img src=x onerror=alert({i})>" for i in range(60)],
        estimator=model,
        ball=model.credible_ball(),
        parameters={"loss": "vi"},
        seconds=0.1,
        versions={"partita": "0.1.0"},
        command="partita partition draws.npz --chains 2",
    )
    write_partition_report(path, report)


@pytest.fixture(scope="module", params=["fit", "partition"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def page(kind, tmp_path_factory):
    pytest.importorskip("matplotlib")
    path = tmp_path_factory.mktemp("report") / "report.html"
    {"fit": fit_page, "partition": partition_page}[kind](path)
    return path


# By kind of report: words of the verdict, tables and pictures.
CONTENT = {
    "fit": ("150 items are in 3 clusters", 6, 3),
    "partition": ("The posterior has 2 modes", 7, 6),
}


def test_verdict_tables_and_pictures_are_in_the_document_and_nothing_is_logged(kind, page, tmp_path):
    words, n_tables, n_pictures = CONTENT[kind]
    done = browse(page.as_uri(), tmp_path, "--dump-dom")
    dom = done.stdout
    assert words in dom
    assert dom.count("<table") == n_tables
    assert dom.count("<img id=") == dom.count("<img ") == n_pictures
    assert "&lt;img src=x onerror=alert(" in dom
    assert "<title>Iris &lt;b&gt;in&lt;/b&gt; a browser</title>" in dom
    assert "CONSOLE" not in done.stderr


def test_every_picture_decodes_at_the_size_it_claims(kind, page, tmp_path):
    # The report forbids scripts, so the pictures are looked at from a page beside it that does run one.
    pictures = re.findall(
        r'<img id="([^"]+)"(?: class="upright")? src="([^"]+)" width="(\d+)" height="(\d+)"', page.read_text("utf-8")
    )
    assert len(pictures) == CONTENT[kind][2]
    images = "".join(f'<img id="{name}" src="{source}">' for name, source, _, _ in pictures)
    script = (
        "onload=()=>{document.title=JSON.stringify([...document.images].map("
        "i=>[i.id,i.complete,String(i.naturalWidth),String(i.naturalHeight)]))}"
    )
    probe = tmp_path / "probe.html"
    probe.write_text(f"<!DOCTYPE html><meta charset=utf-8><title></title><script>{script}</script>{images}", "utf-8")
    dom = browse(probe.as_uri(), tmp_path, "--dump-dom").stdout
    found = json.loads(re.search(r"<title>(.*?)</title>", dom)[1])
    assert found == [[name, True, width, height] for name, _, width, height in pictures]


def requested_by_the_page(address, tmp_path):
    """What a page asked for over the network, from the browser's own log; what the browser asks for itself has no
    origin as initiator.
    """
    log = tmp_path / "net.json"
    browse(address, tmp_path, f"--log-net-log={log}", "--dump-dom")
    found = re.findall(r'"initiator":"([^"]*)".*?"url":"([^"]*)"', log.read_text("utf-8", errors="replace"))
    return {url for initiator, url in found if initiator != "not an origin" and not url.startswith(("file:", "data:"))}


def test_nothing_is_asked_for_over_the_network(page, tmp_path):
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//|url\(""", page.read_text("utf-8"))
    assert requested_by_the_page(page.as_uri(), tmp_path) == set()


def test_a_request_would_have_been_seen(tmp_path):
    probe = tmp_path / "probe.html"
    probe.write_text('<!DOCTYPE html><title>x</title><img src="http://127.0.0.1:8/picture.png">', "utf-8")
    assert requested_by_the_page(probe.as_uri(), tmp_path) == {"http://127.0.0.1:8/picture.png"}


def test_it_prints_on_a_few_pages(page, tmp_path):
    target = tmp_path / "report.pdf"
    browse(page.as_uri(), tmp_path, f"--print-to-pdf={target}", "--no-pdf-header-footer")
    content = target.read_bytes()
    assert content.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 8
