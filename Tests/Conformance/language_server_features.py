"""What `graphflow lsp` answers at the places of a text, and what neovim makes of it."""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import urllib.parse

from checks import check, check_none, has
from language_client import Editor, Refused, after, edited, is_inside, position, slice_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FLOW = """\
document: { dsl: 1.0.3, namespace: tests, name: flow, version: 1.0.0 }
# 😀 before what follows
input:
  schema:
    document:
      type: object
      properties: { to: { type: string }, names: { type: array, items: { type: string } } }
      required: [to]
      additionalProperties: false
use:
  retries:
    patient: { delay: PT2S, limit: { attempt: { count: 2 } } }
  functions:
    greet:
      set: { text: hi }
schedule:
  cron: 0 6 * * MON
do:
  - begin:
      set: { "to": '${ .to }', names: '${ .names // ["😀"] }' }
      export:
        as: '${ $context + { seen: . } }'
  - each:
      for: { each: name, in: '${ .names }' }
      do:
        - hello:
            call: greet
            if: '${ $name != "" }'
      then: mail
  - mail:
      try:
        - send:
            call: sendMail
            with:
              to: '${ $context.seen.to }'
              subject: '😀 ${ $context.seen.to | length }'
              body: hello
              saveToSentItems: yes
      catch:
        errors: { with: { status: 503 } }
        retry: patient
        as: problem
        do:
          - note:
              set: { why: '${ $problem.title }' }
      then: pause
  - pause:
      wait: PT90S
"""
# Without jumps, after which data can be anything.
PLAIN = FLOW.replace("      then: mail\n", "").replace("      then: pause\n", "")
RIGHT = PLAIN.replace("saveToSentItems: yes", "saveToSentItems: true")


@contextlib.contextmanager
def place(program, text=PLAIN, name="flow.yaml", **files):
    """A folder with a workflow, and an editor that has it open."""
    with tempfile.TemporaryDirectory() as folder, Editor(program, environment={"GRAPHFLOW_HOME": f"{folder}/.home"}) as editor:
        for other, content in files.items():
            pathlib.Path(folder, other).write_text(content, encoding="utf-8")
        path = pathlib.Path(folder, name)
        path.write_text(text, encoding="utf-8", newline="")
        yield editor, editor.open(path, text), path
        check(f"{name}: it ends", editor.end() == 0)


def labels(items):
    return [item["label"] for item in items or []]


