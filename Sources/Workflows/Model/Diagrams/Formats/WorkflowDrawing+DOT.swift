extension WorkflowDrawing {
    /// The picture in DOT, which Graphviz lays out: `graphflow graph FILE --format dot | dot -Tpdf`.
    public var dot: String {
        var lines = [
            "digraph \([title.shortened(to: 200)].dotQuoted) {",
            "    graph [compound=true, rankdir=TB, fontname=\"sans-serif\", labeljust=l, nodesep=0.4, ranksep=0.5];",
            "    node [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f8fa\", color=\"#57606a\", fontname=\"sans-serif\"];",
            "    edge [color=\"#57606a\", fontname=\"sans-serif\", fontsize=11];",
        ]
        write(nil, indentation: "    ", to: &lines)
        for edge in edges { lines.append("    \(dot(edge))") }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func write(_ cluster: ID?, indentation: String, to lines: inout [String]) {
        for part in parts(of: cluster) {
            if let node = nodes.first(where: { $0.id == part }) {
                lines.append("\(indentation)n\(part) [\(node.dotAttributes)];")
            } else if let cluster = clusters.first(where: { $0.id == part }) {
                lines.append("\(indentation)subgraph cluster_\(part) {")
                let style = cluster.kind == .catch ? "rounded,dashed" : "rounded"
                lines.append(
                    "\(indentation)    label=\(cluster.shortLines.dotQuoted); tooltip=\(cluster.caption.lines.dotQuoted);"
                )
                lines.append("\(indentation)    style=\"\(style)\"; color=\"#8c959f\"; margin=14;")
                write(part, indentation: indentation + "    ", to: &lines)
                lines.append("\(indentation)}")
            }
        }
    }

    /// An edge between nodes; at a cluster, it is cut at the cluster's border.
    private func dot(_ edge: Edge) -> String {
        var attributes: [String] = []
        let (from, target) = (last(of: edge.from), first(of: edge.to))
        if from != edge.from { attributes.append("ltail=cluster_\(edge.from)") }
        if target != edge.to { attributes.append("lhead=cluster_\(edge.to)") }
        if !edge.label.isEmpty {
            attributes.append("label=\(edge.label.map { $0.shortened(to: Self.longestText) }.dotQuoted)")
        }
        if edge.kind == .fallback { attributes.append("style=dashed") }
        let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
        return "n\(from) -> n\(target)\(list);"
    }

    private func first(of part: ID) -> ID { parts(of: part).first.map { first(of: $0) } ?? part }

    private func last(of part: ID) -> ID { parts(of: part).last.map { last(of: $0) } ?? part }
}

extension WorkflowDrawing.Node {
    fileprivate var dotAttributes: String {
        var attributes = ["label=\(shortLines.dotQuoted)", "tooltip=\(caption.lines.dotQuoted)"]
        switch kind {
        case .start: attributes.append("shape=oval")
        case .end: attributes.append("shape=doublecircle")
        case .exit: attributes.append("shape=circle")
        case .switch: attributes.append("shape=hexagon, style=filled")
        case .raise: attributes.append("shape=octagon, style=filled")
        case .wait: attributes.append("shape=oval")
        case .emit: attributes.append("shape=rarrow, style=filled")
        case .listen: attributes.append("shape=cds, style=filled")
        case .run: attributes.append("shape=component, style=filled")
        case .ignored, .empty: attributes.append("style=\"rounded,dashed\"")
        case .call, .set: break
        }
        switch effect {
        case .read: attributes.append("fillcolor=\"#ddf4ff\", color=\"#0969da\"")
        case .idempotent: attributes.append("fillcolor=\"#dafbe1\", color=\"#1a7f37\"")
        case .once: attributes.append("fillcolor=\"#fbefff\", color=\"#8250df\"")
        case nil: break
        }
        return attributes.joined(separator: ", ")
    }
}

extension [String] {
    fileprivate var dotQuoted: String {
        let lines = map { line in
            PlainText.line(line, limit: 10_000).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("&", with: "&amp;")
        }
        return "\"\(lines.joined(separator: "\\n"))\""
    }
}
