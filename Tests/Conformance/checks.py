"""Counts a script's checks and ends it."""

import json
import os
import shutil
import sys

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


def end(subject):
    """Prints how many checks passed, and exits with 1 if one failed or there was none."""
    print(f"{subject}: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)
