"""Workflows that call servers of the Model Context Protocol, made with the reference implementation (PyPI's mcp).

    call_mcp.py GRAPHFLOW [--all]

The server is this script itself: over its standard streams with `--serve stdio`, over streamable HTTP with a port.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

LEGACY, NEW = ("2025-06-18", "2025-11-25"), "2026-07-28"
HOSTILE = "Ä ö\"'\\%2F‹x› \u2028\U0001F4D8"


def serve(transport):
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context
    from mcp.types import ToolAnnotations
    from pydantic import BaseModel

    class Answer(BaseModel):
        agreed: bool

    server = MCPServer("library", version="1.0", log_level="ERROR")

    @server.tool(annotations=ToolAnnotations(readOnlyHint=True))
    def find(title: str) -> list[str]:
        return [title]

    @server.tool(annotations=ToolAnnotations(idempotentHint=True, readOnlyHint=False))
    def put(title: str) -> str:
        return f"put {title}"

    @server.tool()
    def lend(title: str) -> str:
        with open("lent", "a", encoding="utf-8") as file:
            file.write(json.dumps(title) + "\n")
        return f"lent {title}"

    @server.tool()
    def fail() -> str:
        raise ValueError("the shelf is empty")

    @server.tool()
    async def ask(ctx: Context) -> str:
        return str(await ctx.elicit("May it be lent?", Answer))

    @server.tool()
    async def report(ctx: Context) -> str:
        await ctx.report_progress(1, 2, "half")
        return "reported"

    @server.tool()
    def variables() -> str:
        return json.dumps(dict(os.environ))

    @server.tool()
    def wait() -> str:
        time.sleep(60)
        return "waited"

    @server.resource("shelf://all")
    def shelf() -> str:
        return "seven books"

    @server.resource("book://{title}")
    def book(title: str) -> str:
        return f"the text of {title}"

    @server.prompt()
    def greet(reader: str) -> str:
        return f"Greet {reader}."

    if transport == "stdio":
        server.run()
    else:
        kind, port = transport.split(":")
        server.run("streamable-http", port=int(port), stateless_http=kind == "stateless", json_response=kind == "json")


if sys.argv[1:2] == ["--serve"]:
    serve(sys.argv[2])
    sys.exit()

from checks import at_once, case, check, end  # noqa: E402
from sandbox import program  # noqa: E402

GRAPHFLOW = program(__doc__)


class Place:
    """A folder with workflows, in which servers write what they lend."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.variables = {
            "PATH": os.environ["PATH"], "HOME": folder, "GRAPHFLOW_HOME": f"{folder}/home", "HIDDEN": "hidden",
            "GRAPHFLOW_SECRET_KEY": "s3cr3t-k3y",
        }
        self.stdio = {
            "stdio": {
                "command": sys.executable, "arguments": [os.path.abspath(__file__), "--serve", "stdio"],
                "environment": {"MOOD": "good"},
            }
        }

    def call(self, *words):
        command = [GRAPHFLOW, *map(str, words)]
        return subprocess.run(
            command, env=self.variables, cwd=self.folder, capture_output=True, text=True, timeout=120,
            stdin=subprocess.DEVNULL)

    def write(self, version, transport, method, parameters, effect=None, **more):
        task = {
            "call": "mcp",
            "with": {"protocolVersion": version, "method": method, "parameters": parameters, "transport": transport, **more},
        }
        if effect:
            task["metadata"] = {"effect": effect}
        workflow = {
            "document": {"dsl": "1.0.3", "namespace": "library", "name": "ask", "version": "1.0.0"},
            "do": [{"ask": task}],
        }
        if "$secrets" in json.dumps(task):
            workflow["use"] = {"secrets": ["KEY"]}
        path = self.folder / f"{time.monotonic_ns()}.json"
        path.write_text(json.dumps(workflow), encoding="utf-8")
        return path

    def run(self, *arguments, **more):
        result = self.call("run", self.write(*arguments, **more))
        return result, json.loads(result.stdout) if result.returncode == 0 else None

    @property
    def lent(self):
        with contextlib.suppress(FileNotFoundError):
            return [json.loads(line) for line in (self.folder / "lent").read_text().splitlines()]
        return []

    @contextlib.contextmanager
    def http(self, kind):
        """A server over HTTP in this folder, as a transport."""
        with socket.create_server(("127.0.0.1", 0)) as chosen:
            port = chosen.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--serve", f"{kind}:{port}"], cwd=self.folder,
            stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            yield {"http": {"endpoint": f"http://127.0.0.1:{port}/mcp"}}
        finally:
            process.kill()
            process.wait()