def completion(program):
    def at(editor, uri, line, under="  - begin:"):
        """The labels at the end of a line that is written before another one."""
        text = PLAIN.replace(under, f"{line}\n{under}", 1)
        editor.change(uri, {"text": text}, wait=False)
        found = editor.at("completion", uri, position(text, text.index(line) + len(line)))
        outside = [item for item in found if not is_inside(text, item["textEdit"]["range"])]
        check(f"{line.strip()!r}: ranges", not outside, outside)
        return labels(found)

    with place(program, **{"names.csv": "name\nAdele\n"}) as (editor, uri, _):
        wanted = {
            "eval": ["timeout", "evaluate"], "  - a:\n      ca": ["call", "set", "for", "then", "if"],
            "  - a:\n      call: ": ["sendMail", "upload", "greet", "http"],
            "  - a:\n      call: sendMail\n      with:\n        ": ["to", "subject", "attachments"],
            "  - a:\n      call: sendMail\n      with:\n        to: x\n        su": ["subject"],
            "  - a:\n      call: upload\n      with:\n        conflictBehavior: ": ["replace", "rename", "fail"],
            "  - a:\n      call: readFile\n      with:\n        file: ": ["names.csv"],
            "  - a:\n      then: ": ["mail", "each", "end", "continue", "exit"],
            "  - a:\n      try: []\n      catch:\n        retry: ": ["patient"],
            "  - a:\n      set: { x: '${ .": ["to", "names"], "  - a:\n      set: { x: '${ .' }": [],
            "  - a:\n      set:\n        x: ${ $": ["context", "input", "secrets", "workflow", "task", "runtime"],
            "  - a:\n      set:\n        x: ${ .names | ma": ["map(f)"],
            "  - a:\n      set:\n        x: '${ @": ["base64", "html", "uri"],
            "  - a:\n      set: { y: 1 }\n      if: .": ["to", "names"],
            "  - a:\n      call: graph\n      with:\n        path: /me/mail": ["/me/mailFolders", "/me/mailboxSettings"],
            "  - a:\n      call: graph\n      with:\n        path: /users/${ .to }/": ["/users/${ .to }/messages", "/users/${ .to }/sendMail"],
            "  - a:\n      call: graph\n      with:\n        path: /groups?$select=id,": ["/groups?$select=id,displayName"],
            "  - a:\n      call: graph\n      with:\n        path: /users\n        select: [dis": ["displayName"],
            "  - a:\n      call: graph\n      with:\n        method: PATCH\n        path: /me/messages/x\n        body:\n          im": ["importance"],
            "  - a:\n      call: graph\n      with:\n        method: PATCH\n        path: /me/messages/x\n        body:\n          importance: ": ["high", "low"],
        }
        for line, names in wanted.items():
            found = at(editor, uri, line)
            check(f"{line.strip()!r} offers {names}", set(names) <= set(found), found)
        check("what is written is not offered again", "to" not in at(
            editor, uri, "  - a:\n      call: sendMail\n      with:\n        to: x\n        su"))
        for line, names in {
            "            if: '${ $": ["name", "index"],
            "        - b: { set: { x: '${ $problem.": [],
        }.items():
            found = at(editor, uri, line, "            if:")
            check(f"{line.strip()!r} offers {names}", set(names) <= set(found), found)
        found = at(editor, uri, "              cc: ${ $context.seen.", "              body:")
        check("the context has a type", set(found) == {"to", "names"}, found)
        found = at(editor, uri, "      try: []\n      catch: { do: [ { x: { set: { y: '${ $error.", "  - begin:")
        editor.change(uri, {"text": PLAIN})


def hover(program):
    with place(program, **{"flow.test.yaml": "cases:\n  - name: one\n    input: { to: adele@contoso.com }\n    expect: { state: completed }\n"}) as (editor, uri, _):
        for word, more, parts in [
            ("call: sendMail", -1, ["effect: **once**", "POST", "Mail.Send", "delegated"]),
            ("wait: PT90S", -1, ["1 min 30 s"]), ("cron: 0 6", -1, ["next", "06:00"]),
            ("document: {", -10, ["Mail.Send"]), ("- send:", -2, ["**send**", "output:"]),
            ("retry: patient", -10, ["retry"]), ("$context.seen.to | le", 0, ["length"]),
            ('"to": \'${ .to', 0, ["`.to`: `text`", "the test 'one'", "adele@contoso.com"]),
            ("in: '${ .names", 0, ["`.names`: `"]), ("$problem.title", -8, ["`$problem`"]),
        ]:
            found = editor.at("hover", uri, after(PLAIN, word, more))
            words = found["contents"]["value"] if found else ""
            check(f"hover at {word!r}", all(part in words for part in parts), words)
        check("a range of UTF-16", slice_of(PLAIN, editor.at(
            "hover", uri, after(PLAIN, "$context.seen.to | le"))["range"]) == "length")
        check("nothing at a comment", editor.at("hover", uri, after(PLAIN, "😀 before")) is None)


def last_run(program):
    text = RIGHT.replace("PT90S", "PT0S")
    with place(program, text) as (editor, uri, path):
        run = subprocess.run(
            [program, "run", path, "--sandbox", "--input", '{"to": "megan@contoso.com", "names": ["ü😀"]}'],
            env={**os.environ, "GRAPHFLOW_HOME": f"{path.parent}/.home"}, capture_output=True, text=True, timeout=60)
        check("the run", run.returncode == 0, run.stderr)
        words = editor.at("hover", uri, after(text, '"to": \'${ .to'))["contents"]["value"]
        check("the value of the last run", "the last run" in words and '"megan@contoso.com"' in words, words)
        words = editor.at("hover", uri, after(text, "- begin:", -2))["contents"]["value"]
        check("the output of the last run", "ü😀" in words, words)
        lenses = editor.of("codeLens", uri)
        lens = lenses[-1]["command"]
        check("the lens of the last run", lens["title"].startswith("last run: completed, 20"), lenses)
        check("it says how to show the run", "send" in typed(program, editor, lens, path))


