#!/usr/bin/env python3
"""Makes Sources/Workflows/GraphModel/GraphData.swift: types, paths and permissions of Microsoft Graph v1.0.

usage: make-graph-model.py [--check] MODEL PERMISSIONS

MODEL is the metadata that Microsoft publishes (https://graph.microsoft.com/v1.0/$metadata, CSDL), or a text with a line for
each type and member:

    E NAME BASE|- [open] [stream] [abstract]    an entity type; C for a complex type
    p NAME TYPE, n NAME TYPE [contains]         its properties and navigation properties; [TYPE] is a list, TYPE? can be null
    U NAME MEMBER…                              an enumeration; U* if a value can have several members
    A NAME BINDING|- RETURN|- PARAMETER:TYPE…   an action; F for a function
    S NAME TYPE, G NAME TYPE                    an entity set, a singleton

PERMISSIONS is permissions.json of
microsoftgraph/microsoft-graph-devx-content, or a text with lines PATH METHODS DELEGATED APPLICATION. What is wrong or missing
in them is in graph-corrections.txt beside this script. With --check nothing is written: the exit status is 1 if the file is not
the one that would be made.
"""
import functools
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Sources/Workflows/GraphModel/GraphData.swift"
CORRECTIONS = ROOT / "scripts/graph-corrections.txt"

PRIMITIVES = {
    "string": "s", "int": "i", "bool": "b", "double": "d", "date": "D", "time": "T", "datetime": "t", "duration": "P",
    "guid": "g", "binary": "B", "stream": "S", "any": "a",
}
DIGITS = [chr(code) for code in range(0x23, 0x7F) if chr(code) not in ",;?*|\\"]


def number(value, width):
    """A number in the digits of the compact form, the highest first."""
    text = ""
    for _ in range(width):
        value, digit = divmod(value, len(DIGITS))
        text = DIGITS[digit] + text
    assert value == 0, "the number is too large for its field"
    return text


# The model


class Type:
    def __init__(self, name, kind, base=None, flags=""):
        self.name, self.kind, self.base, self.flags = name, kind, base, flags
        self.members = []  # (name, mark, type) of properties and navigation properties
        self.operations = []  # (name, mark, return type, [(parameter, type)])
        self.values = []


ROOT_TYPE = "$root"


def read_text(path):
    types = {ROOT_TYPE: Type(ROOT_TYPE, "C")}
    current = None
    # An alias that one schema of the metadata has for itself.
    for line in re.sub(r"\bself\.", "security.", path.read_text()).splitlines()[1:]:
        words = line.split(" ")
        match words[0]:
            case "E" | "C":
                flags = {"open": "o", "stream": "s", "abstract": "a"}
                base = None if words[2] == "-" else words[2]
                current = Type(words[1], words[0], base, "".join(flags[word] for word in words[3:]))
                types[current.name] = current
            case "p":
                current.members.append((words[1], " ", words[2]))
            case "n":
                current.members.append((words[1], "=" if "contains" in words[3:] else ">", words[2]))
            case "U" | "U*":
                current = Type(words[1], "U", None, "m" if words[0] == "U*" else "")
                current.values = words[2:]
                types[current.name] = current
            case "A" | "F":
                bound = ROOT_TYPE if words[2] == "-" else words[2]
                marks = ("!", "&") if words[0] == "A" else ("~", "%")
                parameters = [tuple(word.split(":")) for word in words[4:]]
                owner = types.get(bound.strip("[]"))
                if owner:
                    mark = marks[1] if bound.startswith("[") else marks[0]
                    owner.operations.append((words[1], mark, None if words[3] == "-" else words[3], parameters))
            case "S":
                types[ROOT_TYPE].members.append((words[1], "=", f"[{words[2]}]"))
            case "G":
                types[ROOT_TYPE].members.append((words[1], "=", words[2]))
    return types


EDM = {
    "String": "string", "Int16": "int", "Int32": "int", "Int64": "int", "Byte": "int", "SByte": "int",
    "Boolean": "bool", "Double": "double", "Single": "double", "Decimal": "double", "Date": "date",
    "TimeOfDay": "time", "DateTimeOffset": "datetime", "Duration": "duration", "Guid": "guid", "Binary": "binary",
    "Stream": "stream", "Untyped": "any", "PrimitiveType": "any",
}


