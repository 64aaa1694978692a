extension WorkflowDrawing {
    /// The picture as a flowchart in Mermaid, which GitHub and many editors draw.
    ///
    /// Every character with a meaning in Mermaid is written as a number: the file's texts stay text.
    public var mermaid: String {
        var lines = ["---", "title: \(Value.string(title.shortened(to: 200)).json())", "---", "flowchart TD"]
        write(nil, indentation: "    ", to: &lines)
        for edge in edges {
            let line = edge.kind == .fallback ? "-.->" : "-->"
            let label = edge.label.isEmpty ? "" : "|\"\(edge.label.mermaid)\"|"
            lines.append("    \(name(edge.from)) \(line)\(label) \(name(edge.to))")
        }
        for effect in Idempotency.allCases {
            let names = nodes.filter { $0.effect == effect }.map { name($0.id) }
            guard !names.isEmpty else { continue }
            let colours = effect.mermaidColours
            lines.append(
                "    classDef \(effect.rawValue) fill:\(colours.fill),stroke:\(colours.line),color:#1f2328")
            lines.append("    class \(names.joined(separator: ",")) \(effect.rawValue)")
        }
        let handlers =
            clusters.filter { $0.kind == .catch }.map { name($0.id) }
            + nodes.filter { $0.kind == .ignored }.map { name($0.id) }
        if !handlers.isEmpty {
            lines.append("    classDef fallback stroke-dasharray:5 4")
            lines.append("    class \(handlers.joined(separator: ",")) fallback")
        }
        return lines.joined(separator: "\n")
    }

    private func write(_ cluster: ID?, indentation: String, to lines: inout [String]) {
        for part in parts(of: cluster) {
            if let node = nodes.first(where: { $0.id == part }) {
                let (open, close) = node.kind.mermaidShape
                lines.append("\(indentation)\(name(part))\(open)\"\(node.shortLines.mermaid)\"\(close)")
            } else if let cluster = clusters.first(where: { $0.id == part }) {
                lines.append("\(indentation)subgraph \(name(part)) [\"\(cluster.shortLines.mermaid)\"]")
                lines.append("\(indentation)    direction TB")
                write(part, indentation: indentation + "    ", to: &lines)
                lines.append("\(indentation)end")
            }
        }
    }

    private func name(_ id: ID) -> String { "n\(id)" }
}

extension WorkflowDrawing.Node.Kind {
    fileprivate var mermaidShape: (open: String, close: String) {
        switch self {
        case .start, .wait: ("([", "])")
        case .end: ("(((", ")))")
        case .exit, .empty, .ignored: ("(", ")")
        case .switch: ("{{", "}}")
        case .raise: (">", "]")
        case .emit, .listen: ("[/", "/]")
        case .run: ("[[", "]]")
        case .call, .set: ("[", "]")
        }
    }
}

extension Idempotency {
    fileprivate var mermaidColours: (fill: String, line: String) {
        switch self {
        case .read: ("#ddf4ff", "#0969da")
        case .idempotent: ("#dafbe1", "#1a7f37")
        case .once: ("#fbefff", "#8250df")
        }
    }
}

extension [String] {
    fileprivate var mermaid: String { map(\.mermaid).joined(separator: "<br/>") }
}

extension String {
    /// The text with every character that Mermaid or Markdown could interpret written as a number.
    fileprivate var mermaid: String {
        var text = ""
        var isInWord = false
        for scalar in shortened(to: WorkflowDrawing.longestText).unicodeScalars {
            let isLetter = scalar.properties.isAlphabetic
            // A hyphen starts a list, and so does a number with a full stop; after a letter they are harmless.
            let isPlain =
                isLetter || scalar.properties.numericType != nil || " ,/!?:=$·…×↻○■▲".unicodeScalars.contains(scalar)
                || (isInWord && (scalar == "-" || scalar == "."))
            if isPlain { text.unicodeScalars.append(scalar) } else { text += "#\(scalar.value);" }
            isInWord = isLetter
        }
        return text
    }
}
