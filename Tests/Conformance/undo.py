"""An undo gives back what a run changed: in the view of Microsoft's own client, and through kill -9.

    undo.py GRAPHFLOW

Starts `GRAPHFLOW sandbox`, runs a workflow with every kind of effect that can be taken back, and undoes it.
"""

import asyncio
import json
import logging
import pathlib
import random
import signal
import subprocess
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


async def main(graphflow):
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


def adapter(sandbox):
    adapter = GraphRequestAdapter(Token(sandbox.graph))
    adapter.base_url = sandbox.graph
    return adapter


if __name__ == "__main__":
    logging.disable(logging.ERROR)
    asyncio.run(main(sandboxes.program(__doc__)))
    end("undo")
