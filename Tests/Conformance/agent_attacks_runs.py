"""Attacks by asking again: repeated and concurrent calls, calls that are cancelled, streams and requests that break."""

import concurrent.futures
import os
import shutil
import socket
import threading
import time

from agent_client import Broken, message
from agent_office import ACCEPTED, FORM, MAIL, agents, members, quiet
from checks import check

TOGETHER = 200


def at_the_same_time(calls):
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(lambda call: quiet(call), calls))


def together(program):
    """Many calls at once, in one process and in eight."""
    with agents(program, "together") as here:
        server = here.server()
        plan = here.plan(server)
        ids = [server.begin("tools/call", {"name": "run_plan", "arguments": {"planId": plan}}) for _ in range(TOGETHER)]
        answers = [server.answer(id) for id in ids]
        states = {answer.data.get("state") for answer in answers if answer.is_refused}
        here.holds(f"{TOGETHER} calls at once for a plan that is not approved", states == {"waiting"}, "the plan is not approved", list(states))
        here.approve(plan)
        ids = [server.begin("tools/call", {"name": "run_plan", "arguments": {"planId": plan}}) for _ in range(TOGETHER)]
        answers = [server.answer(id) for id in ids]
        runs = {(answer.data.get("runId"), answer.data.get("state")) for answer in answers}
        check("they get the same run", runs == {(plan, "completed")}, list(runs))
        here.runs_as(f"{TOGETHER} calls at once", plan, answers[0])
        here.runs_as("and once more", plan, server.run(plan))

        servers = [server, *(here.server(http=number % 2 == 0) for number in range(7))]
        plan = here.plan(server)
        here.approve(plan)
        answers = at_the_same_time([lambda one=one: one.run(plan) for one in servers for _ in range(TOGETHER // 8)])
        states = {answer and answer.data.get("state") for answer in answers}
        check("eight processes join one run", states == {"completed"}, [repr(one)[:300] for one in answers if not one or one.is_refused][:3])
        here.runs_as(f"{TOGETHER} calls at once in eight processes", plan, server.run(plan))
        plans = [here.plan(servers[number]) for number in (0, 1, 2)]
        for one in plans:
            here.approve(one)
        at_the_same_time([lambda one=one, plan=plan: one.run(plan) for one in servers for plan in plans])
        for one in plans:
            here.runs_as("several plans in several processes", one, servers[3].run(one))
        once_more(here, server)


def once_more(here, server):
    """Calls whose ids are the same, that are cancelled, or that no one reads."""
    plan = here.plan(server)
    here.approve(plan)
    call = message("same", "tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
    for _ in range(20):
        server.send(call)
    server.wait(lambda: [one for one in server.answers.get('"same"', []) if "result" in one])
    here.runs_as("20 calls with one id", plan, server.run(plan))
    plan = here.plan(server)
    here.approve(plan)
    call = message("gone", "tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
    server.send(call)
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone"}})
    here.runs_as("a call that is cancelled at once", plan, server.run(plan))
    plan = here.plan(server)
    here.approve(plan)
    lines = [message(f"x{number}", "tools/call", {"name": "run_plan", "arguments": {"planId": plan}}) for number in range(50)]
    for number, line in enumerate(lines):
        server.send(line)
        if number % 2:
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"x{number}"}})
    here.runs_as("50 calls of which every second one is cancelled", plan, server.run(plan))
    for name, end in (("input that ends after the call", server.close), ("SIGTERM after the call", lambda: other.kill(15))):
        other = here.server()
        plan = here.plan(other)
        here.approve(plan)
        one = other if "SIGTERM" in name else server
        one.begin("tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
        time.sleep(0.1)
        end()
        server = here.server()
        here.runs_as(name, plan, server.run(plan))
    first = here.server()
    plan = here.plan(first)
    here.approve(plan)
    first.begin("tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
    time.sleep(0.15)
    first.kill()
    here.runs_as("a process that is killed during the run", plan, server.run(plan))
    home = here.variables["GRAPHFLOW_HOME"]
    plan = here.plan(server)
    here.approves(plan)
    os.rename(home, home + "-moved")
    result = quiet(server.run, plan)
    here.holds("GRAPHFLOW_HOME is gone", result is None or result.is_refused, result and result.reason, repr(result))
    shutil.rmtree(home, ignore_errors=True)
    os.rename(home + "-moved", home)


def raw(server, content, fields=None):
    """The bytes of a request over HTTP."""
    body = members(content).encode()
    lines = [f"Host: 127.0.0.1:{server.port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in {**server.fields(content), **(fields or {})}.items()]
    return f"POST /mcp HTTP/1.1\r\n{chr(13) + chr(10)}".encode().replace(b"\r\n\r\n", b"\r\n") + \
        "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def cut(server, content, sent=None, received=None):
    """Sends a request up to a byte, or reads the answer up to a byte; then the connection is gone."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(content[:sent])
        if received is None:
            return b""
        got = b""
        while len(got) < received and (part := connection.recv(min(4096, received - len(got)))):
            got += part
        return got


def broken(program):
    """Streams of answers that break at each of many bytes, and the call again, as the protocol demands."""
    with agents(program, "broken") as here:
        # A progress message for each task makes the stream longer.
        here.write("mail.yaml", MAIL.replace("do:\n", "do:\n" + "".join(f"  - step{n}: {{ set: '${{ . }}' }}\n" for n in range(5))))
        server = here.server("--approve", "form", http=True)
        length = 1
        tried = here.plan(server)
        whole = accepted(server, tried)
        here.approved.add(tried)
        length = len(cut(server, whole, received=1 << 20))
        check("a whole stream has several messages", length > 1_000, length)
        positions = sorted({*range(0, 300, 50), *range(300, length, max(1, length // 24)), length - 1})
        for position in positions:
            plan = here.plan(server)
            content = accepted(server, plan)
            here.approved.add(plan)
            cut(server, content, received=position)
            # The call with the state that was used is no new approval, and the run is not begun again.
            again = [quiet(server.run, plan) for _ in range(2)]
            if again[0].data.get("state") == "waiting":
                again = [here.by_form(server, plan)]
            check(f"a stream that breaks after {position} bytes", again[-1].data.get("state") == "completed" and len(here.mails_of(plan)) == 1,
                  (repr(again[-1]), len(here.mails_of(plan))))
            here.attacks += 1
        here.line(f"streams that break at {len(positions)} places up to byte {length}", "one run each")
        here.count_sent = len(here.sends())
        plan = here.plan(server)
        content = accepted(server, plan)
        for position in range(0, len(content), 23):
            cut(server, content, sent=position)
        cut(server, content, sent=len(content) - 1)
        here.holds(f"requests that break at {len(content) // 23 + 1} places", True, "no whole request")
        here.refused("and the plan, which the broken forms did not approve", "not approved", server.run(plan))
        partial(here, server)


def accepted(server, plan):
    """The bytes of a call that approves by a form."""
    asked = server.run(plan, FORM)
    state = asked.result["requestState"]
    return raw(server, message(7, "tools/call", {
        "name": "run_plan", "arguments": {"planId": plan}, "inputResponses": ACCEPTED, "requestState": state}, FORM)
        | {"params": {"name": "run_plan", "arguments": {"planId": plan}, "inputResponses": ACCEPTED, "requestState": state,
                      "_meta": {**message(1, "", {}, FORM)["params"]["_meta"], "progressToken": "t"}}})


def partial(here, server):
    """A client that holds the stream and does not read, many at once."""
    plan = here.plan(server)
    content = accepted(server, plan)
    here.approved.add(plan)
    held = []
    for _ in range(40):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        connection.sendall(content)
        held.append(connection)
    result = quiet(server.run, plan)
    if result and result.data.get("state") == "waiting":
        raise Broken("the form does not count")
    for connection in held:
        connection.close()
    here.runs_as("40 clients that do not read", plan, result)
    threads = threading.active_count()
    check("no thread is left", threads < 50, threads)


ATTACKS = [together, broken]
