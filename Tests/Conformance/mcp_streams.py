"""Sends hostile lines to a server of the Model Context Protocol over streams, and checks that it continues to answer.

    mcp_streams.py [--count N] [--seed N]

After each hostile line, the same process answers a good request. It writes nothing but messages. N lines are random.
"""

import json
import os
import random
import threading
import time

import probe
from checks import at_once, case, check, end
from mcp_client import NOVEMBER, StreamClient, check_message

COMMAND = [probe.path(), "mcp-stdio"]
# What a server may hold in memory, in MB, whatever it is sent.
MEMORY = 250
PING = b'{"jsonrpc":"2.0","id":"good","method":"ping"}\n'


def line(members, **more):
    return json.dumps({"jsonrpc": "2.0", **members, **more}).encode() + b"\n"


def connected():
    client = StreamClient(COMMAND)
    client.write(line({"id": 0, "method": "initialize", "params": {
        "protocolVersion": NOVEMBER, "capabilities": {}, "clientInfo": {"name": "hostile", "version": "1"}}}))
    check("initialize", client.receive().get("result"))
    return client


def good(client, name):
    """Checks that the server answers a good request; returns its messages before that answer."""
    client.write(PING)
    before = []
    while (message := client.receive()) is not None:
        if message.get("id") == "good":
            check(f"a good request is answered after {name}", message.get("result") == {}, message)
            return before
        before.append(message)
    check(f"the server continues after {name}", False, before)
    return before


def ends(client):
    check("the server ends with its input", client.close() == 0)
    check("it writes nothing but messages", not client.wrong, client.wrong)


PARSE, REQUEST = -32700, -32600
REFUSED = {
    # What a line is: the line, the error's code, the error's id.
    "half a message": (b'{"jsonrpc":"2.0","id":1,"method":"pi\n', PARSE, None),
    "no JSON": (b"hello\n", PARSE, None),
    "the head of another framing": (b"Content-Length: 20\r\n", PARSE, None),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}\n', PARSE, None),
    "an overlong character": (b'{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}\n', PARSE, None),
    "a surrogate in bytes": (b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}\n', PARSE, None),
    "a zero byte": (b'{"jsonrpc":"2.0",\0"id":1,"method":"ping"}\n', PARSE, None),
    "only zero bytes": (b"\0\0\0\0\n", PARSE, None),
    "two values": (b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}\n', PARSE, None),
    "a comma too many": (b'{"jsonrpc":"2.0","id":1,"method":"ping",}\n', PARSE, None),
    "a name twice": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', PARSE, None),
    "a name twice inside": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"\\u0061":2}}\n', PARSE, None),
    "10,000 levels": (b"[" * 10_000 + b"]" * 10_000 + b"\n", PARSE, None),
    "10,000 levels inside": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}\n", PARSE, None),
    "10,000 levels that do not end": (b'{"a":[' * 10_000 + b"\n", PARSE, None),
    "a line of 20 MB": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * 20_000_000 + b'"}}\n', REQUEST, None),
    "an empty batch": (b"[]\n", REQUEST, None),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n', REQUEST, None),
    "a text": (b'"ping"\n', REQUEST, None),
    "a number": (b"1\n", REQUEST, None),
    "null": (b"null\n", REQUEST, None),
    "an empty object": (b"{}\n", REQUEST, None),
    "no version": (b'{"id":1,"method":"ping"}\n', REQUEST, 1),
    "another version": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', REQUEST, 1),
    "a version that is a number": (b'{"jsonrpc":2.0,"id":1,"method":"ping"}\n', REQUEST, 1),
    "no method": (line({"id": 1}), REQUEST, None),
    "a method that is a number": (line({"id": 1, "method": 1}), REQUEST, 1),
    "a method that is null": (line({"id": 1, "method": None}), REQUEST, 1),
    "parameters that are a text": (line({"id": "a", "method": "ping", "params": "x"}), REQUEST, "a"),
    "parameters that are null": (line({"id": 1, "method": "ping", "params": None}), REQUEST, 1),
    "parameters that are a list": (line({"id": 1, "method": "ping", "params": []}), -32602, 1),
    "an id that is null": (line({"id": None, "method": "ping"}), REQUEST, None),
    "an id that is true": (line({"id": True, "method": "ping"}), REQUEST, None),
    "an id that is a list": (line({"id": [1], "method": "ping"}), REQUEST, None),
    "an id that is an object": (line({"id": {}, "method": "ping"}), REQUEST, None),
    "an id that is a fraction": (line({"id": 1.5, "method": "ping"}), REQUEST, None),
    "an id with too many digits": (b'{"jsonrpc":"2.0","id":' + b"9" * 400 + b',"method":"ping"}\n', None, None),
    "a result and an error": (line({"id": 1, "result": {}, "error": {"code": 1, "message": "x"}}), REQUEST, None),
    "neither a result nor an error": (line({"id": 1}), REQUEST, None),
}
IGNORED = {
    # If these were answered, two peers could answer each other without end.
    "an error without an id": line({"error": {"code": -32700, "message": "x"}}),
    "an error whose id is null": line({"id": None, "error": {"code": -32700, "message": "x"}}),
    "an answer to nothing": line({"id": 4711, "result": {}}),
    "a failed answer to nothing": line({"id": "x", "error": {"code": 1, "message": "x"}}),
    "an error that is a text": line({"id": 1, "error": "x"}),
    "an unknown notification": line({"method": "notifications/unknown", "params": {"a": 1}}),
    "a notification that is a request elsewhere": line({"method": "tools/call", "params": {"name": "test_waiting"}}),
    "a cancellation of nothing": line({"method": "notifications/cancelled", "params": {"requestId": 99}}),
    "a cancellation of null": line({"method": "notifications/cancelled", "params": {"requestId": None}}),
    "a cancellation without a request": line({"method": "notifications/cancelled", "params": []}),
    "blank lines": b"\n \n\t\r\n\n",
}
ANSWERED = {
    "an empty id": ("", line({"id": "", "method": "ping"})),
    "a negative id": (-1, line({"id": -1, "method": "ping"})),
    "a large id": (2**53, line({"id": 2**53, "method": "ping"})),
    "a long id": ("x" * 100_000, line({"id": "x" * 100_000, "method": "ping"})),
    "other characters in an id": ("ä\u2028\0😀", line({"id": "ä\u2028\0😀", "method": "ping"})),
    "a line that ends as on Windows": (1, line({"id": 1, "method": "ping"})[:-1] + b"\r\n"),
    "blanks around": (1, b" \t" + line({"id": 1, "method": "ping"})[:-1] + b"  \n"),
    "unknown members": (1, line({"id": 1, "method": "ping", "a": 1, "params": {"b": [1]}})),
}


