"""Where agents plan and run: a desk, servers of `graphflow mcp`, and PyPI's client, whose messages are recorded."""

import contextlib
import json
import logging
import os
import re
import subprocess
import tempfile
import time

import anyio
import anyio.to_thread
import httpx2
import mcp.client.session as sessions
import mcp_types as types
import requests
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

import checks
from agents_messages import invalid_messages
from agents_workflows import FOLDER_FILES
from approval_desk import ADELE, Desk, finished

JUNE, NOVEMBER, JULY = VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
# What the client says of calls that are given up.
logging.getLogger("mcp").setLevel(logging.CRITICAL)
# Every message passes here on its way to and from the server, as it is.
TEE = 'tee "$0.in" | "$@" | tee "$0.out"'


def check(name, is_right, detail=""):
    """Counts a check and prints a line."""
    checks.check(name, is_right, detail)
    if is_right:
        print(f"ok     {name}", flush=True)


def structured(result):
    return result.structured_content or {}


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


class Recording(httpx2.AsyncHTTPTransport):
    """Keeps what is sent and answered, as it is."""

    def __init__(self):
        super().__init__(limits=httpx2.Limits(max_connections=400))
        self.exchanges = []

    async def handle_async_request(self, request):
        exchange = {"headers": dict(request.headers), "method": request.method, "sent": await request.aread(), "answer": bytearray()}
        self.exchanges.append(exchange)
        try:
            response = await super().handle_async_request(request)
        except httpx2.TransportError as error:
            exchange["broken"] = repr(error)
            raise
        exchange["status"], exchange["type"] = response.status_code, response.headers.get("content-type", "")
        response.stream = RecordedStream(response.stream, exchange["answer"])
        return response


class RecordedStream(httpx2.AsyncByteStream):
    def __init__(self, stream, kept):
        self.stream, self.kept = stream, kept

    async def __aiter__(self):
        async for part in self.stream:
            self.kept += part
            yield part

    async def aclose(self):
        await self.stream.aclose()


