"""The workflows that agents plan in these checks."""

from sample_files import FOLDER

HEAD = "document: { dsl: 1.0.3, namespace: samples, name: %s, version: 1.0.0, title: Title of %s, summary: What it does. }\n"
INPUT = """\
input:
  schema:
    document:
      type: object
      required: [to]
      properties: { to: { type: string, format: email }, subject: { type: string, maxLength: 60 } }
      additionalProperties: false
"""
SUBJECT = '${ $workflow.input.subject // "Hello" }'
MAIL = "{ call: sendMail, with: { to: '${ $workflow.input.to }', subject: '%s', body: Hello. } }" % SUBJECT


def flow(name, tasks, given=INPUT):
    return HEAD % (name, name) + given + "do:\n" + "".join(f"  - {task}\n" for task in tasks)


FLOWS = {
    "welcome-mail": flow("welcome-mail", ["first: { set: { a: 1 } }", f"mail: {MAIL}", "last: { set: { sent: true } }"]),
    "slow-mail": flow("slow-mail", [
        "first: { set: { a: 1 } }", "second: { set: { a: 2 } }", "pause: { wait: { milliseconds: 2500 } }",
        "third: { set: { a: 3 } }", f"mail: {MAIL}", "last: { set: { sent: true } }"]),
    "two-mails": flow("two-mails", [f"one: {MAIL}", f"two: {MAIL}"]),
    "read-people": flow("read-people", [
        "read: { call: graph, with: { path: '/users?$top=3&$select=displayName' } }",
        "names: { set: { names: '${ [.value[].displayName] }' } }"],
        "input: { schema: { document: { type: object, properties: { top: { type: integer, maximum: 5 }, any: true, none: false }, additionalProperties: false } } }\n"),
    "Any-input": flow("Any-input", ["only: { set: { given: '${ $workflow.input }' } }"], ""),
    "list-input": flow("list-input", ["only: { set: { count: '${ $workflow.input | length }' } }"],
                       "input: { schema: { document: { type: array, items: { type: string }, maxItems: 3 } } }\n"),
    "delete-message": flow("delete-message", [
        "remove: { call: graph, with: { method: DELETE, path: '/me/messages/AAMkAGI2TG93AAA=' } }"]),
    "anonymous-link": flow("anonymous-link", [
        "upload: { call: upload, with: { path: 'Shared/list.txt', content: Hello. } }",
        "link: { call: createLink, with: { itemId: '${ .id }', type: view, scope: anonymous } }"]),
    # Writes in spellings that Graph takes as well, and writes of which nothing is known.
    "batch-delete": flow("batch-delete", [
        "remove: { call: graph, with: { method: POST, path: '/$batch', body: { requests: [ { id: '1', method: DELETE, url: \"/ME/messages('M')\" } ] } } }"]),
    "wipe-device": flow("wipe-device", [
        "wipe: { call: graph, with: { method: POST, path: \"/deviceManagement/managedDevices('D')/wipe\", body: {} } }"]),
    "forward-event": flow("forward-event", [
        "forward: { call: graph, with: { method: POST, path: \"/me/events('E')/forward\", body: { ToRecipients: [ { EmailAddress: { Address: '${ .to }' } } ] } } }"]),
    "post-conversation": flow("post-conversation", [
        "post: { call: graph, with: { method: POST, path: '/groups/G/conversations', body: { topic: Hello } } }"]),
    "other-service": flow("other-service", ["remove: { call: http, with: { method: delete, endpoint: https://api.contoso.com/items/1 } }"]),
    "fails": flow("fails", [
        f"mail: {MAIL}",
        "stop: { if: '${ (.messageId | length) > 3 }', raise: { error: { type: 'https://contoso.com/errors/full', status: 409, title: The room is full } } }"]),
}
# The order of the tools: by the bytes of the names.
NAMES = sorted([*FLOWS, "share-profile-photo"], key=str.encode)
FOLDER_FILES = {
    **{f"flows/{name}.yaml": content for name, content in FLOWS.items()},
    **{f"flows/{name}": (FOLDER / name).read_text(encoding="utf-8") for name in ("share-profile-photo.yaml", "email-body.html")},
}
