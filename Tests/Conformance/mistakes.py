"""What people type who know other tools: the message, word for word, and the file that its hint makes.

    mistakes.py GRAPHFLOW

Each row is a wrong file, what is said of it, and a change that the hint says. The changed file is valid without that
finding, and runs in the sandbox with the output that was meant.
"""

import json
import os
import subprocess
import tempfile
import time

import sandbox as sandboxes
from checks import check, end

HEAD = "document: { dsl: 1.0.3, namespace: mistakes, name: mistake, version: 1.0.0 }\n"
KEEP = "export it from the task: export: { as: '$context + { fetch: . }' }; then read $context.fetch"
RETRY = "a separate task retries others: try: [ … ], catch: { retry: { limit: { attempt: { count: 3 } } } }"
FOR = "write for: { each: item, in: '${ … }' }, do: [ … ]"
FETCH = "do:\n  - fetch: { call: me, with: { user: adelev@contoso.com } }\n  - show: "
KEPT = "do:\n  - fetch: { call: me, with: { user: adelev@contoso.com }, export: { as: '$context + { fetch: . }' } }\n  - show: "
SHOWN = "{ set: { x: '${ $context.fetch.displayName }' } }"
ADELE = {"x": "Adele Vance"}


def mail(arguments):
    return "do:\n  - m: { call: sendMail, with: { " + arguments + " } }\n"


def event(arguments):
    return "do:\n  - e: { call: createEvent, with: { subject: S, " + arguments + " }, output: { as: '${ .id != null }' } }\n"


INBOX = "/me/mailFolders/inbox/messages"
CREATED = "microsoft.graph.message.created"
CHOSEN = "{ one: { with: { type: " + CREATED + " } } }"
SINCE = "write now, all, or a time such as 2026-01-31T12:00:00Z"


def source(members, wanted=CREATED, is_scheduled=True):
    """A workflow that follows changes, with its own head."""
    return (
        "document: { dsl: 1.0.3, namespace: mistakes, name: mistake, version: 1.0.0, metadata: { changes: [{ " + members + " }] } }\n"
        + ("schedule: { on: { one: { with: { type: " + wanted + " } } } }\n" if is_scheduled else "")
        + "do:\n  - a: { set: { y: 1 } }\n"
    )


def of_changes(members, message, hint, right, **how):
    return (source(members, **how), message, hint, source(right), {"y": 1})


def task(members):
    return "do:\n  - first: { set: { x: 1 } }\n  - t: { " + members + " }\n"


ACCEPTED = "accepted"
TIMES = "start: 2026-12-01T09:00, end: 2026-12-01T10:00"

