"""Whole conversations of PyPI's client with `graphflow mcp`: every tool and resource, in each version, over each transport."""

import json
import os
import time

import anyio
import jsonschema
import yaml

from agents_office import JULY, JUNE, NOVEMBER, check, ended, fails, plan, structured, text_of
from agents_workflows import FLOWS, NAMES
from approval_desk import MEGAN
from sample_files import FOLDER

# The client's modes, and the versions that they lead to.
MODES = [("auto", JULY), (JULY, JULY), ("legacy", NOVEMBER), ("legacy", JUNE)]
READ = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
CLOSED = {**READ, "openWorldHint": False}
RUN = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True}


def schema_of(name):
    """The schema of a workflow's input, read without graphflow."""
    text = FLOWS.get(name) or (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    schema = yaml.safe_load(text).get("input", {}).get("schema", {}).get("document")
    if schema and "properties" in schema:
        # Earlier versions of the protocol have only objects here.
        spelled = {True: {}, False: {"not": {}}}
        schema["properties"] = {name: spelled[one] if isinstance(one, bool) else one for name, one in schema["properties"].items()}
    return schema


class Conversation:
    """What one client asks a server, from the beginning to the end."""

    def __init__(self, here, client, mode, version):
        self.here, self.client, self.mode, self.version = here, client, mode, version

    def check(self, name, is_right, detail=""):
        check(f"{self.here.name}: {name}", is_right, detail)

    async def call(self, name, arguments=None, **options):
        """A call whose structured result must have the form that the tool promises."""
        result = await self.client.call_tool(name, arguments or {}, **options)
        schema = self.outputs.get(name)
        wrong = list(jsonschema.Draft202012Validator(schema).iter_errors(result.structured_content)) if schema else []
        has_text = json.loads(text_of(result).partition("\n")[2] or "null") == result.structured_content
        if wrong or result.structured_content is not None and not has_text:
            self.check(f"the result of {name} has its form, and is in the text too", False, (str(wrong)[:500], text_of(result)[:500]))
        return result

    async def tools(self):
        client = self.client
        self.check(f"the version is {self.version}", client.protocol_version == self.version, client.protocol_version)
        # A client that takes a version for granted asks nothing at first.
        if self.mode != JULY:
            self.check("the server's name and version", client.server_info.name == "graphflow" and client.server_info.version, client.server_info)
            self.check("instructions", "run_plan" in (client.instructions or ""), client.instructions)
        tools = (await client.list_tools()).tools
        self.outputs = {tool.name: tool.output_schema for tool in tools}
        expected = ["list_workflows", *(f"{kind}_{name}" for name in NAMES for kind in ("plan", "rehearse")), "run_plan", "run_status"]
        self.check("the tools and their order", [tool.name for tool in tools] == expected, f"expected {expected}, was {[tool.name for tool in tools]}")
        again = (await client.list_tools(cache_mode="refresh")).tools
        self.check("the tools are listed the same again", again == tools)
        for tool in tools:
            kind, _, name = tool.name.partition("_")
            if kind in ("plan", "rehearse"):
                given = schema_of(name)
                if name == "list-input":
                    given = {"type": "object", "properties": {"input": given}, "required": ["input"], "additionalProperties": False}
                expected = given or {"type": "object"}
                self.check(f"{tool.name} takes the workflow's input", tool.input_schema == expected, f"expected {expected}, was {tool.input_schema}")
            hints = {"plan": READ, "rehearse": CLOSED, "list": CLOSED}.get(kind, RUN if tool.name == "run_plan" else CLOSED)
            if tool.name.startswith("run_status"):
                hints = CLOSED
            made = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else None
            self.check(f"the annotations of {tool.name}", made == hints, f"expected {hints}, was {made}")
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        listed = structured(await self.call("list_workflows"))["workflows"]
        self.check("list_workflows names the same, in this order", [one.get("name") for one in listed] == NAMES, listed)
        self.check("list_workflows has the members of its contract", all(
            (one["plan"], one["rehearse"], one["version"]) == (f"plan_{one['name']}", f"rehearse_{one['name']}", "1.0.0")
            and {"title", "permissions"} <= set(one) for one in listed), listed)
        mail = next(one for one in listed if one["name"] == "welcome-mail")
        self.check("list_workflows says which permissions", "Mail.Send" in mail["permissions"] and mail["summary"] == "What it does.", mail)

    async def reading(self):
        """A plan that only reads, and rehearsals."""
        # Other conversations use the same sandbox.
        here, subject = self.here, f"{self.here.name} rehearsed"
        rehearsed = {"to": "lynner@contoso.com", "subject": subject}
        made = await self.call("plan_read-people", {"top": 3})
        planned = structured(made)
        self.check("a plan that only reads needs no approval", planned["effects"] == [] and planned["approve"]["needed"] is False, planned)
        ran = await self.call("run_plan", {"planId": planned["planId"]})
        self.check("it runs unapproved", not ran.is_error and len(structured(ran)["output"]["names"]) == 3, text_of(ran))
        self.check("the run has the plan's name", structured(ran)["runId"] == planned["planId"], structured(ran))
        again = await self.call("run_plan", {"planId": planned["planId"]})
        self.check("run again, it answers the same", structured(again) == structured(ran), (structured(again), structured(ran)))
        status = await self.call("run_status", {"runId": planned["planId"]})
        self.check("run_status answers the same", structured(status) == structured(ran), (structured(status), structured(ran)))
        for name, given, output in [
            ("welcome-mail", rehearsed, {"sent": True}),
            ("list-input", {"input": ["a", "b"]}, {"count": 2}), ("Any-input", {"a": {"b": [1, None]}}, {"given": {"a": {"b": [1, None]}}}),
        ]:
            done = await self.call(f"rehearse_{name}", given)
            self.check(f"rehearse_{name}", not done.is_error and (structured(done)["state"], structured(done)["output"]) == ("completed", output), text_of(done))
        done = structured(await self.call("rehearse_fails", rehearsed))
        self.check("a rehearsal that faults says so", done["state"] == "faulted" and done["error"]["status"] == 409, done)
        done = await self.call("rehearse_slow-mail", rehearsed)
        self.check("a rehearsal has its effects", [one["kind"] for one in structured(done)["effects"]] == ["mail"], text_of(done))
        self.check("nothing is sent by all this", here.mails(subject) == [], here.mails(subject))

    async def refusals(self):
        for name, given, word in [
            ("plan_welcome-mail", {}, "to"), ("plan_welcome-mail", {"to": 7}, "to"),
            ("plan_welcome-mail", {"to": "lynner@contoso.com", "more": 1}, "more"), ("rehearse_list-input", {"input": [1]}, "input"),
            ("run_plan", {}, "planId"), ("run_status", {"runId": "a", "x": 1}, "x"), ("list_workflows", {"a": 1}, "a"),
        ]:
            result = await self.client.call_tool(name, given)
            self.check(f"{name} with {given} is an error with a text", result.is_error and word in text_of(result), result)
        for name in ("plan_nothing", "run_plan ", "../run_plan", "", "rehearse_"):
            code, answer = await fails(self.client.call_tool(name, {}))
            self.check(f"there is no tool '{name}': -32602", code == -32602, (code, answer))
        for id in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "../../etc/passwd", "", "x" * 10_000):
            for tool, member in (("run_plan", "planId"), ("run_status", "runId")):
                result = await self.client.call_tool(tool, {member: id})
                said = structured(result)
                self.check(f"{tool} of '{id[:30]}' is an error with a next step", result.is_error and said.get("next") and said["error"]["detail"], text_of(result)[:500])

    async def effects(self):
        """A plan with effects: kept, shown, refused, approved, run once."""
        here, subject = self.here, f"{self.here.name} approved"
        made = await self.call("plan_welcome-mail", {"to": "lynner@contoso.com", "subject": subject})
        planned = structured(made)
        id = planned["planId"]
        self.check("the plan's members", {"planId", "digest", "complete", "gaps", "effects", "totals", "permissions", "plannedAt", "expires", "approve"} <= set(planned), sorted(planned))
        self.check("the plan's effect", [(one["kind"], one["to"], one["subject"]) for one in planned["effects"]] == [("mail", ["lynner@contoso.com"], subject)], planned)
        self.check("the plan says how to approve", planned["approve"]["needed"] is True and planned["approve"]["command"] == f"graphflow approve {id}", planned["approve"])
        links = [(block.uri, block.mime_type) for block in made.content if block.type == "resource_link"]
        self.check("the plan has a link", links == [(f"graphflow://plan/{id}", "text/markdown")], links)
        self.check("'graphflow runs' has it as waiting", here.state(id) == "waiting", here.state(id))
        refused = await self.call("run_plan", {"planId": id})
        said = structured(refused)
        self.check("run_plan refuses what is not approved", refused.is_error and said["state"] == "waiting" and f"graphflow approve {id}" in said["next"], text_of(refused))
        status = structured(await self.call("run_status", {"runId": id}))
        self.check("run_status says that it waits", status["state"] == "waiting" and status["next"], status)
        await self.resources(id, subject)
        self.check("nothing is sent before", here.mails(subject) == [], here.mails(subject))
        await here.approves(id)
        steps = []

        async def progressed(progress, total, message):
            steps.append((progress, total, message))

        ran = await self.call("run_plan", {"planId": id}, progress_callback=progressed)
        self.check("run_plan runs what is approved", not ran.is_error and structured(ran)["state"] == "completed" and structured(ran)["output"] == {"sent": True}, text_of(ran))
        self.check("the run's effect", [(one["kind"], one["subject"], one["state"]) for one in structured(ran)["effects"]] == [("mail", subject, "done")], structured(ran))
        counts = [step[0] for step in steps]
        self.check("progress increases, with the tasks' names", counts == sorted(set(counts)) and counts and {"mail", "last"} & {step[2] for step in steps}, steps)
        again = await self.call("run_plan", {"planId": id})
        self.check("run again, it answers the same", structured(again) == structured(ran) and not again.is_error, (structured(again), structured(ran)))
        self.check("one mail is sent", len(here.mails(subject)) == 1, here.mails(subject))
        listed = (await self.client.list_resources(cache_mode="refresh")).resources
        self.check("the run is a resource", f"graphflow://run/{id}" in [str(one.uri) for one in listed], listed)
        report = await self.client.read_resource(f"graphflow://run/{id}")
        shown = here.shown(id)
        found = json.loads(report.contents[0].text)
        differing = {name for name in {*shown, *found} if shown.get(name) != found.get(name)}
        self.check("its text is that of 'graphflow show --json'", report.contents[0].mime_type == "application/json" and not differing, (differing, [(shown.get(name), found.get(name)) for name in differing]))

    async def resources(self, id, subject):
        client, uri = self.client, f"graphflow://plan/{id}"
        listed = (await client.list_resources(cache_mode="refresh")).resources
        self.check("the plan is a resource", uri in [str(one.uri) for one in listed], listed)
        read = (await client.read_resource(uri)).contents[0]
        self.check("its text is the plan as people read it", read.mime_type == "text/markdown" and subject in read.text and "lynner\\@contoso.com" in read.text, read)
        templates = (await client.list_resource_templates()).resource_templates
        self.check("the templates", sorted(one.uri_template for one in templates) == ["graphflow://plan/{planId}", "graphflow://run/{runId}"], templates)
        for wrong in ("graphflow://plan/01ARZ3NDEKTSV4RRFFQ69G5FAV", "graphflow://run/../x", "file:///etc/passwd", f"graphflow://plans/{id}"):
            code, answer = await fails(client.read_resource(wrong))
            self.check(f"there is no resource {wrong[:40]}: -32602", code == -32602, (code, answer))

    async def long_runs(self):
        """A run that is cancelled, and one that takes longer than its client waits."""
        here, client = self.here, self.client
        cancelled, late = f"{here.name} cancelled", f"{here.name} late"
        first, second = await plan(client, "slow-mail", cancelled), await plan(client, "slow-mail", late)
        async with anyio.create_task_group() as group:
            group.start_soon(here.approves, first)
            group.start_soon(here.approves, second, MEGAN)
        steps = []

        async def progressed(progress, total, message):
            steps.append(message)

        async def begin():
            await client.call_tool("run_plan", {"planId": first}, progress_callback=progressed)

        begun = time.monotonic()
        async with anyio.create_task_group() as group:
            group.start_soon(begin)
            while "pause" not in steps and time.monotonic() < begun + 10:
                await anyio.sleep(0.05)
            group.cancel_scope.cancel()
        status = structured(await client.call_tool("run_status", {"runId": first}))
        # On a busy machine, the run may have reached its end before it is asked for.
        goes_on = ("running", "completed")
        self.check("a call is cancelled, its run continues", status["state"] in goes_on, (status, steps))
        # On a busy machine, a call can end before its run has begun; then nothing has happened.
        for patience in (1.6, 3, 4.5):
            code, answer = await fails(client.call_tool("run_plan", {"planId": second}, read_timeout_seconds=patience))
            self.check("the client waits no longer", code == -32001 or "imed out" in str(answer), (code, answer))
            status = structured(await client.call_tool("run_status", {"runId": second}))
            if status["state"] != "waiting":
                break
        self.check("run_status finds the run that its client left", status["state"] in goes_on, status)
        joined = await self.call("run_plan", {"planId": second})
        self.check("run_plan joins it", not joined.is_error and structured(joined)["output"] == {"sent": True}, text_of(joined))
        limit = time.monotonic() + 15
        while (status := structured(await self.call("run_status", {"runId": first})))["state"] == "running" and time.monotonic() < limit:
            await anyio.sleep(0.1)
        self.check("run_status finds how the first one ended", status["state"] == "completed" and status["output"] == {"sent": True}, status)
        counts = [len(here.mails(subject)) for subject in (cancelled, late)]
        self.check("each sent one mail", counts == [1, 1], counts)

    async def faults(self):
        subject = f"{self.here.name} fails"
        id = await plan(self.client, "fails", subject)
        await self.here.approves(id)
        ran = await self.call("run_plan", {"planId": id})
        said = structured(ran)
        self.check("a run that faults is an error with its reason", ran.is_error and said["state"] == "faulted" and said["error"]["status"] == 409 and said["next"], text_of(ran))
        again = await self.call("run_plan", {"planId": id})
        self.check("run again, nothing happens again", structured(again) == said and again.is_error and len(self.here.mails(subject)) == 1, (text_of(again), said))

    async def many(self):
        """200 calls at once, each with its own answer."""
        client, right = self.client, []

        async def ask(number):
            if number % 4 == 0:
                done = structured(await client.call_tool("rehearse_Any-input", {"number": number}))
                right.append(done.get("output") == {"given": {"number": number}} or done)
            elif number % 4 == 1:
                done = structured(await client.call_tool("plan_Any-input", {"number": number}))
                right.append(done.get("effects") == [] and "planId" in done or done)
            elif number % 4 == 2:
                done = structured(await client.call_tool("run_status", {"runId": f"none-{number}"}))
                right.append(f"none-{number}" in done["error"]["detail"])
            else:
                right.append(len(structured(await client.call_tool("list_workflows", {}))["workflows"]) == len(NAMES))

        async def tried(number):
            try:
                await ask(number)
            except Exception as error:
                right.append(str(error))

        begun = time.monotonic()
        async with anyio.create_task_group() as group:
            for number in range(200):
                group.start_soon(tried, number)
        took = time.monotonic() - begun
        self.check(f"200 calls at once are answered ({took:.1f} s)", right == [True] * 200 and took < 30, ([one for one in right if one is not True][:5], took))


def converse(here, transport, mode, version):
    """The whole conversation, with its own server."""
    async def talk():
        place, token = "stdio", None
        if transport != "stdio":
            options = []
            if transport == "HTTP with a token":
                token = "a" * 40
                here.write("tokens", f"{token}\n{'b' * 40}\n")
                os.chmod(here.path("tokens"), 0o600)
                options = ["--token-file", "tokens"]
            _, place = here.serve(*options)
            check(f"{here.name}: a free port", not place.endswith(":0/mcp") and place.startswith("http://127.0.0.1:"), place)
        async with here.client(place, version, mode, token=token) as client:
            one = Conversation(here, client, mode, version)
            await one.tools()
            await one.reading()
            await one.refusals()
            await one.effects()
            await one.faults()
            await one.long_runs()
            if mode != JULY and version != JUNE:
                await one.many()

    ended(talk)
