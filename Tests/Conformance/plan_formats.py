"""Runs what `graphflow run --dry-run` writes for other programs.

    plan_formats.py GRAPHFLOW

The script of `--format curl` is run against a sandbox and must have the effect that the run has; every archive of `--format
har` must be what the specification of HAR 1.2 says.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

import jsonschema

from plan_inputs import INPUTS

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "../../workflows")
# What the scripts of these samples do is all that their runs do.
SCRIPTS = [
    ("share-profile-photo.yaml", {"to": "adelev@contoso.com"}, "default"),
    ("share-profile-photo.yaml", {"subject": "It's \"me\" $(id) `id` \\ ‹x"}, "default"),
    ("schedule.yaml", {}, "default"),
    ("fork-and-join.yaml", {}, "default"),
    ("run-workflow-greet.yaml", {"user": "adelev@contoso.com"}, "default"),
]

failures = []
passed = 0


def check(name, is_right, detail=""):
    global passed
    if is_right:
        passed += 1
    else:
        failures.append(name)
        print(f"FAILED {name}\n       {str(detail)[:2000]}")


class Sandbox:
    """A sandbox of its own for one run or one script."""

    def __init__(self, program, profile):
        self.process = subprocess.Popen(
            [program, "sandbox", "--profile", profile] if profile != "default" else [program, "sandbox"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.graph = self.process.stdout.readline().strip()
        self.environment = {
            **os.environ, "GRAPHFLOW_GRAPH_URL": self.graph, "GRAPHFLOW_ACCESS_TOKEN": "x", "TOKEN": "x",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def get(self, path):
        address = self.graph.removesuffix("/v1.0") + path
        request = urllib.request.Request(address, headers={"Authorization": "Bearer x"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def state(self):
        """What is left behind, without what is new each time: ids, times, and the address of the sandbox."""
        requests = self.get("/sandbox/requests")
        outbox = self.get("/sandbox/outbox")
        files = [path for path in (request["path"] for request in requests) if ":/content" in path]
        items = [self.get(path.split(":/content")[0]) for path in files]
        contents = []
        for address in re.findall(r"http://[^\"' ]+/s/[A-Za-z0-9]+", json.dumps(outbox).replace("\\", "")):
            with urllib.request.urlopen(address, timeout=20) as answer:
                contents.append(hashlib.sha256(answer.read()).hexdigest())
        state = {
            "requests": [[request[name] for name in ["method", "path", "status", "body"]] for request in requests],
            "items": items, "links": contents, "outbox": outbox,
            "drafts": self.get("/v1.0/me/mailFolders/drafts/messages")["value"],
        }
        return self.normal(json.dumps(state, indent=1, sort_keys=True))

    def normal(self, text):
        text = text.replace(self.graph.removesuffix("/v1.0"), "SANDBOX")
        text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", text)
        # Ids of items and messages, the secrets of links, and hashes of the sandbox's own.
        text = re.sub(r"01[A-Z0-9]{32}", "ITEM", text)
        text = re.sub(r"AAkALg[A-Za-z0-9_=-]+", "MESSAGE", text)
        text = re.sub(r"\{[0-9A-F-]{36}\}", "GUID", text)
        text = re.sub(r"/download/[a-z0-9]+", "/download/SECRET", text)
        text = re.sub(r"/s/[A-Za-z0-9]+", "/s/LINK", text)
        text = re.sub(r'"(id|shareId|eTag|cTag|internetMessageId|changeKey|conversationId)": "[^"]*"', r'"\1": "ID"', text)
        return text


def run(graphflow, arguments, environment, **options):
    return subprocess.run(
        [graphflow, "run", *arguments], env=environment, capture_output=True, text=True, timeout=120, **options
    )


def same_effect(graphflow, name, given, profile):
    path = os.path.join(SAMPLES, name)
    with Sandbox(graphflow, profile) as sandbox:
        result = run(graphflow, [path, "--input", json.dumps(given)], sandbox.environment)
        check(f"{name}: run", result.returncode == 0, result.stderr)
        expected = sandbox.state()
    with Sandbox(graphflow, profile) as sandbox, tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script.sh")
        # The plan is made for another address: the variable decides where the script goes.
        environment = {**sandbox.environment, "GRAPHFLOW_GRAPH_URL": "https://graph.microsoft.com/v1.0"}
        result = run(graphflow, [path, "--input", json.dumps(given), "--dry-run", "--format", "curl"], environment)
        check(f"{name}: plan", result.returncode == 0, result.stderr)
        check(f"{name}: no token", "Bearer x" not in result.stdout)
        with open(script, "w") as file:
            file.write(result.stdout)
        result = subprocess.run(["sh", script], env=sandbox.environment, capture_output=True, text=True, timeout=120)
        check(f"{name}: script", result.returncode == 0, result.stdout + result.stderr)
        actual = sandbox.state()
    if name == "share-profile-photo.yaml":
        check(f"{name}: it has an effect", all(word in expected for word in ["me.jpg", "/createLink", "/send"]), expected)
        check(f"{name}: the link opens the photo", '"links": []' not in actual, actual)
    check(f"{name}: the same effect", actual == expected, difference(expected, actual))


def difference(expected, actual):
    pairs = zip(expected.splitlines(), actual.splitlines())
    return "\n       ".join(f"{one.strip()}   but   {other.strip()}" for one, other in pairs if one != other) or "longer"


def scripts_parse(graphflow):
    for name in sorted(os.listdir(SAMPLES)):
        if not name.endswith(".yaml"):
            continue
        arguments = [os.path.join(SAMPLES, name), "--input", json.dumps(INPUTS.get(name, {})), "--dry-run", "--format"]
        result = run(graphflow, [*arguments, "curl"], os.environ)
        check(f"{name}: curl", result.returncode == 0, result.stderr)
        parsed = subprocess.run(["sh", "-n"], input=result.stdout, capture_output=True, text=True, timeout=20)
        check(f"{name}: the shell reads it", parsed.returncode == 0, parsed.stderr)
        result = run(graphflow, [*arguments, "har"], os.environ)
        archive = json.loads(result.stdout)
        with open(os.path.join(HERE, "har-1.2.schema.json")) as file:
            validator = jsonschema.Draft202012Validator(json.load(file), format_checker=jsonschema.FormatChecker())
        problems = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(archive)]
        check(f"{name}: har", not problems, problems[:3])
        check(f"{name}: no token in it", "Bearer planned" not in result.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    graphflow = os.path.abspath(parser.parse_args().graphflow)
    scripts_parse(graphflow)
    for name, given, profile in SCRIPTS:
        same_effect(graphflow, name, given, profile)
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
