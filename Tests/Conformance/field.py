"""What people write in expressions, tables, addresses, events, descriptions and workflow files, and what must come of it.

    field.py GRAPHFLOW [ID…] [--threads N]

Each row is an input and what must hold: an output, an exit status, what a message says and what it does not say. Rows of A
are about results that are wrong without a word, of B about input that is right and was refused, of C about messages that
mislead, and of D about decisions. Values of expressions are those of jq 1.8.2, unless the page on expressions names the
difference.
"""

import argparse
import base64
import concurrent.futures
import contextlib
import dataclasses
import datetime
import gzip
import json
import os
import queue
import re
import shlex
import subprocess
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
import zlib
import zoneinfo

import sandbox as sandboxes
from checks import check, end
from hostile_messages import Answer
from hostile_server import Server
from values import same

TITLES = {
    "A1": "parts of a date out of range", "A2": "weekday and day of the year of a changed date",
    "A3": "broken-down times as local times", "A4": "strptime with weeks, and without a day",
    "A5": "flags and widths of strftime", "A6": "the error as the data of conditions of catch and retry",
    "A7": "escapes of regular expressions", "A8": "case folding", "A9": "several outputs of a shorthand key",
    "A10": "frexp of negative numbers", "A11": "fractions as indices and counts", "A12": "attendees of events",
    "A13": "invisible characters in addresses", "A14": "columns that are nearly a property",
    "A15": "delimiters in queries of OpenAPI", "A16": "all-day events", "B1": "white space around a date",
    "B2": "times that Graph writes", "B3": "attachments around 3 MB", "B4": "images in the text of a mail",
    "B5": "booleans of spreadsheets", "B6": "content codings over plain http",
    "B7": "the sandbox is as strict as Graph", "B8": "numbers in texts", "C1": "blanks and control characters in messages",
    "C2": "spaces that are not YAML's", "C3": "first and last lines of tables", "C4": "texts that look like expressions",
    "C5": "operands in messages", "C6": "names of variables with a dollar", "C7": "reasons of a 403",
    "C8": "reasons of invalid_grant", "C9": "\\X on the page and in the program", "C10": "messages to editors and agents",
    "D1": "a delta link that is not found", "D2": "423 Locked", "D3": "the photo of nobody",
    "D4": "keys that differ by case", "D5": "properties of the runtime's arguments", "D6": "text/json",
    "D7": "binary parts of a form", "D8": "slashes in a path of call http", "D9": "a last line of blanks in YAML",
    "D10": "strptime that lacks a part", "D11": "path(last(f))", "D12": "break is no error",
    "D13": "where jq 1.8.2 is wrong", "D15": "scripts and calls in patterns", "D16": "commas in headers of OpenAPI",
    "D17": "logging/setLevel",
}  # fmt: skip
HEAD = "document: { dsl: 1.0.3, namespace: field, name: field, version: 1.0.0 }\n"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = os.path.join(ROOT, "Sources", "Workflows", "Engine", "Documentation.docc")
ANY = object()
FAILED = object()


@dataclasses.dataclass
class Refused:
    """An error whose message contains one of `says`, if there are any, and none of `silent`."""

    says: tuple = ()
    silent: tuple = ()


ERROR = Refused()


def refused(*says, silent=()):
    return Refused(says, silent)


@dataclasses.dataclass
class Row:
    """`act` gets a `Place`, and returns what is wrong as texts."""

    id: str
    title: str
    act: object


@dataclasses.dataclass
class Expression:
    """A program whose outputs, as an array, are one of `expected`."""

    id: str
    program: str
    expected: tuple
    zone: str

    @property
    def title(self):
        return self.program if self.zone == "UTC" else f"TZ={self.zone} {self.program}"


EXPRESSIONS = []
ROWS = []


def value(id, program, *expected, zone="UTC"):
    """A program that gives one of these values, or one of these errors."""
    EXPRESSIONS.append(Expression(id, program, tuple(each if isinstance(each, Refused) else [each] for each in expected), zone))


def row(id, title, act):
    ROWS.append(Row(id, title, act))


# The places in which rows are tried.


class Result:
    """What a command did."""

    def __init__(self, arguments, result):
        self.command = "graphflow " + shlex.join(arguments)
        self.status, self.output, self.errors = result.returncode, result.stdout, result.stderr

    @property
    def text(self):
        return self.output + self.errors

    @property
    def json(self):
        try:
            return json.loads(self.output)
        except ValueError:
            return None

    def problems(self, status=ANY, output=ANY, says=(), silent=(), any_of=()):
        """What does not hold: all of `says`, one of `any_of`, none of `silent`."""
        found = []
        if status is FAILED and self.status in (0, 64) or isinstance(status, int) and self.status != status:
            found.append(f"expected the status {'of an error' if status is FAILED else status}")
        if output is not ANY and (self.json is None and output is not None or not equal(self.json, output)):
            found.append(f"expected the output {json.dumps(output, ensure_ascii=False)}")
        found += [f"expected {each!r}" for each in says if each.lower() not in self.text.lower()]
        if any_of and not any(each.lower() in self.text.lower() for each in any_of):
            found.append(f"expected one of {list(any_of)}")
        found += [f"did not expect {each!r}" for each in silent if each.lower() in self.text.lower()]
        return [f"{self.command}: {'; '.join(found)}\n       got {self.status} {self.text[:900]}"] if found else []


class Place:
    """A folder with files, and a graphflow whose home is in it."""

    def __init__(self, program, folder, shared):
        self.program, self.folder, self.shared = program, folder, shared
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment.update(GRAPHFLOW_HOME=os.path.join(folder, "home"), TZ="UTC")

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def workflow(self, text, name="flow.yaml"):
        self.write(name, text if text.startswith("document:") else HEAD + text)

    def call(self, command, stdin=None, **environment):
        arguments = shlex.split(command) if isinstance(command, str) else command
        return Result(arguments, subprocess.run(
            [self.program, *arguments], env={**self.environment, **environment}, cwd=self.folder, capture_output=True,
            text=True, timeout=60, **({"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL})))

    def start(self, command, errors=subprocess.DEVNULL, **environment):
        """The process of a command that stays."""
        return subprocess.Popen(
            [self.program, *shlex.split(command)], env={**self.environment, **environment}, cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)

    def findings(self, text):
        self.workflow(text)
        return self.call("validate flow.yaml --format json").json


class Service:
    """A service of this machine that records requests, and answers with `(status, headers, body)` for each."""

    def __init__(self, respond):
        self.requests = []
        self.respond = respond
        self.server = Server(self.answer)
        self.origin = f"http://127.0.0.1:{self.server.port}"

    def answer(self, request):
        method, target, _ = request["head"].split(b"\r\n")[0].decode().split(" ")
        self.requests.append({"method": method, "target": target, **request})
        status, headers, body = self.respond(self.requests[-1])
        head = f"HTTP/1.1 {status} X\r\n"
        if "Transfer-Encoding" in headers:
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:]) if part) + b"0\r\n\r\n"
        else:
            head += f"Content-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {text}\r\n" for name, text in headers.items())
        return Answer("field", [head.encode() + b"\r\n" + body])


