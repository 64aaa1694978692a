"""Measures how plans, approved runs, batches and forks grow: seconds and megabytes, for a size and ten times the size.

    python3 Benchmarks/large.py PROGRAM

A line that grows more than elevenfold is not linear. Everything happens in the sandbox inside the program.
"""
import os, pathlib, subprocess, sys, tempfile, time

HEAD = "document: { dsl: 1.0.3, namespace: bench, name: large, version: 1.0.0 }\n"
UPLOADS = HEAD + r"""do:
  - all:
      for: { in: '${ [range(COUNT)] }' }
      do:
        - file: { call: upload, with: { path: '${ "f\($item).txt" }', content: '${ $item | tostring }' } }
"""


def run(program, folder, *arguments):
    """The seconds and the most memory of a command."""
    start = time.monotonic()
    process = subprocess.Popen(
        [program, *arguments], cwd=folder, env={**os.environ, "GRAPHFLOW_HOME": f"{folder}/home"},
        stdout=subprocess.DEVNULL, stderr=open(f"{folder}/log", "w"))
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{arguments}: {pathlib.Path(folder, 'log').read_text()[-1000:]}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def uploads(program, folder, count):
    path = pathlib.Path(folder, "uploads.yaml")
    path.write_text(UPLOADS.replace("COUNT", str(count)))
    plan = run(program, folder, "run", "uploads.yaml", "--sandbox", "--dry-run", "--plan-out", "plan.json")
    return {f"plan of {count:,} requests": plan,
            "its approved run": run(program, folder, "run", "uploads.yaml", "--sandbox", "--plan", "plan.json")}


def batch(program, folder, count):
    pathlib.Path(folder, "item.yaml").write_text(HEAD + "do:\n  - task: { set: { x: '${ .n }' } }\n")
    pathlib.Path(folder, "items.csv").write_text("n\n" + "".join(f"{n}\n" for n in range(count)))
    taken = run(program, folder, "batch", "item.yaml", "--each", "items.csv", "--sandbox", "--name", f"b{count}")
    size = sum(file.stat().st_size for file in pathlib.Path(folder, "home").rglob("*") if file.is_file())
    print(f"   {size / count:.0f} bytes of disk an item, {count / taken[0]:.0f} items/s")
    return {f"batch of {count:,} items of one `set`": taken}


def fork(program, folder, count):
    branches = "".join(f"        - b{n}: {{ set: {{ n: {n} }} }}\n" for n in range(count))
    pathlib.Path(folder, "fork.yaml").write_text(HEAD + "do:\n  - all:\n      fork:\n        branches:\n" + branches)
    return {f"fork of {count:,} branches": run(program, folder, "run", "fork.yaml", "--sandbox")}


def main():
    program = os.path.abspath(sys.argv[1])
    for measure, sizes in ((uploads, (1_000, 10_000)), (batch, (10_000, 100_000)), (fork, (1_000, 10_000))):
        figures = []
        for count in sizes:
            with tempfile.TemporaryDirectory() as folder:
                figures.append(measure(program, folder, count))
        for (_, (less, _)), (name, (seconds, memory)) in zip(figures[0].items(), figures[1].items()):
            print(f"{name}: {seconds:.1f} s, {memory:.0f} MB, {seconds / less:.1f} times a tenth of them", flush=True)


main()
