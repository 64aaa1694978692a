"""Clients of the Model Context Protocol that can send any bytes. They check each message of a server with the schema."""

import functools
import http.client
import json
import os
import queue
import subprocess
import threading
import urllib.parse

import jsonschema_rs

from checks import check, check_none

HERE = os.path.dirname(os.path.abspath(__file__))
MODERN, NOVEMBER, JUNE = "2026-07-28", "2025-11-25", "2025-06-18"
META = "io.modelcontextprotocol/"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
# How long an answer may take.
PATIENCE = 30
# All that a client can be asked for.
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "completion/complete": "CompleteResult",
}
ERRORS = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}


@functools.cache
def validator(version, name):
    """What checks a value with a definition of the schema of a version; nil if that has no such definition."""
    with open(f"{HERE}/mcp-{version}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    place = "$defs" if "$defs" in schema else "definitions"
    if name not in schema[place]:
        return None
    return jsonschema_rs.validator_for({"$schema": schema["$schema"], "$ref": f"#/{place}/{name}", place: schema[place]})


def problems(version, name, value):
    """What is wrong with a value, by the schema of a version."""
    checker = validator(version, name)
    if checker is None:
        return [f"{version} has no {name}"]
    return [f"{name}: {error.instance_path}: {error.message[:300]}" for error in checker.iter_errors(value)]


def check_message(version, method, message):
    """Checks what a server sends with the schema of a version; `method` is that of the request that is answered."""
    # The first version has no error without an id, for a request that cannot be read.
    found = [] if version == JUNE and "error" in message and "id" not in message else \
        problems(version, "JSONRPCMessage", message)
    if "error" in message:
        if name := ERRORS.get(message["error"]["code"]) if version == MODERN else None:
            found += problems(version, name, message)
    elif "result" in message:
        result = message["result"]
        asks = isinstance(result, dict) and result.get("resultType") == "input_required"
        found += problems(version, "InputRequiredResult" if asks else RESULTS[method], result)
        if version == MODERN and result.get("resultType") not in ("complete", "input_required"):
            found.append("the result has no type")
    elif "id" in message:
        found += ["a server sends no requests"] if version == MODERN else problems(version, "ServerRequest", message)
    else:
        found += problems(version, "ServerNotification", message)
    check_none(f"{version} {method}: the message keeps to the schema", found)


def modern_meta(capabilities, **more):
    return {
        META + "protocolVersion": MODERN,
        META + "clientInfo": {"name": "conformance", "version": "1"},
        META + "clientCapabilities": capabilities,
        **more,
    }


class Answer:
    """What a server answers: the response's status and headers, and its messages, the last of which is the answer."""

    def __init__(self, status, headers, messages):
        self.status, self.headers, self.messages = status, headers, messages
        self.last = messages[-1] if messages else {}
        self.result, self.error = self.last.get("result"), self.last.get("error")

    @property
    def code(self):
        return self.error["code"] if self.error else None

    @property
    def text(self):
        return self.result["content"][0].get("text", "") if self.result and self.result.get("content") else ""

    @property
    def asks(self):
        return bool(self.result) and self.result.get("resultType") == "input_required"

    @property
    def is_complete(self):
        return bool(self.result) and self.result.get("resultType", "complete") == "complete"

    def __repr__(self):
        return f"{self.status} {json.dumps(self.messages)[:1500]}"


class HTTPClient:
    """Posts messages to a server, each on its own connection."""

    def __init__(self, url):
        self.place = urllib.parse.urlsplit(url)
        self.number = 0

    def post(self, body, headers, method="POST", respond=None, patience=PATIENCE):
        """Sends bytes, and reads the messages of the answer; `respond` is called with the server's requests."""
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=patience)
        try:
            connection.putrequest(method, self.place.path, skip_host="Host" in headers)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, response.headers, list(self.read(response, respond)))
        finally:
            connection.close()

    @staticmethod
    def read(response, respond):
        if response.headers.get_content_type() != "text/event-stream":
            if body := response.read():
                yield json.loads(body)
            return
        data = []
        for line in response:
            line = line.decode().rstrip("\r\n")
            if line.startswith("data:"):
                data.append(line[5:].strip())
            elif not line and data:
                message, data = json.loads("\n".join(data)), []
                if "id" in message and "method" in message and respond:
                    respond(message)
                yield message

    def modern(self, method, params=None, *, capabilities=None, meta=None, headers=None, id=None, **more):
        """Sends a request as 2026-07-28 has it, changed as a check needs it, and checks the answer's messages."""
        self.number += 1
        params = dict(params or {})
        given = modern_meta(EVERYTHING if capabilities is None else capabilities) if meta is None else meta
        if given is not False:
            params["_meta"] = given
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
        }
        if method in NAMED:
            sent["Mcp-Name"] = str(params.get(NAMED[method], ""))
        sent = {name: value for name, value in {**sent, **(headers or {})}.items() if value is not None}
        id = self.number if id is None else id
        body = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
        answer = self.post(body, sent, **more)
        for message in answer.messages:
            check_message(MODERN, method, message)
        if answer.messages:
            check(f"{method}: the answer has the request's id", answer.last.get("id") == id, answer)
        return answer

    def legacy(self, version, message, *, session=None, headers=None, **more):
        """Sends a message as the earlier versions have it, and checks the answer's messages."""
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if message.get("method") != "initialize":
            sent["MCP-Protocol-Version"] = version
        if session:
            sent["Mcp-Session-Id"] = session
        answer = self.post(json.dumps({"jsonrpc": "2.0", **message}).encode(), {**sent, **(headers or {})}, **more)
        for each in answer.messages:
            check_message(version, message.get("method"), each)
        return answer


