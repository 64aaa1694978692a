extension RunTree {
    struct TextStyle {
        /// Whether the run is in progress; otherwise tasks that have not ended were interrupted.
        var isAtWork: Bool
        /// The end of the durations of running tasks.
        var now: Date
        /// The terminal's columns; nil for no limit.
        var width: Int?
        var colour = false
        var showsData = false
        var unfolds = false
    }

    /// Calls the closure with the lines of the tasks, inner tasks indented, until it returns false.
    func lines(_ style: TextStyle, _ write: (String) -> Bool) {
        enum Entry {
            case node(Int, depth: Int, isSlow: Bool)
            case folded(Repetitions, depth: Int)
        }
        // A list instead of recursion, because tasks can be nested deeply.
        var waiting = nodes[0].children.reversed().map { Entry.node($0, depth: 0, isSlow: false) }
        if let repetitions = style.unfolds ? nil : repetitions(in: nodes[0], now: style.now) {
            waiting = entries(repetitions, depth: 0)
        }
        func entries(_ repetitions: Repetitions, depth: Int) -> [Entry] {
            [.folded(repetitions, depth: depth)]
                + repetitions.shown.reversed().map {
                    .node($0, depth: depth, isSlow: repetitions.slowest.contains($0))
                }
        }
        let layout = Layout(tree: self, style: style, nameWidth: nameWidth(style.width))
        while let entry = waiting.popLast() {
            switch entry {
            case .folded(let repetitions, let depth):
                guard write(layout.line(about: repetitions, depth: depth)) else { return }
            case .node(let index, let depth, let isSlow):
                let repetitions = style.unfolds ? nil : repetitions(in: nodes[index], now: style.now)
                for line in layout.lines(of: nodes[index], repetitions, depth: depth, isSlow: isSlow) {
                    guard write(line) else { return }
                }
                waiting +=
                    repetitions.map { entries($0, depth: depth + 1) }
                    ?? nodes[index].children.reversed().map { .node($0, depth: depth + 1, isSlow: false) }
            }
        }
    }

    private func nameWidth(_ width: Int?) -> Int {
        let longest = nodes.dropFirst().reduce(12) { Swift.max($0, $1.shownName.count + 4) }
        return Swift.min(longest, Swift.max(16, (width ?? 100) / 2))
    }

    private struct Layout {
        private static let mostData = 2_000

        let tree: RunTree
        let style: TextStyle
        let nameWidth: Int

        func lines(of node: Node, _ repetitions: Repetitions?, depth: Int, isSlow: Bool) -> [String] {
            let indentation = indentation(depth)
            let (mark, tone) = mark(of: node)
            let name = node.shownName.padding(to: Swift.max(0, nameWidth - indentation.count))
            let facts = facts(about: node, repetitions) + (isSlow ? ["a slow round"] : [])
            let head = cut("\(indentation)\(mark) \(name) \(facts.joined(separator: ", "))")
            let painted = head.replacing(
                mark, with: style.colour ? "\u{1B}[\(tone)m\(mark)\u{1B}[0m" : mark, maxReplacements: 1)
            return [painted] + details(of: node).map { cut("\(indentation)    \($0)") }
                // Never cut to the width: users asked for this.
                + (style.showsData ? data(of: node).map { "\(indentation)    \($0)" } : [])
        }

        func line(about repetitions: Repetitions, depth: Int) -> String {
            let average = Duration.seconds(repetitions.total / Double(Swift.max(1, repetitions.count))).text
            return cut(
                "\(indentation(depth))⋯ \(repetitions.hidden) more of \(repetitions.count) \(repetitions.kind), "
                    + "\(average) on average ('--all' shows them)")
        }

        /// Deeper levels would leave no room for text.
        private func indentation(_ depth: Int) -> String { String(repeating: "  ", count: Swift.min(depth, 12)) }

        private func data(of node: Node) -> [String] {
            func line(_ title: String, _ data: Value?) -> String? {
                data.map { "\(title) \(PlainText.line($0.json(), limit: Self.mostData))" }
            }
            return [line("input ", node.input), line("output", node.output)].compactMap(\.self)
        }

        private func mark(of node: Node) -> (String, Int) {
            switch node.state {
            case .completed: ("✓", 32)
            case .faulted: ("✗", 31)
            case .cancelled: ("-", 33)
            case .skipped: ("-", 2)
            case .running: ("…", style.isAtWork ? 36 : 33)
            }
        }

        private func facts(about node: Node, _ repetitions: Repetitions?) -> [String] {
            let length = Duration.seconds(tree.duration(of: node, now: style.now)).text
            var facts: [String] = []
            switch node.state {
            case .skipped: facts.append("skipped")
            case .running: facts.append(style.isAtWork ? "\(length) so far" : "interrupted")
            case .cancelled: facts += [length, "cancelled"]
            case .completed, .faulted: facts.append(length)
            }
            if let repetitions {
                facts.append("\(repetitions.count) \(repetitions.kind)")
                if repetitions.failed > 0 { facts.append("\(repetitions.failed) failed") }
            }
            if node.attempt > 1 { facts.append("attempt \(node.attempt)") }
            if node.waited > .zero { facts.append("waited \(node.waited.text)") }
            return facts
        }

        private func details(of node: Node) -> [String] {
            var details = node.notes.map(\.line)
            if details.count > Repetitions.mostShown, !style.unfolds {
                let more = "⋯ \(details.count - 7) more ('--all' shows them)"
                details = details.prefix(4) + [more] + details.suffix(3)
            }
            // The tasks around the one that faulted have the same error.
            if let error = node.error, node.task == nil || error.instance == node.task?.description {
                details.append(error.description)
            }
            return details.map { PlainText.line($0, limit: 500) }
        }

        private func cut(_ line: String) -> String {
            style.width.map { PlainText.fitted(line, to: $0) } ?? line
        }
    }
}

extension RunTree.Node {
    fileprivate var shownName: String {
        let name = PlainText.line(task == nil ? "run of \(name)" : name, limit: 100)
        return label.map { "\(name) (\($0))" } ?? name
    }
}

extension RunTree.Node.Note {
    fileprivate var line: String {
        switch kind {
        case .retried, .requestRetried: "↻ attempt \(attempt ?? 2) after \((delay ?? .zero).text): \(text)"
        case .held: "↻ waited \((delay ?? .zero).text): \(text)"
        case .uploaded: "↑ \(text)"
        case .drafted: "drafted as \(text)"
        case .direct: text
        case .emitted: "→ emitted \(text)"
        case .waiting: "… waited for events"
        case .received: "← events received"
        case .resumed: "↻ resumed \(time.formatted(.iso8601))"
        }
    }
}
