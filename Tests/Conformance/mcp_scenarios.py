"""The 37 server scenarios of the official conformance suite of the Model Context Protocol (2026-07-28), by their names.

    mcp_scenarios.py [NAME…]

The suite is modelcontextprotocol/conformance. Its scenarios name the tools, prompts and resources that a server must have.
'conformance-probe mcp-http' has them, on graphflow's protocol layer. Each message of it is checked with the published schema.
"""

import http.client
import re
import subprocess
import sys
import threading

import checks
import probe
from checks import check, end
from mcp_client import EVERYTHING, META, MODERN, ROOTS, HTTPClient, accepted, modern_meta, response_to, sampled

ASKING = "test_input_required_result_"
scenarios = {}


def scenario(function):
    scenarios[function.__name__.replace("_", "-")] = function
    return function


def call(client, tool, arguments=None, **more):
    """Calls a tool; what is not an argument of a request is a member of its parameters."""
    options = {name: more.pop(name) for name in ("capabilities", "meta", "headers", "id") if name in more}
    return client.modern("tools/call", {"name": tool, "arguments": arguments or {}, **more}, **options)


def blocks(answer, kind):
    return [block for block in (answer.result or {}).get("content", []) if block["type"] == kind]


# What each request says


@scenario
def server_stateless(client):
    check_required_meta(client)
    check_discovery(client)
    check_versions(client)
    check_capabilities(client)
    check_methods(client)
    check_streams(client)


def check_required_meta(client):
    whole = modern_meta({})
    partial = {
        "missing-meta": False,
        "missing-protocol-version": {name: whole[name] for name in whole if not name.endswith("protocolVersion")},
        "missing-client-capabilities": {name: whole[name] for name in whole if not name.endswith("clientCapabilities")},
    }
    for name, meta in partial.items():
        answer = client.modern("server/discover", meta=meta)
        check(f"request-meta-invalid-{name}", answer.code == -32602, answer)
        check(f"http-server-meta-invalid-400-{name}", answer.status == 400, answer)
    answer = client.modern("server/discover", meta={n: whole[n] for n in whole if not n.endswith("clientInfo")})
    check("request-meta-client-info-optional", answer.status == 200 and answer.result, answer)
    answer = client.modern("server/discover", meta={**whole, META + "clientCapabilities": []})
    check("capabilities that are no object are invalid", (answer.status, answer.code) == (400, -32602), answer)


def check_discovery(client):
    answer = client.modern("server/discover")
    result = answer.result or {}
    check("server-implements-discover", result.get("supportedVersions") and "capabilities" in result, answer)
    check("the version of this scenario is supported", MODERN in result.get("supportedVersions", []), answer)
    server = result.get("_meta", {}).get(META + "serverInfo", {})
    check("server-identifies-in-result-meta", server.get("name") and server.get("version"), answer)
    declared = result.get("capabilities", {})
    for capability, method in {"prompts": "prompts/list", "tools": "tools/list", "resources": "resources/list"}.items():
        found = client.modern(method)
        check(f"discover-capabilities-match-handlers: {capability}",
              (capability in declared) == (found.code != -32601) == (capability in (found.result or {})), found)
    # The scenario skips subscriptions for a server that declares no change notifications.
    changes = [name for name, value in declared.items() if {"listChanged", "subscribe"} & value.keys()]
    answer = client.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    check("no change notifications are declared, and there is no method to listen to them",
          not changes and (answer.status, answer.code) == (404, -32601), answer)


def check_versions(client):
    unknown = {**modern_meta({}), META + "protocolVersion": "v999.0.0"}
    answer = client.modern("server/discover", meta=unknown, headers={"MCP-Protocol-Version": "v999.0.0"})
    data = (answer.error or {}).get("data", {})
    supported = client.modern("server/discover").result["supportedVersions"]
    check("server-unsupported-version-error", answer.code == -32022 and data.get("requested") == "v999.0.0"
          and data.get("supported") and set(data["supported"]) <= set(supported), answer)
    check("http-server-unsupported-version-400", answer.status == 400, answer)
    mismatches = {
        "http-server-header-mismatch-400": ("server/discover", {}, unknown, {}),
        "no version in the header fields": ("server/discover", {}, None, {"MCP-Protocol-Version": None}),
        "another method in the header fields": ("tools/list", {}, None, {"Mcp-Method": "tools/call"}),
        "no method in the header fields": ("tools/list", {}, None, {"Mcp-Method": None}),
        "another tool in the header fields":
            ("tools/call", {"name": "test_simple_text"}, None, {"Mcp-Name": "test_error_handling"}),
        "no tool in the header fields": ("tools/call", {"name": "test_simple_text"}, None, {"Mcp-Name": None}),
        "another resource in the header fields":
            ("resources/read", {"uri": "test://static-text"}, None, {"Mcp-Name": "test://static-binary"}),
    }
    for name, (method, params, meta, headers) in mismatches.items():
        answer = client.modern(method, params, meta=meta, headers=headers)
        check(name, (answer.status, answer.code) == (400, -32020), answer)
    answer = client.modern("tools/call", {"name": "größe"}, headers={"Mcp-Name": "=?base64?Z3LDtsOfZQ==?="})
    check("a name in base64 is read", answer.code == -32602, answer)


