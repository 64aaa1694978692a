"""Opens the output of `graphflow run --dry-run --format har` in the developer tools of Chromium.

    developer_tools.py GRAPHFLOW

Every archive is loaded into the network panel as a person would do it, and the panel must list each of its requests
with its method, address and body.
"""

import json
import subprocess
import time

import browser
import sandbox as sandboxes
from checks import check, end, not_run
from sample_files import INPUTS, PATHS

NETWORK = "const panel = (await import('./panels/network/network.js')).NetworkPanel.NetworkPanel.instance();"
# They are no stable interface: other versions of Chromium may differ.
READY = f"""(async () => {{
    {NETWORK}
    const view = panel.networkLogView;
    return panel.isShowing() && [view.onLoadFromFile, view.flatNodesList].every(part => typeof part === "function");
}})()"""
# The panel's data about the listed requests, in order.
LISTED = f"""(async () => {{
    {NETWORK}
    const nodes = panel.networkLogView.flatNodesList().filter(node => node.request());
    return Promise.all(nodes.map(async node => {{
        const request = node.request();
        return [request.requestMethod, request.url(), request.statusCode, await request.requestFormData()];
    }}));
}})()"""


def archive(program, path):
    command = [program, "run", str(path), "--dry-run", "--format", "har", "--input", json.dumps(INPUTS.get(path.name, {}))]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def load(tools, text):
    """Loads an archive instead of the listed requests."""
    tools.evaluate(f"""(async () => {{
        {NETWORK}
        const log = (await import('./models/logs/logs.js')).NetworkLog.NetworkLog.instance();
        log.reset(true);
        await panel.networkLogView.onLoadFromFile(new File([{json.dumps(text)}], 'plan.har'));
    }})()""")


def listed(tools, wanted):
    """What the panel lists, which it updates from time to time: polled for the wanted list, at most 20 seconds."""
    limit = time.monotonic() + 20
    while (found := tools.evaluate(LISTED)) != wanted and time.monotonic() < limit:
        time.sleep(0.05)
    return found


def described(entry):
    request = entry["request"]
    return [request["method"], request["url"], entry["response"]["status"], request.get("postData", {}).get("text")]


def main():
    program = sandboxes.program(__doc__)
    with browser.running("--remote-allow-origins=*") as page:
        tools = page.developer_tools("network")
        try:
            tools.wait_for(READY, "the panel of network requests")
        except RuntimeError as problem:
            not_run("the developer tools of Chromium", f"they cannot be driven here: {problem}")
            return
        for path in PATHS:
            text = archive(program, path)
            wanted = [described(entry) for entry in json.loads(text)["log"]["entries"]]
            load(tools, text)
            found = listed(tools, wanted)
            check(f"{path.name} opens with all its requests", found == wanted, {"found": found, "wanted": wanted})
    end("Archives in the developer tools")


if __name__ == "__main__":
    main()
