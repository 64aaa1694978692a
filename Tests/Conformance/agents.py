"""`graphflow mcp` against PyPI's client of the Model Context Protocol, in all its modes and over both transports.

    ./environment agents.py GRAPHFLOW [WORD]

People approve at authlib's identity platform. What a sandbox was sent is the judge. With a word, only the cases with it
in their names run.
"""

import argparse
import os

import agents_approvals as approvals
import agents_bounds as bounds
import agents_runs as runs
import agents_setup as setup
import sandbox as sandboxes
from agents_conversations import MODES, converse
from agents_office import VERSIONS, office
from approval_desk import ADELE, ALEX, LYNNE, MEGAN
from approval_platform import Platform
from checks import at_once, end


def case(program, sandbox, platform, name, function, *arguments):
    """A case with its own folder."""
    def perform():
        with office(program, sandbox, platform, name) as here:
            function(here, *arguments)

    perform.__name__ = f"{name}: it ends"
    return perform


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--all", action="store_true", help="each way to approve over both transports in each version")
    given = parser.parse_args()
    conversations = [
        (f"{transport}, {mode} {version}", converse, transport, mode, version)
        for transport in ("stdio", "HTTP") for mode, version in MODES
    ]
    ways = [(transport, version) for transport in ("stdio", "HTTP") for version in VERSIONS]
    ways = ways if given.all else [ways[0], ways[4], ways[2]]
    conversations[4] = ("HTTP with a token, auto", converse, "HTTP with a token", *MODES[0])
    if not given.all:
        conversations = [conversations[index] for index in (0, 3, 4, 6)]
    others = [
        *((f"address, {transport}, {version}", approvals.with_address, transport, version)
          for transport, version in ways),
        *((f"form, {transport}, {version}", approvals.with_form, transport, version)
          for transport, version in ways),
        ("approvers", approvals.with_approvers), ("in time", approvals.in_time), ("commands", approvals.commands),
        ("bounds of plans", bounds.when_planned), ("bounds of runs", bounds.when_run), ("credentials", bounds.credentials), ("once", runs.once),
        *((f"ended by {how}", runs.ending, how) for how in ("stdin", "SIGTERM", "SIGKILL")),
        ("configurations", setup.configurations),
    ]
    platform = Platform([ADELE, MEGAN, ALEX, LYNNE])
    with sandboxes.running(given.graphflow) as sandbox:
        cases = [case(given.graphflow, sandbox, platform, *one) for one in conversations + others if given.word in one[0]]
        at_once(*cases)
        # It has the machine to itself.
        if given.word in "speed":
            at_once(case(given.graphflow, sandbox, platform, "speed", setup.speed))
    platform.server.shutdown()
    end("agents")


if __name__ == "__main__":
    main()