def typed(program, editor, lens, path):
    """What the command that the server says prints when a person types it."""
    editor.request("workspace/executeCommand", {"command": lens["command"], "arguments": lens["arguments"]})
    editor.wait(lambda: hasattr(editor, "shown"), 20)
    words = shlex.split(editor.shown["params"]["message"].removeprefix("Type in a terminal: "))
    del editor.shown
    check("it is a command of graphflow", words[0] == "graphflow", words)
    done = subprocess.run(
        [program, *words[1:]], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "GRAPHFLOW_HOME": f"{path.parent}/.home"})
    return done.stdout + done.stderr


TESTS = """\
cases:
  - name: a mail 😀
    input: { to: adele@contoso.com, names: [] }
    expect:
      state: completed
      mails:
        - { to: [adele@contoso.com] }
  - name: no name
    input: { to: adele@contoso.com, names: [x] }
    expect: { tasks: [begin, each, hello, greet, mail, send, pause] }
"""


def lenses(program):
    text = RIGHT
    with place(program, text, **{"flow.test.yaml": TESTS}) as (editor, uri, path):
        found = editor.of("codeLens", uri)
        check("titles", [each["command"]["title"] for each in found] == ["Dry run", "2 tests"], found)
        for lens, part in zip(found, ("mail", "2 cases passed")):
            shown = typed(program, editor, lens["command"], path)
            check(f"{lens['command']['title']} says its command", part in shown, shown[:2000])
        check("nothing ran", not pathlib.Path(path.parent, ".home/runs").exists())
        tests = editor.open(path.parent / "flow.test.yaml", TESTS)
        found = editor.of("codeLens", tests)
        check("each case has a lens", len(found) == 2, found)
        check("one case is tested", "1 case passed" in typed(program, editor, found[0]["command"], path))
        check("the cases are symbols", [each["name"] for each in editor.of("documentSymbol", tests)] == ["a mail 😀", "no name"])


def names(program):
    with place(program, FLOW, **{"flow.test.yaml": TESTS}) as (editor, uri, path):
        for word, expected in [
            ("then: mail", "mail"), ("retry: patient", "patient"), ("call: greet", "greet"),
            ("'${ $name", "name"), ("$problem.ti", None), ("$problem", "problem"), ("$context.seen.to | l", None),
        ]:
            found = editor.at("definition", uri, position(FLOW, FLOW.index(word) + len(word)))
            texts = [slice_of(FLOW, each["range"]) for each in found or []]
            check(f"definition of {word!r}", texts == ([expected] if expected else []), found)
        found = editor.at("references", uri, after(FLOW, "  - mail:", -1), context={"includeDeclaration": True})
        check("references of a task, in the tests too", sorted(slice_of(FLOW if each["uri"] == uri else TESTS, each["range"]) for each in found) == ["mail"] * 3, found)
        found = editor.at("documentHighlight", uri, after(FLOW, "each: name", -1))
        check("highlights", [each["kind"] for each in found] == [3, 2], found)
        check("what cannot be renamed", editor.at("prepareRename", uri, after(FLOW, "call: sendMail")) is None)
        for word, name in [("'${ $name", "a b"), ("then: mail", "end"), ("then: mail", "pause"), ("then: mail", "")]:
            try:
                editor.at("rename", uri, position(FLOW, FLOW.index(word) + len(word)), newName=name)
                check(f"{word!r} cannot become {name!r}", False)
            except Refused as refusal:
                check(f"{word!r} cannot become {name!r}", refusal.args[0]["code"] == -32803, refusal)


def requests(program, path, given):
    """What a dry run would send, without the names of tasks."""
    done = subprocess.run(
        [program, "run", path, "--dry-run", "--format", "har", "--input", json.dumps(given)], capture_output=True,
        text=True, timeout=60)
    return done.returncode, [entry["request"] for entry in json.loads(done.stdout)["log"]["entries"]]


