/// The page at the server's root.
enum SandboxLandingPage {
    static func html(profile: Sandbox.Profile, origin: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>graphflow sandbox</title>
        <style>
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
        code { background: #f2f2f5; padding: .1em .3em; border-radius: 4px; }
        pre { background: #f2f2f5; padding: 1rem; border-radius: 8px; overflow: auto; }
        @media (prefers-color-scheme: dark) { body { background: #16161a; color: #e8e8ee; } a { color: #8ab4f8; }
        code, pre { background: #26262d; } }
        </style>
        </head>
        <body>
        <h1>graphflow sandbox</h1>
        <p>A Microsoft Graph in memory. Nothing here leaves this machine, and all of it is gone when the program ends.
        Profile <code>\(profile.rawValue)</code>: \(profile.summary).</p>
        <h2>What it accepted</h2>
        <ul>
        <li><a href="/sandbox/outbox">/sandbox/outbox</a>: the mails</li>
        <li><a href="/sandbox/drive">/sandbox/drive</a>: the files and their sharing links</li>
        <li><a href="/sandbox/requests">/sandbox/requests</a>: the requests</li>
        <li><a href="/sandbox/throttling">/sandbox/throttling</a>: the requests refused because of a limit</li>
        <li><a href="/sandbox/sign-in">/sandbox/sign-in</a>: the sign-ins and the rules of the identity platform</li>
        <li><a href="/sandbox/faults">/sandbox/faults</a>: the faults to play; <code>POST</code> adds one as JSON</li>
        <li><code>DELETE /sandbox</code>: forget everything</li>
        </ul>
        <h2>Microsoft Graph</h2>
        <p>Any bearer token is accepted except <code>expired</code>, <code>invalid</code> and <code>revoked</code>. The
        signed-in user is Megan Bowen, megan@contoso.com, or the account of a token that was issued here.</p>
        <pre>GET  /v1.0/me                  GET  /v1.0/users            GET /v1.0/users/{id}
        GET  /v1.0/me/photo            GET  /v1.0/me/photo/$value  GET /v1.0/me/photos/{size}/$value
        GET  /v1.0/me/drive            GET  /v1.0/me/drive/items/{id}[/content]
        PUT  /v1.0/me/drive/root:/{path}:/content
        POST /v1.0/me/drive/root:/{path}:/createUploadSession
        POST /v1.0/me/drive/items/{id}/createLink
        POST /v1.0/me/sendMail         POST /v1.0/me/messages      POST /v1.0/me/messages/{id}/send
        GET  /v1.0/me/messages/{id}    POST /v1.0/me/messages/{id}/attachments[/createUploadSession]
        GET  /v1.0/me/mailFolders/{name}/messages
        POST /v1.0/$batch</pre>
        <pre>GRAPHFLOW_GRAPH_URL=\(origin)/v1.0 GRAPHFLOW_ACCESS_TOKEN=x graphflow run FILE</pre>
        <h2>The identity platform</h2>
        <p>The authority is <code>\(origin)</code>. There are no passwords. Every GUID is an application, with any
        secret except <code>expired</code>, <code>invalid</code> and <code>revoked</code>; codes go to
        <code>http://localhost</code> at any port. Id tokens are not signed, and signatures of client assertions are
        not checked.</p>
        <pre>GET  /{tenant}/v2.0/.well-known/openid-configuration
        GET  /{tenant}/oauth2/v2.0/authorize
        POST /{tenant}/oauth2/v2.0/token
        POST /{tenant}/oauth2/v2.0/devicecode
        GET  /{tenant}/oauth2/v2.0/logout
        GET  <a href="/devicelogin">/devicelogin</a>   the page to enter a device's code
        GET  /metadata/identity/oauth2/token, /msi/token   managed identities</pre>
        <pre>POST /sandbox/sign-in/devices/{user code}   {"decision": "approve", "account": "megan@contoso.com"}
        PATCH /sandbox/sign-in                      {"tokenLifetime": 60, "person": "ask"}
        PUT   /sandbox/sign-in/challenge            the claims that token requests must contain; DELETE ends it
        POST  /sandbox/sign-in/revocations          {"account": "megan@contoso.com"}</pre>
        </body>
        </html>

        """
    }
}
