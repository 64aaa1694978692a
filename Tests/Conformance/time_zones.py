"""Compares named time zones with `zdump`: every zone of the system, before and after every change of its clocks.

    python3 Tests/Conformance/time_zones.py [--first YEAR] [--last YEAR]
"""

import argparse
import calendar
import os
import re
import subprocess
import sys

import probe

FOLDER = os.environ.get("TZDIR", "/usr/share/zoneinfo")
LINE = re.compile(r"^\S+  \w+ (\w+) +(\d+) (\d+):(\d+):(\d+) (\d+) UTC? = .* (\S+) isdst=\d gmtoff=(-?\d+)$")
MONTHS = {name: number for number, name in enumerate(calendar.month_abbr)}


def names():
    for folder, _, files in os.walk(FOLDER):
        for file in files:
            path = os.path.join(folder, file)
            # The zones of "right" count leap seconds, and "posix" is all the others once more.
            if os.path.relpath(path, FOLDER).split("/")[0] in ("right", "posix"):
                continue
            with open(path, "rb") as content:
                if content.read(4) == b"TZif":
                    yield os.path.relpath(path, FOLDER)


def changes(zone, first, last):
    """The moments around the changes of a zone's clocks, each with the offset and the name of the time."""
    result = subprocess.run(["zdump", "-v", "-c", f"{first},{last}", zone], stdout=subprocess.PIPE, check=True,
                            env={"TZDIR": FOLDER, "PATH": os.environ["PATH"]})
    found = []
    for line in result.stdout.decode().splitlines():
        match = LINE.match(line)
        if match is None:
            continue
        month, day, hour, minute, second, year, name, offset = match.groups()
        moment = calendar.timegm((int(year), MONTHS[month], int(day), int(hour), int(minute), int(second)))
        if first <= int(year) < last:
            found.append((moment, [int(offset), name]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1970)
    parser.add_argument("--last", type=int, default=2101)
    options = parser.parse_args()
    zones = sorted(names())
    expected = [changes(zone, options.first, options.last) for zone in zones]
    questions = [{"zone": zone, "times": [moment for moment, _ in times]} for zone, times in zip(zones, expected)]
    wrong = 0
    for zone, times, answer in zip(zones, expected, probe.ask("zone", questions)):
        actual = answer.get("value") or [answer.get("error")] * len(times)
        for (moment, time), ours in zip(times, actual):
            if ours != time:
                wrong += 1
                print(f"{zone} at {moment}: {ours}, but zdump has {time}") if wrong <= 10 else None
    print(f"{len(zones)} time zones, {sum(map(len, expected))} moments, {wrong} disagreements")
    sys.exit(1 if wrong or not zones else 0)


main()
