/// The page of `graphflow board`: it contains no data, and its script requests them with the token.
enum BoardPage {
    static let response: HTTPResponse = {
        let (script, style) = (PageFiles.boardScript, PageFiles.boardStyle)
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>graphflow board</title>
            <style>\(style)</style>
            </head>
            <body>
            <nav class="top" aria-label="Board"><a href="#/">Runs</a><span id="message" role="status"></span></nav>
            <main id="page"><noscript>This page needs JavaScript; 'graphflow runs' lists the same.</noscript></main>
            <script>\(script)</script>
            </body>
            </html>

            """
        let policy = PageText.policy(script: script, style: style, connects: true) + "; frame-ancestors 'none'"
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
                "X-Frame-Options": "DENY",
            ], body: Data(html.utf8))
    }()
}
