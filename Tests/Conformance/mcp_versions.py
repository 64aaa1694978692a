"""The versions 2025-11-25 and 2025-06-18 of the Model Context Protocol over HTTP and streams, and 2026-07-28 over streams.

    mcp_versions.py

The server is 'conformance-probe', and every message that it sends is checked with the published schema of its version.
"""

import json
import subprocess

import probe
from checks import check, end
from mcp_client import (
    EVERYTHING, JUNE, META, MODERN, NOVEMBER, HTTPClient, StreamClient, accepted, check_message, modern_meta, response_to,
)

CLIENT = {"name": "conformance", "version": "1"}
ASKING = "test_input_required_result_"


class Session:
    """A client of an earlier version over HTTP, that numbers its requests."""

    def __init__(self, url, version, capabilities):
        self.client, self.version, self.number, self.name = HTTPClient(url), version, 0, None
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
        self.first = self.call("initialize", params)
        self.name = self.first.headers["Mcp-Session-Id"]

    def call(self, method, params=None, respond=None, **more):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}

        def answer(request):
            result = {"id": request["id"], "result": respond(request)}
            sent = self.client.legacy(self.version, result, session=self.name)
            check("a response is accepted", (sent.status, sent.messages) == (202, []), sent)

        return self.client.legacy(self.version, message, session=self.name, respond=respond and answer, **more)


class Stream(StreamClient):
    """The same over streams."""

    def __init__(self, version, capabilities):
        super().__init__([probe.path(), "mcp-stdio"], version)
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
        self.first = self.call("initialize", params)
        self.write({"method": "notifications/initialized"})


def check_session(version, session):
    """What both transports have in common."""
    result = session.first.result
    check("initialize: the version is the client's", result["protocolVersion"] == version, result)
    check("initialize: the server says who it is", result["serverInfo"]["name"] == "conformance-probe", result)
    check("ping", session.call("ping").result == {})
    tools = session.call("tools/list").result
    check("tools-list", len(tools["tools"]) > 10 and not {"resultType", "ttlMs", "cacheScope", "_meta"} & tools.keys(), tools)
    kinds = {
        "test_simple_text": ["text"], "test_image_content": ["image"], "test_audio_content": ["audio"],
        "test_embedded_resource": ["resource"], "test_multiple_content_types": ["text", "image", "resource"],
    }
    for tool, expected in kinds.items():
        answer = session.call("tools/call", {"name": tool})
        check(f"tools-call {tool}", [block["type"] for block in answer.result["content"]] == expected, answer)
        check(f"{tool}: the result has no type", "resultType" not in answer.result, answer)
    answer = session.call("tools/call", {"name": "test_error_handling", "arguments": {}})
    check("tools-call-error", answer.result.get("isError") is True, answer)
    check("an unknown tool", session.call("tools/call", {"name": "unknown"}).code == -32602)
    params = {"name": "test_tool_with_progress", "arguments": {}, "_meta": {"progressToken": "t"}}
    steps = [message["params"]["progress"] for message in session.call("tools/call", params).messages[:-1]]
    check("tools-call-with-progress", steps == [0, 50, 100], steps)
    for method, params in {
        "prompts/list": {}, "prompts/get": {"name": "test_prompt_with_image"}, "resources/list": {},
        "resources/templates/list": {}, "resources/read": {"uri": "test://template/1/data"},
        "completion/complete": {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "pa"}},
    }.items():
        answer = session.call(method, params)
        check(method, answer.result and "resultType" not in answer.result, answer)
    for method in ("server/discover", "logging/setLevel", "unknown"):
        answer = session.call(method)
        # 404 would say that the session has ended.
        check(f"{method} is not there", answer.code == -32601 and answer.status in (None, 200), answer)


def check_asking(version, session):
    """The server asks the client while a call is open."""
    asked = []

    def respond(request):
        asked.append(request)
        return response_to(request)

    answer = session.call("tools/call", {"name": "test_elicitation", "arguments": {"message": "Who?"}}, respond)
    check("tools-call-elicitation", json.loads(answer.text.removeprefix("User response: ")) == accepted(username="Alice"), answer)
    check("the mode is there where the version has it", [each["params"].get("mode") for each in asked]
          == [None if version == JUNE else "form"], asked)
    answer = session.call("tools/call", {"name": "test_elicitation", "arguments": {"message": "Who?"}},
                          lambda request: {"action": "decline"})
    check("an answer can be to decline", "decline" in answer.text, answer)
    asked.clear()
    answer = session.call("tools/call", {"name": ASKING + "multi_round"}, respond)
    check("one question follows another", len(asked) == 2 and "Both rounds" in answer.text, answer)
    answer = session.call("tools/call", {"name": ASKING + "elicitation"}, lambda request: {"action": "accept", "content": {}})
    check("what is not valid is asked for again, a limited number of times", answer.code == -32603, answer)
    asked.clear()
    answer = session.call("tools/call", {"name": "test_elicitation_url"}, respond)
    if version == JUNE:
        check("that version has no addresses to open", answer.code == -32021 and not asked, answer)
    else:
        check("an address is opened", answer.text == "Opened." and asked[0]["params"]["elicitationId"] == "elicitation-1"
              and answer.messages[-2]["method"] == "notifications/elicitation/complete", answer)