def methods(place, name, version, transport):
    """Every method, and what it returns."""
    said = f"{name} {version}"
    for method, parameters, find in [
        ("tools/list", {}, lambda got: {"find", "lend"} <= {tool["name"] for tool in got["tools"]}),
        ("tools/call", {"name": "put", "arguments": {"title": HOSTILE}},
         lambda got: got["content"][0]["text"] == f"put {HOSTILE}" and not got.get("isError")),
        ("tools/call", {"name": "find", "arguments": {"title": "n" * 10_000}},
         lambda got: got["structuredContent"] == {"result": ["n" * 10_000]}),
        ("tools/call", {"name": "report"}, lambda got: got["content"][0]["text"] == "reported"),
        ("resources/list", {}, lambda got: [item["uri"] for item in got["resources"]] == ["shelf://all"]),
        ("resources/templates/list", {}, lambda got: got["resourceTemplates"][0]["uriTemplate"] == "book://{title}"),
        ("resources/read", {"uri": "shelf://all"}, lambda got: got["contents"][0]["text"] == "seven books"),
        ("resources/read", {"uri": "book://Äö"}, lambda got: got["contents"][0]["text"] == "the text of Äö"),
        ("prompts/list", {}, lambda got: [item["name"] for item in got["prompts"]] == ["greet"]),
        ("prompts/get", {"name": "greet", "arguments": {"reader": HOSTILE}},
         lambda got: got["messages"][0]["content"]["text"] == f"Greet {HOSTILE}."),
    ]:
        result, got = place.run(version, transport, method, parameters)
        is_right = got is not None and find(got) and (got.get("resultType") == "complete") == (version == NEW)
        check(f"{said} {method} {str(parameters)[:40]}", is_right, [got, result.stderr])


def errors(place, name, version, transport):
    """Failures, each with its type and a next step."""
    said = f"{name} {version}"
    # A program has to start as well.
    limit = 20 if name == "stdio" else 2
    for parameters, words in [
        ({"name": "fail"}, "the tool 'fail' of the MCP server"), ({"name": "nothing"}, "nothing"),
        # A server without a stream, or of the new version, knows that it cannot ask.
        ({"name": "ask"}, "a workflow cannot answer" if version != NEW and name in ("session", "stdio") else "elicitation/create"),
    ]:
        result, _ = place.run(version, transport, "tools/call", parameters, timeout="PT1M")
        is_right = result.returncode == 1 and words in result.stderr and "errors/runtime" in result.stderr
        check(f"{said} {parameters}", is_right, result.stderr)
    result, _ = place.run(version, transport, "resources/read", {"uri": "nothing://x"})
    check(f"{said} unknown resource", result.returncode == 1 and "-3260" in result.stderr, result.stderr)
    result, _ = place.run(version, transport, "tools/call", {"name": "wait"}, timeout={"seconds": limit})
    is_unknown = result.returncode == 4 and f"did not answer within {limit} s" in result.stderr
    check(f"{said} that takes too long", is_unknown, [result.returncode, result.stderr])
    result, _ = place.run(version, transport, "tools/call", {"name": "wait"}, effect="read", timeout={"seconds": limit})
    check(f"{said} that reads for too long", result.returncode == 1 and "errors/timeout" in result.stderr, result.stderr)


