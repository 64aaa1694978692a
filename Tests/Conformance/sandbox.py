"""Starts `graphflow sandbox`, reads its records, and controls it."""

import argparse
import contextlib
import json
import os
import socket
import subprocess
import urllib.error
import urllib.request

TENANT = "b5a1e9f2-6c0d-4f0e-9a53-2f1f3c8e7d40"
CLIENT = "7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11"


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def program(text):
    """The graphflow on a script's command line."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    return parser.parse_args().graphflow


class Sandbox:
    """A sandbox in its own process."""

    def __init__(self, process):
        self.process = process
        # The address is its only standard output.
        self.graph = process.stdout.readline().strip()
        if not self.graph.startswith("http"):
            raise SystemExit(f"{process.args} does not start")
        self.origin = self.graph.removesuffix("/v1.0")
        # The sign-in requires a name instead.
        self.address = self.origin.replace("127.0.0.1", "localhost")
        self.port = int(self.origin.rsplit(":", 1)[1])

    def environment(self, **more):
        """The environment of a graphflow that uses it."""
        return {**os.environ, "GRAPHFLOW_GRAPH_URL": self.graph, "GRAPHFLOW_ACCESS_TOKEN": "token", **more}

    def read(self, path):
        """The JSON at an address of Graph or of the sandbox, read as the signed-in user."""
        request = urllib.request.Request(self.origin + path, headers={"Authorization": "Bearer token"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def ask(self, method, path, body=None):
        """The sandbox's answer to a request for one of its own addresses."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def rules(self, **changes):
        self.ask("PATCH", "/sandbox/sign-in", changes)

    def fault(self, text):
        self.ask("POST", "/sandbox/faults", text)

    def decide(self, user_code, decision="approve", account="megan@contoso.com"):
        body = {"decision": decision, "account": account}
        self.ask("POST", f"/sandbox/sign-in/devices/{user_code}", body)

    def graph_get(self, path, token):
        """Status, headers and JSON of a request for Graph."""
        request = urllib.request.Request(self.graph + path)
        request.add_header("Authorization", f"Bearer {token}")
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers, json.loads(answer.read())


@contextlib.contextmanager
def running(program, *options):
    process = subprocess.Popen(
        [program, "sandbox", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield Sandbox(process)
    finally:
        process.terminate()
        process.wait()
