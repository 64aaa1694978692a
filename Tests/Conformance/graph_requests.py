"""Checks the sandbox against Microsoft's description of Graph: its answers, what it refuses, and what graphflow sends.

    graph_requests.py GRAPHFLOW [--run WORKFLOW]...

Starts `GRAPHFLOW sandbox` on a free port. Runs a workflow with every function and checks every request that arrived;
does the same with each profile for every workflow of --run.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import sandbox as sandboxes
from checks import check, check_none, end
from graph_answers import answers
from graph_exchange import description
from graph_refusals import refusals

HERE = Path(__file__).parent


def every_function(program):
    """Every function, with all its arguments, sends described requests and gets what it needs."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as data:
        json.dump({"large": "x" * (11 << 20)}, data)
        data.flush()
        workflow(program, str(HERE / "every-function.yaml"), "default", "--input", "@" + data.name, mails=3)


def workflow(program, file, profile, *options, mails=1):
    """Every request that a run sends is as described, and every mail arrives once."""
    expected = [1] * mails
    with sandboxes.running(program, "--profile", profile) as sandbox:
        command = [program, "run", file, *options]
        run = subprocess.run(command, env=sandbox.environment(), capture_output=True, text=True)
        check(f"run {Path(file).name} ({profile})", run.returncode == 0, f"exit {run.returncode}: {run.stderr}")
        requests = sandbox.read("/sandbox/requests")
        outbox = sandbox.read("/sandbox/outbox")
    deliveries = [mail["deliveries"] for mail in outbox]
    check(f"one of each mail ({profile})", deliveries == expected, f"deliveries: {deliveries}")
    for request in requests:
        body = request["body"]
        if request["path"].startswith("/v1.0/$batch"):
            for item in body["requests"]:
                problems = description.request_problems(
                    item["method"], item["url"], item.get("headers", {}).get("Content-Type", ""), item.get("body")
                )
                check_none(f"{item['method']} {item['url']} in a batch ({profile})", problems)
        is_bytes = isinstance(body, dict) and set(body) == {"base64", "size"}
        headers = {name.lower(): value for name, value in request["headers"].items()}
        problems = description.request_problems(
            request["method"], request["path"], headers.get("content-type", ""), None if is_bytes else body
        )
        if "/uploadSession/" in request["path"]:
            if "authorization" in headers:
                problems.append("the token was sent to the address of an upload session")
        elif headers.get("authorization") != "Bearer ‹token›":
            problems.append("the token is missing or not redacted")
        check_none(f"{request['method']} {request['path']} ({profile})", problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--run", action="append", default=[], metavar="WORKFLOW")
    arguments = parser.parse_args()
    with sandboxes.running(arguments.program) as sandbox:
        answers(sandbox.origin)
        refusals(sandbox.origin)
    every_function(arguments.program)
    for file in arguments.run:
        for profile in ("default", "no-photo", "throttled", "flaky"):
            workflow(arguments.program, file, profile)
    end("graph")


if __name__ == "__main__":
    main()
