/// The pages for signing in: they work without scripts, load nothing, and no other site can show them in a frame.
enum SandboxSignInPage {
    struct Question {
        /// The secret that the answer must contain.
        var page: String
        var application: String
        var scopes: SandboxScopes
        /// The waiting device's code; nil if a program with this browser waits.
        var userCode: String?
        var hint: String?
        var signedIn: SandboxUser?
        /// Where the browser may be sent after the answer.
        var redirectURI: String?
        var hasAccounts = true
    }

    static func ask(_ question: Question) -> HTTPResponse {
        let accounts = SandboxUser.accounts
        let chosen =
            question.hint.flatMap(SandboxUser.account) ?? question.signedIn ?? accounts.first ?? SandboxUser.people[0]
        var text = heading("Sign in", "Allow <b>\(html: name(of: question.application))</b> to act for you")
        if let userCode = question.userCode {
            text += """
                <p class="notice">A program on another device shows the code <b class="code">\(html: userCode)</b>. \
                Continue only if you started that program yourself.</p>
                """
        }
        if let hint = question.hint, SandboxUser.account(hint) == nil {
            text += "<p class=\"notice\">The sandbox has no account <b>\(html: hint)</b>.</p>"
        }
        guard question.hasAccounts else {
            return page("Sign in", text + "<p>The sandbox has work accounts only, no personal ones.</p>")
        }
        text += """
            <form method="post" action="/common/login">
            <input type="hidden" name="page" value="\(html: question.page)">
            <fieldset><legend>Account</legend><div class="accounts">
            """
        for account in accounts {
            text += """
                <label class="account"><input type="radio" name="account" value="\(html: account.id)"\
                \(account.id == chosen.id ? " checked" : "")>\
                <span class="picture" aria-hidden="true">\(html: initials(account))</span>\
                <span><b>\(html: account.displayName)</b><br><small>\(html: account.userPrincipalName)</small></span>\
                </label>
                """
        }
        text += """
            </div></fieldset>
            <section><h2>It asks for</h2><ul class="scopes">
            \(permissions(question.scopes).map { name, words in
                "<li><b>\(html: name)</b><span>\(html: words)</span></li>"
            }.joined(separator: "\n"))
            </ul></section>
            <p class="buttons"><button name="decision" value="accept">Accept</button>\
            <button name="decision" value="decline" class="quiet">Decline</button></p>
            </form>
            """
        return page("Sign in", text, target: question.redirectURI)
    }

    static func enterCode(problem: String? = nil, entered: String = "") -> HTTPResponse {
        var text = heading("Enter code", "Enter the code that your program or device shows.")
        if let problem { text += "<p class=\"notice error\" role=\"alert\">\(html: problem)</p>" }
        text += """
            <form method="post" action="/common/oauth2/deviceauth">
            <label class="field">Code<input name="user_code" value="\(html: entered)" autocomplete="off" \
            autocapitalize="characters" spellcheck="false" maxlength="32" required autofocus></label>
            <p class="buttons"><button>Next</button></p>
            </form>
            """
        return page("Enter code", text)
    }

    static func message(_ title: String, _ words: String, status: Int = 200) -> HTTPResponse {
        page(title, heading(title, words.htmlEscaped), status: status)
    }

    /// An error that must not be sent to the client.
    static func failure(_ error: SandboxSignInError, _ trace: SandboxSignInError.Trace) -> HTTPResponse {
        let number = error.code.map { "AADSTS\($0): " } ?? ""
        let text =
            heading("That did not work", "The program that opened this page sent an invalid request.")
                + """
                <p class="notice error" role="alert">\(html: number + error.message)</p>
                <dl><dt>Error</dt><dd>\(html: error.error)</dd><dt>Trace ID</dt><dd>\(html: trace.traceID)</dd>
                <dt>Correlation ID</dt><dd>\(html: trace.correlationID)</dd>
                <dt>Timestamp</dt><dd>\(html: trace.timestamp)</dd></dl>
                """
        return page("That did not work", text, status: error.status)
    }

