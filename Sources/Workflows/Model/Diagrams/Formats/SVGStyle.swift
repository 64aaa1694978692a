enum SVGStyle {
    /// The style sheet: every colour is one of a palette, and dark mode only replaces the palette.
    static let text = rules(light) + "@media (prefers-color-scheme:dark){" + rules(dark) + "}" + forms

    private struct Palette {
        var page: String
        var text: String
        var quiet: String
        var line: String
        var node: String
        var cluster: String
        var read: (fill: String, line: String)
        var idempotent: (fill: String, line: String)
        var once: (fill: String, line: String)
        var fallback: (fill: String, line: String)
    }

    private static let light = Palette(
        page: "#fff", text: "#1f2328", quiet: "#59636e", line: "#818b98", node: "#f6f8fa", cluster: "#818b9814",
        read: ("#ddf4ff", "#0969da"), idempotent: ("#dafbe1", "#1a7f37"), once: ("#fbefff", "#8250df"),
        fallback: ("#fff8c580", "#9a6700"))

    private static let dark = Palette(
        page: "#0d1117", text: "#f0f6fc", quiet: "#9198a1", line: "#7d8590", node: "#212830", cluster: "#9198a114",
        read: ("#0c2d6b", "#58a6ff"), idempotent: ("#0f3d1e", "#3fb950"), once: ("#3c1e70", "#be8fff"),
        fallback: ("#bb800926", "#d29922"))

    private static func rules(_ palette: Palette) -> String {
        var rules = """
            .page{fill:\(palette.page)}
            text{fill:\(palette.text)}
            .kind,.line,.effect,.legend text{fill:\(palette.quiet)}
            .node>*{fill:\(palette.node);stroke:\(palette.line)}
            .node>text{stroke:none;fill:\(palette.text)}
            .node>.line,.node>.effect{fill:\(palette.quiet)}
            .node>.dot{fill:\(palette.line)}
            .cluster>rect{fill:\(palette.cluster);stroke:\(palette.line)}
            .way>path{stroke:\(palette.line)}
            .way>.arrow{fill:\(palette.line)}
            .label text{fill:\(palette.quiet);stroke:\(palette.page)}
            .catch>rect,.ignored>rect{fill:\(palette.fallback.fill);stroke:\(palette.fallback.line)}
            .fallback>path{stroke:\(palette.fallback.line)}
            .fallback>.arrow{fill:\(palette.fallback.line)}
            .label.fallback text{fill:\(palette.fallback.line)}
            """
        let effects = [
            ("read", palette.read), ("idempotent", palette.idempotent), ("once", palette.once),
        ]
        for (name, colours) in effects {
            rules += """

                .\(name)>:not(text){fill:\(colours.fill);stroke:\(colours.line)}
                .\(name)>.sign{fill:\(colours.line)}
                .\(name)>.ring{fill:none}
                """
        }
        return "\n\(rules)\n"
    }

    private static let forms = """

        text{font-family:system-ui,sans-serif;font-size:12px;unicode-bidi:isolate}
        .name{font-size:14px;font-weight:600}
        .node text,.label text{text-anchor:middle}
        .node>*,.cluster>rect,.way>path{stroke-width:1.5}
        .sign{stroke-width:1.5}
        .way>path{fill:none}
        .way>.arrow{stroke:none}
        .cluster>rect{stroke-width:1}
        .catch>rect,.ignored>rect,.fallback>path:not(.arrow){stroke-dasharray:5 4}
        .label text{stroke-width:4px;paint-order:stroke}

        """
}