def answering(status, content, **headers):
    """A service with one answer; `_` in a name of a header stands for `-`."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Service(lambda _: (status, {"Content-Type": "application/json", **named}, body))


def equal(left, right):
    return same(left, right, lambda one, other: one == other)


# How rows are written.


def flow(id, title, text, *commands, files=None, **holds):
    """A workflow file, and what holds of each command."""

    def act(place):
        place.workflow(text)
        for name, content in (files or {}).items():
            place.write(name, content)
        return [problem for command in commands for problem in place.call(command).problems(**holds)]

    row(id, title, act)


VALIDATE, RUN, PLAN = "validate flow.yaml", "run flow.yaml --sandbox", "run flow.yaml --sandbox --dry-run"


def faulty(id, title, text, *commands, **holds):
    """A file that neither validates, nor is planned, nor runs."""
    flow(id, title, text, *(commands or (VALIDATE, PLAN, RUN)), status=2, **holds)


def quoted(text):
    """A text in double quotes that YAML reads, with everything invisible escaped."""
    return '"' + "".join(
        character if character.isascii() and character.isprintable() and character not in "\"\\" else f"\\U{ord(character):08X}"
        for character in text) + '"'


def mail(arguments, subject="S"):
    return "do:\n  - m: { call: sendMail, with: { subject: '" + subject + "', body: B, " + arguments + " } }\n"


def event(arguments, more=""):
    times = "" if "start:" in arguments else "start: '2026-12-01T09:00', end: '2026-12-01T10:00', "
    return "do:\n  - e: { call: createEvent, with: { subject: S, " + times + arguments + " }" + more + " }\n"


# A1: the carry of C's timegm.

for change, expected in {
    ".[2] += 30": "2024-03-02T00:00:00Z", ".[1] -= 2": "2023-12-01T00:00:00Z", ".[1] += 12": "2025-02-01T00:00:00Z",
    ".[3] += 36": "2024-02-02T12:00:00Z", ".[3] -= 11": "2024-01-31T13:00:00Z", ".[2] = 0": "2024-01-31T00:00:00Z",
    ".[5] = 60": "2024-02-01T00:01:00Z", ".[5] = 120": "2024-02-01T00:02:00Z", ".[4] = -1": "2024-01-31T23:59:00Z",
    ".[2] -= 800": "2021-11-23T00:00:00Z", ".[1] += 1000": "2107-06-01T00:00:00Z", ".[5] -= 1": "2024-01-31T23:59:59Z",
    ".[4] += 527040": "2025-02-01T00:00:00Z", ".[1] = -1 | .[2] = 0": "2023-11-30T00:00:00Z",
    ".[0] -= 1 | .[2] = 29 | .[1] = 1": "2023-03-01T00:00:00Z", ".[3] = 24 | .[4] = 60 | .[5] = 61": "2024-02-02T01:01:01Z",
}.items():  # fmt: skip
    value("A1", f"1706745600 | gmtime | {change} | todate", expected)
for change, expected in {".[2] += 30": "2024-03-02", ".[1] -= 14": "2022-12-01", ".[2] = 366": "2025-01-31"}.items():
    value("A1", f"1706745600 | gmtime | {change} | strftime(\"%Y-%m-%d\")", expected)
    value("A1", f"1706745600 | gmtime | {change} | strflocaltime(\"%F\")", expected)
    value("A1", f"1706745600 | gmtime | {change} | todateiso8601 | .[:10]", expected)
    value("A1", f"1706745600 | gmtime | {change} | mktime | todate | .[:10]", expected)
value("A1", "[2023,1,29,0,0,0,0,0] | todate", "2023-03-01T00:00:00Z")
value("A1", "[2024,1,30,0,0,0,0,0] | todate", "2024-03-01T00:00:00Z")
value("A1", "[2100,1,29,0,0,0,0,0] | todate", "2100-03-01T00:00:00Z")
value("A1", "[1999,11,31,23,59,60,0,0] | strftime(\"%FT%T\")", "2000-01-01T00:00:00")
value("A1", "\"2024-01-31\" | strptime(\"%Y-%m-%d\") | .[1] += 1 | strftime(\"%F\")", "2024-03-02")
value("A1", "1706745600 | localtime | .[3] += 48 | strflocaltime(\"%FT%T %Z\")", "2024-02-03T01:00:00 CET", zone="Europe/Paris")
DUE = mail("to: megan@contoso.com", "Due ${ 1706745600 | gmtime | .[2] += 30 | todate }")
flow("A1", "the subject of a mail in a plan", DUE, PLAN, status=0, says=["Due 2024-03-02T00:00:00Z"])
flow("A1", "the subject of a mail that was sent",
     DUE + "  - r: { call: graph, with: { path: /me/mailFolders/sentitems/messages }, output: { as: '${ .value[0].subject }' } }\n",
     RUN, status=0, output="Due 2024-03-02T00:00:00Z")
flow("A1", "a time that goes into an event",
     "do:\n  - s: { set: { t: '${ 1706745600 | gmtime | .[2] += 30 | strftime(\"%Y-%m-%dT%H:%M\") }' } }\n"
     + event("start: '${ .t }', end: '2024-03-02T01:00'", ", output: { as: '${ .start.dateTime[:10] }' }")[4:],
     RUN, status=0, output="2024-03-02")

# A2: elements 6 and 7 follow from the date.

for program, expected in {
    "1709632800 | gmtime | .[2] += 1 | strftime(\"%A %d %B\")": "Wednesday 06 March",
    "[2024,2,5,0,0,0,0,0] | strftime(\"%A %j %V\")": "Tuesday 065 10",
    "1709632800 | gmtime | .[0] += 1 | strftime(\"%a\")": "Wed",
    "1709632800 | gmtime | .[1] += 1 | strftime(\"%u %j\")": "5 096",
    "[2024,2,5,0,0,0,99,-20] | strftime(\"%a %w %u %j %U %W %V %G %g\")": "Tue 2 2 065 09 10 10 2024 24",
    "[2021,0,3,0,0,0,1,1] | strftime(\"%G-W%V-%u %j\")": "2020-W53-7 003",
    "[2024,11,30,0,0,0,6,6] | strftime(\"%G-W%V-%u %j\")": "2025-W01-1 365",
    "[2024,2,5,10,0,0,5,300] | strftime(\"%c\")": "Tue Mar  5 10:00:00 2024",
    "[2024,1,30,0,0,0,0,0] | strftime(\"%a %j\")": "Fri 061",
    "[2024,2,5,0,0,0,0,0] | strflocaltime(\"%A %j %V\")": "Tuesday 065 10",
    "1709632800 | localtime | .[2] += 1 | strflocaltime(\"%A %j\")": "Wednesday 066",
    "1709632800 | gmtime | .[6] = 0 | .[7] = 0 | mktime": 1709632800,
}.items():
    value("A2", program, expected)
value("A2", "[2024,2,5] | strftime(\"%A %j\")", "Tuesday 065", ERROR)
value("A2", "[2024,2,5,0,0,0] | strftime(\"%A %j\")", "Tuesday 065", ERROR)
value("A2", "[2024,2,5,0,0,0,null,null] | strftime(\"%A %j\")", "Tuesday 065", ERROR)
value("A2", "[2026,6,1,12,0,0,0,0] | strflocaltime(\"%a %j %U\")", "Wed 182 26", zone="Australia/Lord_Howe")

# A3: a broken-down time is local.

for zone, program, expected in (
    ("Europe/Paris", "1709632800 | localtime | strflocaltime(\"%H:%M %Z %z\")", "11:00 CET +0100"),
    ("Europe/Paris", "1720000000 | localtime | strflocaltime(\"%H:%M %Z %z\")", "11:46 CEST +0200"),
    ("Europe/Paris", "1709632800 | gmtime | strflocaltime(\"%H:%M %Z %z\")", "10:00 CET +0100"),
    ("Europe/Paris", "\"2024-07-03\" | strptime(\"%Y-%m-%d\") | strflocaltime(\"%F %Z %z\")", "2024-07-03 CEST +0200"),
    ("Europe/Paris", "[2024,6,34,25,0,0,0,0] | strflocaltime(\"%F %H:%M %Z\")", "2024-08-04 01:00 CEST"),
    ("Europe/Paris", "[2024,14,1,0,0,0,0,0] | strflocaltime(\"%F %Z\")", "2025-03-01 CET"),
    ("Asia/Kolkata", "[2024,2,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 IST +0530"),
    ("Asia/Kathmandu", "[2024,2,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 +0545 +0545"),
    ("America/Sao_Paulo", "[2026,0,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 -03 -0300"),
    ("America/Sao_Paulo", "[2018,0,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 -02 -0200"),
    ("Australia/Sydney", "[2026,0,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 AEDT +1100"),
    ("Australia/Lord_Howe", "[2026,6,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 +1030 +1030"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "[2024,6,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 CEST +0200"),
    ("<+03>-3", "[2024,6,5,10,0,0,0,0] | strflocaltime(\"%H:%M %Z %z\")", "10:00 +03 +0300"),
    ("America/New_York", "1709632800 | localtime | mktime | gmtime | strflocaltime(\"%H %Z\")", "05 EST"),
):  # fmt: skip
    value("A3", program, expected, zone=zone)
value("A3", "[2026,2,29,2,30,0,0,0] | strflocaltime(\"%H:%M %Z\")", "03:30 CEST", "01:30 CET", zone="Europe/Paris")
value("A3", "[2026,9,25,2,30,0,0,0] | strflocaltime(\"%H:%M %Z\")", "02:30 CEST", "02:30 CET", zone="Europe/Paris")

# A4: what glibc computes from year, week and weekday.

for text, pattern, expected in (
    ("2024, 20, 1", "%Y, %W, %u", ["2024-05-13"]), ("2024, 20, 1", "%Y, %U, %w", ["2024-05-20"]),
    ("1 20 2024", "%u %W %Y", ["2024-05-13"]), ("20 2024 Mon", "%W %Y %a", ["2024-05-13"]),
    ("2024 Sun 20", "%Y %a %U", ["2024-05-19"]), ("2024 Monday 1", "%Y %A %W", ["2024-01-01"]),
    ("2024 0 6", "%Y %U %w", ["2024-01-06"]), ("2023 0 0", "%Y %W %w", ["2023-01-01", ERROR]),
    ("2024 53 1", "%Y %W %u", ["2024-12-30"]), ("2023 53 3", "%Y %W %u", [ERROR]),
    ("2024 54 1", "%Y %W %u", [ERROR]), ("2024-W20-1", "%G-W%V-%u", ["2024-05-13", ERROR]),
    ("2021-W53-5", "%G-W%V-%u", [ERROR]), ("2020-W53-5", "%G-W%V-%u", ["2021-01-01", ERROR]),
    ("2024-03", "%Y-%m", ["2024-02-29", "2024-03-01", ERROR]), ("2024", "%Y", ["2023-12-31", "2024-01-01", ERROR]),
    ("March 2024", "%B %Y", ["2024-02-29", "2024-03-01", ERROR]), ("2024 065", "%Y %j", ["2024-03-05"]),
    ("10:30", "%H:%M", ["1899-12-31", "1900-01-01", ERROR]), ("2024-03-05 20 1", "%Y-%m-%d %W %u", ["2024-03-05"]),
):  # fmt: skip
    value("A4", f"{json.dumps(text)} | strptime({json.dumps(pattern)}) | strftime(\"%Y-%m-%d\")", *expected)
value("A4", "\"2024, 20, 1\" | strptime(\"%Y, %W, %u\") | mktime", 1715558400)
value("A4", "\"2024, 20, 1\" | strptime(\"%Y, %W, %u\") | [.[:3], .[6:8]]", [[2024, 4, 13], [1, 133]])

# A5: the flags and widths of the platform's strftime.

for pattern, expected in {
    "%d-%^b-%Y %3d %#p": "05-MAR-2024 005 am", "%^A": "TUESDAY", "%5Y": "02024", "%10A": "   Tuesday", "%^10a": "       TUE",
    "%#A": "TUESDAY", "%#b": "MAR", "%^B": "MARCH", "%_5d": "    5", "%-5d": "    5", "%05d": "00005", "%-H:%-M": "10:0",
    "%_d": " 5", "%0e": "05", "%-e": "5", "%^p": "AM", "%#P": "am", "%^P": "am", "%15F": "     2024-03-05", "%_8j": "      65",
    "%-j": "65", "%^c": "TUE MAR  5 10:00:00 2024", "%30c": "      Tue Mar  5 10:00:00 2024", "%^D": "03/05/24", "%8T": "10:00:00",
    "%12T": "    10:00:00", "%12D": "    03/05/24", "%010R": "0000010:00", "%5%": "    %", "%-y": "24", "%4C": "0020", "%^h": "MAR",
}.items():  # fmt: skip
    value("A5", f"1709632800 | strftime({json.dumps(pattern)})", expected, ERROR)
value("A5", "1709632800 | strftime(\"%#Z\")", "gmt", "utc", ERROR)
value("A5", "1709632800 | strflocaltime(\"%^a %3H %#Z %_6z\")", "TUE 011 cet      +   100", ERROR, zone="Europe/Paris")
value("A5", "1709632800 | gmtime | strflocaltime(\"%^B\")", "MARCH", ERROR)
value("A5", "[2024,2,5,10,0,0,0,0] | strftime(\"%^a %-d\")", "TUE 5", ERROR)

# A6: the error is the data of conditions.

BUSY = "{ raise: { error: { type: 'https://contoso.com/errors/busy', status: 503, title: Busy, detail: come again } } }"
CAUGHT = ", do: [ { ok: { set: { caught: true } } } ] } }\n"


def trying(catch, before="", tasks=BUSY, after=CAUGHT):
    return before + "do:\n  - t: { try: [ { r: " + tasks + " } ], catch: { " + catch + after


def caught(title, catch, is_caught=True, more=RUN, **how):
    flow("A6", f"{catch} {title}".strip(), trying(catch, **how), more, **(
        {"status": 0, "output": {"caught": True}} if is_caught else {"status": 1, "silent": ["caught"]}))


for member, text in {"status": "503", "title": '"Busy"', "detail": '"come again"', "type": '"https://contoso.com/errors/busy"'}.items():
    caught("", f"when: '${{ .{member} == {text} }}'")
    caught("", f"exceptWhen: '${{ .{member} == {text} }}'", False)
caught("", "when: '.status == 503'")
caught("", "when: '.status == 404'", False)
caught("", "exceptWhen: '.status == 404'")
caught("", "when: '${ .instance == \"/do/0/t/try/0/r\" }'")
caught("", "when: '${ .status as $s | [500, 503] | any(. == $s) }'")
caught("", "when: '${ [., 1] | first | .status > 500 }'")
caught("", "when: '${ $error.status == 503 }'")
caught("", "exceptWhen: '${ $error.status == 503 }'", False)
caught("", "as: problem, when: '${ .status == 503 and $problem.status == 503 }'")
caught("", "errors: { with: { status: 503 } }, when: '${ .title == \"Busy\" }'")
caught("", "errors: { with: { status: 503 } }, when: '${ .title == \"Other\" }'", False)
caught("of an input with the same members", "when: '${ .status == 503 }'", before="input: { from: '${ { status: 200 } }' }\n")
caught("of an input with the same members", "when: '${ .status == 200 }'", False, before="input: { from: '${ { status: 200 } }' }\n")
caught("of a call", "when: '${ .status == 404 }'", tasks="{ call: graph, with: { path: '/users/nobody@contoso.com' } }")


def retrying(title, policy, waits, before=""):
    """How often a policy tries again, in a test, whose waits take no time."""
    text = trying(f"retry: {policy}", before)

    def act(place):
        place.workflow(text)
        place.write("flow.test.yaml", "cases: [ { name: waits, expect: { output: { caught: true }, waits: " + json.dumps(waits) + " } } ]\n")
        return place.call("test flow.yaml").problems(status=0)

    row("A6", f"retry: {policy} {title}".strip(), act)


TWICE = "delay: PT1S, limit: { attempt: { count: 2 } }"
for condition, waits in (
    ("when: '${ .status == 503 }'", 2), ("when: '.status == 503'", 2), ("when: '${ .status == 404 }'", 0),
    ("exceptWhen: '${ .status == 503 }'", 0), ("exceptWhen: '${ .status == 404 }'", 2), ("when: '${ $error.status == 503 }'", 2),
    ("when: '${ .detail | startswith(\"come\") }'", 2),
):  # fmt: skip
    retrying("", "{ " + condition + ", " + TWICE + " }", ["PT1S"] * waits)
for condition, waits in (("when: '${ .status == 503 }'", 2), ("exceptWhen: '${ .title == \"Busy\" }'", 0)):
    retrying(f"with {condition}", "named", ["PT1S"] * waits, "use: { retries: { named: { " + condition + ", " + TWICE + " } } }\n")

# A7: \Q…\E, and every other escape as jq or an error.

for program, *expected in (
    (r'"1+1" | test("^\\Q1+1\\E$")', True), (r'"1+1" | test("\\Q1+1")', True), (r'"a.b" | test("^a\\Q.\\Eb$")', True),
    (r'"axb" | test("^a\\Q.\\Eb$")', False), (r'"A.B" | test("\\Qa.b\\E"; "i")', True), (r'"a++" | [match("\\Qa+\\E+").string]', ["a++"]),
    (r'"[x](y)" | [scan("\\Q[x](\\E")]', ["[x]("]), (r'"a.b.c" | [splits("\\Q.\\E")]', ["a", "b", "c"]),
    (r'"a.b.c" | gsub("\\Q.\\E"; "-")', "a-b-c"), (r'"a|b" | split("\\Q|\\E"; null)', ["a", "b"]),
    (r'"C:\\d" | test("\\Q\\d\\E")', True), (r'"a b" | test("\\Qa b\\E"; "x")', True, ERROR),
    (r'"1+1=2" as $d | "x1+1=2x" | test("\\Q" + $d + "\\E")', True), (r'"ab" | test("a\\Q\\Eb")', True), (r'"a[b" | test("[\\Q[\\E]b")', True, ERROR),
    (r'"f" | test("\\h")', False, ERROR), (r'"h" | test("\\h")', True, ERROR), (r'"H" | test("\\H")', True, ERROR), (r'"z" | test("\\H")', False, ERROR),
    (r'"X" | test("^\\X$")', True, ERROR), (r'"é" | test("^\\X$")', True, ERROR), (r'"\n" | test("^\\N$")', False, ERROR),
    (r'"a" | test("^\\N$")', True, ERROR), (r'"\n" | test("^\\O$")', True, ERROR), (r'"N" | test("^\\N$")', True, ERROR),
    (r'"a" | test("^a{,2}$")', False, ERROR), (r'"a{,2}" | test("^a{,2}$")', True, ERROR), (r'"a" | test("\\u0061")', False, ERROR),
    (r'"u0061" | test("\\u0061")', True, ERROR), (r'"v" | test("\\v")', False, True, ERROR), (r'"b" | test("^[a&&b]$")', True, ERROR),
    (r'"&" | test("^[a&&b]$")', True, ERROR), (r'"a" | test("^[a-z&&[^b]]$")', False, ERROR), (r'"a" | test("\\141")', True, ERROR),
    (r'"a" | test("\\o{141}")', False, True, ERROR), (r'"a" | test("\\x61\\x{61}?")', True), (r'"R" | test("^\\R$")', False, ERROR),
    (r'"\r\n" | test("^\\R$")', True, ERROR), (r'"ab" | test("a\\Kb")', True, ERROR), (r'"a" | test("\\Aa\\z")', True), (r'"a\n" | test("a\\Z")', True),
    (r'"a" | test("[[:alpha:]]")', True), (r'"a" | test("(?<n>a)\\k<n>?")', True), (r'"aa" | test("a{2,1}")', False, True, ERROR),
    (r'"e" | test("^\\e$")', False, ERROR), (r'"\u001b" | test("^\\e$")', True, ERROR), (r'"\u0007" | test("^\\a$")', True, ERROR),
    (r'"\u0001" | test("^\\cA$")', True, ERROR), (r'"a" | test("^\\M-a$")', False, ERROR),
    (r'"cA" | test("^\\cA$")', False, ERROR), (r'"\u0001" | test("^[\\cA]$")', True, ERROR), (r'"c" | test("^[\\cA]$")', False, ERROR),
    (r'"\u007f" | test("^\\c?$")', True, ERROR), (r'"" | test("\\c?")', False, ERROR), (r'"c" | test("\\c")', ERROR), (r'"\u0000" | test("\\x")', False, ERROR),
    (r'"\u0000" | test("\\x{}")', False, ERROR), (r'["😀", "€", "°", "+"] | map(test("[[:punct:]]"))', [True] * 4),
    (r'["€", "+", "!"] | map(test("\\p{Punct}"))', [False, False, True]),
    (r'"a" | test("(?#note)a")', True, ERROR), (r'"ab" | test("(?:a)(?>b)")', True),
):  # fmt: skip
    value("A7", program, *expected)

# A8: Unicode's foldings of statuses C and F.

for program, *expected in (
    (r'"STRASSE" | test("straße"; "i")', True), (r'"straße" | test("STRASSE"; "i")', True), (r'"Σς" | test("σσ"; "i")', True),
    (r'"ς" | test("Σ"; "i")', True), (r'"ſ" | test("s"; "i")', True), (r'"S" | test("ſ"; "i")', True), (r'"ﬁ" | test("fi"; "i")', True),
    (r'"FI" | test("ﬁ"; "i")', True), (r'"ﬃ" | test("^ffi$"; "i")', True), (r'"K" | test("k"; "i")', True), (r'"Å" | test("å"; "i")', True),
    (r'"ß" | test("^[ß]$"; "i")', True), (r'"SS" | test("^[ß]$"; "i")', True), (r'"ẞ" | test("ß"; "i")', True), (r'"ẞ" | test("ss"; "i")', True),
    (r'"İ" | test("^i$"; "i")', False), (r'"ı" | test("I"; "i")', False), (r'"Ÿ" | test("ÿ"; "i")', True), (r'"ŉ" | test("ʼN"; "i")', True),
    (r'"ΐ" | test("ΐ"; "i")', True), (r'"Ⅷ" | test("ⅷ"; "i")', True), (r'"Ꭰ" | test("ꭰ"; "i")', True),
    (r'"xSTRASSEy" | [match("straße"; "i") | .offset, .length, .string]', [1, 7, "STRASSE"]),
    (r'"eine Straße" | sub("STRASSE"; "Gasse"; "i")', "eine Gasse"), (r'"MASSE" | capture("(?<w>maße)"; "i")', {"w": "MASSE"}),
    (r'"a STRASSE b Straße" | [scan("straße"; "gi")]', ["STRASSE", "Straße"]), (r'"ΟΔΟΣ" | ascii_downcase | test("οδος"; "i")', True),
    (r'"straße" | test("STRASSE")', False),
):  # fmt: skip
    value("A8", program, *expected)

# A9: a shorthand is one key.

for program, expected in (
    (r'{"k":["x","y"],"x":1,"y":2} | [{"\(.k[])"}]', [{"x": 1}, {"y": 2}]), (r'{"a1":3,"a2":4} | [{"a\(1,2)"}]', [{"a1": 3}, {"a2": 4}]),
    (r'{"eA==":1,"eQ==":2} | [{@base64 "\("x","y")"}]', [{"eA==": 1}, {"eQ==": 2}]), (r'{"x":1} | [{"\("x","z")"}]', [{"x": 1}, {"z": None}]),
    (r'{"ac":1,"bc":2,"ad":3,"bd":4} | [{"\("a","b")\("c","d")"}] | map(to_entries[0] | .key + "\(.value)") | sort', ["ac1", "ad3", "bc2", "bd4"]),
    (r'{"x":1,"y":2} | [{"\("x","y")", z: 5}]', [{"x": 1, "z": 5}, {"y": 2, "z": 5}]),
    (r'{"x":1,"y":2} | [{"\("x","y")", "\("x","y")"}] | length', 4), (r'{"%22":1} | [{@uri "\("\"")"}]', [{"%22": 1}]),
    (r'{"x":1,"y":2} | [{@text "\("x","y")"}]', [{"x": 1}, {"y": 2}]), (r'{"\"x\"":1} | [{@json "\("x")"}]', [{'"x"': 1}]),
    (r'{"x":1,"y":2} | reduce ("x","y") as $k ([]; . + [$k]) | length', 2),
    (r'{"x":1,"y":2} as $o | [reduce ($o | {"\("x","y")"}) as $e (0; . + ($e | add))]', [3]),
    (r'{"x":1} | [{"\(empty)"}]', []), (r'{"x":{"y":2}} | [{"x"}]', [{"x": {"y": 2}}]), (r'{"x":1} | {"\("x")": 3}', {"x": 3}),
):  # fmt: skip
    value("A9", program, expected)

# A10: frexp.

for number, expected in {
    "-0.5": [-0.5, 0], "-1.5": [-0.75, 1], "-8": [-0.5, 4], "-1": [-0.5, 1], "-3": [-0.75, 2], "-5e-324": [-0.5, -1073],
    "-2.2250738585072014e-308": [-0.5, -1021], "-1e300": [-0.7466108948025751, 997], "0": [0, 0], "8": [0.5, 4], "-0.1": [-0.8, -3],
}.items():  # fmt: skip
    value("A10", f"{number} | frexp", expected)
value("A10", "[-0.5, -1.5, -8, -1e300] | map(frexp as [$m, $e] | ldexp($m; $e))", [-0.5, -1.5, -8, -1e300])
value("A10", "-12 | frexp | .[0] < 0", True)

# A11: fractions, signs, and small numbers.

for program, *expected in (
    ("[1,2,3] | [.[-1.2], .[-0.5]]", [3, 1]), ("[1,2,3] | .[1.9]", 2), ("[1,2,3] | .[-3.9]", 1), ("[1,2,3] | getpath([-1.2])", 3),
    ("[1,2,3] | .[-1.2] = 9", [1, 2, 9]), ("[1,2,3] | .[-0.5] |= 7", [7, 2, 3]), ("[1,2,3] | del(.[-1.2])", [1, 2]),
    ("[1,2,3] | setpath([1.7]; 8)", [1, 8, 3]), ("[1,2,3] | delpaths([[-1.7]])", [1, 2]), ("[1,2,3] | [skip(1.5; .[])]", [2, 3], [3]),
    ("[1,2,3] | [nth(1.5; .[])]", [2]), ("[1,2,3] | nth(1.5)", 2), ("[1,[2,[3,[4]]]] | flatten(1.5)", [1, 2, 3, 4], [1, 2, 3, [4]], ERROR),
    ("-1e300 % 7", -1), ("-infinite % 3", -2), ("-5 % 3", -2), ("[-2 * 3, -6 / 4, -7 % 4, 1 - -2 % 3]", [-6, -1.5, -3, 3]),
    ("[range(9223372036854775700; 9223372036854775805; 10)] | length", 1), ("[1,nan] | @csv", "1,"), ("[1,nan] | @tsv", "1\t"),
    ("[nan] | @json", "[null]"), ("[\"a\\u0000b\"] | @csv", "\"a\\0b\""), ("[\"a\\u0000b\"] | @tsv", "a\\0b"), ("\"a\\u0000b\" | @html", "a\\0b"),
    ("\"a\\u0000b\" | @sh", "'a\\0b'"), ("[1,[2]] | flatten(nan)", ERROR), ("[limit(nan; 1, 2)]", ERROR), ("[1,2] | .[{\"start\":1}]", ERROR),
    ("[1] | getpath([{}])", ERROR), ("null | bsearch(1)", ERROR), ("{} | bsearch(1)", ERROR), ("\"a\" | bsearch(1)", ERROR),
    ("[1,2] | .[{\"end\":1}]", ERROR), ("[1,2,3] | .[0.5:1.5]", [1, 2]), ("[1,2,3] | .[-1.5:]", [2, 3]), ("[1,2,3] | has(1.5)", True),
    ("[1] | has(-0.5)", True), ("[] | has(-0.5)", False),
    ("[limit(1.5; 1, 2, 3)]", [1, 2]), ("[1,2,3] | .[1.5:2.5] = [9]", [1, 9]), ("\"abc\" | .[0.5:1.5]", "ab"),
    ("[1,[2,[3]]] | flatten(-1)", ERROR), ("[1,2,3] | [first(skip(0.5; .[]))]", [2], [1]),
):  # fmt: skip
    value("A11", program, *expected)

# A12: attendees are addresses.

BAD_ADDRESSES = ["Ann <ann@contoso.com>", "not an address", "b@contoso.com; c@contoso.com", "x", "mailto:a@contoso.com", "a@contoso.com, b@contoso.com",
                 "@contoso.com", "a@", "a b@contoso.com", "a@b@contoso.com"]
for address in BAD_ADDRESSES:
    faulty("A12", f"one attendee, {address!r}", event(f"attendees: {quoted(address)}"), VALIDATE, RUN, says=[address])
faulty("A12", "a blank at the end", event("attendees: [ 'a@contoso.com ' ]"), says=["a@contoso.com"])
faulty("A12", "an empty address", event("attendees: [ '' ]"))
for address in ("x", "b@contoso.com; c@contoso.com"):
    faulty("A12", f"one of several, {address!r}", event(f"attendees: [ megan@contoso.com, {quoted(address)} ]"), says=[address])
    flow("A12", f"computed, {address!r}", event("attendees: '${ [\"megan@contoso.com\", " + json.dumps(address).replace("'", "''") + "] }'"), PLAN, RUN,
         status=FAILED, says=[address])
    flow("A12", f"of the input, {address!r}", event("attendees: [ '${ .who }' ]"), *(
        f"{command} -p who={shlex.quote(address)}" for command in (PLAN, RUN)), status=FAILED, says=[address])
    flow("A12", f"of a table, {address!r}", event("attendees: [ '${ .who }' ]"), "batch flow.yaml --each t.csv --key .who --sandbox",
         "batch flow.yaml --each t.csv --key .who --sandbox --dry-run", files={"t.csv": f"who\n{address}\n"}, status=FAILED, says=[address])
flow("A12", "nothing is sent", event("attendees: [ '${ \"x\" }' ]"), "test flow.yaml", status=0,
     files={"flow.test.yaml": "cases: [ { name: refused, expect: { error: { status: 400 }, requests: [] } } ]\n"})
flow("A12", "right attendees", event("attendees: [ megan@contoso.com, jürgen.groß@contoso.com ]", ", output: { as: '${ .attendees | length }' }"), RUN,
     status=0, output=2)
flow("A12", "one right attendee as text", event("attendees: megan@contoso.com", ", output: { as: '${ .attendees | length }' }"), RUN, status=0, output=1)

# A13: characters that nobody sees in addresses.

INVISIBLE = [0x200B, 0x200D, 0x200E, 0x202A, 0x2060, 0xFEFF, 0xAD, 0x061C, 0x180E, 0x2066, 0x034F, 0x3164, 0xFE0F, 0xFFF9, 0xE0041, 0x1D173]
for code in INVISIBLE:
    character, name = chr(code), f"U+{code:04X}"
    faulty("A13", f"{name} first", mail(f"to: {quoted(character + 'megan@contoso.com')}"), VALIDATE, says=[name])
for title, address in {"inside": "me\u200bgan@contoso.com", "in the domain": "megan@con\u200btoso.com", "last": "megan@contoso.com\u200b",
                       "alone before @": "\u200b@contoso.com"}.items():
    faulty("A13", f"U+200B {title}", mail(f"to: [ adelev@contoso.com, {quoted(address)} ]"), says=["U+200B"])
HIDDEN = quoted("\u2060megan@contoso.com")
for field in ("cc", "bcc", "replyTo"):
    faulty("A13", f"in {field}", mail(f"to: megan@contoso.com, {field}: {HIDDEN}"), says=["U+2060"])
faulty("A13", "in attendees", event(f"attendees: [ {HIDDEN} ]"), says=["U+2060"])
flow("A13", "computed", mail("to: '${ [8288] | implode + \"megan@contoso.com\" }'"), PLAN, RUN, status=FAILED, says=["U+2060"])
flow("A13", "an attendee, computed", event("attendees: [ '${ [8288] | implode + \"megan@contoso.com\" }' ]"), PLAN, RUN, status=FAILED, says=["U+2060"])
flow("A13", "of a table", mail("to: '${ .mail }'"), "batch flow.yaml --each t.csv --key .mail --sandbox",
     "batch flow.yaml --each t.csv --key .mail --sandbox --dry-run", files={"t.csv": "mail\nmegan@contoso.com\nadele\u200b@contoso.com\n"},
     status=FAILED, says=["U+200B"])
for address in ("jürgen@contoso.com", "用户@contoso.com", "δοκιμή@contoso.com", "अजय@contoso.com", "имя@contoso.com"):
    flow("A13", f"letters of all scripts, {address}", mail(f"to: {address}"), VALIDATE, RUN, status=0)

# A14: columns that are nearly a property.

GREETING = "input: { schema: { document: { type: object, required: [mail], properties: { mail: { type: string }, name: { type: string }, startDate: { type: string } } } } }\n" + mail(
    "to: '${ .mail }'", "Hi ${ .name // \"colleague\" }")
MEANT = ("did you mean 'name'", "Hi Ann")
NEARLY = [" name", "name ", "Name", "NAME", "nmae", "\u00a0name", "nam", "names", "name\t"]


def table(id, title, files, text=GREETING, options="--key .mail", **holds):
    flow(id, f"{title}, plan", text, f"batch flow.yaml --each {next(iter(files))} {options} --sandbox --dry-run", files=files, **holds)
    flow(id, f"{title}, run", text + "  - r: { call: graph, with: { path: /me/mailFolders/sentitems/messages }, output: { as: '${ [.value[].subject] }' } }\n"
         if text is GREETING else text, f"batch flow.yaml --each {next(iter(files))} {options} --sandbox", files=files, **holds)


for column in NEARLY:
    table("A14", f"the column {column!r}", {"t.csv": f"mail,{column}\nmegan@contoso.com,Ann\n"}, any_of=MEANT)
table("A14", "start date", {"t.csv": "mail,start date\nmegan@contoso.com,now\n"}, any_of=("did you mean 'startDate'",))
table("A14", "start_date", {"t.csv": "mail,start_date\nmegan@contoso.com,now\n"}, any_of=("did you mean 'startDate'",))
table("A14", "TSV", {"t.tsv": "mail\t name\nmegan@contoso.com\tAnn\n"}, any_of=MEANT)
table("A14", "JSON Lines", {"t.jsonl": '{"mail": "megan@contoso.com", "Name": "Ann"}\n'}, any_of=MEANT)
table("A14", "JSON", {"t.json": '[{"mail": "megan@contoso.com", "nmae": "Ann"}]\n'}, any_of=MEANT)
table("A14", "YAML", {"t.yaml": "- { mail: megan@contoso.com, NAME: Ann }\n"}, any_of=MEANT)
table("A14", "other columns", {"t.csv": "mail,department,id,manager,name\nmegan@contoso.com,Sales,17,lee@contoso.com,Ann\n"}, status=0,
      silent=["did you mean"])
flow("A14", "-p", GREETING, *(f"{command} -p mail=megan@contoso.com -p Name=Ann" for command in (PLAN, RUN)), any_of=("did you mean 'name'",))
flow("A14", "--input", GREETING, *(f"{command} --input '{{\"mail\": \"megan@contoso.com\", \"nmae\": \"Ann\"}}'" for command in (PLAN, RUN)),
     any_of=("did you mean 'name'",))

# A15: values of a query are encoded, and delimiters are not.


def described(id, title, declared, given, *expected, swagger=False, name="a", where="target", more=None):
    """A parameter of OpenAPI, and the query that is sent and planned."""

    def act(place):
        service = answering(200, {})
        parameter = {"name": name, "in": "query", **({} if swagger else {"schema": {}}), **declared}
        operation = {"operationId": "op", "parameters": [] if more else [parameter], "responses": {"200": {"description": "done"}}, **(more or {})}
        document = {"info": {"title": "t", "version": "1"}, "paths": {"/p": {"post" if more else "get": operation}}}
        document |= {"swagger": "2.0", "host": service.origin[7:], "schemes": ["http"]} if swagger else {
            "openapi": "3.0.3", "servers": [{"url": service.origin}]}
        place.write("d.json", json.dumps(document))
        is_written = isinstance(given, str) and given.startswith("{ ")
        arguments = given if is_written else json.dumps(given if more else {name: given}, ensure_ascii=False)
        place.workflow("do:\n  - c: { call: openapi, with: { document: { endpoint: 'file://d.json' }, operationId: op, parameters: "
                       + arguments + " } }\n")
        ran = place.call("run flow.yaml")
        sent = service.requests[-1] if service.requests else None
        if callable(where):
            return [] if sent and where(sent) else [f"sent {sent}\n       got {ran.text}"]
        targets = [f"/p?{text}" if text else "/p" for text in expected]
        found = [] if sent and sent["target"] in targets else [f"expected {targets}, sent {sent and sent['target']}\n       got {ran.text}"]
        planned = place.call("run flow.yaml --dry-run --requests --format json")
        steps = [step for task in (planned.json or {}).get("tasks", []) for step in task.get("steps", [])]
        urls = [step.get("url", "")[len(service.origin):] for step in steps if step.get("url", "").startswith(service.origin)]
        return found if sent and urls == [sent["target"]] else [*found, f"sent {sent and sent['target']}, planned {urls}\n       got {planned.text[:300]}"]

    row(id, f"{title}, {json.dumps(declared)} {given}", act)


FLAT = {"explode": False}
LIST = ["p", "q,r"]
described("A15", "a list", FLAT, LIST, "a=p,q%2Cr")
described("A15", "an object", FLAT, {"R": 100, "G": 200}, "a=R,100,G,200")
described("A15", "keys with commas", FLAT, {"x,y": 1}, "a=x%2Cy,1")
described("A15", "numbers and booleans", FLAT, [1, 2.5, True], "a=1,2.5,true")
described("A15", "blanks and letters", FLAT, ["x y", "ä", "a&b=c"], "a=x%20y,%C3%A4,a%26b%3Dc", "a=x+y,%C3%A4,a%26b%3Dc")
described("A15", "one text", FLAT, "q,r", "a=q%2Cr")
described("A15", "one element", FLAT, ["q,r"], "a=q%2Cr")
described("A15", "a computed list", FLAT, "{ a: '${ [\"p\", \"q,r\"] }' }", "a=p,q%2Cr")
described("A15", "the default", {}, LIST, "a=p&a=q%2Cr")
described("A15", "the default of an object", {}, {"R": 100, "G": "1,2"}, "R=100&G=1%2C2")
described("A15", "spaces", {"style": "spaceDelimited", "explode": False}, LIST, "a=p%20q%2Cr")
described("A15", "pipes", {"style": "pipeDelimited", "explode": False}, LIST, "a=p|q%2Cr", "a=p%7Cq%2Cr")
described("A15", "a deep object", {"style": "deepObject"}, {"R": "1,2"}, "a[R]=1%2C2", "a%5BR%5D=1%2C2")
described("A15", "reserved characters", {"allowReserved": True}, "x/y", "a=x/y")
described("A15", "reserved characters of a list", {"allowReserved": True, "explode": False}, ["x/y", "z:1"], "a=x/y,z:1")
described("A15", "no reserved characters", {}, "x/y", "a=x%2Fy", "a=x/y")
for format, expected in {"csv": ["a=p,q%2Cr"], None: ["a=p,q%2Cr"], "multi": ["a=p&a=q%2Cr"], "pipes": ["a=p|q%2Cr", "a=p%7Cq%2Cr"],
                         "ssv": ["a=p%20q%2Cr", "a=p+q%2Cr"], "tsv": ["a=p%09q%2Cr"]}.items():  # fmt: skip
    described("A15", "Swagger 2", {"type": "array", "items": {"type": "string"}, **({"collectionFormat": format} if format else {})}, LIST,
              *expected, swagger=True)

# A16: an all-day event lasts from midnight to a later midnight.


def day(start, end, more=""):
    return event(f"isAllDay: true, start: {start}, end: {end}{more}", ", output: { as: '${ .isAllDay }' }")


for start, last in (
    ("'2026-12-01T09:00'", "'2026-12-01T10:00'"), ("'2026-12-01T00:00'", "'2026-12-01T00:00'"), ("'2026-12-01T00:00'", "'2026-12-01T23:59'"),
    ("'2026-12-01T00:00'", "'2026-12-02T12:00'"), ("'2026-12-01T00:00:01'", "'2026-12-02T00:00'"), ("'2026-12-01T00:01'", "'2026-12-02T00:00'"),
    ("'2026-12-01T00:00'", "'2026-12-02T00:00:30'"), ("'2026-12-01T09:00'", "'2026-12-02T09:00'"),
):  # fmt: skip
    flow("A16", f"{start} to {last}", day(start, last), VALIDATE, PLAN, RUN, status=2, any_of=("midnight", "all-day", "isAllDay", "whole day"))
    for zone in ("Europe/Paris", "America/New_York")[: 1 + (start < "'2026-12-01T00:00:0")]:
        if "09:00" in start:
            flow("A16", f"{start} to {last} in {zone}", day(start, last, f", timeZone: {zone}"), VALIDATE, RUN, status=2)
flow("A16", "computed", day("'${ \"2026-12-01T09:00\" }'", "'2026-12-02T00:00'"), PLAN, RUN, status=FAILED,
     any_of=("midnight", "all-day", "isAllDay", "whole day"))
flow("A16", "a computed flag", event("isAllDay: '${ 1 == 1 }', start: '2026-12-01T09:00', end: '2026-12-01T10:00'"), PLAN, RUN, status=FAILED)
for start, last, more in (("'2026-12-01T00:00'", "'2026-12-02T00:00'", ""), ("'2026-12-01T00:00:00'", "'2026-12-05T00:00:00'", ""),
                          ("'2026-12-01T00:00'", "'2026-12-02T00:00'", ", timeZone: Europe/Paris"),
                          ("'2026-03-29T00:00'", "'2026-03-30T00:00'", ", timeZone: Europe/Paris")):
    flow("A16", f"right: {start} to {last}{more}", day(start, last, more), VALIDATE, status=0)
    flow("A16", f"right: {start} to {last}{more}, run", day(start, last, more), RUN, status=0, output=True)


def moment_of(text, zone="UTC"):
    return "{ dateTime: '" + text + "', timeZone: " + zone + " }"


def posted(start, end, all_day="true", zone="UTC"):
    return ("do:\n  - e: { call: graph, with: { method: POST, path: /me/events, body: { subject: S, isAllDay: " + all_day + ", start: "
            + moment_of(start, zone) + ", end: " + moment_of(end, zone) + " } } }\n")


for start, last in (("2026-12-01T09:00:00", "2026-12-01T10:00:00"), ("2026-12-01T00:00:00", "2026-12-01T00:00:00"),
                    ("2026-12-01T00:00:00", "2026-12-02T12:00:00"), ("2026-12-01T00:00:00", "2026-12-01T23:59:59")):
    flow("A16", f"a request, {start} to {last}", posted(start, last), RUN, status=FAILED)
flow("A16", "a right request", posted("2026-12-01T00:00:00.0000000", "2026-12-02T00:00:00.0000000"), RUN, status=0)
flow("A16", "becomes all-day by a change", posted("2026-12-01T09:00:00", "2026-12-01T10:00:00", "false")
     + "  - p: { call: graph, with: { method: PATCH, path: '/me/events/${ .id }', body: { isAllDay: true } } }\n", RUN, status=FAILED)
flow("A16", "an all-day event is moved off midnight", posted("2026-12-01T00:00:00", "2026-12-02T00:00:00")
     + "  - p: { call: graph, with: { method: PATCH, path: '/me/events/${ .id }', body: { end: " + moment_of("2026-12-02T10:00:00") + " } } }\n",
     RUN, status=FAILED)

# B1: white space around a date.

for blank in ("\n", " ", "\t", "\r\n", " \r\n\t", "  "):
    value("B1", f"{json.dumps('2024-03-05' + blank)} | strptime(\"%Y-%m-%d\") | mktime", 1709596800)
    value("B1", f"{json.dumps('2024-03-05T10:00:00Z' + blank)} | fromdate", 1709632800)
value("B1", "\"2024-03-05T10:00:00Z\\n\" | fromdateiso8601", 1709632800)
value("B1", "\"05.03.2024 10:00\\r\\n\" | strptime(\"%d.%m.%Y %H:%M\") | mktime", 1709632800)
value("B1", "\" 2024-03-05\" | strptime(\" %Y-%m-%d\") | mktime", 1709596800)
value("B1", "\"\\t2024-03-05\" | strptime(\"%Y-%m-%d\") | mktime", 1709596800)
for blank in ("\n", "\r\n ", "\t", "  "):
    value("B1", f"{json.dumps(blank + '2024-03-05')} | strptime(\"%Y-%m-%d\") | mktime", 1709596800)
    value("B1", f"{json.dumps(blank + '2024-03-05T10:00:00Z')} | fromdate", 1709632800)
value("B1", "\"2024-\\n03- 05\" | strptime(\"%Y-%m-%d\") | mktime", 1709596800)
value("B1", "\"5\\tMar\\n2024\" | strptime(\"%d %b %Y\") | mktime", 1709596800)
value("B1", "\"2024-03-05 10:00\" | strptime(\"%Y-%m-%d\") | mktime", 1709596800, ERROR)
value("B1", "\"2024-03-05x\" | strptime(\"%Y-%m-%d\")", ERROR)
value("B1", "\"2024-03-05T10:00:00Zx\" | fromdate", ERROR)
value("B1", "\"2024-03-05\\u00a0\" | strptime(\"%Y-%m-%d\")", ERROR)

# B2: the times of Graph's own answers.


def instant(moment):
    """The instant of a `dateTimeTimeZone`, in UTC."""
    text = re.sub(r"(\.\d{6})\d*", r"\1", moment["dateTime"])
    at = datetime.datetime.fromisoformat(text).replace(tzinfo=zoneinfo.ZoneInfo(moment["timeZone"]))
    return at.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def event_times(title, arguments, start, end, text=None, zone=None):
    """An event that is accepted, and its start and end in UTC."""

    def act(place):
        place.workflow(text or event(arguments, ", output: { as: '${ { start, end } }' }"))
        problems = place.call(VALIDATE).problems(status=0) + place.call(PLAN).problems(status=0)
        ran = place.call(RUN)
        if problems or ran.status or not ran.json:
            return problems + (ran.problems(status=0) or ["there is no output"])
        found = [instant(ran.json[name]) for name in ("start", "end")]
        problems = [] if found == [start, end] else [f"expected {[start, end]}, got {ran.json}"]
        return problems + ([f"expected the zone {zone}, got {ran.json}"] if zone and ran.json["start"]["timeZone"] != zone else [])

    row("B2", f"{title} {arguments}".strip(), act)


for start, last, more, times in (
    ("2026-12-01T09:00:00.0000000", "2026-12-01T10:00:00.0000000", "", ("09", "10")), ("2026-12-01T09:00:00.000", "2026-12-01T10:00:00.5", "", ("09", "10")),
    ("2026-12-01T09:00:00Z", "2026-12-01T10:00:00Z", "", ("09", "10")), ("2026-12-01T09:00:00+01:00", "2026-12-01T10:00:00+01:00", "", ("08", "09")),
    ("2026-12-01T09:00:00-05:30", "2026-12-01T16:30:00Z", "", ("14:30", "16:30")), ("2026-12-01T09:00Z", "2026-12-01T10:00Z", "", ("09", "10")),
    ("2026-12-01T09:00:00.0000000Z", "2026-12-01T10:00:00.000Z", "", ("09", "10")),
    ("2026-12-01T09:00:00Z", "2026-12-01T10:00:00Z", ", timeZone: Europe/Paris", ("09", "10")),
    ("2026-12-01T09:00:00+05:45", "2026-12-01T10:00:00+05:45", ", timeZone: America/New_York", ("03:15", "04:15")),
    ("2026-12-01T09:00:00.0000000", "2026-12-01T10:00:00.0000000", ", timeZone: Europe/Paris", ("08", "09")),
    ("2026-07-01T09:00:00Z", "2026-07-01T10:00:00Z", ", timeZone: Europe/Paris", ("09", "10")),
):  # fmt: skip
    event_times("", f"start: '{start}', end: '{last}'{more}", *(f"{start[:10]}T{time}{'' if ':' in time else ':00'}:00" for time in times),
                zone=more.rpartition(" ")[2] or None)
event_times("several days", "start: '2026-12-01T23:00:00-05:00', end: '2026-12-03T01:00:00+02:00'", "2026-12-02T04:00:00", "2026-12-02T23:00:00")
event_times("computed", "start: '${ 1796115600 | todate }', end: '${ 1796119200 | todate }'", "2026-12-01T09:00:00", "2026-12-01T10:00:00")
event_times("a date alone", "isAllDay: true, start: '2026-12-01', end: '2026-12-02'", "2026-12-01T00:00:00", "2026-12-02T00:00:00")
event_times("a date without quotes", "isAllDay: true, start: 2026-12-01, end: 2026-12-02", "2026-12-01T00:00:00", "2026-12-02T00:00:00")
event_times("a date in a zone", "isAllDay: true, start: '2026-12-01', end: '2026-12-03', timeZone: Europe/Paris", "2026-11-30T23:00:00", "2026-12-02T23:00:00")
event_times("midnights with offsets", "isAllDay: true, start: '2026-12-01T00:00:00+01:00', end: '2026-12-02T00:00:00+01:00', timeZone: Europe/Paris",
            "2026-11-30T23:00:00", "2026-12-01T23:00:00")
flow("B2", "the time of the run", event("start: '${ $workflow.startedAt.iso8601 }', end: '2099-01-01T00:00:00Z'"), RUN, status=0)
event_times("a copy of an event", "", "2026-12-01T08:00:00", "2026-12-01T09:00:00", text=posted(
    "2026-12-01T09:00:00", "2026-12-01T10:00:00", "false", "Europe/Paris")
    + "  - g: { call: graph, with: { path: '/me/events/${ .id }' } }\n"
    + "  - c: { call: createEvent, with: { subject: C, start: '${ .start.dateTime }', end: '${ .end.dateTime }', timeZone: '${ .start.timeZone }' }, "
    "output: { as: '${ { start, end } }' } }\n")
faulty("B2", "no such offset", event("start: '2026-12-01T09:00:00+25:00', end: '2026-12-01T10:00'"))
faulty("B2", "no time", event("start: '2026-12-01T09:00:00.', end: '2026-12-01T10:00'"))

# B3: one request below 3 MB, and an upload session from there.

READ_BACK = (
    "  - r: { call: graph, with: { path: '/me/mailFolders/sentitems/messages?$expand=attachments' }, "
    "output: { as: '${ [.value[0].attachments[] | { name, isInline, contentId, size }] | sort_by(.name) }' } }\n")


def attached(title, files, delivery="draft", sessions=None, is_read=False):
    """A mail with files that is sent, how many upload sessions its plan has, and what is read back of it."""

    def act(place):
        for name, size in files.items():
            place.write(name, b"x" * size)
        listed = ", ".join(f"{{ name: {quoted(name)}, content: {{ file: {quoted(name)} }} }}" for name in files)
        text = mail(f"to: megan@contoso.com, delivery: {delivery}, attachments: [ {listed} ]")
        place.workflow(text + (READ_BACK if is_read else ""))
        ran = place.call(RUN)
        problems = ran.problems(status=0, silent=["Too Large"])
        if is_read and not problems:
            found = {each["name"]: each["size"] for each in ran.json}
            problems += [] if found == files else [f"expected {files}, got {found}"]
        if sessions is not None:
            planned = place.call(f"{PLAN} --requests").text.count("/createUploadSession")
            problems += [] if planned == sessions else [f"expected {sessions} upload sessions, planned {planned}"]
        return problems

    row("B3", f"{title} {[*files.values()]} {delivery}", act)


for size, sessions in ((2_900_000, None), (2_999_999, 0), (3_000_000, 1), (3_000_001, None), (3_145_600, None), (3_145_700, 1), (3_145_727, None),
                       (3_145_728, None), (3_145_729, 1)):  # fmt: skip
    attached("one file", {"a.bin": size}, sessions=sessions, is_read=size in (2_999_999, 3_145_700))
attached("a long name", {"n" * 200 + ".bin": 3_145_000}, sessions=1)
attached("a long name", {"n" * 200 + ".bin": 2_999_999})
attached("a name that grows in JSON", {"é€" * 40 + ".bin": 2_999_999})
attached("two files", {"a.bin": 2_999_999, "b.bin": 3_145_700}, is_read=True)
attached("several small ones", {"a.bin": 1_600_000, "b.bin": 1_600_000}, sessions=0)
attached("one file", {"a.bin": 2_900_000}, "direct", sessions=0)

# B4: images in the text.

LOGO = "{ name: logo.png, contentId: logo, isInline: true, content: { base64: iVBORw0KGgo=, contentType: image/png } }"


def inline(title, attachments, expected, delivery="draft", files=None):
    text = mail(f"to: megan@contoso.com, delivery: {delivery}, attachments: [ {attachments} ]").replace(
        "body: B", "body: { contentType: html, content: '<img src=\"cid:logo\">' }") + READ_BACK

    def act(place):
        place.workflow(text)
        for name, size in (files or {}).items():
            place.write(name, b"x" * size)
        problems = place.call(VALIDATE).problems(status=0)
        ran = place.call(RUN)
        problems += ran.problems(status=0)
        found = [(each["name"], each["isInline"], each["contentId"]) for each in ran.json or []]
        return problems or ([] if found == expected else [f"expected {expected}, got {found}"])

    row("B4", f"{title}, {delivery}", act)


for delivery in ("draft", "direct"):
    inline("one", LOGO, [("logo.png", True, "logo")], delivery)
    inline("two and a file", LOGO + ", { name: sign.png, contentId: sign@contoso.com, isInline: true, content: x }, { name: a.txt, content: x }",
           [("a.txt", False, None), ("logo.png", True, "logo"), ("sign.png", True, "sign@contoso.com")], delivery)
    inline("computed", LOGO.replace("logo,", "'${ \"logo\" }',", 1).replace("contentId: logo", "contentId: '${ \"lo\" + \"go\" }'").replace(
        "true", "'${ 1 == 1 }'"), [("logo.png", True, "logo")], delivery)
    inline("not inline", LOGO.replace("true", "false"), [("logo.png", False, "logo")], delivery)
    inline("without an id", "{ name: a.png, isInline: true, content: x }", [("a.png", True, None)], delivery)
inline("large", LOGO.replace("{ base64: iVBORw0KGgo=, contentType: image/png }", "{ file: big.png }"), [("logo.png", True, "logo")], files={"big.png": 3_400_000})
flow("B4", "both are in the request of an upload session", mail(
    "to: megan@contoso.com, attachments: [ { name: logo.png, contentId: logo, isInline: true, content: { file: big.png } } ]"),
    "run flow.yaml --sandbox --dry-run --requests --format json", files={"big.png": b"x" * 3_400_000}, status=0,
    says=["createUploadSession", '"contentId":"logo"', '"isInline":true'])
faulty("B4", "an id that is no text", mail("to: megan@contoso.com, attachments: [ { name: a.png, contentId: [1], isInline: true, content: x } ]"))

# B5: TRUE and FALSE.

FLAG = ("input: { schema: { document: { type: object, properties: { id: { type: string }, on: { type: boolean } } } } }\n"
        "do:\n  - s: { set: '${ if .on == true then \"yes\" elif .on == false then \"no\" else \"other\" end }' }\n")
for cell, word in (("TRUE", "yes"), ("FALSE", "no"), ("True", "yes"), ("False", "no"), ("true", "yes"), ("false", "no"), ("tRuE", "yes")):
    for name, text in {"t.csv": f"id,on\n1,{cell}\n", "t.tsv": f"id\ton\n1\t{cell}\n"}.items():
        flow("B5", f"{name} {cell}", FLAG, f"batch flow.yaml --each {name} --sandbox", files={name: text}, status=0, says=[f'"output":"{word}"'])
    flow("B5", f"-p {cell}", FLAG, f"run flow.yaml -p on={cell}", status=0, output=word)
flow("B5", "quoted", FLAG, "batch flow.yaml --each t.csv --sandbox", files={"t.csv": 'id,on\n1,"TRUE"\n'}, status=0, says=['"output":"yes"'])
flow("B5", "a plan", FLAG, "batch flow.yaml --each t.csv --sandbox --dry-run", files={"t.csv": "id,on\n1,TRUE\n"}, status=0)
for cell in ("yes", "TRUEE", "1"):
    flow("B5", f"no boolean, {cell}", FLAG, "batch flow.yaml --each t.csv --sandbox", files={"t.csv": f"id,on\n1,{cell}\n"}, status=2)

# B6: content codings.

GZIP, DEFLATE = gzip.compress(b'{"a": 1}'), zlib.compress(b'{"a": 1}')
RAW = (lambda writer: writer.compress(b'{"a": 1}') + writer.flush())(zlib.compressobj(wbits=-15))
BOMB = gzip.compress(b'{"a": "' + b"x" * 5_000_000 + b'"}')


def coded(title, code, body, headers, command="run flow.yaml", text=None, **holds):
    def act(place):
        service = answering(code, body, **headers)
        place.workflow(text or "do:\n  - c: { call: http, with: { method: get, endpoint: " + service.origin + "/a } }\n")
        return place.call(command, GRAPHFLOW_GRAPH_URL=service.origin + "/v1.0", GRAPHFLOW_ACCESS_TOKEN="token").problems(**holds)

    row("B6", f"{title} {headers}", act)


for coding, body in (("gzip", GZIP), ("GZIP", GZIP), ("x-gzip", GZIP), ("X-GZip", GZIP), ("deflate", DEFLATE), ("Deflate", DEFLATE), ("deflate", RAW),
                     ("identity", b'{"a": 1}'), ("gzip, identity", GZIP), ("deflate, gzip", gzip.compress(DEFLATE))):
    coded("", 200, body, {"Content_Encoding": coding}, status=0, output={"a": 1})
    coded("chunked", 200, body, {"Content_Encoding": coding, "Transfer_Encoding": "chunked"}, status=0, output={"a": 1})
coded("an error's body", 422, gzip.compress(b'{"message": "wrong colour"}'), {"Content_Encoding": "gzip"}, status=1, says=["wrong colour"])
coded("Graph", 200, gzip.compress(b'{"displayName": "Megan"}'), {"Content_Encoding": "gzip"}, "get /me --query .displayName", status=0, output="Megan")
coded("Graph's error", 404, gzip.compress(b'{"error": {"code": "itemNotFound", "message": "no such thing"}}'), {"Content_Encoding": "gzip"},
      "get /me/drive/items/1", status=FAILED, says=["no such thing"])
coded("too large when decoded", 200, BOMB, {"Content_Encoding": "gzip"}, "run flow.yaml --max-answer 100kB", status=1, any_of=("larger", "large", "limit", "100"),
      silent=["not JSON"])
coded("within the limit", 200, GZIP, {"Content_Encoding": "gzip"}, "run flow.yaml --max-answer 10kB", status=0, output={"a": 1})
coded("an unknown coding", 200, b"abc", {"Content_Encoding": "br"}, status=1, any_of=("'br'", "br"))
coded("a broken coding", 200, GZIP[:-6], {"Content_Encoding": "gzip"}, status=1)
coded("not what it says", 200, b'{"a": 1}', {"Content_Encoding": "gzip"}, status=1)

# B7: names and filters that Graph refuses.


def asked(title, method, path, body=None, status=400, content=None, before=()):
    """A request to a sandbox that all these rows share."""

    def send(place, method, path, body=None, content=None):
        data = content if content is not None else json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(place.shared.graph + path, data=data, method=method, headers={
            "Authorization": "Bearer token", "Content-Type": "text/plain" if content is not None else "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def act(place):
        for step in before:
            send(place, *step)
        got, text = send(place, method, path, body, content)
        is_right = got < 300 if status == 200 else got == status
        return [] if is_right else [f"{method} {path} {body}: expected {status}, got {got} {text[:300]}"]

    row("B7", title, act)


def named(name):
    return urllib.parse.quote(name)


BAD_NAMES = ["CON", "con", "PRN", "aux", "NUL", "COM0", "COM1", "com9", "LPT0", "lpt1", "desktop.ini", "Desktop.INI", ".lock", ".LOCK",
             "_vti_x", "a_vti_b.txt", "~$a.docx", "n" * 256]
for name in BAD_NAMES:
    short = name[:20]
    asked(f"the folder {short}", "POST", "/me/drive/root/children", {"name": name, "folder": {}})
    asked(f"the file {short}", "PUT", f"/me/drive/root:/{named(name)}:/content", content=b"x")
    asked(f"a folder {short} on the way", "PUT", f"/me/drive/root:/B7/{named(name)}/a.txt:/content", content=b"x")
    asked(f"renamed to {short}", "PATCH", "/me/drive/root:/b7.txt", {"name": name}, before=(("PUT", "/me/drive/root:/b7.txt:/content", None, b"x"),))
asked("a folder ~tmp", "POST", "/me/drive/root/children", {"name": "~tmp", "folder": {}})
for name in ("~tmp", "~a.txt", "CONTACT", "console.log", "COM10", "lock", "a.lock", "vti", "desktop.ini.txt", ".hidden", "n" * 200):
    asked(f"the file {name[:20]} is right", "PUT", f"/me/drive/root:/{named(name)}:/content", content=b"x", status=200)
asked("a path of more than 400 characters", "PUT", "/me/drive/root:/" + "/".join(["f" * 90] * 5) + ":/content", content=b"x")
asked("a path of 300 characters is right", "PUT", "/me/drive/root:/" + "/".join(["g" * 90] * 3) + ":/content", content=b"x", status=200)
flow("B7", "a request with a long path", "do:\n  - u: { call: graph, with: { method: PUT, path: '/me/drive/root:/"
     + "/".join(["f" * 90] * 5) + ":/content', body: x } }\n", RUN, status=FAILED)
for path in ("CON", "A/desktop.ini", "_vti_x/a.txt", ".lock"):
    flow("B7", f"upload to {path}", "do:\n  - u: { call: upload, with: { path: " + path + ", content: x } }\n", RUN, status=FAILED)
flow("B7", "upload of the file ~tmp", "do:\n  - u: { call: upload, with: { path: ~tmp.txt, content: x } }\n".replace("~tmp.txt", "'~tmp.txt'"), RUN, status=0)
for collection, expression in (
    ("/me/messages", "isRead eq 'false'"), ("/me/messages", "receivedDateTime ge '2026-01-01'"), ("/me/messages", "subject eq 5"),
    ("/me/messages", "isRead ne 1"), ("/me/messages", "subject gt true"), ("/me/messages", "from/emailAddress/address eq 1"),
    ("/me/messages", "startswith(subject, 5)"), ("/me/messages", "contains(isRead, 'a')"), ("/me/messages", "not (isRead eq 'true')"),
    ("/me/messages", "isRead eq true and subject eq 5"), ("/me/messages", "receivedDateTime eq true"), ("/me/messages", "hasAttachments in ('a')"),
    ("/me/messages", "importance eq 5"), ("/me/mailFolders", "totalItemCount eq '5'"), ("/users", "accountEnabled eq 'true'"), ("/users", "displayName eq 5"),
    ("/users", "displayName in (5)"), ("/users", "startswith(displayName, true)"), ("/groups", "displayName eq false"), ("/groups", "mailEnabled eq 'false'"),
    ("/me/events", "isAllDay eq 'true'"), ("/me/events", "start/dateTime ge 5"), ("/me/events", "subject eq true"),
    ("/users", "createdDateTime ge '2026-01-01'"),
):  # fmt: skip
    asked(f"{collection} {expression}", "GET", f"{collection}?$filter={named(expression)}")
for collection, expression in (
    ("/me/messages", "isRead eq false"), ("/me/messages", "receivedDateTime ge 2026-01-01T00:00:00Z"), ("/me/messages", "subject eq '5'"),
    ("/me/messages", "receivedDateTime ge 2026-01-01"), ("/me/messages", "from/emailAddress/address eq 'a@contoso.com'"), ("/users", "accountEnabled eq true"),
    ("/users", "displayName eq null"), ("/users", "startswith(displayName, 'A')"), ("/me/events", "start/dateTime ge '2026-01-01T00:00'"),
    ("/me/messages", "importance eq 'high'"),
):  # fmt: skip
    asked(f"right: {collection} {expression}", "GET", f"{collection}?$filter={named(expression)}", status=200)
flow("B7", "a workflow with a filter of the wrong type", "do:\n  - g: { call: graph, with: { path: /me/messages, query: { $filter: \"isRead eq 'false'\" } } }\n",
     RUN, status=FAILED)

# B8: numbers in texts.

for text, *expected in (
    ("+1", 1), ("[+1]", [1]), ("[nan]", [None]), ("nan", None), ("-nan", None, ERROR), ("{\"a\":+1}", {"a": 1}), ("[-1]", [-1]), ("1.", 1), ("[1.]", [1]),
    (".5", 0.5), ("[.5]", [0.5]), ("[+.5]", [0.5]), ("1.e3", 1000), ("01", 1), ("[01]", [1]), ("--1", ERROR), ("[--1]", ERROR), ("1e", ERROR), ("[1e]", ERROR),
    ("+", ERROR), (".", ERROR), ("[.]", ERROR), ("nan1", ERROR), ("[nan1]", ERROR), ("x", ERROR), ("[1,]", ERROR), ("0x10", ERROR), ("1 2", ERROR), ("NaN", None, ERROR),
    ("{\"a\":nan}", {"a": None}), ("-", ERROR),
):  # fmt: skip
    value("B8", f"{json.dumps(text)} | fromjson", *expected)

# C1: blanks and control characters are shown.

SHOWN = {
    " ": ("U+0020", "space", "blank", "' ", "␠"), "\t": ("\\t", "U+0009", "tab", "␉"), "\u0007": ("U+0007", "\\u0007", "\\a", "\\x07", "␇"),
    "\n": ("\\n", "U+000A", "line feed", "line break", "newline", "␊"), "\r": ("\\r", "U+000D", "carriage return", "␍"),
    "\u00a0": ("U+00A0", "\\u00a0", "no-break"), "\u0085": ("U+0085", "\\u0085", "\\x85"), "\u2028": ("U+2028", "\\u2028"), "\u007f": ("U+007F", "\\u007f", "\\x7f"),
    "\u001b": ("U+001B", "\\u001b", "\\e", "\\x1b"), "\u2003": ("U+2003", "\\u2003", "em space"),
}  # fmt: skip
for character, names in SHOWN.items():
    label = f"U+{ord(character):04X}"
    if character != " ":
        flow("C1", f"an address with {label} at its end", mail(f"to: {quoted('a@contoso.com' + character)}"), VALIDATE, RUN, status=2,
             any_of=names, silent=["'a@contoso.com'"])
        flow("C1", f"a path with {label}", "do:\n  - u: { call: upload, with: { path: " + quoted(f"a{character}b.txt") + ", content: x } }\n", VALIDATE,
             status=2 if character in "\t\u0007\n\r\u001b\u007f" else ANY, silent=["contains ''", "contains ' '"], **(
                 {"any_of": names} if character in "\t\u0007\n\r\u001b\u007f" else {}))
flow("C1", "an address with a blank at its end", mail("to: 'a@contoso.com '"), VALIDATE, RUN, status=2, any_of=("'a@contoso.com '", "U+0020", "space", "blank"),
     silent=["'a@contoso.com' is"])
flow("C1", "an address with a blank at its beginning", mail("to: ' a@contoso.com'"), VALIDATE, RUN, status=2,
     any_of=("' a@contoso.com'", "U+0020", "space", "blank"), silent=["'a@contoso.com' is"])
flow("C1", "a computed address", mail("to: '${ \"a@contoso.com\\t\" }'"), PLAN, RUN, status=FAILED, any_of=SHOWN["\t"], silent=["'a@contoso.com'"])
flow("C1", "an address of a table", mail("to: '${ .mail }'"), "batch flow.yaml --each t.csv --key .mail --sandbox --dry-run",
     "batch flow.yaml --each t.csv --key .mail --sandbox", files={"t.csv": 'mail\n"a@contoso.com\t"\n'}, status=FAILED, any_of=SHOWN["\t"])
flow("C1", "the name of a folder", "do:\n  - f: { call: createFolder, with: { name: \"a\\tb\" } }\n", VALIDATE, RUN, status=2, any_of=SHOWN["\t"])
flow("C1", "the detail of an error", "do:\n  - r: { raise: { error: { type: 'https://contoso.com/e', status: 500, title: T, detail: \"a\\tb\\u0007c\" } } }\n",
     "run flow.yaml", status=1, any_of=("\\t", "U+0009", "a b"), silent=["\u0007"])
flow("C1", "the plan of a batch", mail("to: '${ .mail }'", "S ${ .id }"), "batch flow.yaml --each t.jsonl --key .id --sandbox --dry-run",
     files={"t.jsonl": '{"id": "a\\u0007b", "mail": "megan@contoso.com"}\n'}, status=0, silent=["\u0007"])

# C2: spaces that are not YAML's, and invisible characters.

for code in (0xA0, 0x2003, 0x3000, 0x202F, 0x200B, 0x2060):
    character, name = chr(code), f"U+{code:04X}"
    flow("C2", f"{name} after a colon", "document: { dsl:" + character + "1.0.3, namespace: a, name: a, version: 1.0.0 }\ndo:\n  - a: { set: { x: 1 } }\n",
         VALIDATE, status=2, says=[name])
    flow("C2", f"{name} as indentation", HEAD + "do:\n  - a:\n      set:\n" + character * 8 + "x: 1\n", VALIDATE, status=2, says=[name])
    flow("C2", f"{name} before a key", HEAD + "do:\n  - a:\n      " + character + "set: { x: 1 }\n", VALIDATE, status=2, says=[name])
    flow("C2", f"{name} in an expression", HEAD + "do:\n  - a: { set: { x: '${ .a |" + character + ".b }' } }\n", VALIDATE, status=2, says=[name])
flow("C2", "after a brace", HEAD + "do:\n  - a: {\u00a0set: { x: 1 } }\n", VALIDATE, status=2, says=["U+00A0"])
flow("C2", "after a comma", HEAD + "do:\n  - a: { if: '1 == 1',\u00a0set: { x: 1 } }\n", VALIDATE, status=2, says=["U+00A0"])
flow("C2", "after a dash", HEAD + "do:\n  -\u00a0a: { set: { x: 1 } }\n", VALIDATE, status=2, says=["U+00A0"])
flow("C2", "after a question mark", HEAD + "do:\n  - a: { set: {\n      ?\u00a0b\n      : 1 } }\n", VALIDATE, says=["U+00A0"])
flow("C2", "after a dash inside a text it stays", HEAD + "do:\n  - a: { set: { x: a -\u00a0b } }\n", "run flow.yaml", status=0, output={"x": "a -\u00a0b"})
flow("C2", "before a colon", HEAD + "do:\n  - a: { set\u00a0: { x: 1 } }\n", VALIDATE, status=2, says=["U+00A0"])
flow("C2", "in a text it stays", HEAD + "do:\n  - a: { set: { x: '1\u00a0000 €' } }\n", "run flow.yaml", status=0, output={"x": "1\u00a0000 €"})
flow("C2", "in a key of data it stays", HEAD + "do:\n  - a: { set: { 'a\u00a0b': 1 } }\n", "run flow.yaml", status=0, output={"a\u00a0b": 1})

# C3: lines of tables that are no rows.

PEOPLE = "input: { schema: { document: { type: object, required: [mail], properties: { mail: { type: string }, name: { type: string } } } } }\n" + \
    "do:\n  - s: { set: '${ .mail }' }\n"


def people(title, text, *said, name="t.csv", silent=(), lines=1):
    """A table that is read as its author means it, or whose finding says one of these texts."""

    def act(place):
        place.workflow(PEOPLE)
        place.write(name, text)
        result = place.call(f"batch flow.yaml --each {name} --key .mail --sandbox")
        read = [line.get("output") for line in map(json.loads, result.output.splitlines())] if result.status == 0 else None
        if read == ["megan@contoso.com"] * lines:
            return []
        return result.problems(status=2, any_of=said, silent=silent)

    row("C3", title, act)


MEGAN = "megan@contoso.com,Megan\n"
people("sep=,", "sep=,\nmail,name\n" + MEGAN, "sep=", silent=["column 2 has no name"])
people("SEP=,", "SEP=,\r\nmail,name\r\n" + MEGAN, "sep=", silent=["column 2 has no name"])
people('"sep=,"', '"sep=,"\nmail,name\n' + MEGAN, "sep=", silent=["row-length"])
people("sep=;", "sep=;\nmail;name\nmegan@contoso.com;Megan\n", "sep=", "separator", "semicolon")
people("sep= and a tab", "sep=\t\nmail\tname\nmegan@contoso.com\tMegan\n", "sep=", name="t.tsv")
people("#TYPE", "#TYPE System.Management.Automation.PSCustomObject\n\"mail\",\"name\"\n" + MEGAN, "#TYPE", silent=["there is no column 'mail'"])
people("#TYPE of another class", "#TYPE Selected.Microsoft.ActiveDirectory.Management.ADUser\nmail,name\n" + MEGAN, "#TYPE", silent=["there is no column 'mail'"])
for column in ("Mail", "mail ", " mail", "MAIL", "mial", "\u00a0mail", "e-mail"):
    people(f"the column {column!r}", f"{column},name\n" + MEGAN, "did you mean", "rename", "write 'mail'",
           *(["there is no column 'mail'"] if column == "e-mail" else []))
people("a last row of commas", "mail,name\n" + MEGAN + ",\n", "empty", "no values", "blank")
people("a last row of quotes", "mail,name\n" + MEGAN + '"",""\n', "empty", "no values", "blank")
people("a last row of blanks", "mail,name\n" + MEGAN + " , \n", "empty", "no values", "blank")
people("several rows of commas", "mail,name\n" + MEGAN + ",\n,\n,\n", "empty", "no values", "blank")
people("a row of tabs", "mail\tname\nmegan@contoso.com\tMegan\n\t\n", "empty", "no values", "blank", name="t.tsv")
people("a row without a name is an item", "mail,name\nmegan@contoso.com,\n")

# C4: texts that look like expressions.


def warned(title, lines, before="do:\n  - a:\n      set:\n", indent=8):
    """A file in which exactly the lines that end with '# warn' have a finding."""

    def act(place):
        text = HEAD + before + "".join(" " * indent + line.removesuffix("# warn").rstrip() + "\n" for line in lines)
        first = (HEAD + before).count("\n") + 1
        wanted = {first + number for number, line in enumerate(lines) if line.endswith("# warn")}
        findings = place.findings(text) or []
        found = {finding["line"] for finding in findings}
        wrong = [finding for finding in findings if finding["severity"] == "error"]
        return [] if found == wanted and not wrong else [
            f"expected warnings of the lines {sorted(wanted)}, found {sorted(found)}\n{text}       got {json.dumps(findings, ensure_ascii=False)[:600]}"]

    row("C4", title, act)


warned("paths and variables", ["x: .y # warn", "z: $context.q # warn", "w: $input # warn", "v: .a.b[0] # warn", "u: $workflow.id # warn", "t: '.items[]' # warn"])
warned("pipes", ["x: '.items | length' # warn", "y: '$context | keys' # warn", "z: '.a // \"b\"' # warn"])
warned("texts", ["a: report.pdf", "b: $5.00", "c: ...", "d: $HOME", "e: ./a.txt", "f: ../b", "g: $PATH", "h: Hello.", "i: .", "j: $", "k: a | b", "l: '.5'", "m: '$1'", "n: …"])
warned("file names", ["a: .gitignore", "b: .env", "c: /tmp/.x/y", "d: $HOME/bin"])
warned("deep data", ["a: { b: [ 1, { c: .y } ] } # warn", "d: [ $context.q ] # warn"])
warned("the body of a call", ["user: .y # warn"], before="do:\n  - a:\n      call: http\n      with:\n        method: post\n        endpoint: https://api.contoso.com/\n        body:\n", indent=10)
warned("headers", ["X-A: $context.q # warn"], before="do:\n  - a:\n      call: http\n      with:\n        method: get\n        endpoint: https://api.contoso.com/\n        headers:\n",
       indent=10)
warned("the data of an event", ["id: .y # warn"], before="do:\n  - a:\n      emit:\n        event:\n          with:\n            source: https://contoso.com\n            type: t\n            data:\n",
       indent=14)
warned("the body of a mail", ["body: .text # warn"], before="do:\n  - a:\n      call: sendMail\n      with:\n        to: megan@contoso.com\n        subject: S\n")
warned("an inner task", ["x: .y # warn"], before="do:\n  - a:\n      for: { each: i, in: '${ [1] }' }\n      do:\n        - b:\n            set:\n", indent=14)
warned("expressions", ["x: ${ .y }", "y: 'a ${ .y } b'", "z: ${ $context }"], before="input: { from: '${ { y: 1 } }' }\ndo:\n  - a:\n      set:\n")


def expects(place):
    """'expect: .id' is evaluated, or there is a warning of its line."""
    text = ("do:\n  - a:\n      listen:\n        to:\n          one:\n            with: { type: t }\n            correlate:\n              x:\n                from: .subject\n"
            "                expect: .id\n")
    findings = place.findings("input: { from: '${ { id: \"7\" } }' }\n" + text) or []
    if any("expect" in json.dumps(finding) or ".id" in json.dumps(finding) for finding in findings):
        return []
    place.workflow("input: { from: '${ { id: \"7\" } }' }\ndo:\n  - b:\n      fork:\n        branches:\n          - e: { emit: { event: { with: { source: 'https://contoso.com', type: t, subject: '7' } } } }\n"
                   + text.replace("do:\n  - a", "          - a").replace("\n      ", "\n              "))
    place.write("flow.test.yaml", "cases: [ { name: hears, expect: { state: completed } } ]\n")
    return place.call("test flow.yaml").problems(status=0)


row("C4", "correlate.x.expect: .id", expects)

# C5: operands as they are.

for program, says, silent in (
    ("-2 % 0", "-2", ("number (2)",)), ("-2.7 % 0.5", "-2.7", ("number (2)",)), ("[1] | .[nan] = 1", "nan", ("at null",)), ("[1] | .[nan] |= 1", "nan", ("at null",)),
    ("[1] | setpath([nan]; 1)", "nan", ("at null",)), ("-1e300 % 0", "-1e+300", ()), ("-5 / 0", "-5", ()), ("2.7 % 0", "2.7", ("number (2)",)),
    ("(-3 | .) % 0", "-3", ("number (3)",)), ("-2 % \"a\"", "-2", ("number (2)",)), ("-2 - \"a\"", "-2", ("number (2)",)), ("{} - -2.5", "-2.5", ()),
):  # fmt: skip
    value("C5", program, Refused((says, "-1000000000") if says == "-1e+300" else (says,), silent))

# C6: the name of a variable has no dollar.

for title, text in {
    "for.each": "do:\n  - l: { for: { each: $item, in: '${ [1] }' }, do: [ { b: { set: { y: '${ $item }' } } } ] }\n",
    "for.each, alone": "do:\n  - l: { for: { each: $item, in: '${ [1] }' }, do: [ { b: { set: { y: 1 } } } ] }\n",
    "for.at": "do:\n  - l: { for: { each: x, at: $item, in: '${ [1] }' }, do: [ { b: { set: { y: '${ $item }' } } } ] }\n",
    "catch.as": trying("as: $item, do: [ { b: { set: { y: '${ $item.status }' } } } ]", after=" } }\n"),
    "foreach.item": "do:\n  - a: { listen: { to: { any: [ { with: { type: t } } ], until: '${ true }' } }, foreach: { item: $item, do: [ { b: { set: { y: '${ $item }' } } } ] } }\n",
    "foreach.at": "do:\n  - a: { listen: { to: { any: [ { with: { type: t } } ], until: '${ true }' } }, foreach: { item: x, at: $item, do: [ { b: { set: { y: '${ $item }' } } } ] } }\n",
}.items():  # fmt: skip
    flow("C6", title, text, VALIDATE, status=2, any_of=("'item'", "write item", "each: item", "at: item", "as: item", "item: item"), silent=["$$item"])

# C7: why a link is refused.

LINK = "do:\n  - l: { call: createLink, with: { itemId: 01ABC, scope: anonymous } }\n"
REFUSAL = {"error": {"code": "accessDenied", "message": "Access denied"}}
FORBIDDEN = ("organisation", "organization", "administrator", "not enabled", "disabled", "does not allow")


def token(scopes):
    parts = [{"alg": "none", "typ": "JWT"}, {"aud": "https://graph.microsoft.com", "scp": scopes, "exp": 4102444800, "oid": "0", "tid": sandboxes.TENANT}]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + ".c2ln"


def forbidden(title, content, access="token", headers=None, **holds):
    def act(place):
        service = answering(403, content, **(headers or {}))
        place.workflow(LINK)
        return place.call("run flow.yaml", GRAPHFLOW_GRAPH_URL=service.origin + "/v1.0", GRAPHFLOW_ACCESS_TOKEN=access).problems(**holds)

    row("C7", title, act)


REASON = {"SharePoint_CreateSharingLink_Error": "Sharing by link is not enabled for this site."}
ADVICE = ["the token needs", "sign in with it"]
forbidden("the reason in a header", REFUSAL, headers=REASON, status=FAILED, any_of=FORBIDDEN, silent=ADVICE)
forbidden("the reason in a header, with the permission", REFUSAL, token("Files.ReadWrite"), REASON, status=FAILED, any_of=FORBIDDEN, silent=ADVICE)
forbidden("the reason in a message", {"error": {"code": "accessDenied", "message": "Sharing has been disabled on this site by your administrator."}},
          status=FAILED, any_of=FORBIDDEN, silent=ADVICE)
forbidden("the reason in an inner code", {"error": {"code": "accessDenied", "message": "Access denied", "innerError": {"code": "sharingDisabled"}}},
          status=FAILED, any_of=FORBIDDEN, silent=ADVICE)
forbidden("the reason in a code", {"error": {"code": "sharingDisabled", "message": "The sharing is disabled."}}, status=FAILED, any_of=FORBIDDEN, silent=ADVICE)
forbidden("a token that has the permission", REFUSAL, token("Files.ReadWrite User.Read"), status=FAILED, silent=["the token needs the permission Files.ReadWrite"])
forbidden("a permission that is missing", REFUSAL, token("User.Read"), status=3, says=["Files.ReadWrite"], any_of=("permission missing", "needs the permission"))
forbidden("a permission that is missing, of an unknown token", REFUSAL, status=3, says=["Files.ReadWrite"])

# C8: what an invalid_grant means.


def granted(title, error, description, codes, command="get /users", error_status=400, **holds):
    """An application with a secret whose token is refused."""

    def act(place):
        service = answering(error_status, {"error": error, "error_description": description, "error_codes": codes})
        address = service.origin.replace("127.0.0.1", "localhost")
        place.workflow("do:\n  - c: { call: http, with: { method: get, endpoint: { uri: '" + service.origin + "/a', authentication: { oauth2: { authority: '"
                       + service.origin + "', grant: refresh_token, client: { id: app, secret: s3cret }, subject: { token: old, type: t } } } } } }\n")
        return place.call(command, AZURE_AUTHORITY_HOST=address, GRAPHFLOW_GRAPH_URL=service.origin + "/v1.0", AZURE_TENANT_ID=sandboxes.TENANT,
                          AZURE_CLIENT_ID=sandboxes.CLIENT, AZURE_CLIENT_SECRET="s3cret").problems(**holds)

    row("C8", title, act)


SECRET = ["does not accept the client secret", "client secret is wrong"]
for code, text, words in ((65001, "The user or administrator has not consented to use the application", ("consent",)),
                          (700082, "The refresh token has expired due to inactivity", ("refresh token has expired", "refresh token expired", "has expired")),
                          (50173, "The provided grant has expired due to it being revoked", ("revoked", "expired")),
                          (50076, "you must use multi-factor authentication", ("multi-factor",)),
                          (70008, "The provided authorization code or refresh token has expired", ("expired",)),
                          (50079, "the user is required to enroll in multi-factor authentication", ("multi-factor",))):
    for command in ("get /users", "run flow.yaml"):
        granted(f"AADSTS{code}, {command}", "invalid_grant", f"AADSTS{code}: {text}.", [code], command, status=FAILED, any_of=words, silent=SECRET)
granted("a wrong secret", "invalid_client", "AADSTS7000215: Invalid client secret provided.", [7000215], error_status=401, status=FAILED, says=["client secret"])
granted("a secret that has expired", "invalid_client", "AADSTS7000222: The provided client secret keys are expired.", [7000222], error_status=401, status=FAILED,
        says=["client secret", "expired"])

# C9: \X, in every function, as the page says.


def pictured(place):
    with open(os.path.join(PAGES, "Expressions.md"), encoding="utf-8") as file:
        lines = [line for line in file if "`\\X`" in line or "\\X" in line]
    is_refused = any("refused" in line for line in lines)
    problems = [] if lines else ["the page does not name \\X"]
    for program in (r'test("\\X")', r'match("\\X")', r'[scan("\\X")]', r'[splits("\\X")]', r'split("\\X"; null)', r'sub("\\X"; "b")', r'gsub("\\X"; "b")',
                    r'capture("(?<a>\\X)")', r'test("a\\X"; "x")', r'test("[\\X]")', r'[match("\\X"; "gn").string]'):
        result = place.call(["eval", "-n", f'"X" | {program}'])
        if is_refused and result.status == 0 and "[\\\\X]" not in program or result.status != 0 and "internal" in result.errors:
            problems.append(f"the page says {'refused' if is_refused else 'otherwise'}: {result.command}\n       got {result.status} {result.text}")
        if is_refused and result.status and "\\X" not in result.errors:
            problems.append(f"expected '\\X' in the message: {result.command}\n       got {result.errors}")
    return problems


row("C9", "page and program agree", pictured)

# C10: messages to people with other braces, to editors and to agents.

for title, text in {
    "alone": "do:\n  - a: { set: { x: '${{ .y }}' } }\n", "in a text": "do:\n  - a: { set: { x: 'Hello ${{ .y }}!' } }\n",
    "in a condition": "do:\n  - a: { if: '${{ .y == 1 }}', set: { x: 1 } }\n", "without blanks": "do:\n  - a: { set: { x: '${{.y}}' } }\n",
    "in a switch": "do:\n  - a: { switch: [ { b: { when: '${{ .y }}', then: end } } ] }\n", "with a variable": "do:\n  - a: { set: { x: '${{ $context.y }}' } }\n",
    "of a mail": mail("to: '${{ .to }}'"),
}.items():  # fmt: skip
    flow("C10", f"two braces, {title}", text, VALIDATE, status=2, any_of=("one brace", "'${ ", "a single brace", "one '{'", "${ .y }"), silent=["expected a name"])
flow("C10", "an object in an expression is no mistake", "do:\n  - a: { set: '${ {y: 1} }' }\n", "run flow.yaml", status=0, output={"y": 1})


class Messages:
    """The messages of a server on its standard streams, lines or with Content-Length."""

    def __init__(self, process, is_framed):
        self.process, self.is_framed, self.queue = process, is_framed, queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while line := stream.readline():
            if self.is_framed and line.lower().startswith(b"content-length:"):
                length = int(line[15:])
                while stream.readline().strip():
                    pass
                self.queue.put(json.loads(stream.read(length)))
            elif not self.is_framed and line.startswith(b"{"):
                self.queue.put(json.loads(line))

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) if self.is_framed else text + b"\n")
        self.process.stdin.flush()

    def wait(self, condition, timeout=8):
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                message = self.queue.get(timeout=left)
                if condition(message):
                    return message
        return None


@contextlib.contextmanager
def talking(place, command, is_framed):
    process = place.start(command)
    try:
        yield Messages(process, is_framed)
    finally:
        process.stdin.close()
        process.terminate()
        process.wait()


def edited(uri, language, is_ours=True):
    """A new text in an editor has findings if it is a workflow's."""

    def act(place):
        with talking(place, "lsp", True) as server:
            server.send(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
            if server.wait(lambda message: message.get("id") == 1) is None:
                return ["the server does not answer"]
            server.send(method="initialized", params={})
            text = HEAD + "do:\n  - a: { sett: { x: 1 } }\n" if language == "yaml" else json.dumps(
                {"document": {"dsl": "1.0.3", "namespace": "a", "name": "a", "version": "1.0.0"}, "do": [{"a": {"sett": {}}}]})
            server.send(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
            found = server.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["diagnostics"])
            return [] if (found is not None) == is_ours else [f"expected findings of {uri}, got none"]

    row("C10", f"{uri} of {language} in an editor", act)


edited("untitled:Untitled-1", "yaml")
edited("untitled:Untitled-2", "json")
edited("untitled:flow.yaml", "yaml")
edited("untitled:new%20text", "yaml")


def negotiated(method, version):
    def act(place):
        place.workflow("do:\n  - a: { set: { x: 1 } }\n")
        with talking(place, "mcp flow.yaml --sandbox", False) as server:
            meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {}}
            server.send(id=1, method=method, params={"_meta": meta, **({"name": "list_workflows"} if method == "tools/call" else {})})
            answer = server.wait(lambda message: message.get("id") == 1)
            error = (answer or {}).get("error", {})
            return [] if "initialize" in error.get("message", "") else [f"expected 'begin with initialize', got {answer}"]

    row("C10", f"{method} with {version} in _meta", act)


