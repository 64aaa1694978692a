/// What a person reads in the browser after a sign-in.
package enum RedirectPage: Sendable {
    case done, refused(String), alreadyDone, notThisSignIn, waiting, notFound, wrongMethod, wrongHost
    /// What a person decided by signing in, or why nothing was decided.
    case decided(title: String, text: String)
    /// The code came back, and how the sign-in ends is not known yet.
    case slow

    /// It contains nothing from the request except an error's text, escaped.
    package var response: HTTPResponse {
        let (status, title, text) = content
        let page = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(html: title)</title>
            <style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}</style>
            <h1>\(html: title)</h1><p>\(html: text)</p></html>

            """
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
            ], body: Data(page.utf8))
    }

    private var content: (Int, String, String) {
        switch self {
        case .done: (200, "You are signed in", "You can close this window and go back to graphflow.")
        case .decided(let title, let text): (200, PlainText.line(title), PlainText.line(text, limit: 2_000))
        case .slow: (200, "The sign-in service takes long to answer", "graphflow says how the sign-in ends.")
        case .refused(let why): (200, "You are not signed in", PlainText.line(why))
        case .alreadyDone: (200, "This sign-in has ended", "It ended in another window. You can close this one.")
        case .notThisSignIn:
            (
                400, "This is not the expected sign-in",
                "It may be an older one: close this window, and continue in the one that was opened last."
            )
        case .waiting: (200, "Waiting for you to sign in", "Continue in the window of the sign-in service.")
        case .notFound: (404, "Not found", "There is nothing here.")
        case .wrongMethod: (405, "Not allowed", "Only the redirect after signing in is served here.")
        case .wrongHost: (421, "Not here", "Only this machine is served here.")
        }
    }
}
