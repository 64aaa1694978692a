"""Attacks on the bounds of a server, plans that seem to do nothing, answers of the tenant that change, and secrets."""

import http.server
import json
import os
import threading
import time
import urllib.request

from agent_office import agents, quiet
from approval_desk import LYNNE
from approval_office import HEAD, graph
from checks import check

TO = "[{ emailAddress: { address: x@fabrikam.com } }]"
MESSAGE = f"{{ message: {{ subject: x, toRecipients: {TO} }} }}"


def asks(method, path, body="{}", more=""):
    return f"- a: {{ call: graph, with: {{ method: {method}, path: '{path}', body: {body}{more} }} }}"


def batch(*requests, path="/$batch"):
    parts = ", ".join(f"{{ id: '{number}', {one} }}" for number, one in enumerate(requests))
    return asks("POST", path, f"{{ requests: [{parts}] }}")


MAILS = {
    "one mail more": "- a: { call: sendMail, with: { to: lynner@contoso.com, subject: x, body: y } }",
    "POST sendMail": asks("POST", "/me/sendMail", MESSAGE), "in other letters": asks("POST", "/ME/SENDMAIL", MESSAGE),
    "in escapes": asks("POST", "/me/%73endMail", MESSAGE), "with a query": asks("POST", "/me/sendMail?x=y", MESSAGE),
    "of another person": asks("POST", "/users/alexw@contoso.com/sendMail", MESSAGE), "with a namespace": asks("POST", "/me/microsoft.graph.sendMail", MESSAGE),
    "of the beta": asks("POST", "/me/sendMail", MESSAGE, ", version: beta"), "said to read": asks("POST", "/me/sendMail", MESSAGE, ", effect: read"),
    "as MIME": asks("POST", "/me/sendMail", "VG86IHg=", ", headers: { Content-Type: text/plain }"), "a draft": asks("POST", "/me/messages", "{ subject: x }"),
    "the send of a draft": asks("POST", "/me/messages/x/send"), "a reply": asks("POST", "/me/messages/x/reply"), "a forward": asks("POST", "/me/messages/x/forward", f"{{ toRecipients: {TO} }}"),
    "in a batch": batch(f"method: POST, url: /me/sendMail, body: {MESSAGE}"), "in a batch, in escapes": batch(f"method: post, url: 'me/%73endMail', body: {MESSAGE}", path="/%24batch"),
    "in a batch in a batch": batch(f"method: POST, url: '/$batch', body: {{ requests: [{{ id: '1', method: POST, url: /me/sendMail, body: {MESSAGE} }}] }}"),
    "in a loop": "- a: { for: { each: n, in: '${ [range(3)] }' }, do: [{ b: { call: sendMail, with: { to: lynner@contoso.com, subject: x, body: y } } }] }",
    "as often as a program says": "- p: { run: { shell: { command: 'echo 3' } } }\n- a: { for: { each: n, in: '${ [range(. | tonumber)] }' }, do: [{ b: { call: sendMail, with: { to: lynner@contoso.com, subject: x, body: y } } }] }",
    "under a condition": "- p: { run: { shell: { command: 'echo 3' } } }\n- a: { if: '${ . == \"4\" }', call: sendMail, with: { to: lynner@contoso.com, subject: x, body: y } }",
}  # fmt: skip
DELETES = {
    "DELETE": asks("DELETE", "/me/messages/x"), "said to read": "- a: { call: graph, with: { method: DELETE, path: /me/messages/x, effect: read } }",
    "for good": asks("POST", "/me/messages/x/permanentDelete"), "in a batch": batch("method: DELETE, url: /me/messages/x"),
    "in a batch in other letters": batch("Method: delete, Url: me/messages/x", path="/$BATCH"),
    "in a text that is a batch": asks("POST", "/$batch", "'{\"requests\":[{\"id\":\"1\",\"method\":\"DELETE\",\"url\":\"/me/messages/x\"}]}'"),
    "by a header field": asks("POST", "/me/messages/x", "{}", ", headers: { X-HTTP-Method: DELETE }"),
    "by another header field": asks("POST", "/me/messages/x", "{}", ", headers: { X-HTTP-Method-Override: DELETE }"),
    "by a header field of what reads": "- a: { call: graph, with: { path: /users/lynner@contoso.com, headers: { X-HTTP-Method: DELETE } } }",
}  # fmt: skip
OUTSIDE = {
    "a mail": asks("POST", "/me/sendMail", MESSAGE), "a mail to an unknown address": "- p: { run: { shell: { command: 'echo x' } } }\n- a: { call: sendMail, with: { to: '${ . }', subject: x, body: y } }",
    "a guest": asks("POST", "/invitations", "{ invitedUserEmailAddress: x@fabrikam.com, inviteRedirectUrl: 'https://x.example', sendInvitationMessage: true }"),
    "a rule that forwards": asks("POST", "/me/mailFolders/inbox/messageRules", f"{{ displayName: x, actions: {{ forwardTo: {TO} }} }}"),
    "a rule that is changed to redirect": asks("PATCH", "/me/mailFolders/inbox/messageRules/x", f"{{ actions: {{ redirectTo: {TO} }} }}"),
    "a subscription": asks("POST", "/subscriptions", "{ changeType: created, notificationUrl: 'https://x.example', resource: /me/messages }"),
    "an automatic reply": asks("PATCH", "/me/mailboxSettings", "{ automaticRepliesSetting: { status: alwaysEnabled } }"),
    "an invitation to a file": asks("POST", "/me/drive/items/x/invite", "{ recipients: [{ email: x@fabrikam.com }], roles: [read], sendInvitation: true }"),
    "a permission": asks("POST", "/me/drive/items/x/permissions", "{ roles: [read], grantedToV2: {} }"),
    "a calendar": asks("POST", "/me/calendar/calendarPermissions", "{ emailAddress: { address: x@fabrikam.com }, role: read }"),
    "an event": asks("POST", "/me/events", f"{{ subject: x, attendees: {TO} }}"), "an event's people": asks("PATCH", "/me/events/x", f"{{ attendees: {TO} }}"),
    "an event that is forwarded": asks("POST", "/me/events/x/forward", f"{{ ToRecipients: {TO} }}"), "a message in a chat": asks("POST", "/chats/x/messages"),
    "an open link": "- a: { call: createLink, with: { itemId: x, scope: anonymous } }", "a link without a scope": "- a: { call: createLink, with: { itemId: x } }",
    "a program": "- a: { run: { shell: { command: 'true' } } }", "another host": "- a: { call: http, with: { method: post, endpoint: 'https://x.example/y', body: {} } }",
    "in a batch": batch(f"method: POST, url: /me/sendMail, body: {MESSAGE}"),
}  # fmt: skip


