"""Workflows in the shape of the specification's examples: valid or refused by name, and run against a stand-in server.

Each file in examples/ has the name and the features of the example that it stands for, and other contents. Nothing is
fetched: SERVER in a file is replaced by the address of the stand-in server.
"""

import contextlib
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading

from ruamel.yaml import YAML

import official
from checks import check, check_none, end
from sandbox import program

GRAPHFLOW = program(__doc__)
EXAMPLES = pathlib.Path(__file__).resolve().parent / "examples"
yaml = YAML(typ="safe", pure=True)  # YAML 1.2, where 'on' is a string

BOOK = {"title": "Atlas", "copies": 2}
# What is not run, and the word of the diagnostic that names it.
REFUSED = {"call-grpc": "grpc", "call-mcp-1": "mcp"}
# The input, the output, and the requests that the server gets.
RUNS = {
    "do-single": ({}, BOOK, ["GET /shelves/7"]),
    "do-multiple": ({}, {"got": {"title": "Atlas", "copies": 2}}, ["GET /shelves/7", "POST /orders"]),
    "call-http-endpoint-interpolation": ({"shelf": 7}, BOOK, ["GET /shelves/7"]),
    "call-http-query-parameters": ({"title": "Atlas"}, BOOK, ["GET /books?title=Atlas"]),
    "call-http-query-headers-expressions": ({"title": "Atlas", "reader": "Adele"}, BOOK, ["GET /books?title=Atlas Adele"]),
    "conditional-task": ({"copies": 0}, {"answer": "none left"}, []),
    "set": ({"settings": {"size": 3, "fill": "red"}}, {"shape": "circle", "size": 3, "fill": "red"}, []),
    "set-expression": ({"settings": {"size": 3}}, {"size": 3}, []),
    "for-inline-array": (
        {"labelled": []}, {"labelled": [{"name": "maps", "floor": 1}, {"name": "novels", "floor": 2}]}, []),
    "fork": ({"shelf": 7}, {"got": {"shelf": 7}}, None),
    "switch-then-string": ({"kind": "map"}, {"place": "drawer"}, []),
    "wait-duration-inline": ({"a": 1}, {"a": 1}, []),
    "wait-duration-iso8601": ({"a": 1}, {"a": 1}, []),
    "run-return-all": ({}, {"code": 0, "stdout": "3 books", "stderr": ""}, []),
    "run-return-code": ({}, 3, []),
    "run-return-none": ({}, None, []),
    "run-return-stderr": ({}, "3 books", []),
    "try-catch": ({}, {"missing": 404}, ["GET /missing"]),
    "authentication-bearer": ({"token": "library-token"}, BOOK, ["GET /shelves/7 Bearer library-token"]),
}
class Library(http.server.BaseHTTPRequestHandler):
    """A server that knows one book, gives back what it is sent, and records what it is asked."""

    requests = []

    def answer(self):
        named = [self.headers[name] for name in ("X-Reader", "Authorization") if self.headers[name]]
        self.requests.append(" ".join([self.command, self.path, *named]))
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
        content = json.dumps({"got": json.loads(sent)} if sent else BOOK).encode()
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        # The branch that loses a race does not wait for its answer.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


def call(folder, *words):
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "GRAPHFLOW_HOME": str(folder / "home")}
    command = [GRAPHFLOW, *map(str, words)]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def validate(folder, path):
    result, word = call(folder, "validate", path), REFUSED.get(path.stem)
    check_none(f"{path.stem} by the official schema", [error.message for error in official.iter_errors(yaml.load(path))])
    if word:
        is_named = result.returncode == 2 and "error:" in result.stderr and f"'{word}'" in result.stderr
        check(f"{path.stem} is refused", is_named, [result.returncode, result.stderr])
    else:
        is_valid = result.returncode == 0 and "error:" not in result.stderr
        check(f"{path.stem} is valid", is_valid, [result.returncode, result.stderr])


def run(folder, path):
    given, output, requests = RUNS[path.stem]
    Library.requests.clear()
    result = call(folder, "run", path, "--input", json.dumps(given))
    value = json.loads(result.stdout) if result.returncode == 0 else result.stderr
    check(f"{path.stem} runs", result.returncode == 0 and value == output, [value, output])
    if requests is not None:
        check(f"what {path.stem} sends", Library.requests == requests, Library.requests)


def faults(folder):
    """The example that raises an error ends with it."""
    result = call(folder, "run", folder / "raise-inline.yaml", "--input", '{"library": "north"}')
    is_named = result.returncode == 1 and "The library north is closed" in result.stderr
    check("raise-inline faults", is_named, [result.returncode, result.stderr])


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Library)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for example in sorted(EXAMPLES.glob("*.yaml")):
            path = folder / example.name
            path.write_text(example.read_text().replace("SERVER", f"http://127.0.0.1:{server.server_port}"))
            validate(folder, path)
            if example.stem in RUNS:
                run(folder, path)
        faults(folder)
        check("every run has a file", all((EXAMPLES / f"{name}.yaml").exists() for name in RUNS))
    server.shutdown()
    end("examples of the specification")


main()