def check_http(url, version):
    session = Session(url, version, EVERYTHING)
    check_session(version, session)
    check_asking(version, session)
    silent = Session(url, version, {})
    answer = silent.call("tools/call", {"name": "test_elicitation", "arguments": {"message": "Who?"}})
    check("a client that cannot be asked is not asked", answer.code == -32021 and len(answer.messages) == 1, answer)
    client = session.client
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        answer = client.post(b"", {"Accept": "text/event-stream", "MCP-Protocol-Version": version}, method)
        check(f"{method} is refused with 405", answer.status == 405 and answer.headers["Allow"] == "POST", answer)
    for name in ("notifications/initialized", "notifications/cancelled", "notifications/unknown"):
        answer = client.legacy(version, {"method": name, "params": {"requestId": 1}}, session=session.name)
        check(f"{name} is accepted with 202", (answer.status, answer.messages) == (202, []), answer)
    answer = client.legacy(version, {"id": "unknown", "result": {}}, session=session.name)
    check("a response to nothing is accepted", answer.status == 202, answer)
    for header in ("2024-11-05", "2026-01-01", "x"):
        answer = client.legacy(MODERN, {"id": 1, "method": "tools/list"}, headers={"MCP-Protocol-Version": header})
        check(f"the version {header} is refused", (answer.status, answer.code) == (400, -32022), answer)
    answer = client.legacy(version, {"id": 1, "method": "tools/call", "params": {"name": "test_tool_with_progress",
                           "_meta": {"progressToken": 1}}}, headers={"Accept": "application/json"})
    check("a client that accepts no stream gets one message", answer.headers.get_content_type() == "application/json"
          and len(answer.messages) == 1, answer)
    for body, name in ((b"", "no body"), (b"{", "half a message"), (b"[]", "no messages"), (b"[" * 5000 + b"]" * 5000, "depth"),
                       (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', "a name twice"), (b"\xff", "other bytes"),
                       (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "a batch"),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', "a text as parameters")):
        answer = client.post(body, {"Content-Type": "application/json"})
        check_message(NOVEMBER, "ping", answer.last)
        check(f"{name} is refused", answer.status == 400 and answer.code in (-32700, -32600), answer)
    answer = client.post(b"x", {"Content-Type": "text/plain"})
    check("other types are refused", answer.status == 415, answer)
    for origin in ("http://evil.example", "null"):
        answer = client.post(b"{}", {"Content-Type": "application/json", "Origin": origin})
        check(f"the origin {origin} is refused", answer.status == 403, answer)


def check_stream(version):
    session = Stream(version, EVERYTHING)
    check_session(version, session)
    check_asking(version, session)
    roots = session.call("tools/call", {"name": ASKING + "multiple_inputs"}, response_to)
    check("sampling and roots are asked for", roots.text == "Answered: client_roots, greeting, user_name", roots)
    check("the server ends with its input", session.close() == 0)
    silent = Stream(version, {})
    answer = silent.call("tools/call", {"name": "test_elicitation", "arguments": {"message": "Who?"}})
    check("a client that cannot be asked is not asked", answer.code == -32021 and len(answer.messages) == 1, answer)
    silent.close()


def check_negotiation(url):
    """Which version a server and a client agree on."""
    for requested, agreed in ((JUNE, JUNE), (NOVEMBER, NOVEMBER), ("2024-11-05", NOVEMBER), ("2099-01-01", NOVEMBER),
                              (MODERN, NOVEMBER), ("", NOVEMBER)):
        params = {"protocolVersion": requested, "capabilities": {}, "clientInfo": CLIENT}
        answer = HTTPClient(url).legacy(agreed, {"id": 1, "method": "initialize", "params": params})
        check(f"{requested} becomes {agreed}", answer.result["protocolVersion"] == agreed, answer)
    answer = HTTPClient(url).legacy(NOVEMBER, {"id": 1, "method": "initialize", "params": {}})
    check("initialize needs a version", answer.code == -32602, answer)


def check_modern_stream():
    """The newest version over streams, next to an earlier one in the same process."""
    client = StreamClient([probe.path(), "mcp-stdio"], MODERN)
    check("server/discover", MODERN in client.call("server/discover").result["supportedVersions"])
    check("tools/list", client.call("tools/list").result["tools"])
    first = client.call("tools/call", {"name": ASKING + "request_state"})
    again = {"inputResponses": {"confirm": accepted(ok=True)}, "requestState": first.result["requestState"]}
    second = client.call("tools/call", {"name": ASKING + "request_state", **again})
    check("a request is answered with a question, and then with its result", first.asks and second.text == "state-ok", second)
    answer = client.call("tools/call", {"name": ASKING + "request_state", **again})
    check("a state is good for one answer", answer.code == -32602, answer)
    client.number += 1
    client.write({"id": client.number, "method": "tools/list", "params": {}})
    check("a request must say its version", client.receive()["error"]["code"] == -32602)
    unknown = {"_meta": {**modern_meta({}), META + "protocolVersion": "x"}}
    client.write({"id": "u", "method": "tools/list", "params": unknown})
    check("an unknown version is refused", client.receive()["error"]["code"] == -32022)
    client.version = None
    params = {"protocolVersion": JUNE, "capabilities": {}, "clientInfo": CLIENT}
    check("an earlier client can follow", client.call("initialize", params).result["protocolVersion"] == JUNE)
    check("and calls as its version has it", "resultType" not in client.call("tools/list").result)
    client.version = MODERN
    check("while requests that say their version are answered in it", client.call("tools/list").is_complete)
    check("the server ends with its input", client.close() == 0)


def main():
    process = subprocess.Popen([probe.path(), "mcp-http"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = process.stdout.readline().strip()
    for version in (NOVEMBER, JUNE):
        check_http(url, version)
        check_stream(version)
    check_negotiation(url)
    check_modern_stream()
    process.stdin.close()
    check("the server ends", process.wait(30) == 0)
    end("Versions of the Model Context Protocol")


main()
