"""An undo gives back what a run changed: in the view of Microsoft's own client, and through kill -9.

    undo.py GRAPHFLOW [--all]

Starts `GRAPHFLOW sandbox`, runs workflows with every kind of effect that can be taken back, also drawn ones, and undoes
them. `--all` draws 100 of them.
"""

import asyncio
import json
import logging
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from msgraph import GraphRequestAdapter, GraphServiceClient

import sandbox as sandboxes
from checks import check, end
from msgraph_client import Token

GROUP = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
HEAD = "document: { dsl: 1.0.3, namespace: tests, name: undo, version: 1.0.0 }\ndo:\n"
TASKS = """\
  - file: { call: upload, with: { path: 'ä #%& 🎉.txt', content: x } }
  - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
  - folder: { call: createFolder, with: { name: new } }
  - event: { call: createEvent, with: { subject: one, start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }
  - meeting:
      call: createEvent
      with: { subject: two, start: '2026-01-01T08:00', end: '2026-01-01T09:00', attendees: [adelev@contoso.com] }
  - draft: { call: graph, with: { method: POST, path: /me/messages, body: { subject: draft } } }
  - group:
      call: graph
      with:
        method: POST
        path: /groups
        body: { displayName: New, mailNickname: new, mailEnabled: false, securityEnabled: true }
  - member: { call: addToGroup, with: { group: GROUP, user: lynner@contoso.com } }
""".replace("GROUP", GROUP)


# What a run with --undoable sets back: twice in one place, and hostile texts.
CHANGES = """\
  - file: { call: upload, with: { path: 'kept ‹ä› #%&.txt', content: new } }
  - again: { call: upload, with: { path: 'kept ‹ä› #%&.txt', content: newer } }
  - user:
      call: graph
      with: { method: PATCH, path: /users/lynner@contoso.com, body: { jobTitle: "50 % 'ä' 😀", city: null } }
  - once more: { call: graph, with: { method: PATCH, path: /users/lynner@contoso.com, body: { jobTitle: '' } } }
  - group: { call: graph, with: { method: PATCH, path: /groups/GROUP, body: { description: changed } } }
  - event: { call: graph, with: { method: PATCH, path: '/me/events/EVENT', body: { subject: changed } } }
  - message: { call: graph, with: { method: PATCH, path: '/me/messages/MESSAGE', body: { categories: [a, "b 'c'"] } } }
""".replace("GROUP", GROUP)


async def content(graph):
    """What Microsoft's client sees of what these tasks change, without versions."""
    drive = await graph.me.drive.get()
    file = await graph.drives.by_drive_id(drive.id).items.by_drive_item_id("root:/kept ‹ä› #%&.txt:").content.get()
    user = await graph.users.by_user_id("lynner@contoso.com").get()
    group = await graph.groups.by_group_id(GROUP).get()
    events = await graph.me.events.get()
    messages = await graph.me.mail_folders.by_mail_folder_id("drafts").messages.get()
    return [
        file, user.job_title, user.city, group.description, sorted((event.id, event.subject) for event in events.value),
        sorted((message.id, message.categories) for message in messages.value),
    ]


async def set_back(graph, run, home, file):
    """Changes and replacements, with kills."""
    file.write_text(HEAD + """\
  - file: { call: upload, with: { path: 'kept ‹ä› #%&.txt', content: 'former ‹ü› 😀' } }
  - event: { call: createEvent, with: { subject: former, start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }
  - message: { call: graph, with: { method: POST, path: /me/messages, body: { subject: m, categories: [former] } } }
""")
    code, output, error = run("run", str(file))
    check("the former state", code == 0, error)
    events = await graph.me.events.get()
    message = json.loads(output)["id"]
    file.write_text(HEAD + CHANGES.replace("EVENT", events.value[0].id).replace("MESSAGE", message))
    before = await content(graph)
    code, output, error = run("run", str(file), "--undoable", "--dry-run", "--format", "har")
    asked = [entry["request"]["method"] for entry in json.loads(output)["log"]["entries"]]
    check("the plan has the readings", code == 0 and asked.count("GET") == 12, asked)
    code, output, error = run("run", str(file), "--undoable")
    check("an undoable run", code == 0, error)
    changed = await content(graph)
    check("it changed everything but the city", [a == b for a, b in zip(before, changed)] ==
          [False, False, True, False, False, False], [before, changed])
    name = newest(home)
    kept = b"".join(path.read_bytes() for path in (home / "runs" / name).rglob("*") if path.is_file())
    check("what is kept is encrypted", b"former" not in kept and before[1].encode() not in kept)
    code, output, error = run("undo", name, "--dry-run")
    check("an undo plans what it sets back", code == 0 and "stays: " not in error, output + error)
    code, output, error = run("undo", name)
    check("an undo sets it back", code == 0 and json.loads(output)["left"] == [], output + error)
    check("that is what Microsoft's client sees", await content(graph) == before, [before, await content(graph)])
    draw = random.Random(2)
    for number in range(4):
        known = newest(home)
        run("run", str(file), "--undoable", killed_after=draw.uniform(0.1, 0.4))
        name = newest(home)
        if name == known:
            continue
        code, output, error = run("resume", name)
        check(f"kill {number}: an undoable run continues", code == 0, error)
        run("undo", name, killed_after=draw.uniform(0.1, 0.4))
        undo = newest(home)
        if undo != name:
            code, output, error = run("resume", undo)
            check(f"kill {number}: its undo continues", code == 0, output + error)
        code, output, error = run("undo", name)
        check(f"kill {number}: nothing is left", code == 0, output + error)
        check(f"kill {number}: everything is set back", await content(graph) == before, [before, await content(graph)])


