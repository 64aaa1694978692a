"""What a run shows on a terminal, seen through a pseudo-terminal and the screen model of pyte.

At every moment: no line is broken in two, the lines that are drawn again fit into the window, and what stays is whole. At
the end: what stays is what happened, nothing that was drawn is left, and the result alone is on standard output.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

import pyte

from checks import at_once, case, end

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
parser.add_argument("--show", action="store_true", help="print the screens")
arguments = parser.parse_args()
graphflow = os.path.abspath(arguments.graphflow)
folder = tempfile.TemporaryDirectory()
HEAD = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\n"
# What stays, what is at work, and what holds.
LINE = re.compile(r"^ *[✓✗…↻‖→↑-] \S|^waited |^listening |^$")

FORK = """
use:
  functions:
    sleep: { do: [ { nap: { wait: "${ { milliseconds: .ms } }" } } ] }
do:
  - all:
      fork:
        branches:
          - one: { call: sleep, with: { ms: 1000 } }
          - two: { call: sleep, with: { ms: 2000 } }
          - 三番目の枝です三番目の枝です三番目の枝です: { call: sleep, with: { ms: 3000 } }
  - pause: { wait: PT2S }
"""
LOOP = """
do:
  - askEach:
      for: { in: "${ [range(1000)] }" }
      do: [ { pause: { wait: { milliseconds: 2 } } }, { ask: { set: { n: "${ $item }" } } } ]
  - last: { set: { done: true } }
"""
BRANCHES = "\ndo:\n  - many:\n      fork:\n        branches:\n" + "".join(
    f"          - branch{number}: {{ wait: {{ milliseconds: {1000 + number} }} }}\n" for number in range(300))
MAILS = """
do:
  - mails:
      fork:
        branches:
""" + "".join(
    f"          - mail{number}: {{ call: sendMail, with: {{ to: megan@contoso.com, subject: s, body: b }} }}\n"
    for number in range(12))


class Screen(pyte.HistoryScreen):
    """A screen that notices a line that wraps, and a cursor that would leave the window."""

    problems: list[str] = []

    def draw(self, data):
        before = self.cursor.y
        for character in data:
            if self.cursor.x >= self.columns and pyte.modes.DECAWM in self.mode:
                self.problems.append(f"{character!r} wraps at {self.columns} columns: {self.display[before]!r}")
            super().draw(character)

    def cursor_up(self, count=None):
        if (count or 1) > self.cursor.y:
            self.problems.append(f"up {count} from row {self.cursor.y} of {self.lines}")
        super().cursor_up(count)

    def resize(self, lines, columns):
        # As terminals do it: the row of the cursor stays in the window. pyte leaves the cursor below it.
        for _ in range(self.cursor.y - lines + 1):
            self.history.top.append(self.buffer[0])
            for y in range(self.lines):
                self.buffer[y] = self.buffer[y + 1]
            self.cursor.y -= 1
        for y in [y for y in self.buffer if y >= lines]:
            del self.buffer[y]
        self.lines = lines
        super().resize(lines, columns)
        self.cursor.x = min(self.cursor.x, columns - 1)

    @property
    def text(self):
        rows = ["".join(row[x].data for x in range(self.columns)).rstrip() for row in self.history.top]
        return rows + [row.rstrip() for row in self.display]


def set_size(descriptor, rows, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read(descriptor):
    """What a window's program has written; nothing once the program has closed it, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def write(name, workflow):
    """A workflow's file, which other cases may write at the same time."""
    file = pathlib.Path(folder.name) / f"{name}.yaml"
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(HEAD + workflow)
    part.rename(file)
    return file


