#!/usr/bin/env python3
"""Makes the picture of a run's page in the README, with Chromium.

    Tests/Conformance/environment ../../scripts/make-report-picture.py .build/debug/graphflow

Performs a sample against a sandbox that is slow and throttles, so that there are retries and waits to see.
"""
import base64
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "Conformance"))

import browser as browsers  # noqa: E402
import sandbox as sandboxes  # noqa: E402

PICTURE = ROOT / "Sources" / "Workflows" / "Engine" / "Documentation.docc" / "Resources" / "report.png"
WIDTH = 1100
MOST = 150_000


def main():
    program = os.path.abspath(sys.argv[1])
    faults = ["--fault", "PUT /me/drive/** 503 x1 retry-after=1", "--fault", "POST /me/** 429 x1 retry-after=2"]
    with (
        tempfile.TemporaryDirectory() as folder,
        sandboxes.running(program, "--latency", "300", *faults) as sandbox,
        browsers.running() as browser,
    ):
        environment = sandbox.environment(GRAPHFLOW_HOME=folder)

        def graphflow(*arguments):
            result = subprocess.run([program, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
            return result.stdout

        graphflow("run", "workflows/share-profile-photo.yaml")
        run = graphflow("runs").splitlines()[1].split()[0]
        page = pathlib.Path(folder) / "run.html"
        graphflow("show", run, "--html", str(page))
        browser.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=900, deviceScaleFactor=1, mobile=False)
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        browser.open(page.as_uri())
        browser.wait_for("!!document.querySelector('.timeline .row')", "the timeline")
        # Where the file and the sandbox are on this machine does not matter to readers.
        browser.evaluate("document.querySelector('dd .mono').textContent = 'share-profile-photo.yaml'; 0")
        browser.evaluate("[...document.querySelectorAll('dd')].find(place => /127/.test(place.textContent)).textContent = 'a sandbox'; 0")
        browser.evaluate("[...document.querySelectorAll('.row')].find(row => row.textContent.includes('upload')).click(); 0")
        browser.evaluate("document.querySelectorAll('.task details').forEach(data => { data.open = false; })")
        bottom = browser.evaluate("document.querySelector('.task').getBoundingClientRect().bottom + scrollY")
        time.sleep(0.5)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": bottom + 16, "scale": 1}
        data = browser.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
    picture = base64.b64decode(data)
    if len(picture) > MOST:
        raise SystemExit(f"the picture has {len(picture)} bytes, which is too much")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(picture)
    print(f"{PICTURE.relative_to(ROOT)}: {len(picture)} bytes")


if __name__ == "__main__":
    main()
