#!/usr/bin/env python3
"""Extracts the schemas with which the sandbox checks request bodies from the description of Microsoft Graph.

Reads Tests/Conformance/graph-subset.openapi.json and writes Sources/Workflows/Sandbox/Examples/request-bodies.json:
the body schemas of the operations below, with the component schemas that they reach. Operations of `/users/{id}` have
the same bodies as those of `/me`. With --check nothing is written; the exit status says whether the file is up to date.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "Tests/Conformance/graph-subset.openapi.json"
TARGET = ROOT / "Sources/Workflows/Sandbox/Examples/request-bodies.json"
OPERATIONS = {
    "sendMail": ("/me/sendMail", "post"),
    "createLink": ("/me/drive/items/{driveItem-id}/createLink", "post"),
    "createUploadSession": ("/me/drive/items/{driveItem-id}/createUploadSession", "post"),
    "driveItem": ("/me/drive/items/{driveItem-id}/children", "post"),
    "copy": ("/me/drive/items/{driveItem-id}/copy", "post"),
    "message": ("/me/messages", "post"),
    "attachment": ("/me/messages/{message-id}/attachments", "post"),
    "createAttachmentSession": ("/me/messages/{message-id}/attachments/createUploadSession", "post"),
    "group": ("/groups", "post"),
    "user": ("/me", "patch"),
    "reference": ("/groups/{group-id}/members/$ref", "post"),
    "reply": ("/me/messages/{message-id}/reply", "post"),
    "move": ("/me/messages/{message-id}/move", "post"),
    "mailFolder": ("/me/mailFolders", "post"),
    "event": ("/me/events", "post"),
    "assignLicense": ("/me/assignLicense", "post"),
    "subscription": ("/subscriptions", "post"),
    "batch": ("/$batch", "post"),
}
PREFIX = "#/components/schemas/"
UNCHECKED = {"description", "summary", "title", "readOnly", "writeOnly", "discriminator"}


def pruned(schema, reached):
    """The schema without members that check nothing; the components that it refers to are added to `reached`."""
    if isinstance(schema, list):
        return [pruned(element, reached) for element in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for key, value in schema.items():
        if key == "properties":
            result[key] = {name: pruned(property, reached) for name, property in value.items()}
        elif key == "$ref":
            reached.append(value.removeprefix(PREFIX))
            result[key] = value
        elif key == "format" and value == "base64url":
            # The description says base64url, but the service uses standard base64.
            result[key] = "byte"
        elif key not in UNCHECKED and not key.startswith("x-"):
            result[key] = pruned(value, reached)
    return result


def main():
    description = json.loads(SOURCE.read_text("utf-8"))
    reached = []
    bodies = {
        name: pruned(
            description["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"], reached
        )
        for name, (path, method) in OPERATIONS.items()
    }
    schemas = {}
    while reached:
        name = reached.pop()
        if name not in schemas:
            schemas[name] = pruned(description["components"]["schemas"][name], reached)
    result = {
        "openapi": description["openapi"],
        "bodies": bodies,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }
    text = json.dumps(result, separators=(",", ":"), ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if TARGET.read_text("utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is out of date: run scripts/prune-request-bodies.py")
        return
    TARGET.write_text(text, "utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(text)} bytes, {len(schemas)} schemas")


if __name__ == "__main__":
    main()