    /// A form that submits itself to the client, for `response_mode=form_post`.
    static func post(to target: String, _ fields: [(String, String)]) -> HTTPResponse {
        let script = "document.forms[0].submit()"
        let inputs = fields.map { "<input type=\"hidden\" name=\"\(html: $0.0)\" value=\"\(html: $0.1)\">" }
        let text =
            heading("Signed in", "Returning to your program.")
                + """
                <form method="post" action="\(html: target)">\(inputs.joined())\
                <p class="buttons"><button>Continue</button></p></form><script>\(script)</script>
                """
        let hash = Data(SHA256.hash(of: Data(script.utf8))).base64EncodedString()
        return page("Signed in", text, target: target, script: "'sha256-\(hash)'")
    }

    /// Light and dark, from a phone's width up.
    private static let style = String(decoding: PackageResources.sign_in_css.dropLast(), as: UTF8.self)
    /// Allows the style in a content security policy.
    private static let styleHash = Data(SHA256.hash(of: Data(style.utf8))).base64EncodedString()

    private static func heading(_ title: String, _ words: String) -> String {
        "<h1>\(html: title)</h1>\n<p class=\"lead\">\(words)</p>\n"
    }

    private static func page(
        _ title: String, _ text: String, status: Int = 200, target: String? = nil, script: String = "'none'"
    ) -> HTTPResponse {
        let body = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(html: title) · graphflow sandbox</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <header><span class="mark" aria-hidden="true"></span>graphflow sandbox</header>
            \(text)
            </main>
            <footer>These accounts exist only here. No password is asked for, and nothing leaves this machine.</footer>
            </body>
            </html>

            """
        // Browsers also apply this rule to the address to which a form redirects.
        let forms = ["'self'"] + [target.flatMap(source)].compactMap { $0 }
        let policy = [
            "default-src 'none'", "style-src 'sha256-\(styleHash)'", "script-src \(script)",
            "form-action \(forms.joined(separator: " "))", "frame-ancestors 'none'", "base-uri 'none'",
        ]
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy.joined(separator: "; "), "X-Frame-Options": "DENY",
                "Referrer-Policy": "no-referrer",
            ], body: Data(body.utf8))
    }

    private static func source(_ target: String) -> String? {
        guard let components = URLComponents(string: target), let scheme = components.scheme else { return nil }
        guard let host = components.host, scheme == "http" || scheme == "https" else { return "\(scheme):" }
        return "\(scheme)://\(host)\(components.port.map { ":\($0)" } ?? "")"
    }

    private static func initials(_ user: SandboxUser) -> String {
        [user.givenName, user.surname].compactMap { $0?.first.map(String.init) }.joined()
    }

    private static func name(of application: String) -> String {
        application == Sandbox.applicationID ? "graphflow" : "the application \(application)"
    }

    private static func permissions(_ scopes: SandboxScopes) -> [(String, String)] {
        var rows = scopes.permissions.sorted().map { ($0, words[$0] ?? "Use Microsoft Graph with this permission") }
        if scopes.isDefault { rows.append((SandboxScopes.defaultScope, "All permissions that it is registered with")) }
        if rows.isEmpty { rows.append(("User.Read", words["User.Read"] ?? "")) }
        if scopes.openID.contains("offline_access") {
            rows.append(("offline_access", "Keep this access while you are away"))
        }
        return rows
    }

    private static let words = [
        "User.Read": "Sign you in and read your profile",
        "User.ReadBasic.All": "Read the basic profiles of all users",
        "User.Read.All": "Read the full profiles of all users",
        "User.ReadWrite": "Read and change your profile",
        "ProfilePhoto.Read.All": "Read the photos of all users",
        "Mail.Read": "Read your mail", "Mail.ReadWrite": "Read and change your mail",
        "Mail.Send": "Send mail as you", "Files.Read": "Read your files",
        "Files.ReadWrite": "Read, change and share your files",
        "Files.ReadWrite.All": "Change all files that you have access to",
        "Sites.ReadWrite.All": "Change items in all sites that you have access to",
        "Calendars.Read": "Read your calendars", "Calendars.ReadWrite": "Read and change your calendars",
        "Directory.Read.All": "Read the directory",
    ]
}