# (the wrong file, its finding, the hint, the right file, the output)
ROWS = [
    # Conditions and switches.
    (task("if: '${ .x = 1 }', set: { y: 2 }"),
     "warning: this condition assigns a value, so it is true for every object: '.x = 1'", "write '==' to compare",
     task("if: '${ .x == 1 }', set: { y: 2 }"), {"y": 2}),
    (task("if: '.x = 2', set: { y: 2 }"),
     "warning: this condition assigns a value, so it is true for every object: '.x = 2'", "write '==' to compare",
     task("if: '.x == 2', set: { y: 2 }"), {"x": 1}),
    (task("switch: [ { one: { when: '.x = 1', then: end } }, { other: { then: end } } ]"),
     "warning: this condition assigns a value, so it is true for every object: '.x = 1'", "write '==' to compare",
     task("switch: [ { one: { when: '.x == 1', then: end } }, { other: { then: end } } ]"), {"x": 1}),
    (task("if: '.x > 0 and .x = 1', set: { y: 2 }"),
     "warning: this condition assigns a value, so it is true for every object: '.x > 0 and .x = 1'",
     "write '==' to compare", task("if: '.x > 0 and .x == 1', set: { y: 2 }"), {"y": 2}),
    (task("when: '${ .x == 1 }', set: { y: 2 }"), "error: a 'set' task has no property 'when'", "did you mean 'if'?",
     task("if: '${ .x == 1 }', set: { y: 2 }"), {"y": 2}),
    (task("condition: '${ .x == 1 }', set: { y: 2 }"), "error: a 'set' task has no property 'condition'",
     "did you mean 'if'?", task("if: '${ .x == 1 }', set: { y: 2 }"), {"y": 2}),
    # Results of other tasks.
    *(
        (FETCH + "{ set: { x: " + written + " } }", f"error: {message}", KEEP, KEPT + SHOWN, ADELE)
        for written, message in (
            ("'${ $tasks.fetch.displayName }'", "there is no variable '$tasks'"),
            ("'${ $fetch.displayName }'", "there is no variable '$fetch'"),
            ("'${ $steps.fetch.displayName }'", "there is no variable '$steps'"),
            ("'${ $outputs.fetch.displayName }'", "there is no variable '$outputs'"),
            ("'${ $jobs.fetch.displayName }'", "there is no variable '$jobs'"),
            ("'${ steps.fetch.outputs.displayName }'", "steps/0 is not defined"),
            ("'${ tasks.fetch.displayName }'", "tasks/0 is not defined"),
            ('"${ outputs(\'fetch\').displayName }"', "unexpected character '''"),
            ("'${ outputs(\"fetch\").displayName }'", "outputs/1 is not defined"),
            ("'${ nodes[\"fetch\"].displayName }'", "nodes/0 is not defined"),
        )
    ),
    ("do:\n  - a: { set: { y: 2 } }\n  - b: { set: { x: '${ $context.y }' } }\n  - c: { set: { z: 1 }, export: { as: '{ y: 3 }' } }\n",
     "warning: no earlier task writes '$context.y'", "'c' exports it later",
     "do:\n  - c: { set: { z: 1 }, export: { as: '{ y: 3 }' } }\n  - b: { set: { x: '${ $context.y }' } }\n", {"x": 3}),
    # What a function does not return.
    ("do:\n  - f: { call: createFolder, with: { name: A } }\n  - l: { call: createLink, with: { itemId: '${ .id }' } }\n  - s: { set: { x: '${ .weburl != null }' } }\n",
     "warning: createLink is not known to return 'weburl'", "did you mean 'webUrl'?",
     "do:\n  - f: { call: createFolder, with: { name: A } }\n  - l: { call: createLink, with: { itemId: '${ .id }' } }\n  - s: { set: { x: '${ .webUrl != null }' } }\n", {"x": True}),
    ("do:\n  - f: { call: users, with: { startsWith: Adele } }\n  - s: { set: { x: '${ map(.displayname)[0] }' } }\n",
     "warning: users is not known to return 'displayname'", "did you mean 'displayName'?",
     "do:\n  - f: { call: users, with: { startsWith: Adele } }\n  - s: { set: { x: '${ map(.displayName)[0] }' } }\n", ADELE),
    ("do:\n  - f: { call: me }\n  - s: { set: { x: '${ .display_name }' } }\n",
     "warning: me is not known to return 'display_name'", "did you mean 'displayName'?",
     "do:\n  - f: { call: me }\n  - s: { set: { x: '${ .displayName }' } }\n", {"x": "Megan Bowen"}),
    ("do:\n  - f: { call: defaultPhoto }\n  - s: { set: { x: '${ .sise > 0 }' } }\n",
     "warning: defaultPhoto returns no 'sise'", "did you mean 'size'?",
     "do:\n  - f: { call: defaultPhoto }\n  - s: { set: { x: '${ .size > 0 }' } }\n", {"x": True}),
    ("do:\n  - f: { call: defaultPhoto }\n  - s: { set: { x: '${ .type }' } }\n",
     "error: defaultPhoto returns no 'type'", "there is 'blob', 'contentType' and 'size'",
     "do:\n  - f: { call: defaultPhoto }\n  - s: { set: { x: '${ .contentType }' } }\n", {"x": "image/png"}),
    (task("set: { y: '${ .z }' }"), "warning: 'first' returns no 'z'", "there is 'x'",
     task("set: { y: '${ .x }' }"), {"y": 1}),
    ("input: { schema: { document: { type: object, additionalProperties: false, properties: { total: { default: 3 } } } } }\ndo:\n  - a: { set: { x: '${ .totl }' } }\n",
     "error: the input has no 'totl'", "did you mean 'total'?",
     "input: { schema: { document: { type: object, additionalProperties: false, properties: { total: { default: 3 } } } } }\ndo:\n  - a: { set: { x: '${ .total }' } }\n", {"x": 3}),
    # Sources of changes.
    of_changes("resource: /me/messages", "error: changes of '/me/messages' cannot be followed",
               f"write {INBOX}, or /users/NAME instead of /me; 'schedule.on' can filter", f"resource: {INBOX}"),
    of_changes("resource: '/me/drive/root:/Team'", "error: changes of '/me/drive/root:/Team' cannot be followed",
               "write /me/drive/root or /users/NAME/drive/root, which is the whole drive; 'schedule.on' can filter",
               f"resource: {INBOX}"),
    of_changes("resource: /me/events", "error: changes of '/me/events' cannot be followed",
               "write /me/calendarView?startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z",
               f"resource: {INBOX}"),
    of_changes(f"resource: {INBOX}, kinds: created", "error: 'kinds' must be a list of kinds of changes",
               "use some of 'created', 'updated' and 'deleted'", f"resource: {INBOX}, kinds: [created]"),
    of_changes(f"resource: {INBOX}, kinds: [create]", "error: a kind of change cannot be 'create'",
               "did you mean 'created'?", f"resource: {INBOX}, kinds: [created]"),
    of_changes(f"resource: {INBOX}, kind: created", "error: a source of changes has no property 'kind'",
               "did you mean 'kinds'?", f"resource: {INBOX}, kinds: [created]"),
    of_changes(f"resource: {INBOX}, every: 60", "error: this is not a duration",
               "write 'PT30S' or an object such as { seconds: 30 }", f"resource: {INBOX}, every: PT30S"),
    of_changes(f"resource: {INBOX}, every: PT1S", "error: 'every' needs a time of at least 5 seconds, without expressions",
               "write PT1M, which is the default", f"resource: {INBOX}, every: PT1M"),
    of_changes(f"resource: {INBOX}, since: yesterday", "error: 'since' cannot be 'yesterday'", SINCE,
               f"resource: {INBOX}, since: all"),
    of_changes(f"resource: {INBOX}, select: subject", "error: 'select' must be a list of properties",
               "write [subject, from]", f"resource: {INBOX}, select: [subject, from]"),
    of_changes(f"resource: {INBOX}", "warning: nothing begins with these changes", f"add schedule: {{ on: {CHOSEN} }}",
               f"resource: {INBOX}", is_scheduled=False),
    of_changes(f"resource: {INBOX}", "warning: no source of this workflow reports 'microsoft.graph.mail.created'",
               f"did you mean '{CREATED}'?", f"resource: {INBOX}", wanted="microsoft.graph.mail.created"),
    # Loops.
    ("do:\n  - l: { for: { each: n, in: '${ [1, 2] }' }, do: [ { b: { set: { y: '${ $n }' } } } ] }\n  - s: { set: { x: '${ map(.y) | add }' } }\n",
     "warning: after the loop 'l', '.' is the result of the last round, not a list of all results",
     "collect them in the loop: export: { as: '$context + { all: (($context.all // []) + [.]) }' }",
     "do:\n  - l: { for: { each: n, in: '${ [1, 2] }' }, do: [ { b: { set: { y: '${ $n }' }, export: { as: '$context + { all: (($context.all // []) + [.]) }' } } } ] }\n  - s: { set: { x: '${ $context.all | map(.y) | add }' } }\n", {"x": 3}),
    ("do:\n  - l: { for: { each: n, in: '${ [1, 2] }', concurrency: 2 }, do: [ { b: { set: { y: '${ $n }' } } } ] }\n",
     "error: 'for' has no property 'concurrency'",
     "a 'for' runs its rounds one after the other: use 'call: forEach' with 'concurrency'",
     "do:\n  - l: { for: { each: n, in: '${ [1, 2] }' }, do: [ { b: { set: { y: '${ $n }' } } } ] }\n", {"y": 2}),
    ("do:\n  - l: { foreach: '${ [1, 2] }', do: [ { b: { set: { y: 1 } } } ] }\n",
     "error: a 'do' task has no property 'foreach'", FOR,
     "do:\n  - l: { for: { each: item, in: '${ [1, 2] }' }, do: [ { b: { set: { y: '${ $item }' } } } ] }\n", {"y": 2}),
    ("do:\n  - l: { loop: '${ [1, 2] }', steps: [ { b: { set: { y: 1 } } } ] }\n",
     "error: this is not a task that the standard defines", FOR,
     "do:\n  - l: { for: { each: item, in: '${ [1, 2] }' }, do: [ { b: { set: { y: '${ $item }' } } } ] }\n", {"y": 2}),
    ("do:\n  - l: { for: { item: n, in: '${ [1, 2] }' }, do: [ { b: { set: { y: 1 } } } ] }\n",
     "error: 'for' has no property 'item'", "it has 'each', 'in' and 'at'",
     "do:\n  - l: { for: { each: n, in: '${ [1, 2] }' }, do: [ { b: { set: { y: 1 } } } ] }\n", {"y": 1}),
    # Tasks of other tools.
    ("do:\n  - p: { parallel: [ { a: { set: { y: 1 } } } ] }\n", "error: this is not a task that the standard defines",
     "write fork: { branches: [ … ] }", "do:\n  - p: { fork: { branches: [ { a: { set: { y: 1 } } } ] } }\n", [{"y": 1}]),
    ("do:\n  - p: { sleep: 1 }\n", "error: this is not a task that the standard defines", "write wait: PT5S",
     "do:\n  - p: { wait: PT0S }\n", {}),
    ("do:\n  - p: { assign: { y: 1 } }\n", "error: this is not a task that the standard defines", "write set: { … }",
     "do:\n  - p: { set: { y: 1 } }\n", {"y": 1}),
    ("do:\n  - p: { shell: echo hi }\n", "error: this is not a task that the standard defines",
     "write run: { shell: { command: … } }", "do:\n  - p: { run: { shell: { command: echo hi } } }\n", "hi"),
    ("do:\n  - p: { uses: me }\n", "error: this is not a task that the standard defines",
     "write call: with the name of a function: 'graphflow functions' lists them",
     "do:\n  - p: { call: me, output: { as: '${ .displayName }' } }\n", "Megan Bowen"),
    ("do:\n  - p: { steps: [ { a: { set: { y: 1 } } } ] }\n", "error: this is not a task that the standard defines",
     "write do: [ … ]", "do:\n  - p: { do: [ { a: { set: { y: 1 } } } ] }\n", {"y": 1}),
    ("do:\n  - p: { workflow: other }\n  - q: { set: { y: 1 } }\n", "error: this is not a task that the standard defines",
     "write run: { workflow: { namespace: …, name: …, version: … } }", "do:\n  - q: { set: { y: 1 } }\n", {"y": 1}),
    # Retries and errors.
    ("do:\n  - p: { call: me, retry: 3 }\n", "error: a 'call' task has no property 'retry'", RETRY,
     "do:\n  - p: { try: [ { q: { call: me, output: { as: '${ .displayName }' } } } ], catch: { retry: { limit: { attempt: { count: 3 } } } } }\n",
     "Megan Bowen"),
    ("do:\n  - p: { call: me, with: { retries: 3 } }\n", "error: the property 'retries' is not known", RETRY,
     "do:\n  - p: { try: [ { q: { call: me, output: { as: '${ .displayName }' } } } ], catch: { retry: { limit: { attempt: { count: 3 } } } } }\n",
     "Megan Bowen"),
    ("do:\n  - p: { try: [ { q: { call: me, output: { as: '{ y: 1 }' } } } ], catch: {}, retry: { limit: { attempt: { count: 3 } } } }\n",
     "error: a 'try' task has no property 'retry'",
     "write it in 'catch': catch: { retry: { limit: { attempt: { count: 3 } } } }",
     "do:\n  - p: { try: [ { q: { call: me, output: { as: '{ y: 1 }' } } } ], catch: { retry: { limit: { attempt: { count: 3 } } } } }\n", {"y": 1}),
    ("do:\n  - p: { call: me, onError: continue }\n", "error: a 'call' task has no property 'onError'", RETRY,
     "do:\n  - p: { try: [ { q: { call: me, output: { as: '{ y: 1 }' } } } ], catch: { retry: { limit: { attempt: { count: 3 } } } } }\n", {"y": 1}),
    ("do:\n  - a: { set: { y: 1 } }\n  - b: { set: { y: 2 }, needs: a }\n", "error: a 'set' task has no property 'needs'",
     "tasks run in the order of the file: leave it out", "do:\n  - a: { set: { y: 1 } }\n  - b: { set: { y: 2 } }\n", {"y": 2}),
    ("do:\n  - a: { call: me, args: { user: adelev@contoso.com } }\n", "error: a 'call' task has no property 'args'",
     "did you mean 'with'?", "do:\n  - a: { call: me, with: { user: adelev@contoso.com }, output: { as: '{ x: .displayName }' } }\n", ADELE),
    ("do:\n  - a: { set: { x: 1 }, then: bb }\n  - b: { set: { y: 1 } }\n", "error: there is no task 'bb'",
     "did you mean 'b'?", "do:\n  - a: { set: { x: 1 }, then: b }\n  - b: { set: { y: 1 } }\n", {"y": 1}),
    # Mails.
    (mail("recipient: adelev@contoso.com, subject: S, body: B"), "error: the property 'recipient' is not known",
     "did you mean 'to'?", mail("to: adelev@contoso.com, subject: S, body: B"), ACCEPTED),
    (mail("to: adelev@contoso.com, title: S, body: B"), "error: the property 'title' is not known",
     "did you mean 'subject'?", mail("to: adelev@contoso.com, subject: S, body: B"), ACCEPTED),
    (mail("to: adelev@contoso.com, subject: S, message: B"), "error: the property 'message' is not known",
     "did you mean 'body'?", mail("to: adelev@contoso.com, subject: S, body: B"), ACCEPTED),
    (mail("to: adelev@contoso.com, subjct: S, body: B"), "error: the property 'subjct' is not known",
     "did you mean 'subject'?", mail("to: adelev@contoso.com, subject: S, body: B"), ACCEPTED),
    (mail("to: adelev@contoso.com, subject: S, body: B, attachment: []"),
     "error: the property 'attachment' is not known", "did you mean 'attachments'?",
     mail("to: adelev@contoso.com, subject: S, body: B, attachments: []"), ACCEPTED),
    ("do:\n  - n: { set: { name: Adele } }\n" + mail("to: adelev@contoso.com, subject: 'Hi {{ name }}', body: B")[4:],
     "warning: '{{ … }}' is not replaced here: only 'render' fills it", "write '${ .name }'",
     "do:\n  - n: { set: { name: Adele } }\n" + mail("to: adelev@contoso.com, subject: 'Hi ${ .name }', body: B")[4:], ACCEPTED),
    (mail("to: adelev@contoso.com, subject: S, body: '<p>Hi</p>'"),
     "warning: this body is sent as plain text, but has tags of HTML in it",
     "write 'body: { contentType: html, content: … }'",
     mail("to: adelev@contoso.com, subject: S, body: { contentType: html, content: '<p>Hi</p>' }"), ACCEPTED),
    (mail("to: adelev@contoso.com, subject: S, body: B, attachments: [ { name: a.pdf, content: welcome.pdf } ]"),
     "warning: the attachment holds the text 'welcome.pdf', not the file of that name",
     "write 'content: { file: welcome.pdf }'",
     mail("to: adelev@contoso.com, subject: S, body: B, attachments: [ { name: a.pdf, content: { file: welcome.pdf } } ]"), ACCEPTED),
    # Files.
    ("do:\n  - u: { call: upload, with: { path: w.pdf, content: welcome.pdf }, output: { as: '${ .size }' } }\n",
     "warning: the file will hold the text 'welcome.pdf', not the contents of the file of that name",
     "write 'content: { file: welcome.pdf }'",
     "do:\n  - u: { call: upload, with: { path: w.pdf, content: { file: welcome.pdf } }, output: { as: '${ .size }' } }\n", 3),
    ("do:\n  - u: { call: upload, with: { destination: w.txt, content: abc }, output: { as: '${ .size }' } }\n",
     "error: the property 'destination' is not known", "did you mean 'path'?",
     "do:\n  - u: { call: upload, with: { path: w.txt, content: abc }, output: { as: '${ .size }' } }\n", 3),
    ("do:\n  - u: { call: upload, with: { path: w.txt, data: abcd }, output: { as: '${ .size }' } }\n",
     "error: the property 'data' is not known", "did you mean 'content'?",
     "do:\n  - u: { call: upload, with: { path: w.txt, content: abcd }, output: { as: '${ .size }' } }\n", 4),
    ("do:\n  - u: { call: createFolder, with: { name: B, folder: A }, output: { as: '${ .name }' } }\n",
     "error: the property 'folder' is not known", "did you mean 'in'?",
     "do:\n  - a: { call: createFolder, with: { name: A } }\n  - u: { call: createFolder, with: { name: B, in: A }, output: { as: '${ .name }' } }\n", "B"),
    # People and filters.
    ("do:\n  - p: { call: me, with: { user: Adele Vance } }\n",
     "error: 'Adele Vance' is neither a user principal name nor an id",
     "write the sign-in address: 'graphflow users Adele' lists people",
     "do:\n  - p: { call: me, with: { user: adelev@contoso.com }, output: { as: '{ x: .displayName }' } }\n", ADELE),
    ("do:\n  - p: { call: users, with: { filter: 'startswith(displayName, `Adele`)' }, output: { as: '{ x: .[0].displayName }' } }\n",
     "error: a string in an OData filter needs single quotes", "write startswith(displayName, 'Adele')",
     "do:\n  - p: { call: users, with: { filter: \"startswith(displayName, 'Adele')\" }, output: { as: '{ x: .[0].displayName }' } }\n", ADELE),
    ("do:\n  - p: { call: users, with: { filter: 'startswith(displayName, \"Adele\")' }, output: { as: '{ x: .[0].displayName }' } }\n",
     "error: a string in an OData filter needs single quotes", "write startswith(displayName, 'Adele')",
     "do:\n  - p: { call: users, with: { filter: \"startswith(displayName, 'Adele')\" }, output: { as: '{ x: .[0].displayName }' } }\n", ADELE),
    ("do:\n  - p: { call: users, with: { startsWith: Adele, limit: 1 }, output: { as: '{ x: .[0].displayName }' } }\n",
     "error: the property 'limit' is not known", "did you mean 'top'?",
     "do:\n  - p: { call: users, with: { startsWith: Adele, top: 1 }, output: { as: '{ x: .[0].displayName }' } }\n", ADELE),
    # What can be null.
    ("do:\n  - u: { call: users, with: { startsWith: Adele } }\n" + mail("to: '${ .[0].email }', subject: S, body: B")[4:],
     "warning: this can be null: the list of users can be empty",
     "give a default: '// \"…\"', or '// error(\"…\")'",
     "do:\n  - u: { call: users, with: { startsWith: Adele } }\n"
     + mail("to: '${ .[0].email // error(\"there is no Adele\") }', subject: S, body: B")[4:], ACCEPTED),
    ("input: { schema: { document: { type: object, properties: { to: { type: string } } } } }\n"
     + mail("to: adelev@contoso.com, subject: 'For ${ .to }', body: B"),
     "warning: this can be null: 'to' may be missing in the input",
     "give a default: '// \"…\"', or '// error(\"…\")'",
     "input: { schema: { document: { type: object, properties: { to: { type: string } } } } }\n"
     + mail("to: adelev@contoso.com, subject: 'For ${ .to // \"you\" }', body: B"), ACCEPTED),
    # Loops that collect.
    ("do:\n  - e: { call: forEach, with: { in: [1, 2] }, output: { as: '${ .completed | map(.output) }' } }\n",
     "error: 'forEach' needs 'do' or 'workflow'",
     "write the tasks for an item in 'do', or name a workflow in a file next to this one",
     "do:\n  - e: { call: forEach, with: { in: [1, 2], do: [ { d: { set: { x: '${ 2 * .item }' } } } ] }, output: { as: '${ .completed | map(.output) }' } }\n",
     [{"x": 2}, {"x": 4}]),
    # Times.
    (event("start: '2026-13-41T09:00', end: '2026-12-01T10:00'"), "error: there is no such time as '2026-13-41T09:00'",
     "write it like 2026-12-01T09:00", event(TIMES), True),
    (event("start: '2026-02-30T09:00', end: '2026-12-01T10:00'"), "error: there is no such time as '2026-02-30T09:00'",
     "write it like 2026-12-01T09:00", event(TIMES), True),
    (event("start: tomorrow, end: '2026-12-01T10:00'"),
     "error: 'start' must be written like 2026-12-01T09:00, but is 'tomorrow'", None, event(TIMES), True),
    (event("start: '2026-12-01T10:00', end: '2026-12-01T09:00'"), "error: the event ends before it begins",
     "swap 'start' and 'end'", event(TIMES), True),
    (event(TIMES + ", timeZone: Berlin"), "error: there is no time zone 'Berlin'", "did you mean 'Europe/Berlin'?",
     event(TIMES + ", timeZone: Europe/Berlin"), True),
    (event(TIMES + ", timezone: Europe/Berlin"), "error: the property 'timezone' is not known",
     "did you mean 'timeZone'?", event(TIMES + ", timeZone: Europe/Berlin"), True),
    (event("begin: 2026-12-01T09:00, end: 2026-12-01T10:00"), "error: the property 'begin' is not known",
     "did you mean 'start'?", event(TIMES), True),
    (event(TIMES + ", invitees: [adelev@contoso.com]"), "error: the property 'invitees' is not known",
     "did you mean 'attendees'?", event(TIMES + ", attendees: [adelev@contoso.com]"), True),
    # Functions.
    ("do:\n  - p: { call: sendmail, with: { to: adelev@contoso.com, subject: S, body: B } }\n",
     "error: there is no function 'sendmail'", "did you mean 'sendMail'?",
     mail("to: adelev@contoso.com, subject: S, body: B"), ACCEPTED),
]  # fmt: skip


