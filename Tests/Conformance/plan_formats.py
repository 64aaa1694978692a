"""Checks the output of `graphflow run --dry-run` for other programs.

    plan_formats.py GRAPHFLOW

The script of `--format curl` runs against a sandbox and must have the same effects as the run; every archive of
`--format har` must conform to the specification of HAR 1.2.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request

import jsonschema

import sandbox as sandboxes
from checks import check, end
from sample_files import FOLDER, INPUTS, PATHS

HERE = os.path.dirname(os.path.abspath(__file__))
# The scripts of these samples do everything that their runs do.
SCRIPTS = [
    ("share-profile-photo.yaml", {"to": "adelev@contoso.com"}, "default"),
    ("share-profile-photo.yaml", {"subject": "It's \"me\" $(id) `id` \\ ‹x"}, "default"),
    ("schedule.yaml", {}, "default"),
    ("fork-and-join.yaml", {}, "default"),
    ("run-workflow-greet.yaml", {"user": "adelev@contoso.com"}, "default"),
]
# Their requests are sent together and arrive in any order.
SIDE_BY_SIDE = {"fork-and-join.yaml"}


def profiled(program, profile):
    """A separate sandbox for one run or one script."""
    return sandboxes.running(program, *([] if profile == "default" else ["--profile", profile]))


def state(sandbox, name):
    """The result of a sample, without its variable parts: ids, times, and the address of the sandbox."""
    requests = sandbox.read("/sandbox/requests")
    if name in SIDE_BY_SIDE:
        requests.sort(key=lambda request: request["path"])
    outbox = sandbox.read("/sandbox/outbox")
    files = [path for path in (request["path"] for request in requests) if ":/content" in path]
    items = [sandbox.read(path.split(":/content")[0]) for path in files]
    contents = []
    for address in re.findall(r"http://[^\"' ]+/s/[A-Za-z0-9]+", json.dumps(outbox).replace("\\", "")):
        with urllib.request.urlopen(address, timeout=20) as answer:
            contents.append(hashlib.sha256(answer.read()).hexdigest())
    found = {
        "requests": [[request[name] for name in ["method", "path", "status", "body"]] for request in requests],
        "items": items, "links": contents, "outbox": outbox,
        "drafts": sandbox.read("/v1.0/me/mailFolders/drafts/messages")["value"],
    }
    return normal(json.dumps(found, indent=1, sort_keys=True), sandbox)


def normal(text, sandbox):
    text = text.replace(sandbox.origin, "SANDBOX")
    text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", text)
    # Ids of items and messages, the secrets of links, and the sandbox's own hashes.
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
    path = FOLDER / name
    with profiled(graphflow, profile) as sandbox:
        result = run(graphflow, [path, "--input", json.dumps(given)], sandbox.environment())
        check(f"{name}: run", result.returncode == 0, result.stderr)
        expected = state(sandbox, name)
    with profiled(graphflow, profile) as sandbox, tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script.sh")
        # The plan is made for another address: the variable sets the address of the script.
        environment = sandbox.environment(GRAPHFLOW_GRAPH_URL="https://graph.microsoft.com/v1.0")
        result = run(graphflow, [path, "--input", json.dumps(given), "--dry-run", "--format", "curl"], environment)
        check(f"{name}: plan", result.returncode == 0, result.stderr)
        check(f"{name}: no token", "Bearer token" not in result.stdout)
        with open(script, "w") as file:
            file.write(result.stdout)
        arguments = watched(folder)
        environment = sandbox.environment(TOKEN="token-of-the-script")
        environment["PATH"] = folder + os.pathsep + os.environ["PATH"]
        result = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, timeout=120)
        check(f"{name}: script", result.returncode == 0, result.stdout + result.stderr)
        with open(arguments) as file:
            check(f"{name}: no program has the token among its arguments", "token-of-the-script" not in file.read())
        actual = state(sandbox, name)
    if name == "share-profile-photo.yaml":
        check(f"{name}: it has an effect", all(word in expected for word in ["me.jpg", "/createLink", "/send"]), expected)
        check(f"{name}: the link opens the photo", '"links": []' not in actual, actual)
    check(f"{name}: the same effect", actual == expected, difference(expected, actual))


def watched(folder):
    """Makes programs that record their arguments, which every user of a machine can read, and then do their work."""
    record = os.path.join(folder, "arguments")
    for program in ["curl", "jq", "base64"]:
        path = os.path.join(folder, program)
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {record}\nexec {shutil.which(program)} "$@"\n')
        os.chmod(path, 0o755)
    return record


def difference(expected, actual):
    pairs = zip(expected.splitlines(), actual.splitlines())
    return "\n       ".join(f"{one.strip()}   but   {other.strip()}" for one, other in pairs if one != other) or "longer"


def scripts_parse(graphflow):
    for path in PATHS:
        name = path.name
        arguments = [path, "--input", json.dumps(INPUTS.get(name, {})), "--dry-run", "--format"]
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
    graphflow = sandboxes.program(__doc__)
    scripts_parse(graphflow)
    for name, given, profile in SCRIPTS:
        same_effect(graphflow, name, given, profile)
    end("plans")


main()
