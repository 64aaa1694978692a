"""`graphflow lsp` with three editors' capabilities, with Debian's neovim, and against `graphflow validate`.

    ./environment language_server.py GRAPHFLOW [--all] [--seed N]

Every answer is checked by the types of lsprotocol. With --all, every prefix of 20 files is written, and 10,000 random
edits are compared with a fresh opening of the same text.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

import pytest_lsp
from lsprotocol import types

import language_server_features as features
from checks import at_once, case, check, check_none, end
from language_client import EDITORS, Editor, Refused, is_inside, position

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = sorted(ROOT.glob("workflows/*.yaml"))
BROKEN = ROOT / "Tests/GraphflowTests/Snapshots/broken-workflows.txt"
SECRET = "the-secret-‹value›-4711"


def lifecycle(program):
    with Editor(program, start=False) as editor:
        for method, params in (("textDocument/hover", {}), ("shutdown", None)):
            try:
                editor.request(method, params)
                check(f"{method} before initialize", False)
            except Refused as refusal:
                check(f"{method} before initialize", refusal.args[0]["code"] == -32002, refusal)
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///x.yaml", "text": "", "version": 1}})
        editor.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        editor.notify("initialized", {})
        editor.notify("$/setTrace", {"value": "off"})
        try:
            editor.begin("workspace/nothing", {})
            editor.answer(editor.last, "shutdown")
            check("an unknown method", False)
        except Refused as refusal:
            check("an unknown method", refusal.args[0]["code"] == -32601, refusal)
        check("a text that is not open", editor.at(
            "hover", "file:///nothing.yaml", {"line": 0, "character": 0}) is None)
        number = editor.begin("textDocument/hover", {
            "textDocument": {"uri": "file:///nothing.yaml"}, "position": {"line": 0, "character": 0}})
        editor.notify("$/cancelRequest", {"id": number})
        try:
            answer = editor.answer(number, "textDocument/hover")
        except Refused as refusal:
            answer = refusal.args[0]["code"]
        check("a cancelled request gets an answer", answer in (None, -32800), answer)
        editor.send({"id": "null", "method": "shutdown", "params": None})
        editor.messages.get(timeout=20)
        try:
            editor.request("shutdown")
            check("a request after shutdown", False)
        except Refused as refusal:
            check("a request after shutdown", refusal.args[0]["code"] == -32600, refusal)
        editor.notify("exit")
        check("the status after shutdown", editor.process.wait(20) == 0, editor.process.returncode)
    with Editor(program) as editor:
        editor.notify("exit")
        check("the status without shutdown", editor.process.wait(20) == 1, editor.process.returncode)
    with Editor(program) as editor:
        editor.process.stdin.close()
        check("the status after the end of the stream", editor.process.wait(20) == 1, editor.process.returncode)
    for message, status in ((b"", 0), (b'Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}', 1)):
        done = subprocess.run([program, "lsp"], input=message, capture_output=True, timeout=20, check=False)
        check(f"the status after {message[-20:]}", done.returncode == status and not done.stdout, done)
    print(f"start to the answer to initialize: {sorted(start(program) for _ in range(9))[4]:.0f} ms (median of 9)")
    with Editor(program) as editor:
        editor.process.stdin.write(b"Content-Length: 9\r\n\r\n{\"a\": 1]}")
        editor.process.stdin.flush()
        check("what cannot be read is answered", editor.messages.get(timeout=20)["error"]["code"] == -32700)
        check("it continues after that", editor.end() == 0)


def start(program):
    """Milliseconds from the start of the process to its answer to `initialize`."""
    content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    begun = time.monotonic()
    with subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        process.stdin.flush()
        process.stdout.readline()
        took = (time.monotonic() - begun) * 1000
        process.kill()
    return took


def profiles(program, profile):
    """PyPI's client for tests of language servers, with the capabilities of an editor."""
    async def talk():
        client = pytest_lsp.make_test_lsp_client()
        await client.start_io(program, "lsp")
        try:
            path = ROOT / "workflows/welcome.yaml"
            text = path.read_text(encoding="utf-8")
            done = await client.initialize_session(types.InitializeParams(
                capabilities=pytest_lsp.client_capabilities(profile), root_uri=ROOT.as_uri()))
            check(f"{profile}: positions", done.capabilities.position_encoding == "utf-16")
            client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(
                uri=path.as_uri(), language_id="yaml", version=1, text=text)))
            await client.wait_for_notification("textDocument/publishDiagnostics")
            check(f"{profile}: findings", list(client.diagnostics[path.as_uri()]) == [], client.diagnostics)
            document = types.TextDocumentIdentifier(path.as_uri())
            place = types.Position(**position(text, text.index("call: ") + len("call: ") + 1))
            hover = await client.text_document_hover_async(types.HoverParams(document, place))
            check(f"{profile}: hover", hover and "effect:" in hover.contents.value, hover)
            items = await client.text_document_completion_async(types.CompletionParams(document, place))
            check(f"{profile}: completion", any(item.label == "sendMail" for item in items), items)
            symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
            check(f"{profile}: symbols", len(symbols) > 2, symbols)
            lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
            check(f"{profile}: lenses", lenses[0].command.title == "Dry run", lenses)
            folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
            check(f"{profile}: folds", len(folds) > 3, folds)
            await client.shutdown_session()
        finally:
            await client.stop()

    asyncio.run(talk())


