"""Chromium over the DevTools protocol through a pipe: real mouse and keys, what the page logs and asks for."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time

import pytest

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on the path"
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
SECONDS = 120
ARROWS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38}
KEYS = {"Escape": 27, "Home": 36, "End": 35, "Tab": 9, "Enter": 13, "Space": 32, **ARROWS}
# Run before Chromium takes the process over: its files 3 and 4 are our pipes.
CONNECT = "import os, sys; [os.dup2(int(sys.argv[i]), 2 + i) for i in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"


class Browser:
    """One browser with one tab. Chromium reads commands from its file 3 and answers on its file 4."""

    def __init__(self, profile):
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in (theirs_in, theirs_out)]
        os.close(theirs_in), os.close(theirs_out)

        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        connected = [sys.executable, "-c", CONNECT, *map(str, high), *command]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(connected, pass_fds=high, **quiet)
        for fd in high:
            os.close(fd)
        self._read, self._last, self._session = b"", 0, None
        self.events = []
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self):
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            self._session = None
            self.send("Browser.close")
        os.close(self._out), os.close(self._in)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def send(self, method, **params):
        """A command, and its answer."""
        self._last += 1
        asked = {"id": self._last, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            said = self._message()
            if said.get("id") == self._last:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]
            self.events.append(said)

    def _message(self):
        until = time.monotonic() + SECONDS
        while b"\0" not in self._read:
            if not select.select([self._in], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            found = os.read(self._in, 1 << 20)
            if not found:
                raise RuntimeError("Chromium has ended")
            self._read += found
        said, self._read = self._read.split(b"\0", 1)
        return json.loads(said)

    def open(self, address, *, width=1280, height=900, dark=False, scripts=True):
        """Load a page in a window of so many pixels; only what happens from here on is in `events`."""
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media="screen", features=[scheme])
        self.events = []
        self.send("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())
        if scripts:
            self.settle()

    def run(self, expression):
        """The value of a JavaScript expression."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def settle(self):
        """Wait until two frames have been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y):
        """Move, or click, at a place of the window."""
        where = {"x": x, "y": y}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **where)
        if kind == "click":
            for each in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=each, button="left", clickCount=1, **where)
        self.settle()

    def press(self, key):
        """A key that is not a character."""
        what = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        self.send("Input.dispatchKeyEvent", type="rawKeyDown", **what)
        self.send("Input.dispatchKeyEvent", type="keyUp", **what)
        self.settle()

    def picture(self, path, *, whole=True):
        """A screenshot of the page."""
        found = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    @property
    def complaints(self):
        """What was logged, thrown or refused since the page was opened."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in kinds]

    @property
    def requests(self):
        """Addresses asked for since the page was opened, other than of files and of what a page holds itself."""
        sent = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("file:", "data:"))]
