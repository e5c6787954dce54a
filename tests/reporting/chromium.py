"""A headless Chromium, spoken to by the DevTools protocol over a websocket."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import websocket

if TYPE_CHECKING:
    from pathlib import Path

STARTED_WITHIN = 60.0
ANSWERED_WITHIN = 60.0
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-dev-shm-usage", "--remote-allow-origins=*", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)  # fmt: skip


def find() -> str | None:
    """The browser, by CHROMIUM or by its usual names."""
    return os.environ.get("CHROMIUM") or next(
        (
            path
            for name in ("chromium", "chromium-browser", "google-chrome")
            if (path := shutil.which(name))
        ),
        None,
    )


class Browser:
    """One browser with one tab. Whatever the console says, and every request, is kept.

    Attributes:
        errors: console errors, warnings and uncaught exceptions.
        requests: URLs that anything asked for.
    """

    def __init__(self, folder: Path) -> None:
        executable = find()
        assert executable, "no chromium"
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        profile = folder / "profile"
        self._log = (folder / "chromium.log").open("wb")
        self.process = subprocess.Popen(
            [
                executable,
                *FLAGS,
                f"--user-data-dir={profile}",
                "--remote-debugging-port=0",
                "about:blank",
            ],
            stdout=self._log,
            stderr=self._log,
        )
        try:
            port = self._port(profile / "DevToolsActivePort")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as answer:
                tab = next(t for t in json.load(answer) if t["type"] == "page")
            self._socket = websocket.create_connection(
                tab["webSocketDebuggerUrl"], timeout=ANSWERED_WITHIN, suppress_origin=True
            )
        except BaseException:
            self.process.kill()
            self.process.wait()
            self._log.close()
            raise
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def _port(self, path: Path) -> int:
        deadline = time.monotonic() + STARTED_WITHIN
        while not (path.exists() and path.read_text().strip()):
            assert time.monotonic() < deadline, "chromium did not start"
            assert self.process.poll() is None, "chromium ended"
            time.sleep(0.05)
        return int(path.read_text().splitlines()[0])

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One call; events that come in between are noted."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        name, params = message.get("method"), message.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:2000])
        elif name == "Runtime.consoleAPICalled" and params["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.errors.append(json.dumps(params["args"])[:2000])
        elif name == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(json.dumps(params["entry"])[:2000])
        elif name == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(
        self, path: Path, width: int = 1400, height: int = 1000, *, dark: bool = False
    ) -> None:
        """Loads a file and waits until it stands."""
        self.size(width, height)
        scheme = "dark" if dark else "light"
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.ask("Page.navigate", url=path.resolve().as_uri())
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def size(self, width: int, height: int) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def run(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        deadline = time.monotonic() + ANSWERED_WITHIN
        while not self.run(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.02)

    def key(self, key: str, modifiers: int = 0) -> None:
        """A key pressed and let go."""
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        codes = {
            "Enter": 13,
            "Tab": 9,
            "Escape": 27,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
            "End": 35,
            "Home": 36,
        }
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code}
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common
        )
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        self.ask("Input.insertText", text=text)

    def click(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """A click into an element, at a share of its width and height."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()"
        )
        place = {
            "x": box[0] + box[2] * x,
            "y": box[1] + box[3] * y,
            "button": "left",
            "clickCount": 1,
        }
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, **place)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self, path: Path) -> bytes:
        data = base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])
        path.write_bytes(data)
        return data

    def close(self) -> None:
        with contextlib.suppress(websocket.WebSocketException, OSError):
            self.ask("Browser.close")
        self._socket.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