def validated(program, *paths, folder=None):
    done = subprocess.run([program, "validate", *paths, "--format", "json"], capture_output=True, cwd=folder, timeout=600)
    return json.loads(done.stdout)


def shown(text, finding):
    """A finding of `validate` as an editor gets it."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def place(line, column):
        return {"line": line - 1, "character": len(lines[line - 1][:column - 1].encode("utf-16-le")) // 2}

    hint = f"\nhint: {finding['hint']}" if "hint" in finding else ""
    return (
        1 if finding["severity"] == "error" else 2, finding["id"], finding["message"] + hint,
        json.dumps(place(finding["line"], finding["column"])), json.dumps(place(finding["endLine"], finding["endColumn"])))


def given(diagnostics):
    return [(
        each["severity"], each["code"], each["message"], json.dumps(each["range"]["start"]),
        json.dumps(each["range"]["end"])) for each in diagnostics]


def compare(program, editor, paths, what):
    """Compares the findings of an editor with those of `validate`, for what is right and what is wrong."""
    problems = []
    found = validated(program, *map(str, paths))
    for path in paths:
        text = path.read_bytes().decode()
        uri = editor.open(path, text)
        expected = [shown(text, each) for each in found if each.get("file") == str(path)]
        actual = given(editor.findings[uri]["diagnostics"])
        if actual != list(dict.fromkeys(expected)) and actual != expected:
            problems.append(f"{path.name}: {actual} and not {expected}")
        editor.close(uri)
    check_none(f"{what}: {len(paths)} files have the findings of validate", problems)
    return len(found)


def findings(program, part):
    with Editor(program) as editor, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if part == "samples":
            check("the samples are right", compare(program, editor, SAMPLES, "samples") == 0)
        elif part == "wrong":
            shutil.copytree(ROOT / "workflows", folder, dirs_exist_ok=True)
            paths = []
            for index, entry in enumerate(BROKEN.read_text(encoding="utf-8").split("=== ")[1:]):
                paths.append(folder / f"wrong-{index}.yaml")
                # Findings about a folder with all of them would be about others.
                paths[-1].write_text(entry.partition("\n")[2], encoding="utf-8")
            check("the wrong files are wrong", compare(program, editor, paths, "wrong files") > len(paths))
        else:
            shutil.copytree(ROOT / "workflows", folder, dirs_exist_ok=True)
            draw = random.Random(part)
            paths = sorted(folder.glob("*.yaml"))
            for path in paths:
                text = path.read_text(encoding="utf-8")
                at = draw.randrange(len(text))
                text = text[:at] + draw.choice(["", "😀", ":", "\t", "'", "{", "ü", "${ .x }"]) + text[at + draw.randrange(3):]
                path.write_text(draw.choice([text, text.replace("\n", "\r\n")]), encoding="utf-8", newline="")
            check("mutants are wrong", compare(program, editor, paths, "mutants") > 10)
        check("it ends", editor.end() == 0)


WRITTEN = SAMPLES[::max(1, len(SAMPLES) // 20)][:20]
READING = ("documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full")


def prefixes(program, path, step):
    """Every prefix of a file, as if somebody wrote it; every answer is right in form, and about the text."""
    with Editor(program) as editor:
        text = path.read_text(encoding="utf-8")
        uri = editor.open(path, "")
        durations = []
        for length in range(0, len(text) + 1, step):
            part = text[:length]
            editor.change(uri, {"text": part}, wait=False)
            started = time.monotonic()
            items = editor.at("completion", uri, position(part, length))
            durations.append(time.monotonic() - started)
            outside = [item for item in items or [] if not is_inside(part, item["textEdit"]["range"])]
            if outside:
                check(f"{path.name}: completion of {length} characters", False, outside[0])
                return
            editor.at("hover", uri, position(part, max(0, length - 2)))
        editor.settle(uri)
        for method in READING:
            editor.of(method, uri)
        check(f"{path.name}: every {step}. prefix", editor.end() == 0)
        print(f"{path.name}: completion {statistics.quantiles(durations * 2, n=20)[-1] * 1000:.0f} ms (95 %)")


def state(editor, uri):
    """What an editor shows of a text."""
    return [given(editor.settle(uri)), *(editor.of(method, uri) for method in READING)]


PIECES = [
    "a", "- ", ":", " ", "\n", "\n    ", "${ .", " }", "'", '"', "{", "}", "[", "]", "😀", "ü", "\t", "|", "call: ",
    "with:\n        ", "$context.", "then: ", "#", "\r\n", "&a ", "*a", "---\n", "", "", "",
]


def edits(program, seed, count):
    """Random edits, one after another; now and then, a fresh opening of the same text is the judge."""
    draw = random.Random(seed)
    path = draw.choice(SAMPLES)
    name = path.with_name("being-written.yaml")
    text = path.read_text(encoding="utf-8")
    with Editor(program) as editor, Editor(program) as fresh:
        uri = editor.open(name, text)
        for index in range(count):
            start = draw.randrange(len(text) + 1)
            stop = min(len(text), start + draw.choice([0, 0, 0, 1, 1, 2, 10, 40]))
            # A position is never between the two characters of a line's end.
            while 0 < start < len(text) and text[start - 1:start + 1] == "\r\n":
                start -= 1
            while stop < len(text) and text[stop - 1:stop + 1] == "\r\n":
                stop += 1
            piece = draw.choice(PIECES)
            change = {
                "range": {"start": position(text, start), "end": position(text, stop)}, "text": piece}
            text = text[:start] + piece + text[stop:]
            editor.change(uri, change, wait=False)
            editor.at("completion", uri, position(text, min(len(text), start + len(piece))))
            if index % 50 == 49:
                other = fresh.open(name, text)
                if state(editor, uri) != state(fresh, other):
                    check(f"edits {seed}: {index + 1} edits are a fresh opening", False, text)
                    return
                fresh.close(other)
            if len(text) > 20_000:
                text = path.read_text(encoding="utf-8")
                editor.change(uri, {"text": text}, wait=False)
        check(f"edits {seed}: {count} edits", editor.end() == 0 and fresh.end() == 0)


def long_file(lines):
    head = "document: { dsl: 1.0.3, namespace: tests, name: long, version: 1.0.0 }\ninput:\n  schema:\n    document:\n      type: object\n      properties: { to: { type: string } }\ndo:\n"
    task = "  - task{0}:\n      call: sendMail\n      with:\n        to: '${{ .to // \"megan@contoso.com\" }}'\n        subject: Mail {0}\n        body: 'Hello ${{ $context.name // \"😀\" }}'\n      input: {{ from: '${{ $workflow.input }}' }}\n"
    return head + "".join(task.format(index) for index in range((lines - 7) // 7))


def speed(program, count):
    with Editor(program) as editor, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "long.yaml")
        text = long_file(1_000)
        path.write_text(text, encoding="utf-8")
        uri = editor.open(path, text)
        before = editor.memory()
        changed, completed = [], []
        place = {"line": 995, "character": 0}
        for index in range(30):
            started = time.monotonic()
            editor.change(uri, {"range": {"start": place, "end": place}, "text": "#" if index % 2 else "# "})
            changed.append(time.monotonic() - started)
            started = time.monotonic()
            editor.at("completion", uri, position(text, text.index("$context.", 20_000) + len("$context.")))
            completed.append(time.monotonic() - started)
        middle = editor.memory()
        for index in range(count):
            editor.change(uri, {"range": {"start": place, "end": place}, "text": "#" if index % 2 else " "}, wait=index % 50 == 0)
            if index % 2:
                editor.change(uri, {"text": text}, wait=False)
        editor.settle(uri)
        after = editor.memory()
        print(
            f"1,000 lines: findings {statistics.quantiles(changed, n=20)[-1] * 1000:.0f} ms, completion "
            f"{statistics.quantiles(completed, n=20)[-1] * 1000:.0f} ms (95 %); memory {before} kB, {middle} kB after 30 "
            f"edits, {after} kB after {count * 3 // 2} more")
        check("memory is flat", after < middle * 1.3 + 20_000, (before, middle, after))
        check("it ends", editor.end() == 0)


def secrets(program):
    """Opening everything reads no secret, runs nothing, and opens no socket."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        wrapper = pathlib.Path(folder, "traced")
        wrapper.write_text(
            f"#!/bin/sh\nexec strace -f -qq -e trace=network,execve,openat -o {trace} {program} \"$@\"\n", encoding="ascii")
        wrapper.chmod(0o700)
        variables = {
            "GRAPHFLOW_ACCESS_TOKEN": SECRET, "AZURE_CLIENT_SECRET": SECRET, "GRAPHFLOW_HOME": f"{folder}/home",
            "GRAPHFLOW_SECRET_DOOR_CODE": SECRET}
        run = subprocess.run(
            [program, "run", ROOT / "workflows/secrets.yaml", "--sandbox"], env={**os.environ, **variables},
            capture_output=True, text=True, timeout=60)
        check("a run has a secret", run.returncode == 0, run.stderr)
        with Editor(str(wrapper), environment=variables) as editor:
            for path in [path for path in SAMPLES[::3] if path.name != "secrets.yaml"]:
                text = path.read_text(encoding="utf-8")
                uri = editor.open(path, text)
                for method in READING:
                    editor.of(method, uri)
                for word in ("$secrets", "$context", "call: ", "do:"):
                    if word in text:
                        editor.at("hover", uri, position(text, text.index(word) + len(word) - 1))
                        editor.at("completion", uri, position(text, text.index(word) + len(word)))
            path = ROOT / "workflows/secrets.yaml"
            text = path.read_text(encoding="utf-8")
            editor.open(path, text)
            words = [
                editor.at("hover", path.as_uri(), position(text, text.index(word) + len(word) - 1))["contents"]["value"]
                for word in ("- writeMail", "body: ${ .body")]
            check("the value of a secret is drawn", all("‹secrets.door-code›" in each for each in words), words)
            check("it ends", editor.end() == 0)
            check("no message has a secret", not any(SECRET.encode() in each or b"4711" in each for each in editor.transcript))
        calls = trace.read_text(encoding="utf-8").splitlines()
        # The library of the language asks for the user's folder over a socket of the file system, if there is one.
        sockets = [call for call in calls if "socket(AF_INET" in call or "connect(" in call and "AF_UNIX" not in call]
        programs = [call for call in calls if "execve(" in call]
        keys = [call for call in calls if f"{folder}/home/key" in call or "token" in call]
        check_none("no socket", sockets)
        check("no program but itself", len(programs) == 1, programs)
        check_none("no key and no token is read", keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--all", action="store_true", help="every prefix, and 10,000 edits")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = options.graphflow
    step, count = (1, 1_000) if options.all else (197, 100)
    at_once(
        case(lifecycle, program), case(speed, program, 2_000 if options.all else 100), *(case(profiles, program, each) for each in EDITORS),
        *(case(findings, program, part) for part in ("samples", "wrong", f"mutants {options.seed}")),
        *(case(each, program) for each in features.CASES), case(secrets, program),
        *(case(prefixes, program, path, step) for path in (WRITTEN if options.all else WRITTEN[::4])),
        *(case(edits, program, options.seed * 1_000 + each, count) for each in range(10 if options.all else 2)),
        most=2)
    end("answers of the language server")


if __name__ == "__main__":
    main()
