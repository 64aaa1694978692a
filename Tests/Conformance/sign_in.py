"""Signs in with the msal client against the sandbox's identity platform: every flow, and its failures.

    sign_in.py GRAPHFLOW
"""

import base64
import json
import re
import time
import warnings

import sandbox as sandboxes
import tls
from checks import check, end
from identity_platform import Platform, check_error
from sandbox import TENANT
from sign_in_applications import applications

REDIRECT = "http://localhost:8400"


def discovery(platform):
    instances = platform.address + "/common/discovery/instance"
    app = platform.public(instance_discovery=instances)
    check("instance discovery", app.authority.token_endpoint.startswith(platform.address), app.authority.token_endpoint)
    for tenant in ("organizations", "contoso.com", TENANT):
        check(f"discovery of {tenant}", tenant in platform.public(tenant).authority.token_endpoint)
    try:
        platform.public("nobody.example")
        check("discovery of a tenant that is not there", False)
    except ValueError as error:
        check("discovery of a tenant that is not there", "tenant" in str(error), str(error))


def device(platform):
    sandbox, app = platform.sandbox, platform.public()
    once = {"exit_condition": lambda flow: True}

    flow = app.initiate_device_flow(["User.Read"])
    check("device flow", flow["user_code"] in flow["message"] and flow["interval"] == 5, flow)
    check_error("pending", app.acquire_token_by_device_flow(flow, **once), "authorization_pending", 70016)
    with warnings.catch_warnings():
        # The request is too early on purpose.
        warnings.simplefilter("ignore")
        early = app.acquire_token_by_device_flow(flow, **once)
    check("asked too soon", early["error"] == "slow_down" and flow["interval"] == 10, early)
    sandbox.rules(deviceInterval=0)
    flow = app.initiate_device_flow(["User.Read"])
    sandbox.decide(flow["user_code"], account="alexw@contoso.com")
    result = app.acquire_token_by_device_flow(flow)
    check("approved", result.get("id_token_claims", {}).get("preferred_username") == "alexw@contoso.com", result)
    check("scopes", set(result.get("scope", "").split()) >= {"User.Read", "openid", "profile"}, result.get("scope"))
    status, _, me = sandbox.graph_get("/me", result["access_token"])
    check("the token is Alex's", status == 200 and me["displayName"] == "Alex Wilber", me)
    status, _, answer = sandbox.graph_get("/me/messages", result["access_token"])
    check("the token has no more than its scopes", status == 403, answer)
    check_error("redeemed twice", app.acquire_token_by_device_flow(flow, **once), "invalid_grant", 54005)

    flow = app.initiate_device_flow(["User.Read"])
    sandbox.decide(flow["user_code"], "decline")
    check_error("declined", app.acquire_token_by_device_flow(flow), "authorization_declined", 65004)
    sandbox.rules(deviceCodeLifetime=0)
    flow = app.initiate_device_flow(["User.Read"])
    check_error("expired", app.acquire_token_by_device_flow(dict(flow, expires_at=time.time() + 60)), "expired_token", 70019)
    sandbox.rules(deviceCodeLifetime=900)
    wrong = dict(app.initiate_device_flow(["User.Read"]), device_code="wrong")
    check_error("a wrong code", app.acquire_token_by_device_flow(wrong), "bad_verification_code", 70018)
    check_error("a scope that Graph has not", app.initiate_device_flow(["Coffee.Make"]), "invalid_client", 650053)