def check_capabilities(client):
    for name, capabilities, needed in (
        ("test_missing_capability", {}, "sampling"),
        ("test_missing_capability", {"elicitation": {}}, "sampling"),
        ("test_streaming_elicitation", {"sampling": {}}, "elicitation"),
        ("test_elicitation_url", {"elicitation": {"form": {}}}, "elicitation"),
        (ASKING + "list_roots", {"sampling": {}}, "roots"),
    ):
        answer = call(client, name, capabilities=capabilities)
        required = ((answer.error or {}).get("data") or {}).get("requiredCapabilities", {})
        check(f"server-rejects-undeclared-capability: {name} {capabilities}",
              answer.code == -32021 and isinstance(required.get(needed), dict), answer)
        check(f"missing-capability-http-400: {name} {capabilities}", answer.status == 400, answer)


def check_methods(client):
    for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                   "unknown/method", "tools/CALL", "", "notifications/initialized"):
        answer = client.modern(method, id=f"id of {method}")
        check(f"http-server-method-not-found-404 {method}", (answer.status, answer.code) == (404, -32601), answer)


def check_streams(client):
    meta = {"meta": modern_meta({"elicitation": {}}, progressToken="stream")}
    answer = call(client, "test_streaming_elicitation", **meta)
    check("http-server-no-independent-requests-on-stream", answer.asks and len(answer.messages) == 2
          and all("id" not in message for message in answer.messages[:-1]), answer)
    check("a stream is not kept back by proxies", answer.headers["X-Accel-Buffering"] == "no", answer.headers)
    answer = call(client, "test_logging_tool", meta=modern_meta({}))
    check("server-no-log-without-loglevel", answer.is_complete and len(answer.messages) == 1, answer)