for method in ("tools/list", "tools/call", "server/discover"):
    for version in ("2025-11-25", "2025-06-18"):
        negotiated(method, version)

# D1: a delta link that is not found is asked for again.


def recovers(place):
    place.workflow(
        "document: { dsl: 1.0.3, namespace: field, name: field, version: 1.0.0, metadata: { changes: [ { resource: /me/mailFolders/inbox/messages, every: PT5S } ] } }\n"
        "schedule: { on: { one: { with: { type: microsoft.graph.message.created } } } }\ndo:\n  - a: { set: { y: 1 } }\n")
    log = []
    with sandboxes.running(place.program) as office:
        process = place.start("serve flow.yaml", subprocess.STDOUT, GRAPHFLOW_GRAPH_URL=office.graph, GRAPHFLOW_ACCESS_TOKEN="token")
        threading.Thread(target=lambda: log.extend(iter(process.stdout.readline, b"")), daemon=True).start()

        def said(*words, timeout=14):
            until = time.monotonic() + timeout
            while time.monotonic() < until:
                if any(word in b"".join(log).decode() for word in words):
                    return True
                time.sleep(0.1)
            return False

        try:
            if not said("followed from now on"):
                return [f"the service does not follow: {b''.join(log).decode()}"]
            office.fault("GET */delta* 404")
            message = {"subject": "field", "body": {"contentType": "text", "content": "x"}, "toRecipients": [{"emailAddress": {"address": "megan@contoso.com"}}]}
            request = urllib.request.Request(office.graph + "/users/adelev@contoso.com/sendMail", data=json.dumps({"message": message}).encode(), headers={
                "Authorization": "Bearer token", "Content-Type": "application/json"})
            urllib.request.urlopen(request, timeout=30).close()
            if not said("completed"):
                return [f"the change starts no run after the 404: {b''.join(log).decode()}"]
            statuses = [each["status"] for each in office.read("/sandbox/requests") if "delta" in each["path"]]
            text = b"".join(log).decode()
            return ([] if 404 in statuses else [f"there was no 404: {statuses}"]) + (
                [] if text.count("404") == 1 or "again" in text else [f"it is not said once: {text}"])
        finally:
            process.terminate()
            process.wait()