def run(name, workflow, rows, columns, *options, sizes=(), environment=(), stop=None, command="run", output=subprocess.PIPE):
    """Runs a workflow in a window, which has other sizes at other times. Returns its screens and its last one."""
    file = write(name, workflow)
    ours, theirs = pty.openpty()
    set_size(theirs, rows, columns)
    screen = Screen(columns, rows, history=100_000, ratio=1e-9)
    screen.problems = []
    stream = pyte.ByteStream(screen)
    process = subprocess.Popen(
        [graphflow, command, str(file), *options], stdin=subprocess.DEVNULL, stdout=output or theirs, stderr=theirs,
        start_new_session=True,
        env={**os.environ, "GRAPHFLOW_HOME": folder.name + "/home", "TERM": "xterm", **dict(environment)})
    os.close(theirs)
    start, screens, raw, sizes = time.monotonic(), [], b"", list(sizes)
    while True:
        # Not in the middle of a drawing, of which a part has arrived: the cursor is at its beginning again after it.
        if sizes and time.monotonic() - start > sizes[0][0] and not select.select([ours], [], [], 0.05)[0]:
            # Held meanwhile: what it drew just now for the old size belongs on the old screen.
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if select.select([ours], [], [], 0.02)[0]:
                process.send_signal(signal.SIGCONT)
                continue
            _, rows, columns = sizes.pop(0)
            set_size(ours, rows, columns)
            screen.resize(rows, columns)
            process.send_signal(signal.SIGCONT)
            # What is on its way was written for the old size.
            quiet = time.monotonic() + 0.4
            while time.monotonic() < quiet:
                if select.select([ours], [], [], 0.05)[0]:
                    if not (data := read(ours)):
                        break
                    stream.feed(data)
                    raw += data
            screen.problems = []
        if stop and time.monotonic() - start > stop[0]:
            process.send_signal(stop[1])
            stop = None
        if not select.select([ours], [], [], 0.05)[0]:
            continue
        if not (data := read(ours)):
            break
        raw += data
        stream.feed(data)
        shown = [row.rstrip() for row in screen.display]
        screens.append(shown)
        assert not screen.problems, (name, columns, screen.problems[:3])
    output = process.stdout.read().decode() if output else ""
    status = process.wait()
    os.close(ours)
    # A screen that is taken while a drawing arrives in two parts can have a row of two drawings; all others are whole.
    text = [row for row in screen.text if row]
    if arguments.show:
        for shown in screens[:: max(1, len(screens) // 4)] + [text]:
            print(f"--- {name}, {columns}")
            print("\n".join(row for row in shown if row))
    if not sizes and "TERM" not in dict(environment):
        for row in text:
            assert LINE.match(row) or status != 0, (name, columns, row)
    return status, output, screens, text, raw.decode()


def seen(screens, pattern):
    return any(re.search(pattern, row) for shown in screens for row in shown)


def fork(rows, columns):
    status, output, screens, text, raw = run("fork", FORK, rows, columns, "--no-journal")
    assert status == 0 and output.startswith("["), (status, output)
    assert seen(screens, r"^… all +\d/3 · \d"), screens[len(screens) // 2]
    if rows > 5:
        assert seen(screens, r"^ +… nap +\d s left"), screens[len(screens) // 2]
    assert seen(screens, r"^… pause +[12] s left of 2 s")
    ends = [row for row in text if row.startswith("✓")]
    assert not any(row.startswith(("…", " ")) for row in text), text
    lengths = [float(re.search(r"(\d+\.\d) s", row).group(1)) for row in ends if re.match("✓ (one|two|all|pause)", row)]
    # The three naps are one task, each with a duration of its own.
    assert len(lengths) == 4 and lengths[0] < 1.9 < lengths[1] < 2.9 < lengths[2] and lengths[3] < 2.9, (ends, lengths)
    print(f"A fork, {columns} × {rows}: the tree, its waits, and the durations of its branches")


def loop(columns):
    status, output, screens, text, raw = run("loop", LOOP, 24, columns)
    assert status == 0 and output == '{"done":true}\n', output
    assert seen(screens, r"^… askEach +\d+/1000 · \d+/s · \d+ s left"), screens[len(screens) // 2]
    assert columns == 40 or seen(screens, "█+░+"), screens[len(screens) // 2]
    assert [row.split()[1] for row in text] == ["askEach", "last"] and " s, 1000 rounds" in text[0], text
    counts = [int(match[1]) for shown in screens for row in shown if (match := re.search(r"(\d+)/1000", row))]
    assert counts == sorted(counts) and len(counts) > 2
    print(f"1,000 rounds at {columns} columns: {len(counts)} drawings, 2 lines that stay")


def branches():
    after = BRANCHES + "  - after: { set: { done: true } }\n"
    status, output, screens, text, raw = run("branches", after, 15, 80, "--no-journal")
    assert status == 0 and len(text) <= 30, len(text)
    assert any(row.startswith("✓ many") and "in its branches" in row for row in text), text
    assert text[-1].startswith("✓ after"), text
    assert seen(screens, r"^… \d+ more running") and seen(screens, r"many +\d+/300"), screens[len(screens) // 2]
    print(f"300 branches: {len(text)} lines that stay")


def loop_in_other_sizes():
    status, output, screens, text, raw = run(
        "loop", LOOP, 24, 200, sizes=[(1.0, 24, 40), (2.0, 5, 100), (3.0, 30, 120)])
    assert status == 0 and [row.split()[1] for row in text if row[0] == "✓"] == ["askEach", "last"], text


def fork_in_other_sizes():
    status, output, screens, text, raw = run("fork", FORK, 24, 120, sizes=[(0.5, 24, 40), (1.5, 4, 40), (2.5, 24, 80)])
    assert status == 0 and sum(row.startswith("✓ ") for row in text) >= 5, text
    assert not any(row.startswith(("…", " ")) for row in text), text
    print("Another size while it runs: what stays is whole, and nothing else is left")


def without_colour():
    status, output, screens, text, raw = run("fork", FORK, 24, 80, environment=[("NO_COLOR", "1")])
    assert status == 0 and not re.search("\x1b\\[[0-9;]*m", raw), raw[:200]


def on_a_dumb_terminal():
    status, output, screens, text, raw = run("loop", LOOP, 24, 80, environment=[("TERM", "dumb")])
    assert status == 0 and "\x1b" not in raw and len(text) < 20, raw[:200]
    print("No colour, and a dumb terminal: no sequence that it does not know")


def quiet_and_verbose():
    status, output, screens, text, raw = run("loop", LOOP, 24, 80, "--quiet")
    assert status == 0 and not raw, raw
    status, output, screens, text, raw = run("loop", LOOP, 24, 80, "--verbose")
    assert status == 0 and sum(row.startswith("✓ ask ") for row in text) == 1000, len(text)
    print("--quiet shows nothing, --verbose every task")


def interrupted():
    status, output, screens, text, raw = run("fork", FORK, 24, 80, stop=(1.0, signal.SIGINT))
    assert status == 130 and text[-1].startswith("interrupted; resume with: graphflow resume"), text
    assert not any(row.startswith(("…", " ")) for row in text), text
    print("An interrupted run ends with its last line, and nothing that was drawn")


def throttled():
    sandbox = subprocess.Popen(
        [graphflow, "sandbox", "--limit", "mailbox=12/3"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        graph = {"GRAPHFLOW_GRAPH_URL": sandbox.stdout.readline().strip(), "GRAPHFLOW_ACCESS_TOKEN": "sandbox"}
        status, output, screens, text, raw = run("mails", MAILS, 30, 100, "--no-journal", environment=graph.items())
        assert status == 0 and seen(screens, r"^‖ .+, +\d+ s left"), screens[len(screens) // 2]
        assert len(text) <= 15 and "waited" in text[-1], text
        print(f"12 throttled mails: how long the service holds, {len(text)} lines that stay")
        process = subprocess.run(
            [graphflow, "run", folder.name + "/mails.yaml", "--no-journal"], capture_output=True, text=True,
            env={**os.environ, **graph})
        lines = process.stderr.splitlines()
        assert process.returncode == 0 and len(lines) < 40 and "\x1b" not in process.stderr, lines
        print(f"The same in a pipe: {len(lines)} lines")
    finally:
        sandbox.terminate()
        sandbox.wait()


def in_a_pipe(name, workflow, least, most):
    file = write(name, workflow)
    process = subprocess.run([graphflow, "run", file, "--no-journal"], capture_output=True, text=True)
    lines = process.stderr.splitlines()
    assert process.returncode == 0 and least <= len(lines) <= most and "\x1b" not in process.stderr, lines
    assert process.stdout.count("\n") == 1
    print(f"{name} in a pipe: {len(lines)} lines")


GREET = """
input:
  schema: { document: { type: object, properties: { number: { type: integer } } } }
do:
  - nap: { wait: { milliseconds: 300 } }
  - fail:
      if: "${ .number % 7 == 3 }"
      raise: { error: { type: "https://contoso.com/nobody", status: 404, title: "Not Found", detail: "\\e[2Jnobody" } }
"""
items = pathlib.Path(folder.name) / "items.csv"
items.write_text("number\n" + "".join(f"{number}\n" for number in range(100)))
batch = ["--each", str(items), "--concurrency", "10"]


def a_batch(rows, columns):
    status, output, screens, text, raw = run("greet", GREET, rows, columns, *batch, command="batch")
    assert status == 1 and output.count("\n") == 100, (status, output)
    assert seen(screens, r"^… test +\d+/100 · "), screens[len(screens) // 2]
    assert columns < 80 or seen(screens, r"\d+/100 · \d+/s · \d+ s left +█+░+"), screens[len(screens) // 2]
    assert rows < 4 or seen(screens, r"^ +… in flight +10") and seen(screens, r"^✗ \d+ faulted"), screens[len(screens) // 2]
    counts = [int(match[1]) for shown in screens for row in shown if (match := re.search(r"(\d+)/100", row))]
    assert counts == sorted(counts) and len(counts) > 2, counts
    assert not any(row.startswith("…") or "in flight" in row for row in text), text
    assert sum("404 Not Found: nobody" in row or "404" in row for row in text) >= 1 and len(text) <= 12, text
    print(f"A batch at {columns} × {rows}: {len(counts)} drawings, {len(text)} lines that stay")


def a_batch_in_other_sizes():
    status, output, screens, text, raw = run(
        "greet", GREET, 24, 200, *batch, command="batch", sizes=[(0.8, 24, 40), (1.4, 3, 100), (2.0, 30, 120)])
    assert status == 1 and not any(row.startswith("…") or "in flight" in row for row in text), text


def an_interrupted_batch():
    status, output, screens, text, raw = run("greet", GREET, 24, 100, *batch, command="batch", stop=(1.5, signal.SIGINT))
    assert status == 130 and "graphflow resume" in text[-1], text
    assert not any(row.startswith("…") or "in flight" in row for row in text), text
    print("A batch in a window that changes, and one that is interrupted: nothing that was drawn is left")


def results_on_the_terminal():
    status, output, screens, text, raw = run("greet", GREET, 30, 300, *batch, command="batch", output=None)
    assert status == 1 and seen(screens, r"\d+/100 · "), text
    assert sum(row.startswith('{"key":{"number":') and row.endswith("}") for row in text) == 100, text
    assert not any(row.startswith("…") or "in flight" in row for row in text), text
    print("The results of a batch on the same terminal: each is whole")


def a_verbose_batch():
    status, output, screens, text, raw = run("greet", GREET, 24, 80, *batch, "--verbose", command="batch")
    assert status == 1 and sum(row.startswith(("✓ ", "✗ {")) for row in text) == 100, text


def a_batch_in_a_pipe():
    process = subprocess.run(
        [graphflow, "batch", write("greet", GREET), *batch], capture_output=True, text=True,
        env={**os.environ, "GRAPHFLOW_HOME": folder.name + "/home"})
    lines = process.stderr.splitlines()
    assert process.returncode == 1 and len(lines) < 10 and "\x1b" not in process.stderr, lines
    print(f"A batch in a pipe: {len(lines)} lines; --verbose: a line for each item")


# Most of each case is waiting, for naps and pauses.
at_once(
    *[case(fork, *size) for size in [(24, 40), (24, 80), (50, 200), (5, 80), (3, 40)]],
    *[case(loop, columns) for columns in (40, 80, 200)],
    branches, loop_in_other_sizes, fork_in_other_sizes, without_colour, on_a_dumb_terminal, quiet_and_verbose, interrupted,
    throttled, case(in_a_pipe, "loop", LOOP, 2, 12), case(in_a_pipe, "fork", FORK, 5, 12),
    *[case(a_batch, *size) for size in [(24, 80), (50, 200), (24, 70), (3, 80), (2, 70)]],
    a_batch_in_other_sizes, an_interrupted_batch, results_on_the_terminal, a_verbose_batch, a_batch_in_a_pipe)
end("terminal")
