"""Runs of agents: once, whatever repeats the call, and to the end, whatever ends the server."""

import json
import os
import signal
import subprocess
import time

import anyio

from agents_office import JULY, JUNE, NOVEMBER, check, ended, plan, structured, text_of


def once(here):
    """The same run for each call: at once, after a restart, and of two servers."""
    async def talk():
        one, two = f"{here.name} one", f"{here.name} two"
        async with here.client("stdio", JULY) as client:
            first = await plan(client, "welcome-mail", one)
            await here.approves(first)
            results = []

            async def run():
                results.append(await client.call_tool("run_plan", {"planId": first}))

            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(run)
            answers = [structured(result) for result in results]
            check(f"{here.name}: 20 calls at once answer with one run", all(answer == answers[0] for answer in answers) and answers[0]["state"] == "completed", answers[:3])
            check(f"{here.name}: they send one mail", len(here.mails(one)) == 1, here.mails(one))
            reading = structured(await client.call_tool("plan_read-people", {}))["planId"]
            read = structured(await client.call_tool("run_plan", {"planId": reading}))
            unrun = structured(await client.call_tool("plan_read-people", {}))["planId"]
        # Two servers of one home, one of them over HTTP.
        _, place = here.serve()
        async with here.client(place, NOVEMBER) as left, here.client("stdio", JUNE) as right:
            for name, client in (("a server that was restarted", left), ("a server over stdio", right)):
                again = await client.call_tool("run_plan", {"planId": first})
                check(f"{here.name}: {name} answers with the same run", structured(again) == answers[0] and not again.is_error, (structured(again), answers[0]))
                again = structured(await client.call_tool("run_plan", {"planId": reading}))
                check(f"{here.name}: {name} answers with the same run of a plan that only reads", again == read, (again, read))
                lost = await client.call_tool("run_plan", {"planId": unrun})
                check(f"{here.name}: {name} says what to do without a plan that was in memory", lost.is_error and "again" in structured(lost)["next"], text_of(lost))
            second = await plan(left, "slow-mail", two)
            await here.approves(second)
            both = []

            async def run_at(client):
                both.append(structured(await client.call_tool("run_plan", {"planId": second})))

            async with anyio.create_task_group() as group:
                for client in (left, right, left, right):
                    group.start_soon(run_at, client)
            check(f"{here.name}: two servers at once answer with one run", all(answer == both[0] for answer in both) and both[0]["state"] == "completed", both)
            check(f"{here.name}: they send one mail", len(here.mails(two)) == 1, here.mails(two))
            listed = [str(one.uri) for one in (await right.list_resources()).resources]
            check(f"{here.name}: both list the runs", {f"graphflow://run/{first}", f"graphflow://run/{second}"} <= set(listed), listed)

    ended(talk)


class Bare:
    """A server over standard input and output, whose end is ours to choose."""

    def __init__(self, here, *options):
        self.process = subprocess.Popen(
            here.words(options, None), env=here.environment({}), cwd=here.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        here.processes.append(self.process)
        self.count = 0
        self.ask("initialize", {"protocolVersion": NOVEMBER, "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}})

    def send(self, method, params):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params):
        self.send(method, params)
        return self.answer()

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]["structuredContent"]


def ending(here, how):
    """The server ends during a run, which continues in a separate program."""
    subject = f"{here.name} mail"
    server = Bare(here)
    id = server.call("plan_slow-mail", to="lynner@contoso.com", subject=subject)["planId"]
    status, _, errors = here.signs(id, here.platform.people[0])
    check(f"{here.name}: it is approved", status == 0, errors)
    server.send("tools/call", {"name": "run_plan", "arguments": {"planId": id}})
    check(f"{here.name}: it runs", here.reaches(id, "running", 10), here.state(id))
    time.sleep(0.5)
    begun = time.monotonic()
    if how == "stdin":
        server.process.stdin.close()
    else:
        server.process.send_signal(signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL)
    server.process.wait(timeout=30)
    took = time.monotonic() - begun
    expected = {"stdin": 0, "SIGTERM": 143}.get(how, -9)
    check(f"{here.name}: the server ends within seconds, with {expected}", server.process.returncode == expected and took < 5, (server.process.returncode, took))
    check(f"{here.name}: the mail is not sent yet", here.mails(subject) == [], here.mails(subject))
    if how == "SIGKILL":
        with_kill(here, id, subject)
        return
    errors = server.process.stderr.read().decode()
    check(f"{here.name}: it says that the run continues", f"the run {id} continues" in errors, errors)
    found = programs(["resume", id])
    check(f"{here.name}: a 'graphflow resume' performs it", len(found) == 1, found)
    check(f"{here.name}: it completes", here.reaches(id, "completed", 20), (here.state(id), errors))
    time.sleep(0.5)
    check(f"{here.name}: one mail is sent", len(here.mails(subject)) == 1, here.mails(subject))
    check(f"{here.name}: the program ends", programs(["resume", id]) == [], programs(["resume", id]))
    again = Bare(here).call("run_plan", planId=id)
    check(f"{here.name}: the next server finds it", again["state"] == "completed" and again["output"] == {"sent": True}, again)


def with_kill(here, id, subject):
    again = Bare(here)
    status = again.call("run_status", runId=id)
    check(f"{here.name}: the next server finds it interrupted", status["state"] == "interrupted" and "run_plan" in status["next"], status)
    stricter = {
        "beyond what this server allows": ("--max-mails", "0"),
        "approved by other people": ("--approvers", here.platform.people[1].id, "--self-approval"),
    }
    for reason, options in stricter.items():
        said = Bare(here, *options).call("run_plan", planId=id)
        refused = said["state"] == "refused" and reason in said["error"]["detail"]
        check(f"{here.name}: a server with {options[0]} does not continue it", refused and here.mails(subject) == [], said)
    ran = again.call("run_plan", planId=id)
    check(f"{here.name}: run_plan continues it", ran["state"] == "completed" and ran["output"] == {"sent": True}, ran)
    check(f"{here.name}: one mail is sent", len(here.mails(subject)) == 1, here.mails(subject))


def programs(words):
    """The processes with these words among their arguments."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if set(words) <= set(line):
            found.append(line)
    return found