def bounds(program):
    with agents(program, "bounds") as here:
        for words, flows, reason in (
            (["--max-mails", "0"], MAILS, "--max-mails"), (["--no-deletes"], DELETES, "--no-deletes"),
            (["--internal-only"], OUTSIDE, "--internal-only"), (["--only", "file"], {**MAILS, **DELETES}, "--only"),
        ):  # fmt: skip
            for name, tasks in flows.items():
                server = planned_in(here, words, tasks)
                # What is no valid workflow is refused as the server starts.
                if result := quiet(server.call, "plan_flow"):
                    unable = result.is_refused and "planId" not in result.data
                    here.holds(f"{words[0]}: {name}", unable, result.reason, repr(result))
                else:
                    with open(server.log, encoding="utf-8") as file:
                        here.holds(f"{words[0]}: {name}", server.kill() == 2, file.read())
                server.kill()
        wide, narrow = here.server(), here.server("--max-mails", "0")
        plan = here.plan(wide)
        here.approves(plan)
        here.refused("a plan of a server without bounds", "--max-mails", narrow.run(plan))


def planned_in(here, words, tasks):
    here.write("flow.yaml", HEAD % "flow" + "do:\n" + "\n".join("  " + line for line in tasks.splitlines()) + "\n")
    return here.server(*words, files=("flow.yaml",))


PATH = "/users/lynner@contoso.com?$select=displayName,jobTitle"
READ = f"- read: {{ call: graph, with: {{ path: '{PATH}' }} }}\n"
MAILED = "call: sendMail, with: { to: lynner@contoso.com, subject: '${ $workflow.id }', body: x }"