def refused_lines():
    client = connected()
    for name, (data, code, id) in REFUSED.items():
        client.write(data)
        said = good(client, name)
        check(f"{name} is refused once", len(said) == 1 and code in (None, said[0]["error"]["code"])
              and said[0].get("id") == id, said)
        for message in said:
            check_message(NOVEMBER, "ping", message)
    memory = client.memory()
    check("little is in memory", memory is None or memory < MEMORY, memory)
    ends(client)


def answered_lines():
    client = connected()
    for name, data in IGNORED.items():
        client.write(data)
        said = good(client, name)
        check(f"{name} gets no answer", not said, said)
    for name, (id, data) in ANSWERED.items():
        client.write(data)
        said = client.receive()
        check(f"{name} is answered", said == {"jsonrpc": "2.0", "id": id, "result": {}}, said)
        good(client, name)
    for byte in PING:
        client.write(bytes([byte]))
    check("a line in single bytes is answered", client.receive().get("result") == {})
    together = b"".join(line({"id": id, "method": "ping"}) for id in range(4))
    client.write(together[:-10])
    client.write(together[-10:])
    answers = [client.receive() for _ in range(4)]
    check("lines that arrive together are answered", sorted(each["id"] for each in answers if each.get("result") == {})
          == [0, 1, 2, 3], answers)
    ends(client)


def many_requests():
    client = connected()
    ids = list(range(1, 2001))
    client.write(b"".join(line({"id": id, "method": "tools/list"}) for id in ids))
    answers = [client.receive() for _ in ids]
    check("each of 2,000 requests gets one answer", sorted(answer["id"] for answer in answers) == ids)
    check("which is a result, or that the server is busy",
          all("result" in answer or answer["error"]["code"] == -32000 for answer in answers))
    good(client, "2,000 requests")
    ids = [f"wait {number}" for number in range(2000)]
    client.write(b"".join(line({"id": id, "method": "tools/call", "params": {"name": "test_waiting"}}) for id in ids))
    busy = [client.receive() for _ in range(1000)]
    check("of 2,000 calls that wait, 1,000 are refused", {answer["error"]["code"] for answer in busy} == {-32000}
          and len({answer["id"] for answer in busy}) == 1000)
    client.write(b"".join(line({"method": "notifications/cancelled", "params": {"requestId": id}}) for id in ids))
    check("those that are cancelled get no answer", not good(client, "2,000 cancellations"))
    # Each call learns of it by itself.
    for number in range(1000):
        client.write(line({"id": f"count {number}", "method": "tools/call", "params": {"name": "test_cancelled"}}))
        count = client.receive()["result"]["content"][0]["text"]
        if count == "1000":
            break
        time.sleep(0.01)
    check("and their calls are", count == "1000", count)
    ends(client)