row("D1", "asked again at the next interval", recovers)

# D2: 423 is tried again.


def tested(id, title, text, cases, files=None):
    flow(id, title, text, "test flow.yaml", files={"flow.test.yaml": "cases:\n" + cases, **(files or {})}, status=0)


UPLOAD = "do:\n  - u: { call: upload, with: { path: a.txt, content: x } }\n"
tested("D2", "an upload", UPLOAD, "  - name: waits\n    sandbox: { faults: ['PUT */content 423 x2'] }\n    expect: { files: [/a.txt] }\n")
tested("D2", "a change", "do:\n  - u: { call: graph, with: { method: PATCH, path: '/me/drive/root:/a.txt', body: { name: b.txt } } }\n",
       "  - name: waits\n    sandbox: { files: { /a.txt: x }, faults: ['PATCH * 423 x2'] }\n    expect: { files: [/b.txt] }\n")
tested("D2", "a removal", "do:\n  - u: { call: graph, with: { method: DELETE, path: '/me/drive/root:/a.txt' } }\n",
       "  - name: waits\n    sandbox: { files: { /a.txt: x }, faults: ['DELETE * 423'] }\n    expect: { files: [] }\n")
tested("D2", "somebody has it open", UPLOAD,
       "  - name: gives up\n    sandbox: { faults: ['PUT */content 423 x50'] }\n    expect: { error: { status: 423, detail: '${ test(\"open\"; \"i\") }' } }\n")

