"""Draws the terminal in the middle of a run: a loop, a wait, and mails that the sandbox throttles."""

import fcntl
import html
import os
import pathlib
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte

graphflow, picture = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
ROWS, COLUMNS = 14, 84
WORKFLOW = """
document: { dsl: 1.0.3, namespace: samples, name: invite, version: 1.0.0 }
do:
  - findRecipients: { call: users, with: { all: true } }
  - invite:
      fork:
        branches:
          - askEach:
              for: { in: "${ [range(1000)] }" }
              do: [ { pause: { wait: { milliseconds: 8 } } }, { ask: { set: { number: "${ $item }" } } } ]
          - remind: { wait: PT2M }
          - sendAll:
              for: { in: "${ [range(40)] }" }
              do: [ { sendMail: { call: sendMail, with: { to: megan@contoso.com, subject: Hello, body: Hello } } } ]
"""
COLOURS = {"default": "#d8dee9", "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "cyan": "#56d4dd"}
WIDTH, HEIGHT = 8.4, 19


def screen_of_run():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "invite.yaml")
        file.write_text(WORKFLOW)
        sandbox = subprocess.Popen(
            [graphflow, "sandbox", "--limit", "mailbox=16/6"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        graph = {"GRAPHFLOW_GRAPH_URL": sandbox.stdout.readline().strip(), "GRAPHFLOW_ACCESS_TOKEN": "sandbox"}
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        screen = pyte.Screen(COLUMNS, ROWS)
        stream = pyte.ByteStream(screen)
        process = subprocess.Popen(
            [graphflow, "run", "invite.yaml", "--no-journal"], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, **graph, "TERM": "xterm"})
        start = time.monotonic()
        # Until the service refuses a mail, which is then sent again.
        while time.monotonic() < start + 3 or not any("attempt" in row for row in screen.display):
            stream.feed(os.read(ours, 65536))
            assert time.monotonic() < start + 30, screen.display
        process.kill()
        sandbox.terminate()
        process.wait(), sandbox.wait()
        return screen


def runs(row):
    """The parts of a row in one colour: column, text and colour."""
    parts = []
    for x in range(COLUMNS):
        cell = row[x]
        if parts and parts[-1][2] == cell.fg:
            parts[-1][1] += cell.data
        else:
            parts.append([x, cell.data, cell.fg])
    return [(x, text.rstrip(), colour) for x, text, colour in parts if text.strip()]


screen = screen_of_run()
rows = [runs(screen.buffer[y]) for y in range(ROWS)]
while rows and not rows[-1]:
    rows.pop()
lines = [[(0, "$ graphflow run invite.yaml", "default")]] + rows
width, height = COLUMNS * WIDTH + 24, len(lines) * HEIGHT + 24
svg = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" '
    'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">',
    "<title>A run on a terminal</title>", f'<rect width="{width:g}" height="{height}" rx="8" fill="#161b22"/>',
]
for y, parts in enumerate(lines):
    for x, text, colour in parts:
        lead = len(text) - len(text.lstrip())
        text = text.lstrip()
        svg.append(
            f'<text xml:space="preserve" x="{12 + (x + lead) * WIDTH:g}" y="{12 + y * HEIGHT + 14}" textLength="{len(text) * WIDTH:g}" '
            f'fill="{COLOURS.get(colour, COLOURS["default"])}">{html.escape(text)}</text>')
picture.parent.mkdir(parents=True, exist_ok=True)
picture.write_text("\n".join(svg) + "\n</svg>\n")
print("\n".join(row.rstrip() for row in screen.display))
