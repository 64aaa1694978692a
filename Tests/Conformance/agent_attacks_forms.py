"""Attacks on forms: answers without a question, states that were altered, content of other types, forged responses."""

import socket
import time

from agent_client import message, meta
from agent_office import ACCEPTED, FORM, URL, agents, quiet
from agent_attacks_runs import raw
from approval_office import edit
from checks import check

CONTENTS = [
    {"approve": "true"}, {"approve": 1}, {"approve": None}, {"approve": [True]}, {"approve": {"approve": True}}, {"approve": False},
    {"approve": "yes"}, {"Approve": True}, {"approve ": True}, {}, [], [True], True, "approve", None, 1,
]
RESPONSES = [
    {"action": "accept"}, {"action": "decline", "content": {"approve": True}}, {"action": "cancel", "content": {"approve": True}},
    {"action": "Accept", "content": {"approve": True}}, {"action": ["accept"], "content": {"approve": True}},
    {"action": True, "content": {"approve": True}}, {"content": {"approve": True}}, {"approve": True}, True, "accept", None, [],
    {"result": {"action": "accept", "content": {"approve": True}}},
]  # fmt: skip


def asks(result):
    return result.asked is not None and "approve" in result.asked


def forms(program):
    with agents(program, "forms") as here:
        server = here.server("--approve", "form")
        plan, other = here.plan(server), here.plan(server, to="alexw@contoso.com")

        def answer(responses, state, plan=plan, **more):
            return server.run(plan, FORM, inputResponses=responses, requestState=state, **more)

        def state(plan=plan):
            return server.run(plan, FORM).result["requestState"]

        def asked_again(name, result):
            right = asks(result) or result.is_refused
            here.holds(name, right, result.reason if result.is_refused else "asks again", repr(result))

        asked_again("an answer that was not asked for", server.run(plan, FORM, inputResponses=ACCEPTED))
        good = state()
        tries = {
            "an invented state": "f" * 64, "an empty state": "", "a state of 1 MB": "a" * 1_000_000, "a number as the state": 1,
            "null as the state": None, "an altered state": good[:-1] + ("0" if good[-1] != "0" else "1"), "a longer state": good + "0",
            "a shorter state": good[:-1], "a state in capitals": good.upper() + " ", "a list of the state": [good], "the plan as the state": plan,
            "a state with a null": good + "\0", "the state of another plan": state(other), "true as the state": True,
        }  # fmt: skip
        for name, one in tries.items():
            asked_again(name, answer(ACCEPTED, one))
        for content in CONTENTS:
            asked_again(f"a form with {content!r}", answer({"approve": {"action": "accept", "content": content}}, state()))
        for response in RESPONSES:
            asked_again(f"the response {response!r}", answer({"approve": response}, state()))
        for responses in ({"approved": ACCEPTED["approve"]}, {}, [], [ACCEPTED], "approve", {"approve": [ACCEPTED["approve"]]}):
            asked_again(f"the responses {str(responses)[:50]}", answer(responses, state()))
        used = state()
        answer({"approve": {"action": "decline"}}, used)
        asked_again("a state that was declined", answer(ACCEPTED, used))
        asked_again("a client without forms that answers all the same", server.run(plan, None, inputResponses=ACCEPTED, requestState="x"))
        asked_again("responses among the arguments", server.call("run_plan", {"planId": plan, "inputResponses": ACCEPTED}))
        asked_again("responses among what the request says of itself", server.request("tools/call", {
            "name": "run_plan", "arguments": {"planId": plan}, "_meta": {**meta(FORM), "inputResponses": ACCEPTED, "requestState": state()}}))
        result = server.call("run_status", {"runId": plan}, FORM, inputResponses=ACCEPTED, requestState=state())
        here.holds("a form for run_status", result.data.get("state") == "waiting", "it waits", repr(result))
        for method in ("elicitation/create", "sampling/createMessage", "approve", "tasks/update", "notifications/elicitation/complete"):
            here.refused(f"the request {method}", "no method", server.request(method, {"planId": plan, "approve": True}))

        one = state()
        edit(here.request_of(plan), lambda content: content["plan"]["plan"]["input"].update(to="x@fabrikam.com"))
        here.refused("a plan that is edited while the form is open", "changed", answer(ACCEPTED, one))
        one = state(other)
        here.graphflow("reject", other)
        result = answer(ACCEPTED, one, plan=other)
        here.holds("a plan that is rejected while the form is open", result.is_refused, result.data.get("state"), repr(result))
        last = here.plan(server)
        one = state(last)
        here.approved.add(last)
        results = [answer(ACCEPTED, one, plan=last) for _ in range(3)]
        here.runs_as("a state that is used three times", last, results[-1])
        last = here.plan(server)
        first = state(last)
        unread = [server.begin("tools/call", {"name": "run_plan", "arguments": {"planId": last}, "inputResponses": ACCEPTED, "requestState": first}, FORM) for _ in range(30)]
        here.approved.add(last)
        states = [server.answer(id).data.get("state") for id in unread]
        here.runs_as("a state that is used 30 times at once", last, server.run(last))
        check("they join, or are asked", set(states) <= {"completed", None}, states)
        brief = here.server("--approve", "form", "--approval-expires", "1s")
        late = here.plan(brief)
        one = brief.run(late, FORM).result["requestState"]
        time.sleep(1.2)
        result = brief.run(late, FORM, inputResponses=ACCEPTED, requestState=one)
        here.refused("a form that is answered too late", "could be approved until|cancelled|expired", result)
        fresh = here.plan(server)
        one = server.run(fresh, FORM).result["requestState"]
        again = here.server("--approve", "form")
        result = again.run(fresh, FORM, inputResponses=ACCEPTED, requestState=one)
        asked_again("the state of another process", result)


