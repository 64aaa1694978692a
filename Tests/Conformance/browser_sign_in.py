"""Signs in with a real browser at the sandbox's sign-in page.

    browser_sign_in.py GRAPHFLOW

Does nothing, and says so, where there is no Chromium.
"""

import argparse
import logging
import sys
import threading
import warnings
import webbrowser

import msal

import browser as browsers
import sandbox as sandboxes
from sandbox import CLIENT

failures = []
passed = 0


def check(name, is_right, detail=""):
    global passed
    if is_right:
        passed += 1
    else:
        failures.append(name)
        print(f"FAILED {name}\n       {str(detail)[:600]}")


class Opener:
    """What a program means by "the browser"."""

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
    # Codes are read aloud and typed in every way.
    browser.write(flow["user_code"][:4].lower() + "-" + flow["user_code"][4:].lower())
    browser.click("button", "Next")
    browser.wait_for_text(flow["user_code"])
    check("permissions are shown", "Send mail as you" in browser.text(), browser.text())
    browser.click("label", "Diego Siciliani")
    browser.click("button", "Accept")
    browser.wait_for_text("You are signed in")
    result = app.acquire_token_by_device_flow(flow)
    check("the device is signed in", result.get("id_token_claims", {}).get("name") == "Diego Siciliani", result)


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    arguments = parser.parse_args()
    if browsers.program() is None:
        print("browser: skipped, there is no Chromium: apt-get install chromium")
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with (
        sandboxes.running(arguments.program) as sandbox,
        sandboxes.https(sandbox) as (address, certificate),
        browsers.running("--ignore-certificate-errors") as browser,
    ):
        with_msal(address, certificate, browser)
        with_device(sandbox, address, certificate, browser)
        without_scripts(sandbox, browser)
    print(f"browser: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
