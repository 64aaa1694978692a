import Essentials
import Workflows

extension RunTree {
    /// The tasks as lines, inner tasks indented.
    /// - Parameters:
    ///   - isAtWork: Whether the run is running; otherwise tasks that have not ended were interrupted.
    ///   - now: The time up to which the durations of running tasks are counted.
    ///   - width: The terminal's columns; nil for no limit.
    func lines(isAtWork: Bool, now: Date, width: Int?, colour: Bool) -> [String] {
        var lines: [String] = []
        // A list instead of recursion, because tasks can be nested deeply.
        var waiting = nodes[0].children.reversed().map { (index: $0, depth: 0) }
        let layout = Layout(isAtWork: isAtWork, now: now, width: width, colour: colour, nameWidth: nameWidth(width))
        while let (index, depth) = waiting.popLast() {
            lines += layout.lines(of: nodes[index], depth: depth)
            waiting += nodes[index].children.reversed().map { ($0, depth + 1) }
        }
        return lines
    }

    /// The width of the column of names.
    private func nameWidth(_ width: Int?) -> Int {
        let longest = nodes.dropFirst().reduce(12) { Swift.max($0, $1.shownName.count + 4) }
        return Swift.min(longest, Swift.max(16, (width ?? 100) / 2))
    }

    private struct Layout {
        let isAtWork: Bool
        let now: Date
        let width: Int?
        let colour: Bool
        let nameWidth: Int

        func lines(of node: Node, depth: Int) -> [String] {
            // Deeper levels would leave no room for text.
            let indentation = String(repeating: "  ", count: Swift.min(depth, 12))
            let (mark, tone) = mark(of: node)
            let name = node.shownName.padding(to: Swift.max(0, nameWidth - indentation.count))
            let head = cut("\(indentation)\(mark) \(name) \(facts(about: node))")
            let painted = head.replacingFirst(mark, with: colour ? "\u{1B}[\(tone)m\(mark)\u{1B}[0m" : mark)
            return [painted] + details(of: node).map { cut("\(indentation)    \($0)") }
        }

        private func mark(of node: Node) -> (String, Int) {
            switch node.state {
            case .completed: ("✓", 32)
            case .faulted: ("✗", 31)
            case .cancelled: ("-", 33)
            case .skipped: ("-", 2)
            case .running: ("…", isAtWork ? 36 : 33)
            }
        }

        private func facts(about node: Node) -> String {
            let length = Duration.seconds((node.endedAt ?? now).timeIntervalSince(node.startedAt)).text
            var facts: [String] = []
            switch node.state {
            case .skipped: facts.append("skipped")
            case .running: facts.append(isAtWork ? "\(length) so far" : "interrupted")
            case .cancelled: facts += [length, "cancelled"]
            case .completed, .faulted: facts.append(length)
            }
            if node.attempt > 1 { facts.append("attempt \(node.attempt)") }
            if node.waited > .zero { facts.append("waited \(node.waited.text)") }
            return facts.joined(separator: ", ")
        }

        private func details(of node: Node) -> [String] {
            var details = node.notes.map(\.line)
            // The tasks around the one that faulted have the same error.
            if let error = node.error, node.task == nil || error.instance == node.task?.description {
                details.append(error.description)
            }
            return details.map { PlainText.line($0, limit: 500) }
        }

        private func cut(_ line: String) -> String {
            guard let width, line.count > width else { return line }
            return line.prefix(width - 1) + "…"
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
        case .emitted: "→ emitted \(text)"
        case .waiting: "… waited for events"
        case .received: "← events received"
        case .resumed: "↻ resumed \(time.formatted(.iso8601))"
        }
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        replacing(text, with: other, maxReplacements: 1)
    }
}