def cancellations():
    client = connected()

    def cancel(id):
        client.write(line({"method": "notifications/cancelled", "params": {"requestId": id, "reason": "test"}}))

    cancel(5)
    client.write(line({"id": 5, "method": "ping"}))
    check("what is cancelled before it is sent is answered", client.receive() == {"jsonrpc": "2.0", "id": 5, "result": {}})
    cancel(5)
    check("what is cancelled after it is answered gets no other answer", not good(client, "a late cancellation"))
    wait = {"method": "tools/call", "params": {"name": "test_waiting"}}
    client.write(line(wait, id=6))
    client.write(line(wait, id=6))
    answer = client.receive()
    check("an id in progress is refused", (answer["id"], answer["error"]["code"]) == (6, REQUEST), answer)
    cancel("6")
    cancel(7)
    cancel(6)
    cancel(6)
    check("what is cancelled gets no answer", not good(client, "cancellations"))
    client.write(line({"id": 6, "method": "ping"}))
    check("its id can be used again", client.receive() == {"jsonrpc": "2.0", "id": 6, "result": {}})
    client.write(line(wait, id=8))
    check("calls in progress do not keep the server", client.close() == 0)


def unread_answers():
    """A client that does not read until the server no longer reads either."""
    client = StreamClient(COMMAND, is_read=False)
    request, sent, most = line({"id": "x" * 1000, "method": "ping"}), [0], 400_000

    def flood():
        try:
            while sent[0] < most:
                client.write(request * 100)
                sent[0] += 100
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    last, still = -1, 0
    while thread.is_alive() and still < 10:
        time.sleep(0.2)
        still, last = (still + 1 if sent[0] == last else 0), sent[0]
    check("the server stops reading", thread.is_alive() and sent[0] < most, sent)
    memory = client.memory()
    check("its memory is bounded", memory is None or memory < MEMORY, memory)
    check("it is still there", client.process.poll() is None)
    most = 0
    client.begin_reading()
    thread.join(60)
    good(client, "a client that did not read")
    ends(client)


def much_traffic():
    """What a server has read and answered does not stay in its memory."""
    client = StreamClient(COMMAND)
    request = line({"id": "x" * 4000, "method": "ping"}) * 200
    memory = []
    for _ in range(3):
        for _ in range(12):
            client.write(request)
            for _ in range(200):
                client.receive()
        memory.append(client.memory())
    check("10 MB more take no more memory", None in memory or memory[2] - memory[1] < 4, memory)
    ends(client)


def gone_readers():
    """A client that closes its side for reading, and one that ends in the middle of a line."""
    client = StreamClient(COMMAND, is_read=False)
    client.process.stdout.close()
    try:
        for _ in range(1000):
            client.write(PING)
    except BrokenPipeError:
        pass
    check("a server whose output is closed ends with its input", client.close() == 0)
    for cut in (1, len(PING) // 2, len(PING) - 1):
        client = connected()
        client.write(PING[:cut])
        ends(client)
    client = StreamClient(COMMAND)
    check("a server without any input ends", client.close() == 0)
    client = connected()
    client.write(PING * 1000)
    check("a server that is left with requests ends", client.close() == 0)


def drawn_lines(number, seed, count):
    """Messages with random mistakes: the server answers each line with at most one message, and continues."""
    total = 0
    chance = random.Random(f"{seed} {number}")
    client = connected()
    seeds = [data for data, _, _ in REFUSED.values() if len(data) < 1000] + list(IGNORED.values()) + [PING, line(
        {"id": 3, "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}, "_meta": {"progressToken": 1}}})]
    for _ in range(count):
        data = bytearray(chance.choice(seeds)[:-1])
        for _ in range(chance.choice([1, 1, 2, 5])):
            place = chance.randrange(len(data) + 1)
            piece = chance.choice([b"{", b"}", b"[", b'"', b"\\", b",", b":", b"null", b"1e999", b"\\ud800", b"\xff", b"\0",
                                   bytes([chance.randrange(256)]), b'"id":', b'"method":"ping"'])
            data[place : place + chance.choice([0, 1, 5])] = piece
        # The good request's own id would be taken for its answer.
        data = bytes(data).replace(b"\n", b"").replace(b"good", b"bad")
        client.write(data + b"\n")
        # What a line gets may follow the answer to the good request.
        total += len(good(client, repr(data)))
    check("no line gets two answers", count // 3 < total <= count, total)
    ends(client)


def main():
    options = probe.options(count=2000)
    parts = 4
    at_once(
        refused_lines, answered_lines, many_requests, cancellations, unread_answers, much_traffic, gone_readers,
        *(case(drawn_lines, part, options.seed, options.count // parts) for part in range(parts)),
        most=os.cpu_count() or 2)
    end("Hostile lines to a server of the Model Context Protocol")


main()