def authorization_code(platform):
    app = platform.public()

    def begin(**options):
        return app.initiate_auth_code_flow(["User.Read"], redirect_uri=REDIRECT, **options)

    flow = begin(login_hint="adelev@contoso.com")
    answer = platform.visit(flow["auth_uri"], account="Adele Vance")
    result = app.acquire_token_by_auth_code_flow(flow, answer)
    check("authorization code", result.get("id_token_claims", {}).get("name") == "Adele Vance", result)
    check_error("a code used twice", app.acquire_token_by_auth_code_flow(flow, answer), "invalid_grant", 54005)
    # Which took back what the code was exchanged for.
    flow = begin(login_hint="adelev@contoso.com")
    result = app.acquire_token_by_auth_code_flow(flow, platform.visit(flow["auth_uri"], account="Adele Vance"))
    check("signed in again", "access_token" in result, result)
    flow = begin()
    result = app.acquire_token_by_auth_code_flow(flow, platform.visit(flow["auth_uri"] + "&response_mode=form_post"))
    check("a form that is posted", "access_token" in result, result)
    flow = begin()
    result = app.acquire_token_by_auth_code_flow(flow, platform.visit(flow["auth_uri"], "decline"))
    check("declined", result.get("error") == "access_denied" and "AADSTS65004" in result["error_description"], result)
    flow = begin()
    answer = platform.visit(flow["auth_uri"])
    try:
        app.acquire_token_by_auth_code_flow(dict(flow, state="other"), answer)
        check("another state", False)
    except ValueError:
        check("another state", True)
    wrong = dict(flow, code_verifier="x" * 43)
    check_error("a wrong verifier", app.acquire_token_by_auth_code_flow(wrong, answer), "invalid_grant", 501481)
    flow = begin(prompt="none")
    check("nobody is signed in", platform.visit(flow["auth_uri"]).get("error") == "login_required")
    for name, uri in (("elsewhere", "https://example.com/"), ("a path", REDIRECT + "/x"), ("userinfo", REDIRECT + "@example.com")):
        flow = app.initiate_auth_code_flow(["User.Read"], redirect_uri=uri)
        page = platform.http().get(flow["auth_uri"], allow_redirects=False)
        check(f"a redirect to {name}", page.status_code == 400 and "AADSTS50011" in page.text, page.text[:200])
    return app


def silent(platform, app):
    sandbox = platform.sandbox
    account = next(a for a in app.get_accounts() if a["username"] == "adelev@contoso.com")
    check("account", account["home_account_id"].endswith("." + TENANT), account)
    cached = app.acquire_token_silent(["User.Read"], account)
    check("from the cache", cached and cached["token_source"] == "cache", cached)

    def refresh(scopes=("User.Read",), **options):
        options.setdefault("force_refresh", True)
        return app.acquire_token_silent_with_error(list(scopes), account, **options)

    def secret():
        tokens = app.token_cache.search("RefreshToken", query={"home_account_id": account["home_account_id"]})
        return [token["secret"] for token in tokens]

    before = secret()
    result = refresh()
    check("refreshed", result["token_source"] == "identity_provider" and result["access_token"] != cached["access_token"])
    check("the refresh token is another one", len(secret()) == 1 and secret() != before)
    check_error("a permission that nobody gave", refresh(["Mail.Send"]), "invalid_grant", 65001, "consent_required")
    # msal answers an identical request from memory for a while, so each has its own scope from here on.
    sandbox.fault("POST */token AADSTS50076 grant=refresh_token")
    result = refresh(["User.Read", "Files.Read"])
    check_error("more proof is wanted", result, "interaction_required", 50076, "basic_action")
    check("with claims", "access_token" in json.loads(result.get("claims", "{}")), result)
    sandbox.fault("POST */token AADSTS53003 grant=refresh_token")
    check_error("blocked", refresh(["User.Read", "Files.ReadWrite"]), "interaction_required", 53003, "message_only")

    claims = {"access_token": {"acrs": {"essential": True, "value": "c1"}}}
    sandbox.ask("PUT", "/sandbox/sign-in/challenge", claims)
    token = refresh([])["access_token"]
    status, headers, _ = sandbox.graph_get("/me", token)
    challenge = headers.get("WWW-Authenticate", "")
    check("challenged", status == 401 and 'error="insufficient_claims"' in challenge, challenge)
    encoded = re.search(r'claims="([^"]+)"', challenge).group(1)
    result = refresh(claims_challenge=base64.b64decode(encoded).decode(), force_refresh=False)
    status, _, me = sandbox.graph_get("/me", result["access_token"])
    check("with the claims", status == 200 and me["givenName"] == "Adele", me)
    sandbox.ask("DELETE", "/sandbox/sign-in/challenge")

    sandbox.ask("POST", "/sandbox/sign-in/revocations", {"account": "adelev@contoso.com"})
    check("a revoked token", sandbox.graph_get("/me", result["access_token"])[0] == 401)
    check_error("a revoked refresh token", refresh(["User.Read", "Mail.Read"]), "invalid_grant", 50173)
    check("the account stays", any(a["username"] == "adelev@contoso.com" for a in app.get_accounts()))
    app.remove_account(account)
    check("signed out", all(a["username"] != "adelev@contoso.com" for a in app.get_accounts()))


