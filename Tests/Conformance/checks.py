"""What a script has checked, and how it ends."""

import json
import sys

failures = []
passed = 0


def check(name, is_right, detail=""):
    """Counts a check, and says what was seen where it is not right."""
    global passed
    if is_right:
        passed += 1
        return
    failures.append(name)
    text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False, default=str)
    print(f"FAILED {name}\n       {text[:2000]}", flush=True)


def check_none(name, problems):
    """Counts a check of which every problem is said."""
    check(name, not problems, "\n       ".join(map(str, problems)))


def end(subject):
    """Says how many checks passed, and ends with 1 where one failed or there was none."""
    print(f"{subject}: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)