def plans(place, name, version, transport):
    """A plan does nothing, and its run does exactly that."""
    said, title = f"{name} {version}", f"{HOSTILE} {name} {version}"
    path = place.write(version, transport, "tools/call", {"name": "lend", "arguments": {"title": title}})
    before = place.lent
    for mode in ("--dry-run", "--dry-run=read"):
        plan = place.folder / f"{path.stem}{mode}.plan.json"
        result = place.call("run", path, mode, "--plan-out", plan)
        kinds = [effect["kind"] for effect in json.loads(plan.read_text())["plan"]["effects"]]
        expected = ["program", "tool"] if "stdio" in transport else ["tool"]
        check(f"{said} {mode}", result.returncode == 0 and place.lent == before and kinds == expected, [kinds, result.stderr])
        result = place.call("run", path, "--plan", plan)
        check(f"{said} as planned by {mode}", result.returncode == 0 and place.lent[len(before):] == [title], result.stderr)
        before = place.lent
    other = place.write(version, transport, "tools/call", {"name": "lend", "arguments": {"title": "another"}})
    result = place.call("run", other, "--plan", plan)
    check(f"{said} another workflow", result.returncode == 2 and place.lent == before, [result.returncode, result.stderr])
    for tool, kinds in [("find", []), ("put", ["tool"]), ("lend", ["tool"])]:
        path = place.write(
            version, transport, "tools/call", {"name": tool, "arguments": {"title": "x"}}, effect="annotations")
        plan = place.folder / f"{path.stem}.plan.json"
        result = place.call("run", path, "--dry-run=read", "--plan-out", plan)
        effects = [effect["kind"] for effect in json.loads(plan.read_text())["plan"]["effects"]]
        expected = ["program", "program", "tool"] if "stdio" in transport else kinds
        is_right = sorted(set(effects)) == sorted(set(expected)) and place.lent == before
        check(f"{said} annotations of {tool}", result.returncode == 0 and is_right, [effects, result.stderr])
        result = place.call("run", path, "--plan", plan)
        check(f"{said} annotations of {tool}, as planned", result.returncode == 0, result.stderr)
        before = place.lent


def secrets(place):
    """What a program gets, and what no one else sees."""
    stdio = {"stdio": dict(place.stdio["stdio"], environment={"KEY": "${ $secrets.KEY }"})}
    result, got = place.run(LEGACY[0], stdio, "tools/call", {"name": "variables"})
    variables = json.loads(got["content"][0]["text"]) if got else {}
    check("a program gets its variables", "secrets.KEY" in variables.get("KEY", ""), [variables, result.stderr])
    check("a program gets no others", not {"HIDDEN", "GRAPHFLOW_SECRET_KEY"} & set(variables), sorted(variables))
    path = place.write(
        NEW, stdio, "tools/call", {"name": "lend", "arguments": {"title": "${ $secrets.KEY }"}})
    place.call("run", path)
    check("a tool gets a secret", place.lent[-1:] == ["s3cr3t-k3y"], place.lent)
    place.call("run", path, "--dry-run", "--plan-out", place.folder / "secret.plan.json")
    kept = [file for file in place.folder.rglob("*") if file.is_file() and file.name != "lent"]
    leaks = [str(file) for file in kept if b"s3cr3t-k3y" in file.read_bytes()]
    check("no file has the secret", not leaks, leaks)


def over_http(kind):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        with place.http(kind) as transport:
            for version in VERSIONS:
                methods(place, kind, version, transport)
                plans(place, kind, version, transport)
            for version in (LEGACY[1], NEW) if is_all else (NEW,):
                errors(place, kind, version, transport)


def over_stdio(version):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        methods(place, "stdio", version, place.stdio)
        errors(place, "stdio", version, place.stdio)
        plans(place, "stdio", version, place.stdio)
        secrets(place)


# The others take minutes.
is_all = "--all" in sys.argv
VERSIONS = (*LEGACY, NEW) if is_all else (LEGACY[1], NEW)
at_once(*(case(over_http, kind) for kind in (("session", "json", "stateless") if is_all else ("session",))),
        *(case(over_stdio, version) for version in (VERSIONS if is_all else (LEGACY[1],))))
end("calls of MCP servers")