# D3: only a person without a photo has no photo.

PICTURE = ("do:\n  - p:\n      try: [ { f: { call: photo, with: { user: $WHO } } } ]\n      catch: { errors: { with: { status: 404 } }, do: [ { d: { call: defaultPhoto } } ] }\n"
           "      output: { as: '${ .contentType }' }\n")
flow("D3", "a person without a photo", PICTURE.replace("$WHO", "megan@contoso.com"), "run flow.yaml --sandbox=no-photo", status=0, output="image/png")
flow("D3", "a person who does not exist", PICTURE.replace("$WHO", "nobody@contoso.com"), RUN, status=FAILED)


def photographed(code, has_default, status=404):
    def act(place):
        service = answering(status, {"error": {"code": code, "message": "It was not found."}})
        place.workflow(PICTURE.replace("$WHO", "megan@contoso.com"))
        result = place.call("run flow.yaml", GRAPHFLOW_GRAPH_URL=service.origin + "/v1.0", GRAPHFLOW_ACCESS_TOKEN="token")
        return result.problems(status=0, output="image/png") if has_default else result.problems(status=FAILED)

    row("D3", f"the code {code}", act)


photographed("ImageNotFound", True)
for code in ("Request_ResourceNotFound", "ErrorInvalidUser", "ResourceNotFound"):
    photographed(code, False)

