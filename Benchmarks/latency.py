"""Measures how late the runs of a schedule of every second end, while 200 others are in progress.

One of these computes without end.

    python3 Benchmarks/latency.py PROGRAM [SECONDS]

By default for 30 seconds. It prints the latest, and the one that is later than half of them.
"""
import glob, json, os, pathlib, socket, subprocess, sys, tempfile, time, urllib.request

FILES = {
    "wait.yaml": ("schedule: { on: { one: { with: { type: wait } } } }", "wait: PT1H"),
    "compute.yaml": ("schedule: { on: { one: { with: { type: compute } } } }", "set: { x: '${ [range(1e12)] | length }' }"),
    "every.yaml": ("schedule: { every: PT1S }", "set: { x: 1 }"),
}
PEERS = 199


def main():
    program, seconds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ["30"])[0])
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, (schedule, task) in FILES.items():
            path = pathlib.Path(folder, name)
            title = name.split(".", 1)[0]
            path.write_text(
                f"document: {{ dsl: 1.0.3, namespace: bench, name: {title}, version: 1.0.0 }}\n{schedule}\n"
                f"do:\n  - task: {{ {task} }}\n")
            paths.append(str(path))
        events = [{"specversion": "1.0", "id": f"w{n}", "source": "urn:bench", "type": "wait"} for n in range(PEERS)]
        events.append({"specversion": "1.0", "id": "c", "source": "urn:bench", "type": "compute"})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        service = subprocess.Popen(
            [program, "serve", *paths, "--concurrency", "300", "--concurrency-per-workflow", "250", "--listen", address],
            env={**os.environ, "GRAPHFLOW_HOME": f"{folder}/home"}, stdout=subprocess.DEVNULL,
            stderr=open(f"{folder}/log", "w"))
        try:
            time.sleep(2)
            for first in range(0, len(events), 100):
                urllib.request.urlopen(urllib.request.Request(
                    f"http://{address}/", json.dumps(events[first : first + 100]).encode(),
                    {"Content-Type": "application/cloudevents-batch+json"}))
            time.sleep(5)
            begun = len(glob.glob(f"{folder}/home/runs/*"))
            if begun < PEERS:
                raise SystemExit(f"only {begun} runs began\n" + pathlib.Path(folder, "log").read_text()[-2000:])
            start = time.time()
            time.sleep(seconds)
            print_lateness(folder, start, seconds)
        finally:
            service.kill()
            service.wait()


def print_lateness(folder, start, seconds):
    moments = []
    for path in glob.glob(f"{folder}/home/runs/*/journal.jsonl"):
        with open(path, encoding="utf-8") as journal:
            of_schedule = '"every"' in journal.readline()
        if of_schedule:
            moments.append(os.stat(path).st_mtime)
    moments = sorted(moment for moment in moments if moment >= start)
    if len(moments) < seconds - 2:
        raise SystemExit(f"only {len(moments)} runs of the schedule in {seconds} s")
    # The grid of the schedule: as early as the earliest.
    phase = min(moment % 1 for moment in moments)
    late = sorted(1000 * ((moment - phase) % 1) for moment in moments)
    print(f"{len(moments)} runs of the schedule: at most {late[-1]:.0f} ms after the earliest, "
          f"half of them {late[len(late) // 2]:.0f} ms")


main()
