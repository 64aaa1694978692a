"""Checks recorded messages of a server against the protocol's own schemas."""

import json
from pathlib import Path

import jsonschema_rs

RESULTS = {
    "initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult", "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
    "resources/templates/list": "ListResourceTemplatesResult",
}
OTHERS = {
    "notifications/progress": "ProgressNotification", "elicitation/create": "ElicitRequest",
    "notifications/elicitation/complete": "ElicitationCompleteNotification",
}
_validators = {}


def validator(version, name):
    if (version, name) not in _validators:
        schema = json.loads(Path(__file__).with_name(f"mcp-{version}.schema.json").read_text(encoding="utf-8"))
        place = "$defs" if "$defs" in schema else "definitions"
        if name not in schema[place]:
            return None
        _validators[version, name] = jsonschema_rs.validator_for({**schema, "$ref": f"#/{place}/{name}"})
    return _validators[version, name]


def problems(version, name, value):
    """What is wrong with a value of a type of the protocol."""
    found = validator(version, name)
    if found is None:
        return [f"{version} has no {name}"]
    return [f"{name} {list(error.instance_path)}: {error.message[:300]}" for error in found.iter_errors(value)]


def problems_of(message, version, methods):
    """What is wrong with a message of the server; the methods are those of the client's requests, by their ids."""
    found = problems(version, "JSONRPCMessage", message)
    if "method" in message:
        name = OTHERS.get(message["method"])
        if not name or "id" in message and version == "2026-07-28":
            return found + [f"a server does not send {message['method']} in {version}"]
        return found + problems(version, name, message)
    if "error" in message:
        return found + problems(version, "JSONRPCError" if version == "2025-06-18" else "JSONRPCErrorResponse", message)
    method = methods.get(json.dumps(message["id"]))
    name = RESULTS.get(method)
    if method == "tools/call" and message["result"].get("resultType") == "input_required":
        name = "InputRequiredResult"
    if not name:
        return found + [f"an answer to {method or 'no request'}"]
    return found + problems(version, name, message["result"])


def events(body):
    """The messages in a body of events, and what is not as events are written."""
    found, wrong = [], []
    for event in body.decode().split("\n\n"):
        lines = [line for line in event.split("\n") if line and not line.startswith(":")]
        if not lines:
            continue
        fields = [line.partition(": ") for line in lines]
        if [name for name, _, _ in fields] != ["event", "data"] or fields[0][2] != "message":
            wrong.append(f"an event is {event[:200]!r}")
        else:
            found.append(json.loads(fields[1][2]))
    return found, wrong


def exchanged(recording):
    """What a client has sent and got over HTTP, and what is wrong with how."""
    sent, got, wrong = [], [], []
    for exchange in recording.exchanges:
        if exchange["method"] != "POST":
            continue
        sent.append(json.loads(exchange["sent"]))
        body, kind = bytes(exchange["answer"]), exchange.get("type", "")
        if "broken" in exchange:
            wrong.append(f"a request is not answered: {exchange['broken']}")
        elif "status" not in exchange:
            # A client that is closed gives up what it has not yet an answer to, such as its own answer to a form.
            continue
        elif "id" not in sent[-1] or "method" not in sent[-1]:
            if (exchange["status"], body) != (202, b""):
                wrong.append(f"a notification is answered with {exchange['status']}, {body[:200]}")
        elif kind.startswith("text/event-stream"):
            # A stream that its client has closed can end anywhere.
            messages, faults = events(body[: body.rfind(b"\n\n") + 2])
            got += messages
            wrong += faults
        elif kind.startswith("application/json"):
            got.append(json.loads(body))
        else:
            wrong.append(f"an answer of the type '{kind}'")
    return sent, got, wrong


def lines(path):
    """The messages of a stream, one a line."""
    found = []
    for line in Path(path).read_bytes().split(b"\n"):
        if line:
            found.append(json.loads(line))
    return found


def invalid_messages(record, recording, version):
    """What is wrong with everything that a server has sent in a conversation, and how many messages there were."""
    if recording:
        sent, got, wrong = exchanged(recording)
    else:
        sent, got, wrong = lines(record + ".in"), lines(record + ".out"), []
    methods = {json.dumps(one["id"]): one["method"] for one in sent if "id" in one and "method" in one}
    answered = [json.dumps(one["id"]) for one in got if "id" in one and "method" not in one]
    wrong += [f"request {id} is answered {answered.count(id)} times" for id in set(answered) if answered.count(id) > 1]
    for message in got:
        wrong += [f"{problem} in {json.dumps(message)[:400]}" for problem in problems_of(message, version, methods)]
    return wrong, len(got)