def hidden(program):
    """Plans without effects whose runs would have effects, and answers that change after the plan."""
    with agents(program, "changes") as here:
        flows = {
            "an if that becomes true": READ + f"- mail: {{ if: '${{ .jobTitle == \"go\" }}', {MAILED} }}",
            "a switch that takes another way": READ + "- way: { switch: [{ go: { when: '${ .jobTitle == \"go\" }', then: mail } }, { stay: { then: end } }] }\n"
            f"- mail: {{ {MAILED} }}",
            "a list that grows": READ + f"- each: {{ for: {{ each: one, in: '${{ if .jobTitle == \"go\" then [1] else [] end }}' }}, do: [{{ mail: {{ {MAILED} }} }}] }}",
            "a path that changes": READ + "- write: { call: graph, with: { method: '${ if .jobTitle == \"go\" then \"POST\" else \"GET\" end }', path: '${ if .jobTitle == \"go\" then \"/me/sendMail\" else \"/me\" end }' } }",
            "an error that is caught": READ + f"- try: {{ try: [{{ check: {{ if: '${{ .jobTitle == \"go\" }}', raise: {{ error: {{ type: https://x.example/e, status: 400 }} }} }} }}], catch: {{ do: [{{ mail: {{ {MAILED} }} }}] }} }}",
            "a file at another address": READ + "- read2: { call: graph, with: { path: '${ if .jobTitle == \"go\" then \"/users/alexw@contoso.com\" else \"/me\" end }' } }",
        }  # fmt: skip
        for name, tasks in flows.items():
            graph(here, "PATCH", "/users/lynner@contoso.com", '{"jobTitle": "Planner"}')
            server = planned_in(here, [], tasks)
            made = server.call("plan_flow")
            if not made.data.get("planId"):
                check(f"{name}: it is planned", False, made)
                continue
            check(f"{name}: the plan needs no approval", made.data["approve"]["needed"] is False, made)
            graph(here, "PATCH", "/users/lynner@contoso.com", '{"jobTitle": "go"}')
            result = server.run(made.data["planId"])
            here.refused(name, "differ", result)
            server.kill()
        changed(here)


