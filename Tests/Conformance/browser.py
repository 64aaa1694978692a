"""A headless Chromium, driven through its DevTools protocol."""

import contextlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket


def program():
    """The path of Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next((path for path in map(shutil.which, names) if path), None)
    return found or sys.exit("There is no Chromium: apt-get install chromium")


class Browser:
    """One page of a browser, used like a person: by looking for visible elements and clicking on them."""

    def __init__(self, address):
        self.address = address.removeprefix("ws://")
        self.socket = websocket.create_connection(address, timeout=30, suppress_origin=True)
        self.number = 0
        # A program that signs in opens its address from another thread.
        self.lock = threading.Lock()
        self.send("Page.enable")
        self.send("Network.enable")

    def send(self, method, **parameters):
        with self.lock:
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
            message = {}
            while message.get("id") != self.number:
                message = json.loads(self.socket.recv())
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    def open(self, address):
        """Opens an address, and waits until its document has taken the place of the one before."""
        self.evaluate("window.isBefore = true")
        # An address that differs in its fragment alone keeps the document.
        if "loaderId" in self.send("Page.navigate", url=address):
            self.wait_for_document()

    def reload(self):
        self.evaluate("window.isBefore = true")
        self.send("Page.reload")
        self.wait_for_document()

    def wait_for_document(self):
        self.wait_for("!window.isBefore && document.readyState != 'loading'", "the document")

    def evaluate(self, script):
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def wait_for(self, script, what):
        """Waits until the script returns something true, at most 20 seconds."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):
                # The page may be navigating to another one.
                if found := self.evaluate(script):
                    return found
            time.sleep(0.05)
        raise RuntimeError(f"{what} does not appear: {self.text()[:300]!r}")

    def developer_tools(self, panel):
        """The browser's own developer tools for this page, which Chromium serves as a page.

        The browser must have been started with --remote-allow-origins=*.
        """
        origin = "http://" + self.address.split("/")[0]
        with urllib.request.urlopen(urllib.request.Request(origin + "/json/new?about:blank", method="PUT")) as answer:
            tools = Browser(json.load(answer)["webSocketDebuggerUrl"])
        tools.open(f"{origin}/devtools/inspector.html?ws={self.address}&panel={panel}")
        return tools

    def text(self):
        return self.evaluate("document.body ? document.body.innerText : ''")

    def wait_for_text(self, text):
        self.wait_for(f"document.body && document.body.innerText.includes({json.dumps(text)})", repr(text))

    def click(self, tag, text):
        """Clicks on the visible element with a tag and a text, once the page no longer moves it."""
        place = self.wait_for(
            f"""(async () => {{
                if (document.readyState != "complete") return null;
                await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
                const found = [...document.querySelectorAll({json.dumps(tag)})]
                    .find(element => element.innerText.includes({json.dumps(text)}) && element.offsetParent);
                if (!found) return null;
                found.scrollIntoView({{ block: "center", behavior: "instant" }});
                const box = found.getBoundingClientRect();
                const place = [box.x + box.width / 2, box.y + box.height / 2];
                const hit = document.elementFromPoint(...place);
                return hit && (found.contains(hit) || hit.contains(found)) ? place : null;
            }})()""",
            f"{tag} {text!r}",
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def focus(self, selector):
        """Gives the focus to an element, once it is there."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.wait_for(f"{find}?.focus(), {find} && document.activeElement == {find}", selector)

    def write(self, text):
        """Types into the focused field, once a field has the focus: a slow page gives it late."""
        focused = "document.readyState == 'complete' && document.activeElement?.tagName == 'INPUT'"
        self.wait_for(focused, "a focused field")
        self.send("Input.insertText", text=text)


@contextlib.contextmanager
def running(*options):
    """A browser without a window and without a history."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [
            program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={folder}",
            "--window-size=900,1000", *options, "about:blank",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = wait_for_port(process, os.path.join(folder, "DevToolsActivePort"))
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [target for target in json.load(answer) if target["type"] == "page"]
            yield Browser(pages[0]["webSocketDebuggerUrl"])
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def elsewhere(page):
    """The page stands at a site of another origin, whose scripts are what is evaluated."""
    content = b"<!DOCTYPE html><title>elsewhere</title><p>elsewhere</p>"

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.open(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_text("elsewhere")
        yield
    finally:
        server.shutdown()


def wait_for_port(process, file):
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended with {process.returncode}")
        with contextlib.suppress(OSError, IndexError, ValueError):
            with open(file, encoding="ascii") as lines:
                return int(lines.read().split()[0])
        time.sleep(0.1)
    raise RuntimeError("Chromium does not answer")