def read_csdl(path):
    types = {ROOT_TYPE: Type(ROOT_TYPE, "C")}
    aliases = {"graph": "microsoft.graph"}

    def plain(text, nullable=False):
        if text.startswith("Collection("):
            return f"[{plain(text[len('Collection('):-1])}]"
        if text.startswith("Edm."):
            name = EDM.get(text[4:], "any")
        else:
            prefix, _, last = text.rpartition(".")
            name = aliases.get(prefix, prefix) + "." + last
            name = name.removeprefix("microsoft.graph.")
        return name + ("?" if nullable else "")

    tree = xml.etree.ElementTree.parse(path)
    local = lambda element: element.tag.rpartition("}")[2]
    schemas = [element for element in tree.iter() if local(element) == "Schema"]
    for schema in schemas:
        if schema.get("Alias"):
            aliases[schema.get("Alias")] = schema.get("Namespace")
    operations = []
    for schema in schemas:
        for element in schema:
            name = plain(f"{schema.get('Namespace')}.{element.get('Name')}")
            match local(element):
                case "EntityType" | "ComplexType":
                    kind = "E" if local(element) == "EntityType" else "C"
                    base = element.get("BaseType")
                    names = (("o", "OpenType"), ("s", "HasStream"), ("a", "Abstract"))
                    flags = "".join(flag for flag, key in names if element.get(key) == "true")
                    types[name] = current = Type(name, kind, base and plain(base), flags)
                    for member in element:
                        contains = member.get("ContainsTarget") == "true"
                        nullable = member.get("Nullable") != "false"
                        if local(member) == "Property":
                            text = plain(member.get("Type"))
                            current.members.append(
                                (member.get("Name"), " ", text if text[0] == "[" or not nullable else text + "?"))
                        elif local(member) == "NavigationProperty":
                            current.members.append(
                                (member.get("Name"), "=" if contains else ">", plain(member.get("Type"))))
                case "EnumType":
                    types[name] = current = Type(name, "U", None, "m" if element.get("IsFlags") == "true" else "")
                    current.values = [member.get("Name") for member in element if local(member) == "Member"]
                case "Action" | "Function":
                    operations.append(element)
                case "EntityContainer":
                    for part in element:
                        if local(part) in ("EntitySet", "Singleton"):
                            text = plain(part.get("EntityType") or part.get("Type"))
                            text = f"[{text}]" if local(part) == "EntitySet" else text
                            types[ROOT_TYPE].members.append((part.get("Name"), "=", text))
    for element in operations:
        parameters, returned, bound = [], None, ROOT_TYPE
        for part in element:
            if local(part) == "Parameter":
                if element.get("IsBound") == "true" and bound == ROOT_TYPE:
                    bound = plain(part.get("Type"))
                else:
                    parameters.append((part.get("Name"), plain(part.get("Type"))))
            elif local(part) == "ReturnType":
                returned = plain(part.get("Type"))
        marks = ("!", "&") if local(element) == "Action" else ("~", "%")
        if owner := types.get(bound.strip("[]")):
            mark = marks[1] if bound.startswith("[") else marks[0]
            owner.operations.append((element.get("Name"), mark, returned, parameters))
    return types


# Paths: each with its segments in lower case, `*` for a key


CAST = "microsoft.graph."
WELL_KNOWN = ("inbox", "root")
NOTHING = (None, None, False)


