"""Attacks from within a rehearsal: it reaches nothing outside, and it ends."""

import http.server
import os
import threading
import time

from agent_office import agents, quiet
from approval_office import HEAD
from checks import check


class Counted(http.server.BaseHTTPRequestHandler):
    """Counts what it is asked."""

    hits = []

    def do_GET(self):
        self.hits.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_PUT = do_GET

    def log_message(self, *arguments):
        pass


def flows(port, folder):
    """Workflows by name: lines of tasks, and whether the rehearsal may complete."""
    url = f"http://127.0.0.1:{port}/x"
    touch = f"touch {folder}/touched"
    mail = "call: sendMail, with: { to: lynner@contoso.com, subject: x, body: y }"
    return {
        "another host": f"- a: {{ call: http, with: {{ method: get, endpoint: '{url}' }} }}",
        "a post to another host": f"- a: {{ call: http, with: {{ method: post, endpoint: '{url}', body: {{}} }} }}",
        "a description at another host": f"- a: {{ call: openapi, with: {{ document: {{ endpoint: '{url}' }}, operationId: x }} }}",
        "an event to another host": f"- a: {{ emit: {{ event: {{ with: {{ source: '{url}', type: a.b }} }} }} }}",
        "the real tenant": "- a: { call: graph, with: { path: 'https://graph.microsoft.com/v1.0/me' } }",
        "a tool of another host": f"- a: {{ call: mcp, with: {{ method: tools/list, transport: {{ http: {{ endpoint: '{url}' }} }} }} }}",
        "a tool that is a program": f"- a: {{ call: mcp, with: {{ method: tools/list, transport: {{ stdio: {{ command: touch, arguments: ['{folder}/touched'] }} }} }} }}",
        "a shell": f"- a: {{ run: {{ shell: {{ command: '{touch}' }} }} }}",
        "a script": f"- a: {{ run: {{ script: {{ language: python, code: \"open('{folder}/touched', 'w')\" }} }} }}",
        "a container": f"- a: {{ run: {{ container: {{ image: alpine, command: '{touch}' }} }} }}",
        "a file outside": "- a: { call: readFile, with: { file: /etc/passwd, format: text } }",
        "a file upwards": "- a: { call: readFile, with: { file: ../../../../../../etc/passwd, format: text } }",
        "a link that leads outside": "- a: { call: readFile, with: { file: link.txt, format: text } }",
        "a computed path": "- a: { set: { f: '/etc/passwd' } }\n- b: { call: readFile, with: { file: '${ .f }', format: text } }",
        "a template outside": "- a: { call: render, with: { template: /etc/passwd, values: {} } }",
        "a wait of 1,000 years": "- a: { wait: P365000D }",
        "an event that never comes": "- a: { listen: { to: { one: { with: { type: never.comes } } } } }",
        "a loop without an end": "- a: { set: { x: 1 } }\n- b: { set: { x: 2 }, then: a }",
        "a loop with waits": "- a: { wait: PT1S }\n- b: { set: { x: 2 }, then: a }",
        "a loop that mails": f"- a: {{ {mail} }}\n- b: {{ set: {{ x: 2 }}, then: a }}",
        "retries without an end": "- a: { try: [{ b: { raise: { error: { type: https://x.example/e, status: 503 } } } }], catch: { retry: { delay: PT1S, limit: { attempt: { count: 1000000000 } } } } }",
        "an expression without an end": "- a: { set: { x: '${ def f: f; f }' } }",
        "an expression that repeats": "- a: { set: { x: '${ [limit(1000000000000; repeat(1))] | length }' } }",
        "an expression that grows": "- a: { set: { x: '${ reduce range(100) as $n (\"x\"; . + .) }' } }",
        "a list of 10^12": "- a: { set: { x: '${ [range(1000000000000)] | length }' } }",
        "itself": "- a: { run: { workflow: { namespace: samples, name: flow, version: 1.0.0 } } }",
        "forks without an end": "- a: { fork: { branches: [{ b: { wait: P365000D } }, { c: { wait: P365000D } }] } }",
        "an approval": "- a: { call: approval, with: { approvers: [x@y.example], text: x } }\n- b: { " + mail + " }",
        "variables of the process": "- a: { set: { x: '${ env.GRAPHFLOW_ACCESS_TOKEN // $ENV.GRAPHFLOW_ACCESS_TOKEN }' } }",
    }  # fmt: skip


def rehearsals(program):
    with agents(program, "rehearsals") as here:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counted)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.symlink("/etc/passwd", here.path("link.txt"))
        token = here.variables["GRAPHFLOW_ACCESS_TOKEN"]
        for name, tasks in flows(server.server_port, here.folder).items():
            text = HEAD % "flow" + "do:\n" + "\n".join("  " + line for line in tasks.splitlines()) + "\n"
            here.write("flow.yaml", text.replace("version: 1.0.0 }", "version: 1.0.0, metadata: { allowHttp: [127.0.0.1] } }", 1))
            before = {one: os.stat(here.path(one)).st_mtime_ns for one in os.listdir(here.folder) if one.endswith((".yaml", ".txt"))}
            requests = len(here.sandbox.read("/sandbox/requests"))
            one = here.server(files=("flow.yaml",))
            begun = time.monotonic()
            result = quiet(one.call, "rehearse_flow", seconds=45)
            if result is None:
                # What is no valid workflow ends the server as it starts.
                time.sleep(0.5)
            if result is None and one.is_alive:
                check(f"a rehearsal with {name} ends", False, f"after {time.monotonic() - begun:.0f} s it has no answer")
                one.kill()
                continue
            if result is None:
                with open(one.log, encoding="utf-8") as file:
                    here.holds(f"a rehearsal with {name}", one.kill() == 2, file.read())
                continue
            answer = repr(result.answer)
            problems = []
            if "root:" in answer or token in answer:
                problems.append("it tells what is outside")
            if Counted.hits:
                problems.append(("another host was asked", list(Counted.hits)))
            if os.path.exists(here.path("touched")):
                problems.append("a program was started")
            if {one: os.stat(here.path(one)).st_mtime_ns for one in before} != before:
                problems.append("a file was changed")
            if len(here.sandbox.read("/sandbox/requests")) != requests:
                problems.append("the tenant was asked")
            state = f"{result.data.get('state')} {(result.data.get('error') or {}).get('detail', '')}, {time.monotonic() - begun:.1f} s"
            here.holds(f"a rehearsal with {name}", not problems, state, problems)
            here.alive(f"a rehearsal with {name}", one)
            one.kill()
            Counted.hits.clear()
        check("no run is kept", [one for one in here.runs()] == [], here.runs())
        server.shutdown()


ATTACKS = [rehearsals]