def rename(program):
    """After each rename, the dry run has the same requests, and the file is as valid as before."""
    text = FLOW.replace("saveToSentItems: yes", "saveToSentItems: true")
    given = {"to": "megan@contoso.com", "names": ["a", "b"]}
    with place(program, text, **{"flow.test.yaml": TESTS}) as (editor, uri, path):
        before = requests(program, path, given)
        check("the plan has requests", before[0] == 0 and before[1], before)
        tests = path.parent / "flow.test.yaml"
        for word, name, count in [
            ("then: mail", "post it: 'now' 😀", 2), ("retry: patient", "slowly", 2), ("call: greet", "hello-there", 2),
            ("'${ $name", "_who2", 2), ("as: problem", "trouble", 2), ("- send:", "ü", 1), ("- pause:", "[x], {y}", 2),
        ]:
            offset = text.index(word) + len(word) - (1 if word.endswith(":") else 0)
            check(f"{word!r} can be renamed", editor.at("prepareRename", uri, position(text, offset)))
            changes = editor.at("rename", uri, position(text, offset), newName=name)["changes"]
            check(f"{word!r} has {count} places", len(changes[uri]) == count, changes)
            path.write_text(edited(text, changes[uri]), encoding="utf-8")
            for other, edits in changes.items():
                if other != uri:
                    tests.write_text(edited(TESTS, edits), encoding="utf-8")
            check(f"after {name!r} the dry run is the same", requests(program, path, given) == before, path.read_text())
            done = subprocess.run([program, "test", tests], capture_output=True, text=True, timeout=60)
            check(f"after {name!r} the tests pass", done.returncode == 0, done.stdout + done.stderr)
            path.write_text(text, encoding="utf-8")
            tests.write_text(TESTS, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, Editor(program) as editor:
        for name in ("run-workflow.yaml", "run-workflow-greet.yaml"):
            shutil.copy(ROOT / "workflows" / name, folder)
        caller, called = pathlib.Path(folder, "run-workflow.yaml"), pathlib.Path(folder, "run-workflow-greet.yaml")
        text = caller.read_text(encoding="utf-8")
        uri = editor.open(caller)
        offset = text.index("name: greet") + len("name: ") if "name: greet" in text else text.index("run-workflow-greet") + 1
        found = editor.at("definition", uri, position(text, offset))
        check("the definition of a workflow is its file", [each["uri"] for each in found] == [called.as_uri()], found)
        changes = editor.at("rename", uri, position(text, offset), newName="salute")["changes"]
        check("both files change", set(changes) == {uri, called.as_uri()}, changes)
        for other, edits in changes.items():
            file = pathlib.Path(other.removeprefix("file://"))
            file.write_text(edited(file.read_text(encoding="utf-8"), edits), encoding="utf-8")
        done = subprocess.run([program, "validate", caller, called], capture_output=True, text=True, timeout=60)
        check("both files are valid", done.returncode == 0, done.stderr)


TEMPLATED = """\
document: { dsl: 1.0.3, namespace: tests, name: templated, version: 1.0.0 }
do:
  - first: { call: render, with: { template: 'mails/a ‹x›.html', values: { name: Größe } } }
  - second: { call: render, with: { template: "mails/a ‹x›.html", values: { name: '{y}' } } }
"""


def rename_files(program):
    """A template and a list get other names, in each text that names them."""
    tests = "workflow: flow.yaml\ncases: [{ name: one, expect: { state: completed } }]\n"
    other = TEMPLATED.replace("name: templated", "name: other")
    with place(program, TEMPLATED, **{"other.yaml": other, "flow.test.yaml": tests}) as (editor, uri, path):
        folder = path.parent
        (folder / "mails").mkdir()
        (folder / "mails/a ‹x›.html").write_text("<b>{{ name }}</b>")
        (folder / "taken.html").write_text("")
        before = subprocess.run([program, "run", path, "--sandbox"], capture_output=True, text=True, timeout=60).stdout
        point = position(TEMPLATED, TEMPLATED.index("mails/a") + 3)
        check("a template can be renamed", editor.at("prepareRename", uri, point))
        for name in ("", "/tmp/x.html", "../x.html", "taken.html", "mails/a ‹x›.html", "a\nb", "mails/"):
            try:
                editor.at("rename", uri, point, newName=name)
                check(f"a template cannot become {name!r}", False)
            except Refused as refusal:
                check(f"a template cannot become {name!r}", refusal.args[0]["code"] == -32803, refusal)
        name = "new, [Ä] 'b' 😀.html"
        *edits, renaming = editor.at("rename", uri, point, newName=name)["documentChanges"]
        check("each text that names it changes", {each["textDocument"]["uri"] for each in edits} ==
              {uri, (folder / "other.yaml").as_uri()} and all(len(each["edits"]) == 2 for each in edits), edits)
        check("the file is renamed last", renaming["kind"] == "rename", renaming)
        for each in edits:
            file = folder / pathlib.Path(urllib.parse.unquote(each["textDocument"]["uri"])).name
            file.write_text(edited(file.read_text(encoding="utf-8"), each["edits"]), encoding="utf-8")
        old, new = (urllib.parse.unquote(renaming[key].removeprefix("file://")) for key in ("oldUri", "newUri"))
        os.rename(old, new)
        check("it has the name", new == str(folder.resolve() / name), new)
        after = subprocess.run([program, "run", path, "--sandbox"], capture_output=True, text=True, timeout=60)
        check("after that the run is the same", after.stdout == before and before, after.stderr)
        text = (folder / "flow.test.yaml").read_text()
        tested = editor.open(folder / "flow.test.yaml", text)
        *edits, renaming = editor.at("rename", tested, position(text, text.index("flow.yaml")), newName="b.yaml")["documentChanges"]
        check("a workflow that tests name can be renamed", [each["textDocument"]["uri"] for each in edits] == [tested], edits)
    with place(program, TEMPLATED) as (editor, uri, path):
        (path.parent / "mails").mkdir()
        (path.parent / "mails/a ‹x›.html").write_text("")
        plain = Editor(program, start=False)
        plain.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        plain.notify("initialized", {})
        plain.open(path, TEMPLATED)
        point = position(TEMPLATED, TEMPLATED.index("mails/a") + 3)
        check("not in an editor that cannot", plain.at("prepareRename", uri, point) is None)
        check("it ends", plain.end() == 0)


WRONG = [
    ("call: greet", "call: gret", "greet"), ("wait: PT90S", "wait: PT90S\n      then: beginn", "begin"),
    ("retry: patient", "retry: patiemt", "patient"),
    ("'${ .names }'", "'${ .nmaes }'", ".names"), ("dsl: 1.0.3", "dsl: 9.0.3", "1.0.3"),
    ("subject: '😀", "subjekt: '😀", "subject"), ("wait: PT90S", "wait: 90", "PT30S"),
    ("body: hello", "body: @hello", "'@hello'"), ("body: hello", "body: 1.0", "'1.0'"),
    ("body: hello", "body: hello: you", "'hello: you'"), ("name: flow, ", "", "name:"),
    ("              to: '${ $context.seen.to }'\n", "", "to: "), ("as: problem", "as:problem", "as: problem"),
    ("      wait: PT90S", "\t  wait: PT90S", "      wait"), ("saveToSentItems: yes", "saveToSentItem: true", "saveToSentItems"),
]


def fixes(program):
    """Each fix is applied; the finding is gone then."""
    with place(program, RIGHT) as (editor, uri, _):
        check("nothing is wrong", not editor.findings[uri]["diagnostics"], editor.findings[uri])
        for word, wrong, part in WRONG:
            text = (PLAIN if "yes" in word else RIGHT).replace(word, wrong, 1)
            found = editor.change(uri, {"text": text})
            check(f"{wrong!r} is found", found)
            actions = [
                action for each in found for action in editor.of(
                    "codeAction", uri, range=each["range"], context={"diagnostics": [each]})]
            fixed = [edited(text, action["edit"]["changes"][uri]) for action in actions]
            check(f"{wrong!r} has a fix with {part!r}", any(part in each and each != text for each in fixed), (found, actions))
            for action, each in zip(actions, fixed):
                left = editor.change(uri, {"text": each})
                same = [one for one in left if (one["code"], one["message"]) == (action["diagnostics"][0]["code"], action["diagnostics"][0]["message"])]
                check(f"{wrong!r}: {action['title']!r} is right", len(same) < len(found), left)
            editor.change(uri, {"text": text})


def structure(program):
    with place(program, **{"list.csv": "name\nx\n"}) as (editor, uri, path):
        symbols = editor.of("documentSymbol", uri)
        tasks = next(each for each in symbols if each["name"] == "do")["children"]
        check("symbols", [each["name"] for each in tasks] == ["begin", "each", "mail", "pause"], symbols)
        check("inner symbols", [each["name"] for each in tasks[2]["children"]] == ["send", "note"], tasks[2])
        check("titles are in the text", all(slice_of(PLAIN, each["selectionRange"]) == each["name"] for each in tasks))
        hints = editor.of("inlayHint", uri, range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
        check("hints", ["→ once" in each["label"] for each in hints] == [False, True] or [each["label"][:6] for each in hints] == ["→ once"], hints)
        none = editor.of("inlayHint", uri, range={"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 0}})
        check("hints of a range", none == [], none)
        folds = editor.of("foldingRange", uri)
        check("folds", all(each["endLine"] > each["startLine"] for each in folds) and {"startLine": 2, "endLine": 8} in [{"startLine": each["startLine"], "endLine": each["endLine"]} for each in folds], folds)
        data = editor.of("semanticTokens/full", uri)["data"]
        lines, line, column, seen = PLAIN.split("\n"), 0, 0, []
        for index in range(0, len(data), 5):
            line, column = line + data[index], data[index + 1] + (column if data[index] == 0 else 0)
            seen.append((lines[line].encode("utf-16-le")[2 * column:2 * (column + data[index + 2])].decode("utf-16-le"), data[index + 3]))
        check("colours", ("$context", 0) in seen and ("length", 2) in seen and ("to", 1) in seen and ('"😀"', 4) in seen and ("//", 6) in seen, seen)
        text = PLAIN.replace("wait: PT90S", "call: readFile\n      with: { file: list.csv }")
        editor.change(uri, {"text": text})
        links = editor.of("documentLink", uri)
        check("links", [(slice_of(text, each["range"]), each["target"]) for each in links] == [("list.csv", (path.parent / "list.csv").as_uri())], links)
        at = position(text, text.index("list.csv") + 3)
        check("the definition of a file", editor.at("definition", uri, at)["uri"].endswith("/list.csv"))


def open_texts(program):
    """The open texts count, not the files on disk; what other texts name is looked at again."""
    with tempfile.TemporaryDirectory() as folder, Editor(program) as editor:
        for name in ("run-workflow.yaml", "run-workflow-greet.yaml"):
            shutil.copy(ROOT / "workflows" / name, folder)
        caller, called = pathlib.Path(folder, "run-workflow.yaml"), pathlib.Path(folder, "run-workflow-greet.yaml")
        uri, other = editor.open(caller), editor.open(called)
        check("both are right", not editor.findings[uri]["diagnostics"] and not editor.findings[other]["diagnostics"])
        text = called.read_text(encoding="utf-8")
        editor.findings.pop(uri)
        editor.change(other, {"text": text.replace("version: ", "version: 9", 1)})
        editor.wait(lambda: editor.findings.get(uri, {}).get("diagnostics"))
        check("the caller misses it", {each["code"] for each in editor.findings[uri]["diagnostics"]} == {"unknown-workflow"}, editor.findings[uri])
        editor.findings.pop(uri)
        editor.close(other)
        editor.wait(lambda: editor.findings.get(uri, {}).get("diagnostics") == [])
        called.write_text(text.replace("do:", "doo:", 1), encoding="utf-8")
        editor.findings.pop(other, None)
        editor.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        editor.wait(lambda: editor.findings.get(other, {}).get("diagnostics"))
        check("findings in a file that is not open", "doo" in json.dumps(editor.findings[other]), editor.findings[other])
        ignored = editor.open(pathlib.Path(folder, "compose.yaml"), "services: { web: { image: x } }\n")
        check("other files have no findings", not editor.findings[ignored]["diagnostics"])
        check("it ends", editor.end() == 0)


LUA = """
local function at(line, word)
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
  return { line = line, character = vim.str_utfindex(text, select(2, text:find(word, 1, true))) }
end
local out = {}
local id = vim.lsp.start_client({ name = 'graphflow', cmd = { vim.env.PROGRAM, 'lsp' } })
vim.lsp.buf_attach_client(0, id)
vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, each in ipairs(vim.diagnostic.get(0)) do
  table.insert(out, { code = each.code, line = each.lnum, column = each.col, ends = each.end_col })
end
local client = vim.lsp.get_client_by_id(id)
local document = { uri = vim.uri_from_bufnr(0) }
local function ask(method, more)
  local answer = client.request_sync(method, vim.tbl_extend('error', { textDocument = document }, more or {}), 10000, 0)
  return answer and answer.result or vim.NIL
end
local function line(word)
  for number, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if text:find(word, 1, true) then return number - 1 end
  end
end
out = {
  findings = out,
  hover = ask('textDocument/hover', { position = at(line('call: sendMail'), 'call: send') }),
  completion = ask('textDocument/completion', { position = at(line('$context.seen.to |'), '$context.seen.') }),
  definition = ask('textDocument/definition', { position = at(line('retry: patient'), 'retry: pat') }),
  rename = ask('textDocument/rename', { position = at(line('retry: patient'), 'retry: pat'), newName = 'slowly' }),
  lenses = ask('textDocument/codeLens'), symbols = ask('textDocument/documentSymbol'),
  folds = ask('textDocument/foldingRange'),
}
vim.lsp.util.apply_workspace_edit(out.rename, client.offset_encoding)
out.renamed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
client.stop()
vim.wait(5000, function() return client.is_stopped() end, 20)
vim.fn.writefile({ vim.json.encode(out) }, vim.env.RESULT)
vim.cmd('qa!')
"""


def neovim(program):
    """Debian's neovim, without a window."""
    if not has("nvim", "neovim"):
        return
    text = RIGHT.replace("| length", "| lenght")
    with tempfile.TemporaryDirectory() as folder:
        path, script, result = (pathlib.Path(folder, name) for name in ("flow.yaml", "ask.lua", "result.json"))
        path.write_text(text, encoding="utf-8")
        script.write_text(LUA, encoding="utf-8")
        done = subprocess.run(
            ["nvim", "--headless", "-u", "NONE", "-n", path, "-c", f"luafile {script}"], timeout=60, capture_output=True,
            text=True, env={**os.environ, "HOME": folder, "PROGRAM": program, "RESULT": str(result)}, check=False)
        if not result.exists():
            return check("neovim: it answers", False, done.stdout + done.stderr)
        out = json.loads(result.read_text(encoding="utf-8"))
    line = next(number for number, each in enumerate(text.split("\n")) if "lenght" in each)
    start = text.split("\n")[line].encode().index(b"lenght")
    check("neovim: the finding is at its bytes", [(each["code"], each["line"], each["column"]) for each in out["findings"]] == [("expression", line, start)], out["findings"])
    check("neovim: hover", "effect: **once**" in out["hover"]["contents"]["value"], out["hover"])
    check("neovim: completion", {"to", "names"} <= set(labels(out["completion"])), out["completion"])
    check("neovim: definition", out["definition"][0]["range"]["start"]["line"] == next(number for number, each in enumerate(text.split("\n")) if "patient: {" in each))
    check("neovim: rename", [each.strip().split(" {")[0] for each in out["renamed"] if "slowly" in each] == ["slowly:", "retry: slowly"], out["renamed"])
    check("neovim: lenses", out["lenses"][0]["command"]["title"] == "Dry run", out["lenses"])
    check("neovim: symbols", any(each["name"] == "do" for each in out["symbols"]), out["symbols"])
    check_none("neovim: folds", [] if len(out["folds"]) > 5 else out["folds"])


CASES = [completion, hover, last_run, lenses, names, rename, rename_files, fixes, structure, open_texts, neovim]