def unasked(program):
    """Forms where the server was not started with `--approve form`, and forged responses."""
    with agents(program, "unasked") as here:
        server, web = here.server(), here.server(http=True)
        form_server = here.server("--approve", "form")
        plan = here.plan(server)
        state = form_server.run(plan, FORM).result["requestState"]
        for one, way in ((server, "stdio"), (web, "HTTP")):
            for capabilities in (FORM, {"elicitation": {}}, {"elicitation": {"form": {}, "url": None}}, {"sampling": {}, "elicitation": {"form": {}}}):
                result = one.run(plan, capabilities, inputResponses=ACCEPTED, requestState=state)
                check(f"no form is asked over {way}", result.asked is None, result)
                here.refused(f"a form over {way} with {capabilities}", "not approved", result)
            result = one.run(plan, URL)
            check("an address is asked for", asks(result), result)
            for response in ({"action": "decline"}, {"action": "cancel"}, {"action": "accept ", "content": {"approve": True}}, True):
                result = one.run(plan, URL)
                here.refused(f"an address that is answered with {response} over {way}", "not approve", one.run(
                    plan, URL, inputResponses={"approve": response}, requestState=result.result["requestState"]))
            state_of_url = one.run(plan, URL).result["requestState"]
            result = quiet(one.run, plan, URL, inputResponses=ACCEPTED, requestState=state_of_url, seconds=2)
            here.holds(f"an address that is accepted with a form's content over {way}", result is None or result.is_refused, "it waits for the sign-in", repr(result))
        forged_over_stdio(here, plan)
        forged_over_http(here)


def forged_over_stdio(here, plan):
    """Responses with guessed ids, before anything is asked and instead of what is asked."""
    server = here.server("--approve", "form")
    server.initialize(capabilities=FORM)
    for id in [*range(50), "e1", "1", -1, None, "0" * 32]:
        server.send({"jsonrpc": "2.0", "id": id, "result": ACCEPTED["approve"]})
    call = server.legacy("tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
    asked = server.asked("elicitation/create")
    here.holds("54 responses before the question, over stdio", str(call) not in server.answers, "the question is asked all the same")
    server.send({"jsonrpc": "2.0", "id": str(asked["id"]) + "0", "result": ACCEPTED["approve"]})
    server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"approve": "true"}}})
    here.refused("a response with a text as the answer, over stdio", "did not approve", server.answer(call))
    for name, content in (
        ("an error", {"error": {"code": 0, "message": "approved"}}), ("a bare true", {"result": True}),
        ("no content", {"result": {"action": "accept"}}), ("another name", {"result": {"approve": ACCEPTED["approve"]}}),
        ("both", {"result": ACCEPTED["approve"], "error": {"code": 0, "message": ""}}),
    ):
        call = server.legacy("tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
        asked = server.asked("elicitation/create")
        server.send({"jsonrpc": "2.0", "id": asked["id"], **content})
        if name == "both":
            # It is no answer; a refusal has to follow.
            server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        here.refused(f"a response with {name}, over stdio", "", server.answer(call))
    other = here.server()
    other.initialize(capabilities=FORM)
    call = other.legacy("tools/call", {"name": "run_plan", "arguments": {"planId": plan}, "inputResponses": ACCEPTED, "requestState": "x"})
    here.refused("a form of an earlier version where forms do not count", "not approved", other.answer(call))
    for line in (dict(message("n", "tools/call", {"name": "run_plan", "arguments": {"planId": plan}}), id=None),
                 {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": plan}}):
        other.send(line)
    here.alive("notifications", other)


def forged_over_http(here):
    """Another client answers what a client is asked."""
    server = here.server("--approve", "form", http=True)
    plan = here.plan(server)
    begun = answered_in_part(server, plan)
    for id in [*range(40), *(str(number) for number in range(40)), "e1", None, "", "approve", plan, "0" * 32, "*"]:
        status = server.post({"jsonrpc": "2.0", "id": id, "result": ACCEPTED["approve"]})[0]
        check(f"a forged response {id!r} gets no answer", status in (202, 400), status)
    time.sleep(0.3)
    here.holds("87 forged responses over HTTP", b'"result"' not in begun(), "the ids cannot be guessed")
    for session in ("e-form", "e-form-url-x", "x", "e-" + "a" * 10_000, "../../x", "e-form-form", ""):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_plan", "arguments": {"planId": plan}}}
        other = here.server(http=True) if session == "e-form" else server
        one = quiet(other.post, call, fields={
            "MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session, "Mcp-Method": None, "Mcp-Name": None}, seconds=1)
        here.holds(f"the invented session {session[:20]!r}", one is None or b'"completed"' not in one[2], one and one[0])


def answered_in_part(server, plan):
    """A call of an earlier version that waits for its form; returns what its stream had until now."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_plan", "arguments": {"planId": plan}}}
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=5)
    fields = {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "e-form-0"}
    connection.sendall(raw(server, call, fields))
    got = b""
    while b"elicitation/create" not in got:
        got += connection.recv(4096)
    connection.setblocking(False)

    def more():
        nonlocal got
        try:
            got += connection.recv(65536)
        except BlockingIOError:
            pass
        return got[got.index(b"elicitation/create"):]
    return more


ATTACKS = [forms, unasked]