class AgentOffice(Desk):
    """A desk with its own home, and servers for agents."""

    def __init__(self, program, sandbox, platform, folder, name):
        super().__init__(program, sandbox, platform, folder)
        self.name = name
        self.processes = []
        self.clients = 0
        # Which capabilities a client declares for being asked; None for those of its callback.
        self.modes = None
        for file, content in FOLDER_FILES.items():
            self.write(file, content)

    # MARK: Servers and clients

    def log(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read()

    def words(self, options, files):
        return [self.program, "mcp", *(files or ["flows"]), *options]

    def serve(self, *options, files=None, **variables):
        """A server over HTTP, and its address."""
        log = self.new("log")
        with open(log, "wb") as file:
            process = subprocess.Popen(
                self.words(["--http", "0", *options], files), env=self.environment(variables), cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.processes.append(process)
        limit = time.monotonic() + 30
        while time.monotonic() < limit and process.poll() is None:
            with open(log, encoding="utf-8") as file:
                if found := re.search(r"listening for agents at (http://\S+/mcp)\n", file.read()):
                    return process, found[1]
            time.sleep(0.02)
        with open(log, encoding="utf-8") as file:
            raise RuntimeError(f"no server: {process.poll()} {file.read()}")

    @contextlib.asynccontextmanager
    async def client(self, place, version=JULY, mode=None, asked=None, options=(), files=None, token=None, **variables):
        """PyPI's client: over standard input and output for 'stdio', else of the server at an address.

        Everything that the server has sent is checked against the schema of its version at the end.
        """
        mode = mode or (JULY if version == JULY else "legacy")
        sessions.LATEST_HANDSHAKE_VERSION = JUNE if version == JUNE else NOVEMBER
        self.clients += 1
        record, recording = self.path(f"client{self.clients}"), None
        async with contextlib.AsyncExitStack() as stack:
            if place == "stdio":
                errors = stack.enter_context(open(self.path("log"), "a", encoding="utf-8"))
                transport = stdio_client(
                    StdioServerParameters(
                        command="sh", args=["-c", TEE, record, *self.words(options, files)],
                        env=self.environment(variables), cwd=self.folder), errlog=errors)
            else:
                recording = Recording()
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                timeout = httpx2.Timeout(30, read=300)
                http = await stack.enter_async_context(
                    httpx2.AsyncClient(transport=recording, headers=headers, timeout=timeout))
                transport = streamable_http_client(place, http_client=http)
            with self.declared():
                async with Client(transport, mode=mode, elicitation_callback=asked, read_timeout_seconds=60) as client:
                    yield client
        kind = "stdio" if place == "stdio" else "HTTP"
        wrong, count = invalid_messages(record, recording, version)
        check(f"{self.name}: {count} messages over {kind} are valid in {version}", count > 0 and not wrong, "\n       ".join(sorted({one[:300] for one in wrong})[:5]))

    @contextlib.contextmanager
    def declared(self):
        """Lets the next client declare only these ways of being asked."""
        if self.modes is None:
            yield
            return
        former, modes = sessions.ClientSession._build_capabilities, self.modes

        def build(session, version):
            made = former(session, version)
            made.elicitation = types.ElicitationCapability.model_validate(modes)
            return made

        sessions.ClientSession._build_capabilities = build
        try:
            yield
        finally:
            sessions.ClientSession._build_capabilities = former

    # MARK: What happened

    def mails(self, subject):
        return [mail for mail in self.sandbox.read("/sandbox/outbox") if mail["subject"] == subject]

    def shown(self, run):
        done = self.graphflow("show", run, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}

    def state(self, run):
        listed = json.loads(self.graphflow("runs", "--all", "--json").stdout or "[]")
        return next((one["state"] for one in listed if one["run"] == run), None)

    def reaches(self, run, state, seconds=30):
        limit = time.monotonic() + seconds
        while (now := self.state(run)) != state and time.monotonic() < limit:
            time.sleep(0.2)
        return now == state

    # MARK: People

    def signs(self, plan, person, *options):
        """`graphflow approve`, with a person who signs in."""
        begun = self.approving(plan, *options)
        if begun[1]:
            requests.post(begun[1], data={"person": person.id}, timeout=30)
        return finished(begun)

    async def approves(self, plan, person=ADELE, *options):
        status, output, errors = await anyio.to_thread.run_sync(self.signs, plan, person, *options)
        check(f"{self.name}: {person.name} approves", status == 0, (status, output, errors))

    async def does(self, *words, **variables):
        return await anyio.to_thread.run_sync(lambda: self.graphflow(*words, **variables))

    @staticmethod
    def asks(url, data=None):
        return requests.get(url, timeout=30) if data is None else requests.post(url, data=data, timeout=30)

    @staticmethod
    def opens(url, person=None):
        """What a person does with the address of a plan: looks at it, and signs in; the pages that follow."""
        page = requests.get(url, timeout=30)
        proof = re.search(r'name="proof" value="([0-9a-f]+)"', page.text)
        if not person or not proof:
            return page, None, None
        answer = requests.post(url, data={"proof": proof[1]}, timeout=30)
        found = re.search(r'<a href="([^"]+)"', answer.text)
        signed = requests.post(found[1].replace("&amp;", "&"), data={"person": person.id}, timeout=30) if found else None
        return page, answer, signed


async def plan(client, name, subject="Welcome", to="lynner@contoso.com", **more):
    result = await client.call_tool(f"plan_{name}", {"to": to, "subject": subject, **more})
    if result.is_error:
        raise RuntimeError(f"no plan of {name}: {text_of(result)}")
    return structured(result)["planId"]


async def fails(body):
    """The error with which a request is answered."""
    try:
        return None, await body
    except MCPError as error:
        return error.error.code, error.error.message


def ended(body):
    """Runs to the end; an error is that of the task that failed."""
    try:
        anyio.run(body)
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@contextlib.contextmanager
def office(program, sandbox, platform, name):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.mkdir(os.path.join(folder, "flows"))
        here = AgentOffice(program, sandbox, platform, folder, name)
        try:
            yield here
        finally:
            for process in here.processes:
                if process.poll() is None:
                    process.terminate()
            for process in here.processes:
                try:
                    process.wait(timeout=15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