NAMES = ["a b.txt", "ä ö.txt", "‹x›.txt", "50% #&'.txt", "🎉.txt", "日本語.txt", "e\u0301.txt"]
TEXTS = ["", "x", "50 % \"ä\" 😀", "‹me.id›", "null", "line\nbreak", "é" * 3000]


def drawn_task(draw, event, message):
    """A task that a resumed run recognises if its process was killed between a request and its record."""
    person = draw.choice(["lynner@contoso.com", "alexw@contoso.com"])

    def change(path, **body):
        return {"call": "graph", "with": {"method": "PATCH", "path": path, "body": body}}

    return draw.choice([
        lambda: {"call": "upload", "with": {"path": draw.choice(NAMES), "content": draw.choice(TEXTS)}},
        lambda: {"call": "upload", "with": {"path": "kept ‹ä› #%&.txt", "content": draw.choice(TEXTS)}},
        lambda: change(f"/users/{person}", jobTitle=draw.choice(TEXTS)[:100], city=draw.choice([None, "Ü"])),
        lambda: change(f"/groups/{GROUP}", description=draw.choice(TEXTS)[:900]),
        lambda: change(f"/me/events/{event}", subject=draw.choice(TEXTS)[:200]),
        lambda: change(f"/me/messages/{message}", categories=[draw.choice(TEXTS[1:5]), "b 'c'"]),
        lambda: {"call": "createEvent", "with": {
            "subject": draw.choice(TEXTS)[:200], "start": "2026-01-01T08:00", "end": "2026-01-01T09:00"}},
    ])()


def drawn_tasks(draw, event, message, depth=0):
    """A list of tasks, some of them in loops, forks, attempts and inner runs."""
    def inner():
        return drawn_tasks(draw, event, message, depth + 1)

    tasks = []
    for number in range(draw.randint(1, 4)):
        task = drawn_task(draw, event, message)
        if depth < 2 and draw.random() < 0.4:
            task = draw.choice([
                lambda: {"for": {"in": "${ [1, 2] }", "each": "n"}, "do": inner()},
                lambda: {"fork": {"branches": [{"one": {"do": inner()}}, {"two": {"do": inner()}}]}},
                lambda: {"try": inner(), "catch": {"retry": {"limit": {"attempt": {"count": 2}}}}},
                lambda: {"call": "forEach", "with": {"in": ["a", "b ü"], "do": inner()}},
            ])()
        tasks.append({f"t{number}": task})
    return tasks


async def generated(graph, run, home, file, count):
    """Drawn workflows with --undoable, with kills of the run and of its undo."""
    async def state():
        items, *rest = await view(graph)
        # What is set back has another version.
        return [sorted((id, name) for id, name, _ in items), *rest, *await content(graph)]

    events = await graph.me.events.get()
    messages = await graph.me.mail_folders.by_mail_folder_id("drafts").messages.get()
    seed, seconds = random.randrange(1_000_000), 0.2
    for number in range(seed, seed + count):
        draw = random.Random(number)
        tasks = drawn_tasks(draw, events.value[0].id, messages.value[0].id)
        head = {"dsl": "1.0.3", "namespace": "tests", "name": "drawn", "version": "1.0.0"}
        file.write_text(json.dumps({"document": head, "do": tasks}))
        before, known, begun = await state(), newest(home), time.monotonic()
        is_killed = draw.random() < 0.6
        code, _, error = run(
            "run", str(file), "--undoable", killed_after=draw.uniform(0.1, 1) * seconds if is_killed else None)
        name = newest(home)
        if name == known:
            continue
        if is_killed:
            code, _, error = run("resume", name)
            is_over = "is complete" in error
        else:
            seconds, is_over = time.monotonic() - begun, False
        check(f"drawn {number}: the run", code == 0 or is_over, [error, tasks])
        if draw.random() < 0.6:
            run("undo", name, killed_after=draw.uniform(0.1, 1) * seconds)
            if newest(home) != name:
                run("resume", newest(home))
        code, output, error = run("undo", name)
        after = await state()
        is_right = after == before if code == 0 else "stays: " in error or "left as it is: " in error
        check(f"drawn {number}: the former state, or what stays is said", is_right, [before, after, error, tasks])


