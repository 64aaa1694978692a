"""Microsoft's description of Graph, by method and path."""

import json
import re
from pathlib import Path

from openapi_schema_validator import OAS30ReadValidator, OAS30WriteValidator, oas30_format_checker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

SOURCE = Path(__file__).with_name("graph-subset.openapi.json")

ERROR = "#/components/schemas/microsoft.graph.ODataErrors.ODataError"

# Where Microsoft's description says nothing or something else than the service does, and what is done about it here.
# What the service's documentation says instead has been put into graph-subset.openapi.json already ("x-source": "docs"):
# paths such as root:/{path}:, $batch, the addresses of upload sessions, MIME bodies, and single statuses in the place of
# 2XX. The rest:
ELSEWHERE = {
    # The messages of a folder are like those of the mailbox.
    r"/(me|users/[^/]+)/mailFolders/[^/]+/messages": r"/\1/messages",
}
UNDESCRIBED = {
    # The bytes of an attachment alone.
    r"/(me|users/[^/]+)/messages/[^/]+/attachments/[^/]+/\$value",
}
# contentBytes is base64url there, and standard base64 in the service; the conversationIndex, too.
STANDARD_BASE64 = "base64url"
# Action bodies have Message and SaveToSentItems there; the service takes message and saveToSentItems as well.
# Bodies' types and importances are in lower case there; the service takes any case.


class Description:
    """The operations and schemas of graph-subset.openapi.json."""

    def __init__(self):
        self.document = json.loads(SOURCE.read_text("utf-8"))
        resource = Resource.from_contents(self.document, default_specification=DRAFT4)
        self.registry = Registry().with_resource("urn:graph", resource)
        self.templates = sorted(
            ((self.pattern(path), path) for path in self.document["paths"]),
            # The most specific one first: with the fewest variables, then the longest.
            key=lambda entry: (entry[1].count("{"), -len(entry[1])),
        )

    @staticmethod
    def pattern(template):
        parts = re.split(r"(\{[^}]+\})", template)
        regex = ""
        for part in parts:
            if part == "{item-path}":
                regex += "[^:]+"
            elif part.startswith("{"):
                regex += "[^/:]+"
            else:
                regex += re.escape(part)
        return re.compile(regex + ":?", re.IGNORECASE)

    def operation(self, method, path):
        """The operation's template and description; None if it is not described."""
        path = path.split("?")[0].removeprefix("/v1.0")
        for pattern, replacement in ELSEWHERE.items():
            if re.fullmatch(pattern, path, re.IGNORECASE):
                path = re.sub(pattern, replacement, path, flags=re.IGNORECASE)
        for pattern, template in self.templates:
            if pattern.fullmatch(path) and method.lower() in self.document["paths"][template]:
                return template, self.document["paths"][template][method.lower()]
        return None

    def resolved(self, node):
        while "$ref" in node:
            target = self.document
            for name in node["$ref"].removeprefix("#/").split("/"):
                target = target[name.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def problems(self, schema, value, writing):
        """The violations of a schema of the description by a value."""
        kind = OAS30WriteValidator if writing else OAS30ReadValidator
        validator = kind(
            self.absolute(schema), registry=self.registry, format_checker=oas30_format_checker
        )
        return [
            f"{'/'.join(map(str, error.absolute_path)) or 'the whole'}: {error.message[:200]}"
            for error in validator.iter_errors(value)
        ]

    def absolute(self, schema):
        """The schema with references into the registered document."""
        if isinstance(schema, list):
            return [self.absolute(element) for element in schema]
        if not isinstance(schema, dict):
            return schema
        result = {key: self.absolute(value) for key, value in schema.items()}
        if isinstance(result.get("$ref"), str) and result["$ref"].startswith("#"):
            result["$ref"] = "urn:graph" + result["$ref"]
        if result.get("format") == STANDARD_BASE64:
            result["format"] = "byte"
        return result

    def response(self, operation, status):
        """The described answer with this status; None if there is none."""
        responses = operation["responses"]
        found = responses.get(str(status)) or responses.get(f"{str(status)[0]}XX")
        return self.resolved(found) if found else None

    @staticmethod
    def is_described(path):
        """Whether the description may cover the path."""
        path = path.split("?")[0].removeprefix("/v1.0")
        return not any(re.fullmatch(pattern, path, re.IGNORECASE) for pattern in UNDESCRIBED)

    def answer_problems(self, method, path, status, content_type, body):
        """What is wrong with an answer."""
        if not self.is_described(path):
            return []
        found = self.operation(method, path)
        if not found:
            return ["the operation is not described"]
        response = self.response(found[1], status)
        if not response:
            return [f"the status {status} is not described"]
        content = response.get("content", {})
        if not content:
            # Errors always have Graph's envelope, even if the description leaves their body open.
            if status >= 400 and content_type.startswith("application/json"):
                return self.problems({"$ref": ERROR}, json.loads(body), writing=False)
            return [] if not body else ["there is a body where none is described"]
        if status == 201 and "/uploadSession/" in path and not body:
            # The last range of an attachment: a Location and nothing else.
            return []
        if "application/json" not in content:
            return [] if body else ["the body is missing"]
        if not content_type.startswith("application/json"):
            return [f"the content type is {content_type}"]
        return self.problems(content["application/json"]["schema"], json.loads(body), writing=False)

    def request_problems(self, method, path, content_type, body):
        """What is wrong with a request; the body is JSON as data, or None for bytes."""
        if not self.is_described(path):
            return []
        found = self.operation(method, path)
        if not found:
            return ["the operation is not described"]
        described = found[1].get("requestBody")
        if not described:
            return [] if body is None else ["there is a body where none is described"]
        if body is None and not described.get("required", False):
            return []
        essence = content_type.split(";")[0].strip().lower()
        content = described["content"].get(essence)
        if not content:
            binary = any(entry["schema"].get("format") == "binary" for entry in described["content"].values())
            return [] if binary else [f"the content type '{content_type}' is not described"]
        if essence != "application/json":
            return []
        return self.problems(content["schema"], body, writing=True)
