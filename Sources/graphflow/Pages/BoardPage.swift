/// The page of `graphflow board`: it contains no data, and its script requests them with the token.
enum BoardPage {
    static let response: HTTPResponse = {
        let (script, style) = (PageFiles.boardScript, PageFiles.boardStyle)
        let policy = PageText.policy(script: script, style: style, connects: true)
        let html = PageText.document(
            "graphflow board", policy: policy, style: style,
            """
            <nav class="top" aria-label="Board"><a href="#/">Runs</a><span id="message" role="status"></span></nav>
            <main id="page"><noscript>This page needs JavaScript; 'graphflow runs' lists the same.</noscript></main>
            <script>\(script)</script>
            """)
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy + "; frame-ancestors 'none'",
                "X-Frame-Options": "DENY",
            ], body: Data(html.utf8))
    }()
}