def changed(here):
    """The tenant answers otherwise after the approval."""
    group = HEAD % "flow" + (
        "do:\n  - people: { call: graph, with: { path: '/users?$select=mail,displayName,jobTitle&$top=50' } }\n"
        "  - chosen: { set: '${ [.value[] | select(.jobTitle == \"go\")] }' }\n"
        "  - mail: { call: sendMail, with: { to: '${ map(.mail) }', subject: '${ $workflow.id }', body: '${ map(.displayName) | join(\", \") }' } }\n")
    here.write("flow.yaml", group)
    server = here.server(files=("flow.yaml",))
    for name, act in {
        "a recipient more": ("PATCH", "/users/alexw@contoso.com", '{"jobTitle": "go"}'),
        "another name in the text": ("PATCH", "/users/alexw@contoso.com", '{"displayName": "Somebody else"}'),
        "a recipient less": ("PATCH", "/users/alexw@contoso.com", '{"jobTitle": "stay"}'),
    }.items():
        made = server.call("plan_flow")
        plan = made.data["planId"]
        here.approves(plan)
        graph(here, *act)
        result = server.run(plan)
        here.holds(f"after the approval, {name}", result.is_refused, result.reason, repr(result))
    # A list that changes while the run waits.
    graph(here, "PATCH", "/users/lynner@contoso.com", '{"jobTitle": "Planner"}')
    here.write("flow.yaml", HEAD % "flow" + (
        f"do:\n  - first: {{ {MAILED} }}\n  - pause: {{ wait: PT1S }}\n"
        f"  - read: {{ call: graph, with: {{ path: '{PATH}' }} }}\n"
        "  - second: { call: sendMail, with: { to: lynner@contoso.com, subject: '${ $workflow.id }', body: '${ .jobTitle }' } }\n"))
    plan = here.plan(server, "flow")
    here.approve(plan)
    call = server.begin("tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
    time.sleep(0.7)
    graph(here, "PATCH", "/users/lynner@contoso.com", '{"jobTitle": "Another"}')
    result = server.answer(call)
    here.count_sent = len(here.sends())
    mails = here.mails_of(plan)
    check("what changes during the run ends it", result.is_refused and len(mails) <= 1, (len(mails), repr(result)))
    here.holds("an answer that changes during the run", result.is_refused, result.reason)
    result = server.run(plan)
    here.holds("and the run once more", result.is_refused and len(here.mails_of(plan)) == len(mails), result.reason, repr(result))


class Watcher(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the sandbox, and keeps who sent them."""

    target, seen = "", []

    def do(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        self.seen.append((self.command, self.path, self.headers.get("Authorization")))
        fields = {name: value for name, value in self.headers.items() if name not in ("Host", "Content-Length", "Connection", "Accept-Encoding")}
        request = urllib.request.Request(self.target + self.path, data=body if size or self.command != "GET" else None, method=self.command, headers=fields)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do

    def log_message(self, *arguments):
        pass


def secrets(program):
    """Secrets and tokens that an agent must not see, and credentials that are not for it."""
    with agents(program, "secrets") as here:
        Watcher.target = here.sandbox.origin
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Watcher)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        token, reader = here.variables["GRAPHFLOW_ACCESS_TOKEN"], LYNNE.token()
        with open(here.path("reader.env"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(f"GRAPHFLOW_ACCESS_TOKEN={reader}\n")
        secret = "s3cr3t-of-the-workflow-42"
        here.write("flow.yaml", HEAD % "flow" + f"use: {{ secrets: [KEY] }}\ndo:\n{READ.replace('- read', '  - read')}" + (
            "  - mail: { call: sendMail, with: { to: lynner@contoso.com, subject: '${ $workflow.id }', body: '${ .displayName + $secrets.KEY }' } }\n"
            "output: { as: '${ $secrets.KEY }' }\n"))
        here.write("raise.yaml", HEAD % "raise" + "use: { secrets: [KEY] }\ndo:\n  - fail: { raise: { error: { type: https://x.example/e, status: 400, detail: '${ $secrets.KEY }' } } }\n")
        graph_url = f"http://127.0.0.1:{server.server_port}/v1.0"
        one = here.server("--planning-env-file", here.path("reader.env"), files=("mail.yaml", "flow.yaml", "raise.yaml"),
                          GRAPHFLOW_GRAPH_URL=graph_url, GRAPHFLOW_SECRET_KEY=secret)
        seen = []

        def looks(name, result):
            seen.append(repr(result.answer))
            leaks = [word for word in (secret, token, reader) if word in json.dumps(result.answer)]
            here.holds(f"{name} tells no secret", not leaks, "concealed", leaks)
            return result

        made = looks("a plan", one.call("plan_flow"))
        plan = made.data.get("planId")
        check("it is planned", plan, made)
        check("plans are made with the credential for plans", {who for _, _, who in Watcher.seen} == {f"Bearer {reader}"}, len(Watcher.seen))
        looks("the plan as a resource", one.request("resources/read", {"uri": f"graphflow://plan/{plan}"}))
        here.plans[plan] = here.asked(plan)["plan"]["plan"]
        here.approve(plan)
        Watcher.seen.clear()
        result = one.run(plan)
        here.count_sent = len(here.sends())
        here.attacks += 1
        check("it runs", result.data.get("state") == "completed", result)
        check("runs have the credential for runs", {who for _, _, who in Watcher.seen} == {f"Bearer {token}"}, len(Watcher.seen))
        looks("the result of the run", result)
        looks("run_status", one.call("run_status", {"runId": plan}))
        looks("the run as a resource", one.request("resources/read", {"uri": f"graphflow://run/{plan}"}))
        looks("an error with a secret", one.run(one.call("plan_raise").data.get("planId", "none")))
        looks("a plan of an error", one.call("plan_raise"))
        looks("a rehearsal", one.call("rehearse_flow"))
        for name, value in (("the token of runs", token), ("the token of plans", reader), ("the secret", secret)):
            graph(here, "PATCH", "/users/lynner@contoso.com", json.dumps({"displayName": value[:250] if len(value) > 256 else value}))
            looks(f"a plan with {name} in the tenant", one.call("plan_flow"))
        check("the log tells no secret", not any(word in open(one.log, encoding="utf-8").read() for word in (secret, token, reader)), "")
        server.shutdown()


ATTACKS = [bounds, hidden, secrets]
