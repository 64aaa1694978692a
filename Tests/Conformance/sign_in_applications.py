"""Sign-in of applications without a user: with secrets, certificates, federated assertions, or as managed identities."""

import os
import time

import jwt
import msal
import requests

from checks import check
from identity_platform import check_error
from sandbox import CLIENT, TENANT


def applications(platform):
    sandbox, certificate = platform.sandbox, platform.certificate
    scopes = ["https://graph.microsoft.com/.default"]

    def token(credential, scopes=scopes, tenant=TENANT):
        return platform.confidential(credential, tenant).acquire_token_for_client(scopes)

    result = token("a secret/with+signs &=")
    check("client secret", "access_token" in result and "refresh_token" not in result, result)
    check("users for an application", sandbox.graph_get("/users", result["access_token"])[0] == 200)
    status, _, answer = sandbox.graph_get("/me", result["access_token"])
    check("an application is nobody", status == 400 and "delegated" in answer["error"]["message"], answer)
    check_error("a wrong secret", token("invalid"), "invalid_client", 7000215)
    check_error("a secret that ended", token("expired"), "invalid_client", 7000222)
    check_error("no tenant", token("secret", tenant="common"), "invalid_request", 50059)
    check_error("a scope without .default", token("secret", ["https://graph.microsoft.com/User.Read"]), "invalid_scope", 1002012)
    check_error("another resource", token("secret", ["https://example.com/.default"]), "invalid_resource", 500011)

    result = token({"private_key": certificate.key_pem, "public_certificate": certificate.pem})
    check("client certificate", "access_token" in result, result)

    def assertion(**changes):
        now = int(time.time())
        claims = {
            "iss": "https://token.example.com", "sub": "repo:contoso/photos", "aud": "api://AzureADTokenExchange",
            "iat": now, "nbf": now, "exp": now + 300,
        }  # fmt: skip
        claims.update(changes)
        return {"client_assertion": jwt.encode(claims, certificate.key, algorithm="RS256")}

    check("federation", "access_token" in token(assertion()))
    check_error("for somebody else", token(assertion(aud="api://other")), "invalid_client", 700212)
    check_error("an assertion that ended", token(assertion(exp=int(time.time()) - 3600)), "invalid_client", 700024)
    check_error("no assertion at all", token({"client_assertion": "x"}), "invalid_request", 50027)

    os.environ.update(AZURE_POD_IDENTITY_AUTHORITY_HOST=sandbox.address)
    client = msal.ManagedIdentityClient(msal.SystemAssignedManagedIdentity(), http_client=requests.Session())
    result = client.acquire_token_for_client(resource="https://graph.microsoft.com")
    check("managed identity of a machine", "access_token" in result, result)
    result = client.acquire_token_for_client(resource="https://example.com")
    check("for another resource", result.get("error") == "invalid_resource", result)
    os.environ.update(IDENTITY_ENDPOINT=sandbox.address + "/msi/token", IDENTITY_HEADER="sandbox")
    client = msal.ManagedIdentityClient(msal.UserAssignedManagedIdentity(client_id=CLIENT), http_client=requests.Session())
    result = client.acquire_token_for_client(resource="https://graph.microsoft.com")
    check("managed identity of App Service", "access_token" in result, result)
    check("users for a managed identity", sandbox.graph_get("/users", result["access_token"])[0] == 200)
    del os.environ["IDENTITY_ENDPOINT"], os.environ["IDENTITY_HEADER"], os.environ["AZURE_POD_IDENTITY_AUTHORITY_HOST"]