# D4: a warning.

for first, second in (("a@contoso.com", "A@contoso.com"), ("Key", "KEY"), ("straße", "STRASSE")):
    table("D4", f"{first} and {second}", {"t.csv": f"mail\n{first}\nother\n{second}\n"}, "do:\n  - s: { set: '${ .mail }' }\n", status=0,
          any_of=("case", "capital", "same mailbox", "lower") if first != "straße" else ())
table("D4", "other keys", {"t.csv": "mail\na@contoso.com\nb@contoso.com\n"}, "do:\n  - s: { set: '${ .mail }' }\n", status=0, silent=["by case", "capital"])

# D5: '.workflow.id' where '$workflow.id' is meant.

for name in ("workflow.id", "context.q", "input.a", "task.name", "runtime.version"):
    for before, title in (("do:\n  - first: { set: { x: 1 } }\n", "after a task"),
                          ("input: { schema: { document: { type: object, additionalProperties: false, properties: { x: { type: number } } } } }\ndo:\n", "of the input")):
        flow("D5", f".{name} {title}", before + "  - a: { set: { y: '${ ." + name + " }' } }\n", VALIDATE, says=[f"${name.partition('.')[0]}"])
flow("D5", "data that has it", "do:\n  - first: { set: { workflow: { id: 1 } } }\n  - a: { set: { y: '${ .workflow.id }' } }\n", VALIDATE, status=0, silent=["warning"])
flow("D5", "data of an unknown type", "do:\n  - a: { set: { y: '${ .workflow.id }' } }\n", VALIDATE, status=0, silent=["error"])

