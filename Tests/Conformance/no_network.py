"""Makes a dry run of every sample under strace, and looks for network activity.

    no_network.py GRAPHFLOW

A dry run must not open a socket, in any format. The one exception is the C library's: before it looks up the user and
the home folder, it asks its cache of names (nscd), if there is one, over a socket in the file system.
"""

import json
import re
import subprocess
import sys
import tempfile

import sandbox as sandboxes
from checks import check, end
from sample_files import INPUTS, PATHS

# The socket that the C library opens for its cache of names, and its address.
NAMES = r'socket\(AF_UNIX, |connect\(\d+, \{sa_family=AF_UNIX, sun_path="/(var/)?run/nscd/socket"\}'


def traced(command):
    """The exit status of a command, and every network-related system call of its processes."""
    with tempfile.NamedTemporaryFile("r") as file:
        result = subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=network", "-o", file.name, *command], capture_output=True, text=True,
            timeout=300,
        )
        calls = [line for line in file.read().splitlines() if re.search(r"\b[a-z_0-9]+\(", line)]
        return result, calls


def main():
    graphflow = sandboxes.program(__doc__)
    # An empty trace proves nothing: this one must contain a connection.
    probe = "import socket; socket.socket().connect_ex(('127.0.0.1', 1))"
    _, calls = traced([sys.executable, "-c", probe])
    if not any("connect(" in call for call in calls):
        sys.exit("strace does not see what a program does here")
    for path in PATHS:
        for form in ["text", "json", "curl", "har"]:
            given = json.dumps(INPUTS.get(path.name, {}))
            result, calls = traced([graphflow, "run", path, "--input", given, "--dry-run", "--format", form])
            found = [call for call in calls if not re.search(NAMES, call)]
            check(
                f"{path.name} as {form}", result.returncode == 0 and not found,
                "\n       ".join([f"status {result.returncode}", *found[:10], result.stderr[:500]]),
            )
    end("dry runs without a network")


main()
