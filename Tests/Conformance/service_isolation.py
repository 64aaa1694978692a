"""Checks that no workflow of a service keeps another one from its time.

    service_isolation.py GRAPHFLOW [SECONDS]

One service runs a workflow that is due every second, beside some that do what they can to stop it: a pattern that takes
exponential time where a matcher goes back, an expression without an end, a program that crashes, and programs that write
until there is no space. The one that is due every second must never begin a second late.
"""

import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, end

SECONDS = 30
HEAD = "document: { dsl: 1.0.3, namespace: isolation, name: NAME, version: 1.0.0 }\nschedule: { every: INTERVAL }\ndo:\n"
WORKFLOWS = {
    "pattern": (
        "PT2S",
        """
  - a:
      set: { text: '${ "x" * 2000 }' }
      output:
        schema:
          document: { type: object, properties: { text: { type: string, pattern: '(x+x+)+y' } } }
""",
    ),
    "endless": ("PT3S", "  - a: { set: '${ reduce range(infinite) as $i (0; . + 1) }' }\n"),
    "crash": ("PT1S", "  - a: { run: { shell: { command: 'kill -SEGV $$' } } }\n"),
    "disk": (
        "PT2S",
        "  - a: { run: { shell: { command: 'cat /dev/zero > /dev/full; ulimit -f 4096; exec cat /dev/zero > zeros' } } }\n",
    ),
    # The last to begin.
    "tick": ("PT1S", "  - a: { set: { x: 1 } }\n"),
}


def served(graphflow, folder, seconds):
    """The lines of the log of a service that ran for that long."""
    for name, (interval, tasks) in WORKFLOWS.items():
        head = HEAD.replace("NAME", name).replace("INTERVAL", interval)
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(head + tasks.lstrip("\n"))
    environment = {**os.environ, "GRAPHFLOW_HOME": os.path.join(folder, "home")}
    files = [name + ".yaml" for name in WORKFLOWS]
    with open(os.path.join(folder, "log"), "w") as log:
        service = subprocess.Popen(
            [os.path.abspath(graphflow), "serve", *files, "--log-format", "json"],
            cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=log)
        try:
            time.sleep(seconds)
            check("the service is still there", service.poll() is None, service.returncode)
        finally:
            service.send_signal(signal.SIGTERM)
            try:
                service.wait(60)
            except subprocess.TimeoutExpired:
                service.kill()
                check("the service ends when it is asked to", False)
    with open(os.path.join(folder, "log")) as log:
        return [json.loads(line) for line in log]


def moment(line):
    return datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")).timestamp()


def main():
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        lines = served(sys.argv[1], folder, seconds)
    begun = {
        name: [moment(line) for line in lines if line["workflow"] == name and line["message"] == "started"]
        for name in WORKFLOWS
    }
    for name in WORKFLOWS:
        check(f"{name} has run", len(begun[name]) > 1, len(begun[name]))
    for name in ["endless", "crash", "disk"]:
        faults = [line for line in lines if line["workflow"] == name and line["level"] == "error"]
        check(f"{name} has failed, which is said", faults != [])
    ticks = begun["tick"]
    # A run that is left out is as late as the next one.
    due = [moment(line) for line in lines if "tick.yaml: runs every" in line["message"]][0]
    late = [next((tick for tick in ticks if tick >= due + number), due + seconds) - due - number
            for number in range(seconds - 2)]
    print(f"{len(ticks)} ticks, at most {max(late):.3f} s late")
    check("it was never later than a second", max(late) < 1, [round(each, 2) for each in late])
    end("isolation")


main()