# D6 to D8: calls.


def served(id, title, text, code, headers, body, expected=ANY, sent=None, holds=None):
    """A call of a service, its output, and the request that it got."""

    def act(place):
        service = answering(code, body, **headers)
        place.workflow(text.replace("$ORIGIN", service.origin))
        result = place.call("run flow.yaml")
        problems = result.problems(**{"status": 0, "output": expected, **(holds or {})})
        if sent and not (service.requests and sent(service.requests[-1])):
            problems.append(f"sent {service.requests[-1:]}")
        return problems

    row(id, title, act)


GET = "do:\n  - c: { call: http, with: { method: get, endpoint: '$ORIGIN/a' } }\n"
for kind in ("text/json", "text/json; charset=utf-8", "TEXT/JSON", "application/json", "application/problem+json"):
    served("D6", kind, GET, 200, {"Content_Type": kind}, b'{"a": [1]}', {"a": [1]})
served("D6", "text/plain stays a text", GET, 200, {"Content_Type": "text/plain"}, b'{"a": [1]}', '{"a": [1]}')
served("D6", "text/json that is none", GET, 200, {"Content_Type": "text/json"}, b"{", holds={"status": 1})

FORM = {"requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {
    "file": {"type": "string", "format": "binary"}, "note": {"type": "string"}}}}}}}  # fmt: skip


