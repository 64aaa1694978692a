import Essentials
import WorkflowHTTP

/// The page of `graphflow board`: it has no data, and its script asks for them with the token.
enum BoardPage {
    static let response: HTTPResponse = {
        let script = PageScript.elements + PageScript.timeline + PageScript.run + PageScript.batch + PageScript.board
        let style = PageStyle.text + PageStyle.board
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

extension PageStyle {
    /// What only the board has: the bar, the list of runs, the progress of batches, and the buttons.
    static let board = """
        .top { display: flex; gap: 1rem; align-items: baseline; max-width: 1280px; margin: 0 auto; padding: 16px 20px 0; line-height: 24px; }
        .top a { font-weight: 600; }
        #message { overflow-wrap: anywhere; white-space: pre-wrap; }
        .tools select, .tools input { font: inherit; }
        table.runs { width: 100%; border-collapse: collapse; margin-bottom: 28px; }
        h1 + table, h1 + .tools { margin-top: 8px; }
        .runs th, .runs td { text-align: left; padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line); }
        .runs td { overflow-wrap: anywhere; }
        .runs progress { width: 6em; vertical-align: middle; }
        .items progress { width: 100%; height: 14px; }
        progress { accent-color: var(--accent); }
        .items { margin: 0 0 12px; }
        .acts { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }

        """
}