class Walk:
    """Finds the way of a path in the model, to leave out the permissions of what v1.0 has not."""

    def __init__(self, types):
        self.types = {name.lower(): kind for name, kind in types.items()}
        self.derived = {}
        for kind in types.values():
            if kind.base:
                self.derived.setdefault(kind.base, []).append(kind)

    @functools.cache
    def family(self, name):
        """The type, what it comes from and what comes from it: their members and operations by name."""
        found, open_types = {}, [self.types.get(name.lower())]
        while open_types:
            kind = open_types.pop(0)
            if kind and kind.name not in found:
                found[kind.name] = kind
                open_types += self.derived.get(kind.name, [])
                open_types.append(self.types.get((kind.base or "").lower()))
        members, operations = {}, {}
        for kind in found.values():
            for member, _, text in kind.members:
                members.setdefault(member.lower(), text.rstrip("?"))
            for operation, mark, returned, _ in kind.operations:
                operations.setdefault((operation.lower(), mark in "&%"), (returned or "none").rstrip("?"))
        return members, operations

    def canonical(self, path):
        path = re.sub(r"\?.*", "", path.lower()).strip("/")
        path = re.sub(r"root:/[^/:]*(:|$)", "root", path)
        path = re.sub(r"items/[^/:]*:/[^/:]*(:|$)", "items/{id}", path)
        path = path.replace("/default.", "/")
        steps, current, many, self.ends_with_operation = [], ROOT_TYPE, False, False
        for part in path.split("/"):
            for segment in self.split(part):
                step, current, many = self.step(segment, current, many)
                if current is None:
                    return None
                if step:
                    steps.append(step)
        return steps

    @staticmethod
    def split(part):
        match = re.fullmatch(r"([\w.$-]+)\((.*)\)", part)
        return [match[1], f"({match[2]})"] if match else [part]

    def step(self, segment, current, many):
        has_parameters = self.ends_with_operation and segment.startswith("(")
        self.ends_with_operation = has_parameters
        if has_parameters:
            return None, current, many
        if segment in ("$count", "$ref", "$value"):
            return segment, "any", False
        if current == "any":
            return segment, "any", False
        members, operations = self.family(current)
        operation = segment.rpartition(".")[2]
        if text := operations.get((operation, many)):
            self.ends_with_operation = True
            return operation, text.strip("[]"), text.startswith("[")
        if segment.startswith("("):
            return ("*", current, False) if many else (None, current, many)
        if segment.startswith(CAST):
            return (None, segment.removeprefix(CAST), many) if segment.removeprefix(CAST) in self.types else NOTHING
        if many:
            # Other names at the place of a key are functions that v1.0 does not have.
            return ("*", current, False) if segment.startswith("{") or segment in WELL_KNOWN else NOTHING
        if text := members.get(segment):
            return segment, text.strip("[]"), text.startswith("[")
        return NOTHING


# Permissions

KINDS = ("DelegatedWork", "Application")
READING = re.compile(r"\.(Read|ReadBasic|ReadForChat|ReadForUser)(\.|$)")


def permission_rows(path):
    text = path.read_text()
    if not text.lstrip().startswith("{"):
        for line in text.splitlines()[1:]:
            where, methods, *cells = line.split(" ")
            for method in methods.split(","):
                yield where, method, *(alternatives(cell) for cell in cells)
        return
    found = {}
    for name, permission in json.loads(text)["permissions"].items():
        for path_set in permission["pathSets"]:
            for where, about in path_set["paths"].items():
                fields = dict(part.partition("=")[::2] for part in about.split(";"))
                least = fields.get("least", "").split(",")
                for method in path_set["methods"]:
                    for index, kind in enumerate(KINDS):
                        cell = found.setdefault((where, method), ({}, {}))[index]
                        if kind in path_set["schemeKeys"]:
                            cell[name] = (kind in least, fields.get("AlsoRequires", "").split(","))
    for (where, method), cells in found.items():
        result = []
        for cell in cells:
            least = [name for name, (is_least, _) in cell.items() if is_least] or list(cell)[:1]
            result.append([[name] + [other for other in cell[name][1] if other] for name in sorted(least)])
        yield where, method, *result


def alternatives(cell):
    """Lists of permissions that are needed together; each list is enough."""
    return [] if cell == "-" else [name.split("+") for name in cell.lstrip("?").split(",")]


def chosen(method, steps, cell, is_operation):
    """The alternative that reads or changes what the request does; None if there is none that is right."""
    if not cell:
        return []
    named = [names for names in cell if not any("NestingSupport" in name for name in names)]
    # A write is never done by a permission that only reads; an action may read.
    if method in ("PATCH", "PUT", "DELETE") or method == "POST" and not is_operation:
        named = [names for names in named if not all(READING.search(name) for name in names)]
    if not named:
        return None

    return min(named, key=lambda names: rank(method, steps, names))


def rank(method, steps, names):
    """Orders the permissions of a request, the most fitting first."""
    resource, _, what = names[0].partition(".")
    resource = resource.partition("-")[0].lower()
    writes = re.search(r"Write|Manage|FullControl|Create", what) is not None
    # A permission for one team, chat or site is given by its owner, and one for the program's own things is narrow.
    narrow = re.search(r"\.(Group|Chat|Selected|AppFolder)$", names[0]) is not None
    known = any(resource in step for step in steps) or resource == "application" and "serviceprincipals" in steps
    return (method == "GET" and writes, narrow, not known, len(names))


def precedence(where, method, steps, row):
    """Orders rows for one request: those of a type that comes from another, and those for one sign-in only, come last."""
    fit = rank(method, steps, row[0]) if row[0] else (True,)
    return CAST in where.lower(), [] in row, fit, where == where.lower()


def corrections():
    for line in CORRECTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            methods, where, delegated, application = line.partition(" # ")[0].split()
            for method in methods.split(","):
                yield where, method, delegated, application


