"""Workflows in the shape of the specification's examples: valid or refused by name, and run against a stand-in server.

Each file in examples/ has the name and the features of the example that it stands for, and other contents. Nothing is
fetched: SERVER in a file is replaced by the address of the stand-in server. Where an example cannot run as it is
printed, a comment in the file says what differs.

Of the main branch are 70 files, and of version 1.0.3 all of them but those in NEWER: 67. The specification was counted
to have 68 and 66. So no name is known to be missing, and one may be of an older version; 'call-mcp' stands for
'call-mcp-1' and 'call-mcp-2' of version 1.0.1, and 'try-catch-then-directive' may be newer than the count. No example
calls 'a2a'. Valid and not run is only what NOT_RUN names.
"""

import contextlib
import datetime
import http.server
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from ruamel.yaml import YAML

import official
from checks import check, check_none, end
from sandbox import program

GRAPHFLOW = program(__doc__)
EXAMPLES = pathlib.Path(__file__).resolve().parent / "examples"
STAND_INS = pathlib.Path(__file__).resolve().parent / "stand-ins"
yaml = YAML(typ="safe", pure=True)  # YAML 1.2, where 'on' is a string

BOOK = {"title": "Atlas", "copies": 2}
# What is not run, and the word of the diagnostic that names it.
REFUSED = {"call-grpc": "grpc"} | {
    f"call-asyncapi-{name}": "asyncapi"
    for name in ("publish", *(f"subscribe-consume-{how}" for how in ("amount", "forever-foreach", "until", "while")))
}
# Of the main branch, and not of version 1.0.3.
NEWER = {"for-inline-array", "run-shell-external-script", "try-catch-then-directive"}
# Valid and not run: the example's 'arguments' follow a command, and graphflow gives them to the shell as $1 and $2.
NOT_RUN = ["run-shell-external-script"]
SHELF = "GET /shelves/7"
HELLO = "hello from contoso/library"
WARM = {"type": "com.contoso.room.heat", "source": "https://contoso.com/sensor"}
DAMP = {"type": "com.contoso.room.damp", "source": "https://contoso.com/sensor"}
RETURNED, CHECKED = "com.contoso.book.returned.v1", "com.contoso.book.checked.v1"
PAID, CLOSED = "com.contoso.fee.paid.v1", "com.contoso.library.closed.v1"
TOKEN = "POST /staff/sign/token"
# The input, the output, and the requests that the server gets.
RUNS = {
    "do-single": ({"shelf": 7}, BOOK, [SHELF]),
    "do-multiple": ({"shelf": 7}, {"got": {**BOOK, "state": "lent"}}, [SHELF, "PUT /books/Atlas"]),
    "call-http-endpoint-interpolation": ({"shelf": 7}, BOOK, [SHELF]),
    "call-http-endpoint-interpolation-shorthand": ({"shelf": 7}, BOOK, [SHELF]),
    "call-http-query-parameters": ({"title": "Atlas"}, BOOK, ["GET /books?title=Atlas"]),
    "call-http-query-headers-expressions": ({"title": "Atlas"}, BOOK, ["GET /books?title=Atlas Adele"]),
    "call-http-redirect": ({"title": "Atlas"}, BOOK, ["GET /moved/books?title=Atlas", "GET /books?title=Atlas"]),
    "call-openapi": ({}, BOOK, ["GET /swagger.json", "GET /books?title=Atlas"]),
    "call-openapi-redirect": (
        {}, BOOK, ["GET /swagger.json", "GET /moved/books?title=Atlas", "GET /books?title=Atlas"]),
    "call-mcp": (
        {}, {"content": [], "structuredContent": {"shelf": "seven", "text": "The atlas is **back**."}, "_meta": {"shelf": "seven"}},
        []),
    "call-custom-function-inline": ({}, BOOK, [SHELF]),
    "call-custom-function-cataloged": ({}, "Atlas (2)", ["GET /functions/label/1.0.0/function.yaml"]),
    "star-wars-homeworld": ({"id": 3}, BOOK, ["GET /books/3", "GET /shelves/9"]),
    "mock-service-extension": ({}, {"statusCode": 200, "content": {"title": "Nothing"}}, []),
    "conditional-task": ({"reader": {"age": 7}, "book": 3}, {"got": {"reader": {"age": 7}, "book": 3}}, ["POST /loans"]),
    "set": ([{"id": "1"}], {"opening": {"id": "1"}}, []),
    "set-expression": ([{"id": "1"}], {"id": "1"}, []),
    "for-inline-array": (
        {"labelled": []}, {"labelled": [{"name": "maps", "floor": 1}, {"name": "novels", "floor": 2}]}, []),
    "fork": ({"shelf": 7}, {"got": {"shelf": 7}}, None),
    "switch-then-string": ({"kind": "map"}, {"place": "drawer", "number": 3}, []),
    "wait-duration-inline": ({"a": 1}, {"a": 1}, []),
    "wait-duration-iso8601": ({"a": 1}, {"a": 1}, []),
    "run-container": ({}, HELLO, []),
    "run-container-cleanup-always": ({}, HELLO, []),
    "run-container-cleanup-eventually": ({}, HELLO, []),
    "run-container-with-name": (
        {"workflow": {"document": {"name": "north"}, "id": "1"}, "task": {"name": "a"}}, HELLO, []),
    "run-container-with-pull-policy": ({}, HELLO, []),
    "run-container-stdin-and-arguments": ({}, "title Atlas\non shelf seven", []),
    "run-return-all": ({}, {"code": 0, "stdout": HELLO, "stderr": ""}, []),
    "run-return-code": ({}, 0, []),
    "run-return-none": ({}, None, []),
    "run-return-stderr": ({}, "", []),
    "run-script-with-arguments": ({"title": "Atlas"}, "Atlas", []),
    "run-script-with-stdin-and-arguments": ({}, "Atlas, north, seven", []),
    "run-shell-stdin-and-arguments": ({}, "title Atlas\non shelf seven", []),
    "run-subflow": ({"user": "Adele"}, {"enrolled": "Adele"}, []),
    "try-catch": ({"a": 1}, {"a": 1}, ["GET /missing"]),
    "try-catch-then": ({}, {"problem": 404}, ["GET /missing"]),
    "try-catch-then-directive": ({}, {"state": "closed"}, ["GET /busy"]),
    "try-catch-retry-inline": ({"shelf": 1}, BOOK, ["GET /flaky/1"] * 3),
    "try-catch-retry-reusable": ({"shelf": 2}, BOOK, ["GET /flaky/2"] * 3),
    "authentication-bearer": ({"token": "library-token"}, BOOK, [f"{SHELF} Bearer library-token"]),
    "authentication-bearer-uri-format": (
        {"token": "library-token", "shelf": 7}, BOOK, [f"{SHELF} Bearer library-token"]),
    "authentication-reusable": ({"token": "library-token", "shelf": 7}, BOOK, [f"{SHELF} Bearer library-token"]),
    "authentication-oauth2": ({"shelf": 7}, BOOK, [TOKEN, f"{SHELF} Bearer staff-token"]),
    "authentication-oauth2-secret": ({"shelf": 7}, BOOK, [TOKEN, f"{SHELF} Bearer staff-token"]),
    "authentication-oidc": (
        {"shelf": 7}, BOOK, ["GET /staff/.well-known/openid-configuration", TOKEN, f"{SHELF} Bearer staff-token"]),
    "authentication-oidc-secret": (
        {"shelf": 7}, BOOK, ["GET /staff/.well-known/openid-configuration", TOKEN, f"{SHELF} Bearer staff-token"]),
    "schedule-cron": ({}, BOOK, ["POST /inventory"]),
}
# The input, the type or attributes and the data of the events that are posted, the output, and the requests.
LISTENS = {
    "listen-to-one": ({}, [("x", {}), (RETURNED, {"shelf": 7})], BOOK, ["POST /shelves/7"]),
    "listen-to-any": ({}, [("x", {"a": 1})], [{"a": 1}], []),
    "listen-to-any-filter": (
        {}, [(RETURNED, {"copies": 1}), (PAID, {"cents": 50}), (PAID, {"cents": 5})], [{"cents": 5}], []),
    "listen-to-any-until-condition": ({}, [("x", {"a": at}) for at in range(3)], [{"a": 0}, {"a": 1}, {"a": 2}], []),
    "listen-to-any-until-consumed": (
        {}, [(PAID, {"cents": 5}), (PAID, {"cents": 50}), (RETURNED, {"copies": 2}), (CLOSED, {})],
        [{"cents": 5}, {"copies": 2}], []),
    "listen-to-all": ({}, [(PAID, {"cents": 5}), (RETURNED, {"copies": 2})], [{"cents": 5}, {"copies": 2}], []),
    "listen-to-all read-envelope": (
        {}, [(PAID, {"cents": 5}), (RETURNED, {"copies": 2})],
        [{"type": PAID, "data": {"cents": 5}}, {"type": RETURNED, "data": {"copies": 2}}], []),
    "for": (
        {"librarian": "Adele", "books": [{"title": "Atlas"}, {"title": "Bees"}]},
        [(CHECKED, {"librarian": "Alex"}), (CHECKED, {"librarian": "Megan"})],
        {"librarian": "Megan", "title": "Bees"}, []),
    "accumulate-room-readings": (
        {},
        [({**WARM, "room": "a"}, {"level": 3}), ({**DAMP, "room": "b"}, {"level": 4}), ({**DAMP, "room": "a"}, {"level": 5})],
        BOOK, ["GET /swagger.json", "POST /readings", "POST /readings", "GET /report"]),
}
# The command, the data of the event that is posted twice, the request that the server gets for each, and its body.
SERVES = {
    "schedule-event-driven": (
        ["serve"], {"book": {"title": "Atlas", "shelf": {"number": 7}}}, "POST /desk",
        {"title": "Atlas", "shelf": 7, "message": "Please put it back."}),
    "listen-to-any-forever-foreach": (
        ["run", "--input", '{"room": "hall"}'], {"a": 1}, "POST /rooms/hall", {"event": {"a": 1}}),
}
FAULTS = {name: f"The library of {name} 1.0.0 is closed" for name in ("raise-inline", "raise-reusable")}
SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Library", "version": "1"},
    "paths": {
        path: {method: {"operationId": name, "parameters": parameters, "responses": {"200": {"description": "It is done."}}}}
        for path, method, name, parameters in [
            ("/books", "get", "findBooks", [{"name": "title", "in": "query", "type": "string"}]),
            ("/moved/books", "get", "findMovedBooks", [{"name": "title", "in": "query", "type": "string"}]),
            ("/readings", "post", "noteReading", []),
            ("/report", "get", "makeReport", []),
        ]
    },
}
LABEL = r"""
input: { schema: { document: { type: object, required: [title, copies, format] } } }
set: '${ . as $given | .format | gsub("\\{TITLE\\}"; $given.title) | gsub("\\{COPIES\\}"; $given.copies | tostring) }'
"""
ENROL = """
document: { dsl: 1.0.3, namespace: library, name: enrol-reader, version: 1.0.0 }
do:
  - enrol: { set: { enrolled: '${ .reader }' } }
"""


