"""The sandbox's sign-in with libraries for OpenID Connect: what they verify, and what they refuse.

    ./environment openid.py GRAPHFLOW

authlib signs in as a web application, and it and PyJWT verify what they get with the keys that the sandbox publishes.
"""

import base64
import json
import os
import re
import time
import urllib.parse

import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import BadSignatureError, ExpiredTokenError, InvalidClaimError
from authlib.oidc.core import CodeIDToken

import sandbox as sandboxes
from checks import check, end

WEB = "22222222-2222-2222-2222-222222222222"
REDIRECT = "https://app.contoso.com/signed-in"
SCOPES = "openid profile email offline_access User.Read"

# Loopback addresses have no TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def signed_in(sandbox, description, nonce):
    """The tokens of a web application for which a person signed in, with PKCE."""
    session = OAuth2Session(
        WEB, "any secret", scope=SCOPES, redirect_uri=REDIRECT, code_challenge_method="S256",
        token_endpoint_auth_method="client_secret_post")
    verifier = base64.urlsafe_b64encode(os.urandom(48)).decode()
    address, state = session.create_authorization_url(
        description["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    page = requests.get(address, timeout=30)
    secret = re.search(r'name="page" value="([^"]+)"', page.text)[1]
    form = {"page": secret, "decision": "accept", "account": "adelev@contoso.com"}
    answer = requests.post(
        f"{sandbox.address}/common/login", data=form, allow_redirects=False, timeout=30)
    target = answer.headers["Location"]
    check("the code is sent to the registered address", target.startswith(REDIRECT + "?"), target)
    check("the state comes back", urllib.parse.parse_qs(urllib.parse.urlparse(target).query)["state"] == [state], target)
    return session.fetch_token(
        description["token_endpoint"], authorization_response=target, code_verifier=verifier), target, verifier


def refused(what, error, body):
    try:
        body()
    except error:
        check(what, True)
    else:
        check(what, False, "it was accepted")


def changed(token, part):
    """The token with another letter in one of its parts."""
    parts = token.split(".")
    letter = "A" if parts[part][5] != "A" else "B"
    parts[part] = parts[part][:5] + letter + parts[part][6:]
    return ".".join(parts)


def main():
    graphflow = sandboxes.program(__doc__)
    with sandboxes.running(graphflow, "--app", f"{WEB}={REDIRECT}", "--require-sign-in") as sandbox:
        tenant = f"{sandbox.address}/{sandboxes.TENANT}/v2.0"
        description = requests.get(f"{tenant}/.well-known/openid-configuration", timeout=30).json()
        check("the description names its own issuer", description["issuer"] == tenant, description["issuer"])
        keys = requests.get(description["jwks_uri"], timeout=30).json()
        nonce = base64.urlsafe_b64encode(os.urandom(12)).decode()
        tokens, target, verifier = signed_in(sandbox, description, nonce)

        # authlib, as for every provider of OpenID Connect.
        library = JsonWebToken(["RS256"])
        options = {
            "iss": {"essential": True, "value": description["issuer"]}, "aud": {"essential": True, "value": WEB},
        }
        key_set = JsonWebKey.import_key_set(keys)

        def verified(token, nonce=nonce, now=None, options=options):
            claims = library.decode(
                token, key_set, claims_cls=CodeIDToken, claims_options=options,
                claims_params={"nonce": nonce, "client_id": WEB, "access_token": tokens["access_token"]})
            claims.validate(now=now or int(time.time()), leeway=5)
            return claims

        claims = verified(tokens["id_token"])
        check("authlib verifies the id token", claims["name"] == "Adele Vance", dict(claims))
        early = time.time() - claims["iat"]
        check("it is dated five minutes back", 299 <= early < 400 and claims["nbf"] == claims["iat"], dict(claims))
        for part, name in enumerate(["header", "claims", "signature"]):
            refused(f"authlib refuses another {name}", Exception, lambda: verified(changed(tokens["id_token"], part)))
        refused("authlib refuses another signature as such", BadSignatureError,
                lambda: verified(changed(tokens["id_token"], 2)))
        refused("authlib refuses another nonce", InvalidClaimError, lambda: verified(tokens["id_token"], nonce="x"))
        refused("authlib refuses a token that has expired", ExpiredTokenError,
                lambda: verified(tokens["id_token"], now=int(time.time()) + 4000))
        other = {**options, "aud": {"essential": True, "value": "another"}}
        refused("authlib refuses a token for another", InvalidClaimError,
                lambda: verified(tokens["id_token"], options=other))

        # PyJWT, with the key that the token's header names.
        for name, audience in [("id_token", WEB), ("access_token", "https://graph.microsoft.com")]:
            key = jwt.PyJWKClient(description["jwks_uri"]).get_signing_key_from_jwt(tokens[name])
            found = jwt.decode(tokens[name], key, algorithms=["RS256"], audience=audience, issuer=description["issuer"])
            check(f"PyJWT verifies the {name}", found["oid"] == claims["oid"], found)
        check("the access token has its permissions", found["scp"] == "User.Read", found)

        # What is revoked with a code that is used twice.
        graph = {"headers": {"Authorization": f"Bearer {tokens['access_token']}"}, "timeout": 30}
        check("Graph takes the token", requests.get(f"{sandbox.graph}/me", **graph).status_code == 200)
        again = requests.post(description["token_endpoint"], timeout=30, data={
            "grant_type": "authorization_code", "client_id": WEB, "client_secret": "x", "redirect_uri": REDIRECT,
            "code": urllib.parse.parse_qs(urllib.parse.urlparse(target).query)["code"][0], "code_verifier": verifier})
        check("a code is good once", "AADSTS54005" in again.text, again.text)
        check("its tokens are revoked with it", requests.get(f"{sandbox.graph}/me", **graph).status_code == 401)

        # A program without a user.
        machine = OAuth2Session(WEB, "any secret", token_endpoint_auth_method="client_secret_basic")
        token = machine.fetch_token(
            description["token_endpoint"], grant_type="client_credentials", scope="https://graph.microsoft.com/.default")
        key = jwt.PyJWKClient(description["jwks_uri"]).get_signing_key_from_jwt(token["access_token"])
        found = jwt.decode(token["access_token"], key, algorithms=["RS256"], audience="https://graph.microsoft.com")
        check("a program's token is its own", found["appid"] == WEB and "scp" not in found, json.dumps(found))
    end("openid")


main()
