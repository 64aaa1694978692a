extension BatchStatistics {
    /// The errors and the slowest items in words.
    /// - Parameter width: The terminal's columns; nil for no limit.
    func lines(width: Int?, colour: Bool) -> [String] {
        var lines: [String] = []
        if !errors.groups.isEmpty {
            lines += ["", "errors"] + errors.lines(hasDetails: true).map { $0.text(width: width, colour: colour) }
        }
        let slow = slowest.filter { $0.duration > 0 }
        if !slow.isEmpty {
            lines += ["", "slowest"]
            lines += slow.map { entry in
                let state = entry.state == .completed ? "" : ", \(entry.state.rawValue)"
                return RunReport.line(
                    "  " + Duration.seconds(entry.duration).text, "  \(entry.shownKey)\(state)", width)
            }
        }
        return lines
    }

    /// Adds the errors and the slowest items as JSON.
    func describe(in object: inout Object) {
        object["errors"] = .array(errors.largestFirst.map(\.json))
        object["slowest"] = .array(slowest.map { .object($0.facts) })
    }
}

extension BatchErrors {
    private static let mostLines = 10

    /// The groups, one line each with the keys of some items.
    /// - Parameter hasDetails: Whether the details of the newest error follow each line.
    func lines(hasDetails: Bool = false) -> [TerminalLine] {
        func line(_ mark: String, _ colour: Int, _ text: String, indentation: Int = 2) -> TerminalLine {
            var line = TerminalLine(mark, colour, text)
            line.indentation = indentation
            return line
        }
        let groups = largestFirst
        var lines = groups.prefix(Self.mostLines).flatMap { group in
            let keys = group.examples.reversed().map(\.shownKey).joined(separator: ", ")
            let more = group.count > group.examples.count ? ", …" : ""
            let state = group.kind.state == .unknown ? "unknown, " : ""
            let head = line("✗", 31, "\(group.count.grouped) × \(state)\(group.kind.text): \(keys)\(more)")
            let detail = hasDetails ? group.examples.last?.error?["detail"]?.string : nil
            return [head] + (detail.map { [line("↳", 2, PlainText.line($0, limit: 500), indentation: 4)] } ?? [])
        }
        if groups.count > Self.mostLines {
            lines.append(line("✗", 31, "\(groups.count - Self.mostLines) other kinds of errors"))
        }
        return lines
    }
}

extension BatchErrors.Group {
    fileprivate var json: Value {
        var object: Object = ["state": .string(kind.state.rawValue), "type": .string(kind.type)]
        object["status"] = kind.status.map(Value.integer)
        object["title"] = kind.title.map(Value.string)
        object["count"] = .integer(count)
        object["examples"] = .array(
            examples.reversed().map { entry in
                var facts = entry.facts
                facts["state"] = nil
                facts["detail"] = entry.error?["detail"]
                return .object(facts)
            })
        return .object(object)
    }
}

extension BatchEntry {
    /// The item as JSON; lines of results have no times and places.
    fileprivate var facts: Object {
        var object: Object = ["key": key, "state": .string(state.rawValue), "run": .string(run)]
        guard startedAt > .distantPast else { return object }
        object["place"] = .integer(place)
        object["startedAt"] = .string(startedAt.iso8601)
        object["duration"] = .double((duration * 1_000).rounded() / 1_000)
        return object
    }
}