class Library(http.server.BaseHTTPRequestHandler):
    """A server that knows one book, gives back what it is sent, and records what it is asked."""

    requests, bodies = [], []

    def answer(self):
        named = [self.headers[name] for name in ("X-Reader", "Authorization") if self.headers[name]]
        request, path = " ".join([self.command, self.path, *named]), self.path.partition("?")[0]
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
        is_form = self.headers["Content-Type"] == "application/x-www-form-urlencoded"
        own = f"http://127.0.0.1:{self.server.server_port}"
        value = {
            "/swagger.json": SWAGGER | {"host": own.removeprefix("http://"), "schemes": ["http"]},
            "/books/3": {"title": "Atlas", "shelf": f"{own}/shelves/9"},
            "/staff/.well-known/openid-configuration": {"issuer": f"{own}/staff", "token_endpoint": f"{own}/staff/sign/token"},
            "/staff/sign/token": {"access_token": "staff-token", "token_type": "Bearer", "expires_in": 60},
        }.get(path, BOOK)
        if sent and not is_form:
            self.bodies.append(json.loads(sent))
            value = {"got": self.bodies[-1]}
        self.requests.append(request)
        is_busy = path == "/busy" or path.startswith("/flaky/") and self.requests.count(request) < 3
        status = 404 if path == "/missing" else 503 if is_busy else 302 if path.startswith("/moved/") else 200
        content = LABEL.encode() if path.endswith(".yaml") else json.dumps(value).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.path.removeprefix("/moved"))
        self.send_header("Content-Type", "application/yaml" if path.endswith(".yaml") else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        # The branch that loses a race does not wait for its answer.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


class Tests:
    """The examples in a folder, with the address of the server in them."""

    def __init__(self, folder, address):
        self.folder = folder
        desk = {"authority": f"{address}/staff", "grant": "client_credentials", "client": {"id": "catalogue", "secret": "stand-in"}}
        self.variables = {
            "PATH": f"{STAND_INS}:{os.environ['PATH']}", "HOME": str(folder), "GRAPHFLOW_HOME": str(folder / "home"),
            "GRAPHFLOW_CONTAINER": str(STAND_INS / "podman"),
            "GRAPHFLOW_SECRET_DESK": json.dumps(desk | {"endpoints": {"token": "/sign/token"}}),
        }
        (folder / "enrol-reader.yaml").write_text(ENROL)
        self.paths = {}
        for example in sorted(EXAMPLES.glob("*.yaml")):
            self.paths[example.stem] = folder / example.name
            self.paths[example.stem].write_text(example.read_text().replace("SERVER", address))

    def call(self, *words):
        command = [GRAPHFLOW, *map(str, words)]
        return subprocess.run(
            command, env=self.variables, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)

    @contextlib.contextmanager
    def listening(self, *words):
        """The program while it listens, with the function that posts events to it."""
        command, events = [GRAPHFLOW, *map(str, words), "--listen", "127.0.0.1:0"], itertools.count()
        with open(self.folder / "log", "w+") as log:
            process = subprocess.Popen(command, env=self.variables, stdout=subprocess.PIPE, stderr=log, text=True)
            until(lambda: "http://127.0.0.1:" in (self.folder / "log").read_text())
            address = re.search(r"http://127\.0\.0\.1:\d+", (self.folder / "log").read_text())

            def post(kind, data):
                attributes = kind if isinstance(kind, dict) else {"type": kind, "source": "https://contoso.com/library"}
                event = {"specversion": "1.0", "id": f"e{next(events)}", **attributes, "data": data}
                headers = {"Content-Type": "application/cloudevents+json"}
                request = urllib.request.Request(address[0], json.dumps(event).encode(), headers)
                # The event with which a run ends is answered as well.
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return answer.status == 202

            try:
                yield process, post
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                process.communicate(timeout=60)

    def validate(self, name):
        path, word = self.paths[name], REFUSED.get(name)
        result = self.call("validate", path)
        errors = [error.message for error in official.iter_errors(yaml.load(path))]
        check_none(f"{name} by the official schema", errors)
        if word:
            is_named = result.returncode == 2 and "error:" in result.stderr and f"'{word}'" in result.stderr
            check(f"{name} is refused", is_named, [result.returncode, result.stderr])
        else:
            is_valid = result.returncode == 0 and "error:" not in result.stderr
            check(f"{name} is valid", is_valid, [result.returncode, result.stderr])

    def run(self, name):
        given, output, requests = RUNS[name]
        Library.requests.clear()
        result = self.call("run", self.paths[name], "--input", json.dumps(given))
        value = json.loads(result.stdout) if result.returncode == 0 else result.stderr
        check(f"{name} runs", result.returncode == 0 and value == output, [value, output])
        if requests is not None:
            check(f"what {name} sends", Library.requests == requests, Library.requests)

    def listen(self, name):
        given, events, output, requests = LISTENS[name]
        Library.requests.clear()
        with self.listening("run", self.paths[name], "--input", json.dumps(given)) as (process, post):
            posted = all([post(*event) for event in events])
            # One that waits for more than it gets must not hold up the rest.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
            value = json.loads(process.stdout.read()) if process.poll() == 0 else (self.folder / "log").read_text()
        if "envelope" in name and isinstance(value, list):
            value = [{attribute: event[attribute] for attribute in ("type", "data")} for event in value]
        check(f"{name} runs", posted and value == output, [value, output])
        check(f"what {name} sends", Library.requests == requests, Library.requests)

    def serve(self, name):
        """A workflow that does something for every event, until it is terminated."""
        words, data, request, body = SERVES[name]
        Library.requests.clear()
        Library.bodies.clear()
        with self.listening(words[0], self.paths[name], *words[1:]) as (process, post):
            posted = post(RETURNED, data) and post(RETURNED, data)
            until(lambda: len(Library.requests) == 2)
            check(f"{name} goes on", posted and process.poll() is None, (self.folder / "log").read_text())
        check(f"what {name} sends", Library.requests == [request] * 2, Library.requests)
        check(f"what {name} sends in it", Library.bodies == [body] * 2, Library.bodies)

    def fault(self, name):
        result = self.call("run", self.paths[name])
        is_named = result.returncode == 1 and FAULTS[name] in result.stderr
        check(f"{name} faults", is_named, [result.returncode, result.stderr])


def until(condition):
    """Waits for something that happens soon."""
    end = time.monotonic() + 15
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


def others(tests):
    """What an output does not show: a schedule's times, an event that is emitted, a condition that holds."""
    result = tests.call("serve", tests.paths["schedule-cron"], "--check")
    times = re.findall(r"(\d{4}-\d\d-\d\d)T02:30:00Z", result.stdout + result.stderr)
    is_monday = bool(times) and all(datetime.date.fromisoformat(day).weekday() == 0 for day in times)
    check("schedule-cron runs on Mondays", is_monday, [result.stdout, result.stderr])
    lent = {"reader": {"name": "Adele"}, "books": [{"title": "Atlas", "copies": 1}]}
    for name, kind, expected in [
        ("emit", "com.contoso.book.lent.v1", lent), ("try-catch-then", "com.contoso.book.missing.v1", {"status": 404}),
    ]:
        file = tests.folder / f"{name}.events"
        result = tests.call("run", tests.paths[name], "--events", file)
        events = [json.loads(line) for line in file.read_text().splitlines()]
        found = [event["data"] for event in events if event["type"] == kind]
        is_right = result.returncode == 0 and len(found) == 1 and expected.items() <= found[0].items()
        check(f"{name} emits", is_right, [found, result.stderr])
    young = tests.call("run", tests.paths["conditional-task"], "--input", '{"reader": {"age": 3}}')
    check("conditional-task faults", young.returncode == 1 and "Too young" in young.stderr, young.stderr)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Library)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        tests = Tests(pathlib.Path(name), f"http://127.0.0.1:{server.server_port}")
        kinds = [(RUNS, tests.run), (LISTENS, tests.listen), (SERVES, tests.serve), (FAULTS, tests.fault)]
        for example in tests.paths:
            tests.validate(example)
            for names, perform in kinds:
                if example in names:
                    perform(example)
        others(tests)
        named = [*REFUSED, *NOT_RUN, "emit", *RUNS, *LISTENS, *SERVES, *FAULTS]
        is_complete = sorted(named) == sorted(tests.paths)
        check("every file is run, refused or not run by name", is_complete, sorted(set(named) ^ set(tests.paths)))
        counts = [len(set(tests.paths) - NEWER), len(tests.paths)]
        check("the files of version 1.0.3 and of the main branch", counts == [67, 70], counts)
    server.shutdown()
    end("examples of the specification")


main()