def parts(*wanted, but=()):
    return lambda request: all(text in request["body"] for text in wanted) and not any(text in request["body"] for text in but)


described("D7", "a text of format binary", {}, {"file": "abc", "note": "hi"}, more=FORM,
          where=parts(b'name="file"; filename="file"', b'name="note"\r\n', but=[b'name="note"; filename']))
described("D7", "only a text", {}, {"note": "hi"}, more=FORM, where=parts(b'name="note"\r\n\r\nhi', but=[b"filename"]))
described("D7", "a list of binaries", {}, {"file": ["abc", "def"]}, where=parts(b'name="file"; filename="file', b"abc", b"def"), more=json.loads(json.dumps(FORM).replace(
    '{"type": "string", "format": "binary"}', '{"type": "array", "items": {"type": "string", "format": "binary"}}')))

for expression, path in ((".id", "/p/a/b"), (".id | @uri", "/p/a%2Fb")):
    served("D8", f"${{ {expression} }}", "do:\n  - s: { set: { id: a/b } }\n  - c: { call: http, with: { method: get, endpoint: '$ORIGIN/p/${ "
           + expression + " }' } }\n", 200, {}, {}, {}, sent=lambda request, path=path: request["target"] == path)
flow("D8", "call: graph encodes it", "do:\n  - s: { set: { id: a/b } }\n  - c: { call: graph, with: { path: '/users/${ .id }' } }\n",
     "run flow.yaml --sandbox --dry-run --requests --format json", status=0, says=["/users/a%2Fb"])


def page(id, title, name, *texts):
    def act(_):
        with open(os.path.join(PAGES, name), encoding="utf-8") as file:
            text = file.read()
        return [f"the page {name} does not say {each!r}" for each in texts if each not in text]

    row(id, title, act)


page("D8", "on the page of call: http", "DecisionsCalls.md", "@uri")
page("D8", "on the page of call: graph", "AnyRequest.md", "percent-encoded")

# D9: a last line of blanks.

for text, expected in ("foo: |\n  x\n   ", "x\n "), ("foo: |\n  x\n   \n", "x\n \n"), ("foo: |\n  x\n  ", "x\n"), ("foo: |\n  x\n ", "x\n"):
    flow("D9", repr(text), "document: x", "eval .foo d.yaml", files={"d.yaml": text}, status=0, output=expected)

# D10 to D15: expressions.

for text, pattern, missing in (("2024-03", "%Y-%m", "day"), ("2024", "%Y", "day"), ("March 2024", "%B %Y", "day"), ("03/2024", "%m/%Y", "day"),
                               ("2024 20", "%Y %W", "day"), ("2024 1", "%Y %u", "day"), ("2024-03 10:00", "%Y-%m %H:%M", "day")):
    value("D10", f"{json.dumps(text)} | strptime({json.dumps(pattern)})", refused(missing))
value("D10", "\"1709632800\" | strptime(\"%s\") | mktime", 1709632800)
value("D10", "\"2024-060\" | strptime(\"%Y-%j\") | strftime(\"%F\")", "2024-02-29")
value("D10", "\"2024-03-05\" | strptime(\"%F\") | mktime", 1709596800)
value("D10", "\"03/05/24\" | strptime(\"%D\") | mktime", 1709596800)
value("D10", "\"2024-W20-1\" | strptime(\"%G-W%V-%u\") | strftime(\"%F\")", "2024-05-13", refused("day"), refused("%G"))
value("D10", "\"2024-W20\" | strptime(\"%G-W%V\")", ERROR)
value("D11", "[1,[2]] | [path(last(.[]))]", [[1]])
value("D11", "[1,2,3] | last(.[]) |= 9", [1, 2, 9])
value("D11", "[1,2,3] | [path(first(.[]))]", [[0]])
value("D12", "[label $out | try break $out catch \"c\"]", [])
value("D12", "[label $out | 1, (try break $out catch \"c\"), 2]", [1])
value("D12", "[label $out | try (1, break $out) catch 3]", [1])
value("D13", "\"é\" | [match(\"a*\"; \"g\").offset]", [0, 1])
value("D13", "\"日本\" | gsub(\"x*\"; \"-\")", "-日-本-")
value("D13", "[reduce (1,2) as $x (0, 10; . + $x)]", [3, 13])
value("D13", "-1 | todate", "1969-12-31T23:59:59Z")
value("D13", "\"1969-12-31T23:59:59Z\" | fromdate", -1)
value("D13", "-86400 | strftime(\"%F\")", "1969-12-31")
page("D13", "on the page on expressions", "Expressions.md", "empty match", "reduce f as", "before 1970", "path(last(f))")
for program, *expected in (
    (r'"漢" | test("\\p{Han}")', True, ERROR), (r'"a" | test("\\p{Han}")', False, ERROR), (r'"p{Han}" | test("^\\p{Han}$")', False, ERROR),
    (r'"б" | test("\\p{Cyrillic}")', True, ERROR), (r'"aa" | test("^(?<n>a)\\g<n>$")', True, ERROR), (r'"ag<n>" | test("^(?<n>a)\\g<n>$")', False, ERROR),
    (r'"A" | test("\\p{Lu}")', True), (r'"a" | test("\\p{NoSuch}")', ERROR),
):  # fmt: skip
    value("D15", program, *expected)
described("D16", "commas in a header", {"in": "header"}, ["p", "q,r"], name="X-A", where=lambda request: b"x-a: p,q,r\r\n" in request["head"].lower())


def unsupported(place):
    place.workflow("do:\n  - a: { set: { x: 1 } }\n")
    with talking(place, "mcp flow.yaml --sandbox", False) as server:
        server.send(id=1, method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}})
        first = server.wait(lambda message: message.get("id") == 1) or {}
        server.send(method="notifications/initialized")
        server.send(id=2, method="logging/setLevel", params={"level": "debug"})
        answer = server.wait(lambda message: message.get("id") == 2) or {}
    problems = [] if "logging" not in first.get("result", {"logging": 1}).get("capabilities", {}) else [f"the capability is declared: {first}"]
    return problems + ([] if answer.get("error", {}).get("code") == -32601 else [f"expected -32601, got {answer}"])


row("D17", "is refused, and the capability is not declared", unsupported)


# The engine.


def is_expected(expression, answer):
    for expected in expression.expected:
        if isinstance(expected, Refused):
            text = answer.get("error", "").lower()
            if "error" in answer and (not expected.says or any(each.lower() in text for each in expected.says)) and not any(
                    each in text for each in expected.silent):
                return True
        elif "value" in answer and equal(answer["value"], expected):
            return True
    return False


def evaluated(place, expressions):
    """The answers of programs of one zone. Where one of them cannot be compiled, each half is tried by itself."""
    text = ", ".join(f"(try {{value: [{each.program}]}} catch {{error: tostring}})" for each in expressions)
    result = place.call(["eval", "-n", text], TZ=expressions[0].zone)
    lines = result.output.splitlines()
    if result.status == 0 and len(lines) == len(expressions):
        return [json.loads(line) for line in lines]
    if len(expressions) == 1:
        return [{"error": result.errors}]
    middle = len(expressions) // 2
    return evaluated(place, expressions[:middle]) + evaluated(place, expressions[middle:])


def batches(expressions):
    zones = {}
    for each in expressions:
        zones.setdefault(each.zone, []).append(each)
    return [group[start : start + 50] for group in zones.values() for start in range(0, len(group), 50)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="; ".join(f"{id}: {title}" for id, title in TITLES.items()))
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--threads", type=int, default=4, help="how many rows are tried at once")
    parser.add_argument("ids", nargs="*", metavar="ID", help="the rows to try, such as A12; all by default")
    arguments = parser.parse_intermixed_args()
    wrong = set(arguments.ids) - TITLES.keys()
    if wrong:
        parser.error(f"there are no rows {' '.join(sorted(wrong))}")
    chosen = arguments.ids or list(TITLES)
    rows = [each for each in ROWS if each.id in chosen]
    expressions = [each for each in EXPRESSIONS if each.id in chosen]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.environ["GRAPHFLOW_HOME"] = os.path.join(folder, "home")
        shared = stack.enter_context(sandboxes.running(arguments.graphflow)) if "B7" in chosen else None

        def attempt(each):
            with tempfile.TemporaryDirectory(dir=folder) as inner:
                try:
                    return each.act(Place(arguments.graphflow, inner, shared))
                except Exception:
                    return [traceback.format_exc()]

        def evaluate(group):
            with tempfile.TemporaryDirectory(dir=folder) as inner:
                return evaluated(Place(arguments.graphflow, inner, None), group)

        with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
            # Those that wait for time come first.
            rows.sort(key=lambda each: each.id != "D1")
            answers = pool.map(attempt, rows)
            groups = batches(expressions)
            values = [answer for group in pool.map(evaluate, groups) for answer in group]
            found = list(answers)
    for expression, answer in zip([each for group in groups for each in group], values):
        expected = " or ".join("an error" if isinstance(each, Refused) else json.dumps(each, ensure_ascii=False) for each in expression.expected)
        check(f"{expression.id} {expression.title}", is_expected(expression, answer), f"expected {expected}\n       got {json.dumps(answer, ensure_ascii=False)}")
    for each, problems in zip(rows, found):
        check(f"{each.id} {each.title}", not problems, "\n       ".join(problems))
    end("inputs from the field")


if __name__ == "__main__":
    main()
