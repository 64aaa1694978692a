"""Counts a script's checks and ends it."""

import contextlib
import functools
import io
import json
import multiprocessing
import os
import shutil
import sys
import traceback

failures = []
passed = 0


def check(name, is_right, detail=""):
    """Counts a check, and prints what was seen if it failed."""
    global passed
    if is_right:
        passed += 1
        return
    failures.append(name)
    text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False, default=str)
    print(f"FAILED {name}\n       {text[:2000]}", flush=True)


def check_none(name, problems):
    """Counts a check and prints all its problems."""
    check(name, not problems, "\n       ".join(map(str, problems)))


def has(program, package=None):
    """Whether there is a program; fails if not, because it can be installed."""
    found = shutil.which(program) is not None
    check(f"there is {program}", found, f"apt-get install {package or program}")
    return found


def not_run(what, reason):
    """Says that something was not checked here; it is listed at the end of all checks too."""
    line = f"{what}: {' '.join(reason.split())}"
    print(f"not run: {line}", flush=True)
    if path := os.environ.get("NOT_RUN"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def case(function, *arguments):
    """A case for `at_once`, which a failure names with its first argument."""
    bound = functools.partial(function, *arguments)
    bound.__name__ = f"{function.__name__} {arguments[0]}"
    return bound


def at_once(*cases, most=4):
    """Runs cases that share nothing at once, each in a process of its own; what they print and count is kept in order."""
    global passed
    processes = multiprocessing.get_context("fork")
    room = processes.Semaphore(most)

    def perform(case, channel):
        global passed
        with room:
            (passed, failures[:]), printed = (0, []), io.StringIO()
            with contextlib.redirect_stdout(printed):
                try:
                    case()
                    check(case.__name__, True)
                except BaseException:
                    check(case.__name__, False, traceback.format_exc())
            channel.send((printed.getvalue(), passed, failures))

    begun = []
    for case in cases:
        ours, theirs = processes.Pipe(duplex=False)
        begun.append((case, ours, processes.Process(target=perform, args=(case, theirs))))
        begun[-1][2].start()
        theirs.close()
    for case, channel, process in begun:
        try:
            printed, count, failed = channel.recv()
        except EOFError:
            printed, count, failed = f"FAILED {case.__name__}\n       its process ended\n", 0, [case.__name__]
        print(printed, end="", flush=True)
        passed += count
        failures.extend(failed)
        process.join()


def end(subject):
    """Prints how many checks passed, and exits with 1 if one failed or there was none."""
    print(f"{subject}: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)
