"""Compares the times of random cron expressions with those of croniter, in UTC, without clock changes.

A day field that begins with '*' is read as in crontab(5), which croniter does with an option.
"""

import argparse
import random
import sys
from datetime import datetime, timezone

from croniter import croniter

from probe import ask

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


def number(value, names, first):
    return random.choice([names[value - first], names[value - first].lower()]) if names and random.random() < 0.3 else str(value)


def part(low, high, names, first):
    # A range of one is left out: croniter takes it for all.
    start = random.randint(low, high - 1)
    end = random.randint(start + 1, high)
    kind = random.random()
    if kind < 0.4:
        return number(start, names, first)
    if kind < 0.7:
        return f"{number(start, names, first)}-{number(end, names, first)}"
    return f"{start}-{end}/{random.randint(1, max(1, high - low))}"


def field(low, high, names=(), first=0):
    kind = random.random()
    if kind < 0.4:
        return "*"
    if kind < 0.55:
        return f"*/{random.randint(1, high)}"
    return ",".join(part(low, high, names, first) for _ in range(random.randint(1, 3)))


def expression():
    if random.random() < 0.02:
        return random.choice(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"])
    return " ".join([field(0, 59), field(0, 23), field(1, 31), field(1, 12, MONTHS, 1), field(0, 6, DAYS, 0)])


def expected(text, start):
    times = croniter(text, start, implement_cron_bug=True, max_years_between_matches=45)
    return [int(times.get_next()) for _ in range(3)]


def missed(text, actual, times):
    """Whether croniter left out a time that it matches itself, as it does if a month ends before day 31."""
    wrong = next(((ours, theirs) for ours, theirs in zip(actual, times) if ours != theirs), None)
    if wrong is None or wrong[0] > wrong[1]:
        return False
    # match() has no option for both kinds of days: each kind is asked alone.
    fields = text.split()
    moment = datetime.fromtimestamp(wrong[0], timezone.utc)
    if len(fields) == 1:
        return croniter.match(text, moment)
    minute, hour, day, month, weekday = fields
    alone = [f"{minute} {hour} {day} {month} *", f"{minute} {hour} * {month} {weekday}"]
    return all(croniter.match(each, moment) for each in alone)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args()
    random.seed(options.seed)
    questions, answers = [], []
    for _ in range(options.count):
        text, start = expression(), random.randint(0, 4_000_000_000)
        try:
            times = expected(text, start)
        except Exception:
            continue  # It looks for a 30th of February instead of the Thursdays that are enough.
        questions.append({"expression": text, "after": start, "zone": "UTC", "count": 3})
        answers.append(times)
    failed = 0
    for question, times, answer in zip(questions, answers, ask("cron", questions)):
        actual = answer.get("value")
        if actual != times and not missed(question["expression"], actual, times):
            failed += 1
            print(f"{question}: {answer}, but croniter has {times}")
    print(f"{len(questions)} cron expressions, {failed} failed")
    sys.exit(failed > 0)


main()
