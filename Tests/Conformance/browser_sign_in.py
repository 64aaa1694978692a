"""Signs in with a real browser at the sandbox's sign-in page, for msal and for graphflow.

    browser_sign_in.py GRAPHFLOW

Does nothing, and says so, if there is no Chromium.
"""

import contextlib
import os
import subprocess
import tempfile
import threading
import time
import webbrowser

import msal

import browser as browsers
import sandbox as sandboxes
import tls
from checks import check, end
from sandbox import CLIENT


class Opener:
    """The browser that programs open."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, url, new=0, autoraise=True):
        self.browser.open(url)
        return True


def interactively(app, browser, person, **options):
    """The result of msal's own interactive sign-in, with a person at the browser."""
    results = []
    worker = threading.Thread(
        target=lambda: results.append(app.acquire_token_interactive(["User.Read"], timeout=60, **options))
    )
    worker.start()
    person(browser)
    worker.join(60)
    return results[0] if results else None


def with_msal(address, certificate, browser):
    app = msal.PublicClientApplication(
        CLIENT, authority=address + "/common", verify=certificate.path, instance_discovery=False
    )
    webbrowser.register("headless", None, Opener(browser), preferred=True)

    def accept(browser):
        browser.click("label", "Lynne Robbins")
        browser.wait_for("document.querySelector('label:has(:checked)').innerText.includes('Lynne')", "the choice")
        browser.click("button", "Accept")

    def decline(browser):
        browser.click("button", "Decline")

    result = interactively(app, browser, accept)
    check("accepted", result.get("id_token_claims", {}).get("name") == "Lynne Robbins", result)
    result = interactively(app, browser, decline, prompt="select_account")
    check("declined", result.get("error") == "access_denied", result)
    result = interactively(app, browser, lambda browser: None, prompt="none")
    check("the browser's session is enough", result.get("id_token_claims", {}).get("name") == "Lynne Robbins", result)
    browser.open(address + "/common/oauth2/v2.0/logout")
    browser.wait_for_text("This browser is signed out")
    result = interactively(app, browser, lambda browser: None, prompt="none")
    check("and ends", result.get("error") == "login_required", result)


def with_device(sandbox, address, certificate, browser):
    app = msal.PublicClientApplication(
        CLIENT, authority=address + "/common", verify=certificate.path, instance_discovery=False
    )
    sandbox.rules(deviceInterval=1)
    flow = app.initiate_device_flow(["User.Read", "Mail.Send"])
    browser.open(flow["verification_uri"])
    browser.wait_for_text("Enter the code")
    browser.write("WRONG")
    browser.click("button", "Next")
    browser.wait_for_text("That code is not right")
    browser.evaluate("document.querySelector('input').select()")
    # Codes are read aloud and typed in different ways.
    browser.write(flow["user_code"][:4].lower() + "-" + flow["user_code"][4:].lower())
    browser.click("button", "Next")
    browser.wait_for_text(flow["user_code"])
    check("permissions are shown", "Send mail as you" in browser.text(), browser.text())
    browser.click("label", "Diego Siciliani")
    browser.click("button", "Accept")
    browser.wait_for_text("You are signed in")
    result = app.acquire_token_by_device_flow(flow)
    check("the device is signed in", result.get("id_token_claims", {}).get("name") == "Diego Siciliani", result)


def with_graphflow(program, sandbox, browser):
    """`graphflow login --browser`, whose browser is this one."""
    with tempfile.TemporaryDirectory() as home:
        asked = os.path.join(home, "address")
        opener = os.path.join(home, "opener")
        with open(opener, "w", encoding="ascii") as file:
            # Renamed when it is complete, so that no part of it is read.
            file.write(f'#!/bin/sh\nprintf %s "$1" > {asked}.new && mv {asked}.new {asked}\n')
        os.chmod(opener, 0o700)
        environment = dict(
            os.environ, GRAPHFLOW_HOME=home, GRAPHFLOW_GRAPH_URL=sandbox.graph, AZURE_AUTHORITY_HOST=sandbox.address,
            AZURE_CLIENT_ID=CLIENT, BROWSER=opener,
        )  # fmt: skip

        def log_in(person):
            with contextlib.suppress(FileNotFoundError):
                os.remove(asked)
            process = subprocess.Popen(
                [program, "login", "--browser"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            try:
                for _ in range(400):
                    if os.path.exists(asked) or process.poll() is not None:
                        break
                    time.sleep(0.05)
                with open(asked, encoding="ascii") as file:
                    browser.open(file.read())
                person()
                shown = browser.wait_for(
                    "document.readyState === 'complete' && document.body.innerText", "what graphflow shows"
                )
                output, errors = process.communicate(timeout=60)
            finally:
                process.kill()
            return process.returncode, output, errors, shown

        def accept():
            browser.click("label", "Alex Wilber")
            browser.click("button", "Accept")
            browser.wait_for("!document.querySelector('[name=account]')", "the way back")

        def decline():
            browser.click("button", "Decline")
            browser.wait_for("!document.querySelector('[name=account]')", "the way back")

        status, output, errors, shown = log_in(accept)
        check("graphflow login --browser", status == 0 and "alexw@contoso.com" in output + errors, (status, output, errors))
        check("the browser shows no code", "code=" not in shown, shown)
        who = subprocess.run([program, "whoami"], env=environment, capture_output=True, text=True, timeout=60)
        check("graphflow whoami", who.returncode == 0 and "Alex Wilber" in who.stdout, who)
        status, output, errors, shown = log_in(decline)
        check("declined", status == 3, (status, output, errors))
        check("the browser shows it", "code=" not in shown and shown, shown)


def without_scripts(sandbox, browser):
    """The page loads nothing, runs nothing and cannot be framed."""
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(sandbox.address + "/devicelogin")
    browser.wait_for_text("Enter the code")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    check("loads nothing", browser.evaluate("performance.getEntriesByType('resource').length") == 0)
    style = "getComputedStyle(document.querySelector('main')).borderTopLeftRadius"
    check("the style passes its own policy", browser.evaluate(style) == "14px", browser.evaluate(style))
    browser.send("Emulation.setDeviceMetricsOverride", width=320, height=640, deviceScaleFactor=1, mobile=True)
    check(
        "fits a narrow screen",
        browser.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        browser.evaluate("document.documentElement.scrollWidth"),
    )
    browser.send("Emulation.clearDeviceMetricsOverride")


def main():
    program = sandboxes.program(__doc__)
    with (
        sandboxes.running(program) as sandbox,
        tls.https(sandbox) as (address, certificate),
        browsers.running("--ignore-certificate-errors") as browser,
    ):
        with_msal(address, certificate, browser)
        with_device(sandbox, address, certificate, browser)
        with_graphflow(program, sandbox, browser)
        without_scripts(sandbox, browser)
    end("browser")


if __name__ == "__main__":
    main()