async def view(graph):
    """What Microsoft's client sees of everything that the workflow changes."""
    drive = await graph.me.drive.get()
    items = await graph.drives.by_drive_id(drive.id).items.by_drive_item_id("root").children.get()
    events = await graph.me.events.get()
    # A draft that is taken back goes to Deleted Items.
    messages = await graph.me.mail_folders.by_mail_folder_id("drafts").messages.get()
    groups = await graph.groups.get()
    members = await graph.groups.by_group_id(GROUP).members.get()
    return [
        sorted((item.id, item.name, item.e_tag) for item in items.value),
        sorted(event.id for event in events.value),
        sorted(message.id for message in messages.value),
        sorted(group.id for group in groups.value),
        sorted(member.id for member in members.value),
    ]


# What a resumed run recognises if its process was killed between a request and its record.
RECOGNISED = "".join(part for part in TASKS.splitlines(True)[:2] + TASKS.splitlines(True)[3:7])


def newest(home):
    """The name of the newest run; None if none has begun."""
    names = [path.name for path in (home / "runs").glob("01*")]
    return max(names, default=None)


async def main(graphflow, count):
    with sandboxes.running(graphflow) as sandbox, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        file = folder / "workflow.yaml"
        file.write_text(HEAD + TASKS)
        environment = sandbox.environment(GRAPHFLOW_HOME=str(folder / "home"))
        graph = GraphServiceClient(request_adapter=adapter(sandbox))

        def run(*arguments, killed_after=None):
            process = subprocess.Popen(
                [graphflow, *arguments], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            if killed_after is not None:
                time.sleep(killed_after)
                process.send_signal(signal.SIGKILL)
            output, error = process.communicate(timeout=120)
            return process.returncode, output, error

        before = await view(graph)
        code, output, error = run("run", str(file))
        check("the run", code == 0, error)
        name = newest(folder / "home")
        check("the run changed something in each place", all(a != b for a, b in zip(before, await view(graph))))
        code, output, error = run("undo", name)
        check("the undo", code == 0 and json.loads(output) == {"undone": 8, "left": []}, output + error)
        after = await view(graph)
        check("the view of msgraph-sdk is that of before", after == before, [before, after])
        code, output, error = run("effects", name, "--format", "json")
        states = [json.loads(line)["state"] for line in output.splitlines()]
        check("each effect is undone", states == ["undone"] * 8, states)

        file.write_text(HEAD + RECOGNISED)
        draw = random.Random(1)
        for number in range(4):
            before = await view(graph)
            known = newest(folder / "home")
            run("run", str(file), killed_after=draw.uniform(0.1, 0.4))
            name = newest(folder / "home")
            if name == known:
                continue
            code, output, error = run("resume", name)
            check(f"kill {number}: the run continues", code == 0, error)
            run("undo", name, killed_after=draw.uniform(0.1, 0.4))
            undo = newest(folder / "home")
            if undo != name:
                code, output, error = run("resume", undo)
                check(f"kill {number}: the undo continues", code in (0, 1), output + error)
            code, output, error = run("undo", name)
            after = await view(graph)
            # A file or link whose answer was lost may have been there before: it stays, and that is said.
            is_right = after == before if code == 0 else "stays: " in error
            check(f"kill {number}: everything is taken back, or what stays is said", is_right, [before, after, error])
        await set_back(graph, run, folder / "home", file)
        await generated(graph, run, folder / "home", file, count)


def adapter(sandbox):
    adapter = GraphRequestAdapter(Token(sandbox.graph))
    adapter.base_url = sandbox.graph
    return adapter


if __name__ == "__main__":
    logging.disable(logging.ERROR)
    is_whole = "--all" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--all"]
    asyncio.run(main(sandboxes.program(__doc__), 100 if is_whole else 10))
    end("undo")