def permissions(rows, walk):
    """By the steps of a path and the method: the delegated and the application's permissions, each a list or None."""
    found = {}
    for where, method, *cells in rows:
        steps = walk.canonical(where)
        if steps:
            row = tuple(chosen(method, steps, cell, walk.ends_with_operation) for cell in cells)
            if None not in row:
                found.setdefault((tuple(steps), method), []).append((precedence(where, method, steps, row), row))
    table = {key: min(rows)[1] for key, rows in found.items()}
    for where, method, *cells in corrections():
        steps = walk.canonical(where)
        assert steps, f"{where} is not in the model"
        table[tuple(steps), method] = tuple([] if cell == "-" else cell.split("+") for cell in cells)
    return table


# The compact form


def encoded(text, index):
    if text is None:
        return "-"
    nullable = "?" if text.endswith("?") else ""
    text = text.rstrip("?")
    many = "*" if text.startswith("[") else ""
    name = text.strip("[]")
    return many + (PRIMITIVES.get(name) or (number(index[name], 2) if name in index else PRIMITIVES["any"])) + nullable


def type_records(types):
    order = sorted(types, key=str.lower)
    index = {name: position for position, name in enumerate(order)}
    for name in order:
        kind = types[name]
        base = number(index[kind.base], 2) if kind.base in index else "-"
        below = "".join(number(index[other], 2) for other in order if types[other].base == name)
        fields = [kind.kind + name + " " + base + " " + (kind.flags or "-") + (" " + below if below else "")]
        fields += [name + mark + encoded(text, index) for name, mark, text in kind.members]
        for name, mark, returned, parameters in kind.operations:
            words = [f"{parameter}:{encoded(text, index)}" for parameter, text in parameters]
            fields.append(" ".join([name + mark + encoded(returned, index)] + words))
        yield ",".join(fields + kind.values) + ";"


def permission_text(table):
    names = sorted({name for row in table.values() for cell in row for name in cell})
    position = {name: number(index, 2) for index, name in enumerate(names)}
    rows = sorted({tuple(tuple(cell) for cell in row) for row in table.values()})
    row_position = {row: number(index, 2) for index, row in enumerate(rows)}
    row_texts = [",".join("".join(position[name] for name in cell) for cell in row) + ";" for row in rows]
    tree = {}
    for (steps, method), row in sorted(table.items()):
        node = tree
        for step in steps:
            node = node.setdefault(step, {})
        node.setdefault("", []).append(METHODS[method] + row_position[tuple(tuple(cell) for cell in row)])

    def written(node):
        text = ""
        for step in sorted(key for key in node if key):
            below = written(node[step])
            text += f"{number(len(below), 3)}{step},{''.join(node[step].get('', []))};{below}"
        return text

    return [name + ";" for name in names], row_texts, written(tree)


METHODS = {"GET": "G", "POST": "P", "PATCH": "A", "PUT": "U", "DELETE": "D"}


def literal(name, text):
    """A text as a literal of a few long lines."""
    lines = [text[start:start + 8000] for start in range(0, len(text), 8000)]
    return f'    static let {name}: StaticString = #"""\n' + "".join(
        "        " + line + "\\#\n" for line in lines)[:-3] + '\n        """#\n'


def offsets(records):
    position, text = 0, ""
    for record in records:
        text += number(position, 3)
        position += len(record)
    return text


def swift(types, table):
    records = list(type_records(types))
    names, rows, tree = permission_text(table)
    return (
        "// Made by scripts/make-graph-model.py; GraphDefinition and GraphPermissions read it.\n"
        "// swift-format-ignore-file\n"
        "enum GraphData {\n"
        + literal("types", "".join(records)) + literal("typeOffsets", offsets(records))
        + literal("permissionNames", "".join(names)) + literal("permissionNameOffsets", offsets(names))
        + literal("permissionRows", "".join(rows)) + literal("permissionRowOffsets", offsets(rows))
        + literal("permissionTree", tree)
        + "}\n")


def main(arguments):
    check = "--check" in arguments
    model, published = [pathlib.Path(argument) for argument in arguments if argument != "--check"]
    types = read_csdl(model) if model.read_text().lstrip().startswith("<") else read_text(model)
    table = permissions(permission_rows(published), Walk(types))
    text = swift(types, table)
    if check:
        return 0 if TARGET.exists() and TARGET.read_text() == text else 1
    TARGET.write_text(text)
    print(f"{len(types)} types, {len(table)} permissions, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    if len([word for word in sys.argv[1:] if word != "--check"]) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