def on_behalf_of(platform):
    """A service that gets a person's token asks Graph as that person."""
    service = "22222222-2222-2222-2222-222222222222"
    platform.sandbox.rules(applications={service: ["https://service.contoso.com/signed-in"]})
    app = platform.public()

    def device(scopes):
        flow = app.initiate_device_flow(scopes)
        platform.sandbox.decide(flow["user_code"])
        return app.acquire_token_by_device_flow(flow)

    sent = device([f"api://{service}/Shares.Create"])["access_token"]
    check("a token for a service is not Graph's", platform.sandbox.graph_get("/me", sent)[0] == 401)
    middle = platform.confidential("secret", client=service)
    check_error("nobody allowed it", middle.acquire_token_on_behalf_of(sent, ["User.Read"]), "invalid_grant", 65001)
    # msal answers an identical request from memory for a while.
    flow = middle.initiate_auth_code_flow(["User.Read", "Mail.Read"], redirect_uri="https://service.contoso.com/signed-in")
    result = middle.acquire_token_by_auth_code_flow(flow, platform.visit(flow["auth_uri"]))
    check("allowed at the service", "access_token" in result, result)
    result = middle.acquire_token_on_behalf_of(sent, ["User.Read", "Mail.Read"])
    status, _, me = platform.sandbox.graph_get("/me", result.get("access_token", ""))
    check("on behalf of a person", status == 200 and me["displayName"] == "Megan Bowen", (result, me))
    wrong = device(["User.Read"])["access_token"]
    check_error("for another service", middle.acquire_token_on_behalf_of(wrong, ["Mail.Read"]), "invalid_grant", 500131)


def lifetimes(platform):
    sandbox, app = platform.sandbox, platform.public()

    def signed_in():
        flow = app.initiate_device_flow(["User.Read"])
        sandbox.decide(flow["user_code"])
        return app.acquire_token_by_device_flow(flow)

    sandbox.rules(tokenLifetime=0)
    token = signed_in()["access_token"]
    check("a token that ended", sandbox.graph_get("/me", token)[0] == 401)
    sandbox.rules(tokenLifetime=3600, refreshTokenLifetime=0)
    signed_in()
    result = app.acquire_token_silent_with_error(["User.Read"], app.get_accounts()[0], force_refresh=True)
    check_error("a refresh token that ended", result, "invalid_grant", 700082)
    sandbox.rules(refreshTokenLifetime=86400, demandsIssuedTokens=True)
    check("tokens from elsewhere", sandbox.graph_get("/me", "elsewhere")[0] == 401)
    check("its own tokens", sandbox.graph_get("/me", signed_in()["access_token"])[0] == 200)
    sandbox.rules(demandsIssuedTokens=False)


def secrets(platform):
    """The sandbox's records of requests contain none of their secrets."""
    told = json.dumps(platform.sandbox.ask("GET", "/sandbox/sign-in")["requests"])
    check("requests are told", "grant_type=refresh_token" in told)
    for name in ("code", "code_verifier", "refresh_token", "device_code", "client_secret", "client_assertion", "assertion"):
        values = set(re.findall(rf"[?&\"]{name}=([^&\"]*)", told))
        check(f"no {name} is told", values <= {"%E2%80%B9redacted%E2%80%BA"}, list(values))


def main():
    program = sandboxes.program(__doc__)
    with sandboxes.running(program) as sandbox, tls.https(sandbox) as (address, certificate):
        platform = Platform(sandbox, address, certificate)
        discovery(platform)
        device(platform)
        silent(platform, authorization_code(platform))
        on_behalf_of(platform)
        lifetimes(platform)
        applications(platform)
        secrets(platform)
    end("sign-in")


if __name__ == "__main__":
    main()
