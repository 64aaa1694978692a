"""The sandbox's identity platform, used by msal and by a person at its sign-in page."""

import html
import re
import urllib.parse

import msal
import requests

from checks import check
from sandbox import CLIENT, TENANT


def check_error(name, result, error, code=None, suberror=None):
    """The result is this error of the identity platform, with all its fields."""
    is_right = result is not None and result.get("error") == error
    if is_right and code:
        is_right = result.get("error_codes") == [code] and f"AADSTS{code}:" in result["error_description"]
    if is_right and suberror:
        is_right = result.get("suberror") == suberror or result.get("classification") == suberror
    if is_right:
        is_right = all(result.get(field) for field in ("correlation_id", "trace_id", "timestamp"))
    check(name, is_right, result)


class Platform:
    """The identity platform, used by msal."""

    def __init__(self, sandbox, address, certificate):
        self.sandbox = sandbox
        self.address = address
        self.certificate = certificate

    def authority(self, tenant="common"):
        return f"{self.address}/{tenant}"

    def public(self, tenant="common", **options):
        options.setdefault("instance_discovery", False)
        return msal.PublicClientApplication(
            CLIENT, authority=self.authority(tenant), verify=self.certificate.path, **options
        )

    def confidential(self, credential, tenant=TENANT, client=CLIENT):
        return msal.ConfidentialClientApplication(
            client, authority=self.authority(tenant), client_credential=credential,
            verify=self.certificate.path, instance_discovery=False,
        )  # fmt: skip

    def http(self):
        session = requests.Session()
        session.verify = self.certificate.path
        return session

    def visit(self, address, decision="accept", account="Megan Bowen"):
        """Answers the sign-in page like a person, and returns the fields that are sent to the client."""
        session = self.http()
        page = session.get(address, allow_redirects=False)
        if page.status_code == 302:
            return fields_of(page.headers["Location"])
        name = re.search(r'name="page" value="([^"]+)"', page.text).group(1)
        accounts = dict(
            (html.unescape(name), id)
            for id, name in re.findall(r'name="account" value="([^"]+)".*?<b>([^<]+)</b>', page.text, re.DOTALL)
        )
        form = {"page": name, "decision": decision, "account": accounts[account]}
        answer = session.post(self.address + "/common/login", data=form, allow_redirects=False)
        if answer.status_code == 302:
            return fields_of(answer.headers["Location"])
        return {
            name: html.unescape(value)
            for name, value in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', answer.text)
        }


def fields_of(location):
    parts = urllib.parse.urlsplit(location)
    return {name: values[0] for name, values in urllib.parse.parse_qs(parts.query or parts.fragment).items()}