class Graphflow:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment["GRAPHFLOW_HOME"] = os.path.join(folder, "home")

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments], env=self.environment, cwd=self.folder, capture_output=True, text=True,
            timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def findings(self, text):
        """What validating a file says: each finding with its hint."""
        with open(os.path.join(self.folder, "mistake.yaml"), "w", encoding="utf-8") as file:
            file.write(text if text.startswith("document:") else HEAD + text)
        result = self.run("validate", "mistake.yaml", "--format", "json")
        return [
            (f"{finding['severity']}: {finding['message']}", finding.get("hint"))
            for finding in json.loads(result.stdout)
        ]


def check_row(graphflow, number, row):
    wrong, message, hint, right, output = row
    name = f"{number}: {message}"
    found = graphflow.findings(wrong)
    check(f"{name}: said, once", found == [(message, hint)], found)
    left = graphflow.findings(right)
    check(f"{name}: the right file has no finding", left == [], left)
    result = graphflow.run("run", "mistake.yaml", "--sandbox", "--quiet")
    value = json.loads(result.stdout) if result.returncode == 0 and result.stdout else None
    if output == ACCEPTED:
        value = value and value.get("status")
    check(f"{name}: the right file does it", result.returncode == 0 and value == output, [value, result.stderr])


def check_command_line(graphflow):
    """What is wrong only when it is run."""
    described = "input: { schema: { document: { type: object, required: [to], properties: { to: { type: string, format: email } } } } }\n"
    graphflow.findings(described + mail("to: '${ .to }', subject: S, body: B"))
    missing = graphflow.run("run", "mistake.yaml", "--sandbox")
    check("a missing property", missing.returncode == 2 and "give it with -p to=…" in missing.stderr, missing.stderr)
    word = graphflow.run("run", "mistake.yaml", "--sandbox", "-p", "to", "megan")
    check("a property without =", word.returncode == 64 and "write -p NAME=VALUE" in word.stderr, word.stderr)
    name = graphflow.run("run", "mistake.yaml", "--sandbox", "-p", "to=megan")
    check("a name for an address", name.returncode == 2 and "'to' must be an e-mail address" in name.stderr, name.stderr)
    graphflow.findings("schedule: { on: { one: { with: { type: x } } } }\ndo:\n  - a: { set: { y: 1 } }\n")
    events = graphflow.run("run", "mistake.yaml", "--sandbox")
    said = "note: this workflow begins when events arrive, which 'graphflow serve mistake.yaml' waits for"
    check("a file that starts with events", events.returncode == 0 and said in events.stderr, events.stderr)
    graphflow.findings("do:\n  - u: { call: users, with: { startsWith: zzz } }\n" + mail("to: '${ .[0].email }', subject: S, body: B")[4:])
    nobody = graphflow.run("run", "mistake.yaml", "--sandbox")
    said = "'to' is null: '.[0].email' found nothing in an empty array"
    check("an argument that is null", nobody.returncode == 1 and said in nobody.stderr, nobody.stderr)
    graphflow.findings("do:\n  - u: { call: me }\n" + mail("to: adelev@contoso.com, subject: 'Of ${ .departement }', body: B")[4:])
    null = graphflow.run("run", "mistake.yaml", "--sandbox")
    said = "'.departement' is null, which would put the word 'null' into this text: write '.departement // \"\"'"
    check("null in a text", null.returncode == 1 and said in null.stderr, null.stderr)
    graphflow.findings("do:\n  - u: { call: me }\n" + mail("to: adelev@contoso.com, subject: 'Of ${ .departement // \"\" }', body: B")[4:])
    empty = graphflow.run("run", "mistake.yaml", "--sandbox")
    check("nothing in its place", empty.returncode == 0, empty.stderr)
    with open(os.path.join(graphflow.folder, "people.yaml"), "w", encoding="utf-8") as file:
        file.write("users: [{ mail: ada@contoso.com, departement: Sales }]\n")
    graphflow.findings("do:\n  - u: { call: me, with: { select: [department] }, output: { as: '${ .department }' } }\n")
    wrong = graphflow.run("run", "mistake.yaml", "--sandbox=people.yaml")
    said = "a user of the sandbox has no property 'departement'"
    check("a property that users do not have", wrong.returncode != 0 and said in wrong.stderr, wrong.stderr)
    with open(os.path.join(graphflow.folder, "people.yaml"), "w", encoding="utf-8") as file:
        file.write("users: [{ mail: ada@contoso.com, department: Sales }]\n")
    described = graphflow.run("run", "mistake.yaml", "--sandbox=people.yaml", "--quiet")
    check("the described people are in the sandbox", described.stdout == '"Sales"\n', [described.stdout, described.stderr])
    begun = time.monotonic()
    with open(os.path.join(graphflow.folder, "list.csv"), "w", encoding="utf-8") as file:
        file.write("to\nadelev@contoso.com\nalexw@contoso.com\n")
    graphflow.findings(mail("to: '${ .to }', subject: S, body: B"))
    batch = graphflow.run("batch", "mistake.yaml", "--each", "list.csv", "--key", ".to", "--name", "n", "--sandbox")
    took = time.monotonic() - begun
    check("a batch with a name waits for nothing in a sandbox", batch.returncode == 0 and took < 20, [took, batch.stderr])
    alone = graphflow.run()
    check("without a command there is help", alone.returncode == 0 and "COMMANDS:" in alone.stdout, alone.stderr)
    pipe = subprocess.run(
        ["bash", "-c", f"{graphflow.program} eval -n 'range(200000)' | head -1; echo ${{PIPESTATUS[0]}}"],
        env=graphflow.environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    check("a broken pipe is silent", pipe.stdout == "0\n141\n" and pipe.stderr == "", [pipe.stdout, pipe.stderr])


def main():
    program = sandboxes.program(__doc__)
    check("there are at least 60 rows", len(ROWS) >= 60, len(ROWS))
    with tempfile.TemporaryDirectory() as folder:
        graphflow = Graphflow(program, folder)
        with open(os.path.join(folder, "welcome.pdf"), "w", encoding="utf-8") as file:
            file.write("pdf")
        for number, row in enumerate(ROWS, start=1):
            check_row(graphflow, number, row)
        check_command_line(graphflow)
    end("mistakes")


if __name__ == "__main__":
    main()
