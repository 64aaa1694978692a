"""Attacks with messages: JSON with two readings, depth, sizes, numbers, tools with path characters."""

import json

from agent_client import message, meta
from agent_office import agents
from checks import check


def messages(program):
    with agents(program, "messages") as here:
        server = here.server()
        plan, other = here.plan(server), here.plan(server)
        here.approves(plan)
        text = json.dumps(meta())

        def line(arguments, name='"run_plan"', id="1", more=""):
            return f'{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name},"arguments":{arguments},"_meta":{text}{more}}}}}\n'.encode()

        def tried(name, content, word=None):
            """Whatever it is, the approved plan does not run, and the server answers or waits."""
            begun = len(server.lines)
            server.send(content)
            server.call("list_workflows")
            got = [json.loads(one) for one in server.lines[begun:-1] if one]
            results = [one for one in got if "result" in one and not one["result"].get("isError") and "runId" in str(one["result"].get("structuredContent"))]
            reasons = [one.get("error", {}).get("message") or "a result with an error" for one in got] or ["no answer"]
            here.holds(name, not results, reasons[0], got)

        tried("planId twice", line(f'{{"planId":"{other}","planId":"{plan}"}}'))
        tried("planId twice, the other way", line(f'{{"planId":"{plan}","planId":"{other}"}}'))
        tried("planId twice, once in escapes", line(f'{{"planId":"{other}","plan\\u0049d":"{plan}"}}'))
        tried("arguments twice", line(f'{{"planId":"{other}"}}', more=f',"arguments":{{"planId":"{plan}"}}'))
        tried("name twice", line(f'{{"planId":"{plan}"}}', '"list_workflows","name":"run_plan"'))
        tried("__proto__", line(f'{{"__proto__":{{"planId":"{plan}"}}}}'))
        tried("constructor", line(f'{{"constructor":{{"prototype":{{"planId":"{plan}"}}}}}}'))
        tried("planId of another case", line(f'{{"planid":"{plan}"}}'))
        for depth in (250, 10_000, 1_000_000):
            tried(f"a depth of {depth}", line('{"planId":' + "[" * depth + f'"{plan}"' + "]" * depth + "}"))
        for number in ("1e400", "-1e400", "9" * 1_000, "0." + "0" * 1_000 + "1", "01", "+1", "NaN", "Infinity", "0x1", "1.", ".5", "-"):
            tried(f"the number {number[:12]}", line(f'{{"planId":{number}}}'))
            tried(f"the id {number[:12]}", line(f'{{"planId":"{other}"}}', id=number))
        for id in ("null", "true", "[]", "{}", "1.5", '"' + "x" * 100_000 + '"'):
            tried(f"the id {id[:12]}", line(f'{{"planId":"{other}"}}', id=id))
        for name, content in {
            "text that is not UTF-8": line(f'{{"planId":"{plan}"}}').replace(plan.encode(), plan.encode() + b"\xff"),
            "an overlong slash": line(f'{{"planId":"{plan}"}}').replace(plan.encode(), b"..\xc0\xaf" + plan.encode()),
            "a byte order mark": b"\xef\xbb\xbf" + line(f'{{"planId":"{other}"}}'),
            "half of a surrogate": line(f'{{"planId":"{plan}\\ud800"}}'), "a comment": line(f'{{"planId":"{other}"/*,*/}}'),
            "a comma at the end": line(f'{{"planId":"{plan}",}}'), "single quotes": line(f"{{'planId':'{plan}'}}"),
            "UTF-16": json.dumps(message(1, "tools/list")).encode("utf-16") + b"\n", "nulls": b"\0\0\0\n", "an empty line": b"\n\r\n \n",
            "two messages in one line": line(f'{{"planId":"{plan}"}}')[:-1] + line(f'{{"planId":"{plan}"}}'),
            "a batch": b"[" + line(f'{{"planId":"{plan}"}}')[:-1] + b"]\n", "half a message": line(f'{{"planId":"{plan}"}}')[:60] + b"\n",
            "a message of 17 MB": line(f'{{"planId":"{"x" * (17 << 20)}"}}'), "HTTP": b"POST /mcp HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
            "a length in front": b"Content-Length: 20\r\n\r\n", "another version of JSON-RPC": line(f'{{"planId":"{plan}"}}').replace(b'"2.0"', b'"1.0"'),
            "no version of JSON-RPC": line(f'{{"planId":"{plan}"}}').replace(b'"jsonrpc":"2.0",', b""),
            "a notification": json.dumps({name: value for name, value in message(1, "tools/call", {"name": "run_plan", "arguments": {"planId": plan}}).items() if name != "id"}).encode() + b"\n",
            "arguments as a list": line(f'["{plan}"]'), "arguments as text": line(json.dumps(json.dumps({"planId": plan}))), "arguments as null": line("null"),
            "params as a list": f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["run_plan",{{"planId":"{plan}"}}]}}\n'.encode(),
        }.items():  # fmt: skip
            tried(name, content)
        for name in (
            "../run_plan", "run_plan/", "/run_plan", "RUN_PLAN", "run_plan\0", "run_plan ", "run\u200b_plan", "tools/run_plan", "plan_../../mail", "plan_mail/../mail",
            "plan_mail.yaml", "plan_" + here.path("mail.yaml"), "plan_", "rehearse_../mail", "x" * 10_000, "", "__proto__", "run_plan\x1b[2J", "ｒｕｎ_plan", 1, None, ["run_plan"],
        ):  # fmt: skip
            result = server.call(name, {"planId": plan, "to": "lynner@contoso.com"})
            check(f"the reason has no control characters: {str(name)[:20]!r}", result.reason.isprintable(), result.reason)
            here.refused(f"the tool {str(name)[:20]!r}", "no tool|missing", result)
        for method in ("tools/call/", "TOOLS/CALL", "tools/call\0", "run_plan", "", "initialize/../tools/call", "rpc.discover"):
            here.refused(f"the method {method!r}", "no method", server.request(method, {"name": "run_plan", "arguments": {"planId": plan}}))
        for cursor in ("1", "", "../x", "A" * 10_000):
            here.refused(f"the cursor {cursor[:5]!r}", "cursor", server.request("tools/list", {"cursor": cursor}))
        for number in range(1_500):
            server.send(message(f"many{number}", "tools/list"))
        for number in range(1_500):
            server.answer(f"many{number}")
        here.alive("1,500 requests at once", server)
        # What was approved was not touched by any of it.
        here.approved.add(plan)
        here.runs_as("the plan itself", plan, server.run(plan))
        for one in server.lines[:-1]:
            json.loads(one)
        check("every line is JSON without control characters", all(byte >= 32 for one in server.lines for byte in one[:-1]), "")


ATTACKS = [messages]
