"""A client of `graphflow lsp` whose every answer is checked by the types of lsprotocol."""

import json
import os
import pathlib
import subprocess
import threading
import queue

import pytest_lsp
from lsprotocol import converters, types

from checks import check

EDITORS = ("visual-studio-code", "neovim", "emacs")
converter = converters.get_converter()


class Refused(Exception):
    """An error as the answer."""


class Editor:
    """A server in its own process, as an editor talks with it."""

    def __init__(self, program, profile="visual-studio-code", environment=None, start=True):
        self.process = subprocess.Popen(
            [program, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})})
        self.messages = queue.Queue()
        self.transcript = []
        self.last = 0
        self.versions = {}
        self.findings = {}
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = json.loads(json.dumps(converter.unstructure(
            pytest_lsp.client_capabilities(profile), types.ClientCapabilities)))
        self.capabilities = capabilities
        if start:
            self.initialized = self.request(
                "initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities})
            self.notify("initialized", {})

    def _read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                break
            text = stream.read(length)
            self.transcript.append(text)
            self.messages.put(json.loads(text))
        self.messages.put(None)

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def notify(self, method, params=None):
        self.send({"method": method, **({} if params is None else {"params": params})})

    def begin(self, method, params=None):
        self.last += 1
        self.send({"id": self.last, "method": method, **({} if params is None else {"params": params})})
        return self.last

    def request(self, method, params=None, timeout=60):
        return self.answer(self.begin(method, params), method, timeout)

    def answer(self, number, method, timeout=60):
        while True:
            message = self.messages.get(timeout=timeout)
            if message is None:
                raise EOFError(self.process.stderr.read().decode())
            if "method" in message:
                self._take(message)
            elif message.get("id") == number:
                if "error" in message:
                    converter.structure(message["error"], types.ResponseError)
                    raise Refused(message["error"])
                structured(method, message)
                return message["result"]

    def _take(self, message):
        kinds = types.METHOD_TO_TYPES[message["method"]]
        converter.structure(message, kinds[0])
        if message["method"] == "textDocument/publishDiagnostics":
            self.findings[message["params"]["uri"]] = message["params"]
        elif "id" in message:
            self.send({"id": message["id"], "result": {"success": True}})
            self.asked = message
        else:
            self.shown = message

    def wait(self, condition, timeout=60):
        """Takes messages until something holds."""
        while not condition():
            message = self.messages.get(timeout=timeout)
            if message is None:
                raise EOFError(self.process.stderr.read().decode())
            if "method" in message:
                self._take(message)

    def open(self, path, text=None, wait=True, language="yaml"):
        uri = pathlib.Path(path).absolute().as_uri()
        if text is None:
            text = pathlib.Path(path).read_bytes().decode()
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.findings.pop(uri, None)
        document = {"uri": uri, "languageId": language, "version": self.versions[uri], "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        if wait:
            self.settle(uri)
        return uri

    def settle(self, uri):
        """Waits for the findings in the newest version."""
        self.wait(lambda: self.findings.get(uri, {}).get("version") == self.versions[uri])
        return self.findings[uri]["diagnostics"]

    def change(self, uri, *changes, wait=True):
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": list(changes)})
        return self.settle(uri) if wait else None

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def at(self, method, uri, position, **more):
        return self.request(f"textDocument/{method}", {
            "textDocument": {"uri": uri}, "position": position, **more})

    def of(self, method, uri, **more):
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def memory(self):
        """Resident kilobytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0])

    def end(self):
        self.request("shutdown")
        self.notify("exit")
        self.process.stdin.close()
        code = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def structured(method, message):
    """Checks an answer by the protocol's types; an answer that does not fit raises an error."""
    return converter.structure(message, types.METHOD_TO_TYPES[method][1])


def position(text, offset):
    """The position of an offset in characters: lines, and UTF-16 units."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n")
    return {"line": line, "character": len(before.rpartition("\n")[2].encode("utf-16-le")) // 2}


def after(text, word, more=0):
    """The position at the end of the only place of a word."""
    assert text.count(word) == 1, (word, text.count(word))
    return position(text, text.index(word) + len(word) + more)


def lines_of(text):
    """The lines with their ends in UTF-16 units."""
    return [line.encode("utf-16-le") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def slice_of(text, range_):
    """The text in a range."""
    lines = lines_of(text)
    start, end = range_["start"], range_["end"]
    if start["line"] == end["line"]:
        return lines[start["line"]][2 * start["character"]:2 * end["character"]].decode("utf-16-le")
    parts = [lines[start["line"]][2 * start["character"]:]]
    parts += lines[start["line"] + 1:end["line"]]
    parts.append(lines[end["line"]][:2 * end["character"]])
    return "\n".join(part.decode("utf-16-le") for part in parts)


def edited(text, edits):
    """The text after edits that do not overlap."""
    lines = lines_of(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 2)
    units = "\n".join(line.decode("utf-16-le") for line in lines).encode("utf-16-le")

    def offset(place):
        return starts[place["line"]] + 2 * place["character"]

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        units = units[:offset(edit["range"]["start"])] + edit["newText"].encode("utf-16-le") + units[offset(edit["range"]["end"]):]
    return units.decode("utf-16-le")


def is_inside(text, range_):
    """Whether a range is one of the text's."""
    lines = lines_of(text)
    for place in (range_["start"], range_["end"]):
        if not (0 <= place["line"] < len(lines) and 0 <= place["character"] <= len(lines[place["line"]]) // 2):
            return False
    return (range_["start"]["line"], range_["start"]["character"]) <= (range_["end"]["line"], range_["end"]["character"])
