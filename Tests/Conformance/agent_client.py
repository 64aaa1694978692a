"""Raw JSON-RPC to `graphflow mcp`, with none of a client's good manners."""

import contextlib
import http.client
import itertools
import json
import os
import re
import signal
import subprocess
import threading

VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"


def meta(capabilities=None, version=VERSION):
    return {META + "protocolVersion": version, META + "clientCapabilities": capabilities or {}}


def message(id, method, params=None, capabilities=None, **more):
    """A request of the version that has no sessions."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**(params or {}), "_meta": meta(capabilities)}, **more}


class Broken(Exception):
    """The server ended, or gave no answer in time."""


class Result:
    """What a call returned: a tool's result, or an error."""

    def __init__(self, answer):
        self.answer = answer
        self.error = answer.get("error")
        self.result = answer.get("result") or {}
        self.data = self.result.get("structuredContent") or {}
        self.asked = self.result.get("inputRequests")
        self.is_refused = self.error is not None or self.result.get("isError", False)

    @property
    def reason(self):
        """What the caller can read about a refusal."""
        if self.error:
            return self.error["message"]
        detail = (self.data.get("error") or {}).get("detail")
        texts = [part.get("text", "") for part in self.result.get("content", [])]
        return " ".join((detail or (texts or [json.dumps(self.result)])[0]).split())

    def __repr__(self):
        return json.dumps(self.answer, ensure_ascii=False)[:1500]


class Server:
    """A process of `graphflow mcp`, to which anything can be written."""

    def __init__(self, words, environment, folder, log, stdio=True):
        self.log, self.ids = log, itertools.count(1)
        pipe = subprocess.PIPE if stdio else subprocess.DEVNULL
        self.process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=open(log, "ab"), env=environment, cwd=folder, start_new_session=True)
        self.lines, self.answers, self.others = [], {}, []
        self.news = threading.Condition()
        if stdio:
            threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line)
                with contextlib.suppress(ValueError):
                    got = json.loads(line)
                    if "method" in got:
                        self.others.append(got)
                    else:
                        self.answers.setdefault(json.dumps(got.get("id")), []).append(got)
                self.news.notify_all()
        with self.news:
            self.lines.append(b"")
            self.news.notify_all()

    def send(self, content):
        """Writes a message, or any bytes."""
        line = content if isinstance(content, bytes) else json.dumps(content).encode() + b"\n"
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError as error:
            raise Broken(f"{error}") from None

    def wait(self, find, seconds=60):
        with self.news:
            ready = self.news.wait_for(lambda: find() or self.lines[-1:] == [b""], seconds)
            if not ready or not (found := find()):
                raise Broken("it ended" if ready else "no answer")
            return found

    def answer(self, id, seconds=60):
        return Result(self.wait(lambda: self.answers.get(json.dumps(id)), seconds)[0])

    def asked(self, method, seconds=20):
        """The server's next request to its client."""
        one = self.wait(lambda: [one for one in self.others if one.get("method") == method and "id" in one], seconds)[0]
        self.others.remove(one)
        return one

    def begin(self, method, params=None, capabilities=None):
        id = next(self.ids)
        self.send(message(id, method, params, capabilities))
        return id

    def request(self, method, params=None, capabilities=None, seconds=60):
        return self.answer(self.begin(method, params, capabilities), seconds)

    def call(self, tool, arguments=None, capabilities=None, seconds=60, **more):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}, **more}, capabilities, seconds)

    def run(self, plan, capabilities=None, **more):
        return self.call("run_plan", {"planId": plan}, capabilities, **more)

    def initialize(self, version="2025-11-25", capabilities=None):
        id = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": {"name": "x", "version": "1"}}})
        return self.answer(id)

    def legacy(self, method, params):
        """Sends a request of a version with a session; returns its id."""
        id = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    @property
    def is_alive(self):
        return self.process.poll() is None

    def kill(self, number=signal.SIGKILL):
        """Ends it, but not the programs that continue its runs."""
        if self.is_alive:
            self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return self.process.wait(timeout=60)


class WebServer(Server):
    """The same over HTTP."""

    def __init__(self, words, environment, folder, log):
        begun = os.path.getsize(log) if os.path.exists(log) else 0
        super().__init__(words, environment, folder, log, stdio=False)
        self.port = None
        for _ in range(600):
            with open(log, "rb") as file:
                file.seek(begun)
                if found := re.search(rb"listening for agents at http://\S+?:(\d+)/mcp", file.read()):
                    self.port = int(found[1])
                    return
            if not self.is_alive:
                raise Broken(f"it does not start: {open(log, encoding='utf-8').read()[-1000:]}")
            threading.Event().wait(0.05)
        raise Broken("it does not listen")

    def fields(self, content):
        """The header fields that belong to a message."""
        params = content.get("params") or {}
        fields = {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION, "Mcp-Method": content.get("method", "")}
        if name := params.get("name") or params.get("uri"):
            fields["Mcp-Name"] = name
        return fields

    def post(self, content, method="POST", path="/mcp", fields=None, seconds=60):
        """Status, header fields and body of any request; a field without a value is left out."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        given = self.fields(content) if isinstance(content, dict) else self.fields({})
        given.update(fields or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.putrequest(method, path, skip_host="Host" in given, skip_accept_encoding=True)
            for name, value in given.items():
                for one in value if isinstance(value, list) else [value]:
                    if one is not None:
                        connection.putheader(name, one)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Broken(repr(error)) from None
        finally:
            connection.close()

    def request(self, method, params=None, capabilities=None, seconds=60, fields=None):
        return answered(self.post(message(next(self.ids), method, params, capabilities), fields=fields, seconds=seconds)[2])

    def call(self, tool, arguments=None, capabilities=None, seconds=60, fields=None, **more):
        params = {"name": tool, "arguments": arguments or {}, **more}
        return self.request("tools/call", params, capabilities, seconds, fields)


def answered(body):
    """The answer in a body, which may be a stream of events."""
    text = body.decode()
    if not text.startswith("{"):
        parts = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        text = next((part for part in parts if '"method"' not in part[:60] and ('"result"' in part or '"error"' in part)), "")
    if not text:
        raise Broken("no answer in the stream")
    return Result(json.loads(text))
