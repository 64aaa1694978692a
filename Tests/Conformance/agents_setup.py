"""What clients want in their configuration, and how fast the server is."""

import json
import os
import statistics
import subprocess
import time
import tomllib

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from agents_office import JULY, check, ended, structured
from agents_workflows import NAMES
from approval_desk import MEGAN


def configurations(here):
    """What `--print-config` prints is read by each client, and starts the server."""
    printed = {}
    for client in ("claude", "codex", "vscode", "cursor"):
        done = here.graphflow("mcp", "flows", "--max-mails", "5", "--approvers", MEGAN.address, "--print-config", client)
        try:
            printed[client] = tomllib.loads(done.stdout) if client == "codex" else json.loads(done.stdout)
        except ValueError as error:
            printed[client] = str(error)
        key = {"codex": "mcp_servers", "vscode": "servers"}.get(client, "mcpServers")
        made = printed[client][key]["graphflow"] if isinstance(printed[client], dict) else {}
        words = [made.get("command"), *made.get("args", [])]
        is_whole = os.path.isabs(words[0] or "") and here.path("flows") in words and "--print-config" not in words
        check(f"{here.name}: {client} can be read", done.returncode == 0 and is_whole, (done.stdout, done.stderr))
        check(f"{here.name}: {client} has the options", {"--max-mails=5", f"--approvers={MEGAN.address}"} <= set(words), words)
        done = here.graphflow("mcp", "flows", "--http", "8931", "--token-file", "tokens", "--print-config", client)
        check(f"{here.name}: {client} over HTTP has the address and no token", "http://127.0.0.1:8931/mcp" in done.stdout and "TOKEN" in done.stdout.upper(), (done.returncode, done.stdout, done.stderr))
    made = printed["claude"]["mcpServers"]["graphflow"]

    async def talk():
        parameters = StdioServerParameters(command=made["command"], args=made["args"], env=here.environment({}), cwd="/")
        with open(os.devnull, "w", encoding="ascii") as errors:
            async with Client(stdio_client(parameters, errlog=errors), mode="auto") as client:
                listed = structured(await client.call_tool("list_workflows", {}))["workflows"]
                check(f"{here.name}: exactly this command of claude's serves", client.protocol_version == JULY and [one["name"] for one in listed] == NAMES, listed)

    ended(talk)


def speed(here):
    """How long a plan takes, and what an idle server uses."""
    given = {"to": "adelev@contoso.com"}
    command = [here.program, "run", "flows/share-profile-photo.yaml", "--input", json.dumps(given), "--dry-run=read", "--format", "json"]
    apart, called = [], []
    # The server has the workflow of the command and no other.
    files = ["flows/share-profile-photo.yaml"]
    process, place = here.serve(files=files)

    async def talk():
        async with here.client(place, JULY) as client, here.client("stdio", JULY, files=files) as other:
            for one in (client, other):
                await one.call_tool("plan_share-profile-photo", given)
            for _ in range(20):
                begun = time.monotonic()
                await other.call_tool("plan_share-profile-photo", given)
                called.append(time.monotonic() - begun)
                begun = time.monotonic()
                subprocess.run(command, env=here.environment({}), cwd=here.folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
                apart.append(time.monotonic() - begun)

    ended(talk)
    plan, program = (1_000 * statistics.median(times) for times in (called, apart))
    # Other programs of the machine decide about some milliseconds: no check.
    print(f"{here.name}: plan_share-profile-photo takes {plan:.0f} ms, 'run --dry-run=read' {program:.0f} ms", flush=True)
    used = []
    # What calls began may still be ending, so that a server which is idle is quiet in one of these windows.
    while len(used) < 10 and 0 not in used:
        before = ticks(process.pid)
        time.sleep(2)
        used.append(ticks(process.pid) - before)
    check(f"{here.name}: an idle server uses no CPU", 0 in used, f"{used} ticks, each in 2 s")
    size = memory(process.pid)
    fresh, _ = here.serve()
    time.sleep(1)
    begun = memory(fresh.pid)
    # What a build without optimization takes says little.
    print(f"{here.name}: an idle server takes {begun / 1024:.0f} MB, after 21 plans {size / 1024:.0f} MB", flush=True)
    limit = 100 if is_debug(here.program) else 30
    check(f"{here.name}: an idle server takes at most {limit} MB", begun <= limit * 1024, begun)


def is_debug(program):
    """Whether Swift's own checks of a build without optimization are in the program."""
    return b"/debug/" in os.fsencode(os.path.realpath(program)) or os.path.getsize(program) > 60_000_000


def ticks(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def memory(process):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