class StreamClient:
    """A server that is started as a program, and answers lines with lines."""

    def __init__(self, command, version=None, is_read=True):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.lines, self.version, self.number, self.methods = queue.Queue(), version, 0, {}
        self.wrong = []
        if is_read:
            self.begin_reading()

    def begin_reading(self):
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with os.fdopen(os.dup(self.process.stdout.fileno()), "rb") as stream:
            for line in stream:
                try:
                    self.lines.put(json.loads(line))
                except ValueError:
                    self.wrong.append(line[:200])
        self.lines.put(None)

    def write(self, data):
        """Writes bytes, or a message as a line."""
        if not isinstance(data, bytes):
            data = json.dumps({"jsonrpc": "2.0", **data}).encode() + b"\n"
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def receive(self, patience=PATIENCE):
        """The next message; nil at the end."""
        try:
            message = self.lines.get(timeout=patience)
        except queue.Empty:
            raise TimeoutError("the server says nothing") from None
        if message is not None and self.version:
            check_message(self.version, self.methods.get(message.get("id")), message)
        return message

    def begin(self, method, params=None, **more):
        """Sends a request; returns its id."""
        self.number += 1
        self.methods[self.number] = method
        params = dict(params or {})
        if self.version == MODERN:
            params["_meta"] = modern_meta(EVERYTHING, **more)
        self.write({"id": self.number, "method": method, "params": params})
        return self.number

    def call(self, method, params=None, respond=None, **more):
        """Sends a request, and reads to its answer; `respond` is called with the server's requests."""
        id, messages = self.begin(method, params, **more), []
        while True:
            message = self.receive()
            if message is None:
                return Answer(None, {}, messages)
            messages.append(message)
            if "method" in message and "id" in message and respond:
                self.write({"id": message["id"], "result": respond(message)})
            if "method" not in message and message.get("id") == id:
                return Answer(None, {}, messages)

    def memory(self):
        """What the program has in memory, in MB; nil where the system does not say it."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) // 1024
        except FileNotFoundError:
            return None

    def close(self, patience=PATIENCE):
        """Ends the server as a client does; returns its exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it is still running"


def accepted(**content):
    return {"action": "accept", "content": content}


def sampled(text):
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "test", "stopReason": "endTurn"}


ROOTS = {"roots": [{"uri": "file:///test/root", "name": "Test Root"}]}


def response_to(request):
    """What a client answers to something that it is asked for."""
    if request["method"] == "sampling/createMessage":
        return sampled("Hello there!")
    if request["method"] == "roots/list":
        return ROOTS
    if request["params"].get("mode") == "url":
        return {"action": "accept"}
    fields = request["params"]["requestedSchema"]["properties"]
    return accepted(**{name: True if field["type"] == "boolean" else "Alice" for name, field in fields.items()})
