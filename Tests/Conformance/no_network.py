"""Makes a dry run of every sample under strace, and looks for anything that has to do with a network.

    no_network.py GRAPHFLOW

A dry run must not open a socket, whatever its format is. The one exception is the C library's: before it reads who the user
is and where the home folder lies, it asks its cache of such names (nscd) over a socket of the file system, if there is one.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from plan_inputs import INPUTS

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../workflows")

# The socket that the C library opens for its cache of names, and where it connects it to.
NAMES = r'socket\(AF_UNIX, |connect\(\d+, \{sa_family=AF_UNIX, sun_path="/(var/)?run/nscd/socket"\}'

failures = []


def traced(command):
    """The exit status of a command, and every system call of its processes that has to do with a network."""
    with tempfile.NamedTemporaryFile("r") as file:
        result = subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=network", "-o", file.name, *command], capture_output=True, text=True,
            timeout=300,
        )
        calls = [line for line in file.read().splitlines() if re.search(r"\b[a-z_0-9]+\(", line)]
        return result, calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    graphflow = os.path.abspath(parser.parse_args().graphflow)
    # A trace that sees nothing proves nothing: this one must see a connection.
    probe = "import socket; socket.socket().connect_ex(('127.0.0.1', 1))"
    _, calls = traced([sys.executable, "-c", probe])
    if not any("connect(" in call for call in calls):
        sys.exit("strace does not see what a program does here")
    names = sorted(name for name in os.listdir(SAMPLES) if name.endswith(".yaml"))
    for name in names:
        for form in ["text", "json", "curl", "har"]:
            command = [
                graphflow, "run", os.path.join(SAMPLES, name), "--input", json.dumps(INPUTS.get(name, {})), "--dry-run",
                "--format", form,
            ]
            result, calls = traced(command)
            found = [call for call in calls if not re.search(NAMES, call)]
            if result.returncode != 0 or found:
                failures.append(name)
                print(f"FAILED {name} as {form}: status {result.returncode}\n       " + "\n       ".join(found[:10]))
                print(result.stderr[:500])
    print(f"{4 * len(names)} dry runs without a network, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