@scenario
def completion_complete(client):
    params = {"ref": {"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "argument": {"name": "arg1", "value": "test"}}
    answer = client.modern("completion/complete", params)
    check("there are values", answer.result["completion"]["values"] == ["test", "testing"], answer)


# Tools


@scenario
def tools_list(client):
    answer = client.modern("tools/list")
    tools = answer.result["tools"]
    check("tools-list", tools and all(
        tool.get("name") and tool.get("description") and tool["inputSchema"]["type"] == "object" for tool in tools), answer)
    names = [tool["name"] for tool in tools]
    check("tools-name-format", all(re.fullmatch(r"[A-Za-z0-9_./-]{1,64}", name) for name in names), names)
    check("names are there once", len(names) == len(set(names)), names)
    check("the order is the same each time", names == [tool["name"] for tool in client.modern("tools/list").result["tools"]])
    check("there is no other page", client.modern("tools/list", {"cursor": "x"}).code == -32602)


@scenario
def tools_call_simple_text(client):
    answer = client.modern("tools/call", {"name": "test_simple_text"})
    check("there is a text", answer.text == "This is a simple text response for testing.", answer)


@scenario
def tools_call_image(client):
    block = blocks(call(client, "test_image_content"), "image")[0]
    check("there is a picture", block["data"] and block["mimeType"] == "image/png", block)


@scenario
def tools_call_audio(client):
    block = blocks(call(client, "test_audio_content"), "audio")[0]
    check("there is a sound", block["data"] and block["mimeType"] == "audio/wav", block)


@scenario
def tools_call_embedded_resource(client):
    resource = blocks(call(client, "test_embedded_resource"), "resource")[0]["resource"]
    check("there is a resource", resource["uri"] == "test://embedded-resource" and resource["text"], resource)


@scenario
def tools_call_mixed_content(client):
    kinds = [block["type"] for block in call(client, "test_multiple_content_types").result["content"]]
    check("there is one of each kind", kinds == ["text", "image", "resource"], kinds)


@scenario
def tools_call_error(client):
    answer = call(client, "test_error_handling")
    check("the result is an error", answer.result.get("isError") is True and answer.text, answer)
    check("an unknown tool is an error of the protocol", call(client, "unknown").code == -32602)
    answer = call(client, "test_simple_text", {"unknown": 1})
    check("arguments that the schema does not allow are a result that a model can read",
          answer.result.get("isError") is True and "unknown" in answer.text, answer)


@scenario
def tools_call_with_progress(client):
    for token in ("progress-test-1", 7):
        answer = call(client, "test_tool_with_progress", meta=modern_meta({}, progressToken=token))
        seen = [message["params"] for message in answer.messages[:-1]]
        check(f"progress increases {token}", [each["progress"] for each in seen] == [0, 50, 100]
              and all(each["progressToken"] == token and each["total"] == 100 for each in seen), answer)
    check("without a token there is no progress", len(call(client, "test_tool_with_progress").messages) == 1)


@scenario
def server_sse_multiple_streams(client):
    answers = [None] * 12

    def ask(index):
        tool = ("test_tool_with_progress", "test_simple_text")[index % 2]
        answers[index] = call(HTTPClient(client.place.geturl()), tool, id=1000 + index,
                              meta=modern_meta({}, progressToken=f"stream {index}"))

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("server-accepts-multiple-post-streams", all(answer and answer.status == 200 for answer in answers), answers)
    for index, answer in enumerate(answers[::2]):
        tokens = {message["params"]["progressToken"] for message in answer.messages[:-1]}
        check("server-sse-streams-functional", answer.headers.get_content_type() == "text/event-stream"
              and tokens == {f"stream {2 * index}"}, answer)


# Resources and prompts


@scenario
def resources_list(client):
    answer = client.modern("resources/list")
    check("each has an address and a name", answer.result["resources"] and all(
        each.get("uri") and each.get("name") and each.get("description") for each in answer.result["resources"]), answer)


def contents(client, uri):
    return client.modern("resources/read", {"uri": uri}).result["contents"][0]


@scenario
def resources_read_text(client):
    found = contents(client, "test://static-text")
    check("there is a text", found["uri"] == "test://static-text" and found["text"] and found["mimeType"], found)


@scenario
def resources_read_binary(client):
    found = contents(client, "test://static-binary")
    check("there are bytes", found["uri"] == "test://static-binary" and found["blob"] and found["mimeType"], found)


@scenario
def resources_templates_read(client):
    found = contents(client, "test://template/123/data")
    check("the id is in the text", found["uri"] == "test://template/123/data" and '"id":"123"' in found["text"], found)


@scenario
def sep_2164_resource_not_found(client):
    uri = "test://nonexistent-resource-for-conformance-testing"
    answer = client.modern("resources/read", {"uri": uri})
    check("sep-2164-no-empty-contents", answer.result is None, answer)
    check("sep-2164-error-code", answer.code == -32602 and answer.error["data"]["uri"] == uri, answer)


@scenario
def prompts_list(client):
    answer = client.modern("prompts/list")
    check("each has a name and a description", answer.result["prompts"] and all(
        each.get("name") and each.get("description") for each in answer.result["prompts"]), answer)


def messages(client, name, **arguments):
    return client.modern("prompts/get", {"name": name, "arguments": arguments}).result["messages"]


@scenario
def prompts_get_simple(client):
    answer = client.modern("prompts/get", {"name": "test_simple_prompt"})
    check("there is a message", answer.result["messages"][0]["role"] == "user"
          and answer.result["messages"][0]["content"]["text"] == "This is a simple prompt for testing.", answer)
    check("there is no other prompt", client.modern("prompts/get", {"name": "unknown"}).code == -32602)


@scenario
def prompts_get_with_args(client):
    text = messages(client, "test_prompt_with_arguments", arg1="testValue1", arg2="testValue2")[0]["content"]["text"]
    check("the arguments are in the text", text == "Prompt with arguments: arg1='testValue1', arg2='testValue2'", text)


@scenario
def prompts_get_embedded_resource(client):
    found = messages(client, "test_prompt_with_embedded_resource", resourceUri="test://example-resource")
    check("there is a resource", found[0]["content"]["resource"]["uri"] == "test://example-resource"
          and found[1]["content"]["type"] == "text", found)


@scenario
def prompts_get_with_image(client):
    found = messages(client, "test_prompt_with_image")
    check("there is a picture", found[0]["content"]["mimeType"] == "image/png" and found[0]["content"]["data"], found)


# The transport


@scenario
def dns_rebinding_protection(client):
    body = (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},'
            b'"clientInfo":{"name":"rebinding","version":"1"}}}')
    port = client.place.port
    for host, origin, allowed in (
        ("evil.example.com", None, False), (f"evil.example.com:{port}", None, False), ("", None, False),
        (f"127.0.0.1.evil.example.com:{port}", None, False), (f"127.0.0.1:{port}", None, True),
        (f"localhost:{port}", None, True), ("localhost", None, True), (f"[::1]:{port}", None, True),
        (f"127.0.0.1:{port}", "http://evil.example.com", False), (f"127.0.0.1:{port}", "null", False),
        (f"127.0.0.1:{port}", f"https://127.0.0.1:{port}", False), (f"127.0.0.1:{port}", f"http://127.0.0.1:{port}", True),
    ):
        headers = {"Host": host, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        answer = client.post(body, {**headers, "Origin": origin} if origin else headers)
        check(f"host {host!r}, origin {origin!r}", answer.status in ((200,) if allowed else (400, 403)), answer)


@scenario
def caching(client):
    for method, params in (
        ("server/discover", {}), ("tools/list", {}), ("prompts/list", {}), ("resources/list", {}),
        ("resources/templates/list", {}), ("resources/read", {"uri": "test://static-text"}),
    ):
        result = client.modern(method, params).result
        check(f"ttl-non-negative {method}", type(result.get("ttlMs")) is int and result["ttlMs"] >= 0, result)
        check(f"cache-scope-valid {method}", result.get("cacheScope") in ("public", "private"), result)
    check("other results say nothing of caches", "ttlMs" not in call(client, "test_simple_text").result)


# What a server needs before it can answer


def round_trip(client, tool, responses=None, **more):
    """Calls a tool, answers what it asks for, and returns both answers."""
    first = call(client, tool, **more)
    if not first.asks:
        check(f"{tool} asks", False, first)
        return first, first
    given = responses or {name: response_to(request) for name, request in first.result["inputRequests"].items()}
    return first, call(client, tool, inputResponses=given, requestState=first.result["requestState"])


def methods(answer):
    return {name: request["method"] for name, request in answer.result["inputRequests"].items()}


@scenario
def input_required_result_basic_elicitation(client):
    first, second = round_trip(client, ASKING + "elicitation", {"user_name": accepted(name="Alice")})
    check("it asks for the name", methods(first) == {"user_name": "elicitation/create"}, first)
    check("it has the name", second.is_complete and second.text == "Hello, Alice!", second)


@scenario
def input_required_result_basic_sampling(client):
    first, second = round_trip(
        client, ASKING + "sampling", {"capital_question": sampled("The capital of France is Paris.")})
    check("it asks the model", methods(first) == {"capital_question": "sampling/createMessage"}, first)
    check("it has the model's text", second.is_complete and "Paris" in second.text, second)


@scenario
def input_required_result_basic_list_roots(client):
    first, second = round_trip(client, ASKING + "list_roots", {"client_roots": ROOTS})
    check("it asks for the roots", methods(first) == {"client_roots": "roots/list"}, first)
    check("it has the roots", second.is_complete and "file:///test/root" in second.text, second)


@scenario
def input_required_result_request_state(client):
    first, second = round_trip(client, ASKING + "request_state")
    check("it gives a state", first.result["requestState"], first)
    check("it knows its state", second.is_complete and "state-ok" in second.text, second)
    answer = call(client, ASKING + "request_state", inputResponses={"confirm": accepted(ok=True)})
    check("answers without the state are asked for again", answer.asks, answer)


@scenario
def input_required_result_multiple_input_requests(client):
    first, second = round_trip(client, ASKING + "multiple_inputs")
    check("it asks for all", sorted(methods(first).values()) == ["elicitation/create", "roots/list", "sampling/createMessage"],
          first)
    check("it has all", second.is_complete, second)
    given = {"user_name": accepted(name="Alice")}
    answer = call(client, ASKING + "multiple_inputs", inputResponses=given,
                  requestState=call(client, ASKING + "multiple_inputs").result["requestState"])
    check("what is missing is asked for again", answer.asks, answer)


@scenario
def input_required_result_multi_round(client):
    tool, states = ASKING + "multi_round", []
    answer = call(client, tool)
    for step, content in (("step1", {"name": "Alice"}), ("step2", {"color": "blue"})):
        check(f"it asks for {step}", answer.asks and list(answer.result["inputRequests"]) == [step], answer)
        states.append(answer.result["requestState"])
        answer = call(client, tool, inputResponses={step: accepted(**content)}, requestState=states[-1])
    check("then it is complete", answer.is_complete, answer)
    check("each state is another one", len(set(states)) == 2, states)


@scenario
def input_required_result_missing_input_response(client):
    for responses in ({"wrong_key": accepted(data="wrong")}, {}, {"user_name": accepted()}, {"user_name": accepted(name=5)}):
        answer = call(client, ASKING + "elicitation", inputResponses=responses)
        check(f"it asks again after {responses}", answer.asks and "user_name" in answer.result["inputRequests"], answer)


@scenario
def input_required_result_non_tool_request(client):
    params = {"name": "test_input_required_result_prompt"}
    first = client.modern("prompts/get", params)
    check("a prompt asks", first.asks and methods(first) == {"user_context": "elicitation/create"}, first)
    second = client.modern("prompts/get", {
        **params, "inputResponses": {"user_context": accepted(context="test context")},
        "requestState": first.result["requestState"]})
    check("a prompt has the answer", "test context" in second.result["messages"][0]["content"]["text"], second)


@scenario
def input_required_result_result_type(client):
    answer = call(client, ASKING + "elicitation")
    check("the type is there", answer.result.get("resultType") == "input_required", answer)
    check("a complete result has a type too", call(client, "test_simple_text").result.get("resultType") == "complete")


@scenario
def input_required_result_unsupported_methods(client):
    responses = {"inputResponses": {"user_name": accepted(name="Alice")}, "requestState": "x"}
    for method in ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        for params in ({}, responses):
            check(f"{method} does not ask", client.modern(method, params).is_complete)


@scenario
def input_required_result_tampered_state(client):
    tool, given = ASKING + "tampered_state", {"inputResponses": {"confirm": accepted(ok=True)}}

    def rejects(name, state, tool=tool, **more):
        answer = call(client, tool, **given, requestState=state, **more)
        check(f"{name} is rejected", answer.code == -32602 and answer.result is None, answer)

    state = call(client, tool).result["requestState"]
    rejects("an altered state", state + "-TAMPERED")
    rejects("a part of a state", state[:-1])
    rejects("an empty state", "")
    check("the state itself is not", call(client, tool, **given, requestState=state).is_complete)
    rejects("a state that was used", state)
    rejects("the state of another tool", call(client, ASKING + "request_state").result["requestState"])
    rejects("a state that was rejected is used", state)


@scenario
def input_required_result_capability_check(client):
    tool = ASKING + "capabilities"
    for capabilities, expected in (
        ({"sampling": {}}, {"sampling/createMessage"}), ({"elicitation": {}}, {"elicitation/create"}),
        ({"elicitation": {"form": {}}}, {"elicitation/create"}), (EVERYTHING, {"sampling/createMessage", "elicitation/create"}),
    ):
        answer = call(client, tool, capabilities=capabilities)
        check(f"it asks only for {expected}", answer.asks and set(methods(answer).values()) == expected, answer)
    for capabilities in ({}, {"elicitation": {"url": {}}}):
        answer = call(client, tool, capabilities=capabilities)
        check(f"it asks for nothing with {capabilities}", answer.is_complete, answer)


@scenario
def input_required_result_ignore_extra_params(client):
    given = {"user_name": accepted(name="Alice"), "unknown_extra_key": accepted(foo="bar"), "another_unexpected": accepted(baz=123)}
    answer = call(client, ASKING + "elicitation", inputResponses=given)
    check("other answers are ignored", answer.is_complete and answer.text == "Hello, Alice!", answer)


@scenario
def input_required_result_validate_input(client):
    for responses in ({"user_name": 12345}, None, {"user_name": None}, {"user_name": {}}, [], "x"):
        answer = call(client, ASKING + "elicitation", inputResponses=responses)
        check(f"{responses} is no answer", answer.code is not None or answer.asks, answer)


def main():
    names = sys.argv[1:] or list(scenarios)
    process = subprocess.Popen([probe.path(), "mcp-http"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    client = HTTPClient(process.stdout.readline().strip())
    check("there are as many as the suite has", len(scenarios) == 37, sorted(scenarios))
    for name in names:
        before, failed = checks.passed, len(checks.failures)
        try:
            scenarios[name](client)
        except (OSError, KeyError, IndexError, TypeError, ValueError, http.client.HTTPException) as error:
            check(name, False, f"{type(error).__name__}: {error}")
        mark = "passed" if len(checks.failures) == failed else "FAILED"
        print(f"{mark} {name} ({checks.passed - before} checks)", flush=True)
    process.stdin.close()
    check("the server ends", process.wait(30) == 0)
    end(f"{len(names)} scenarios of the protocol {MODERN}")


main()
