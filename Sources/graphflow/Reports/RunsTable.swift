/// A table of runs and batches that fits the terminal.
struct RunsTable {
    private static let titles = ["RUN", "WORKFLOW", "STATE", "STARTED", "TOOK"]
    private static let gap = "  "
    /// The least widths of a workflow's name and of an error's title.
    private static let (leastName, leastError) = (8, 8)

    private let states: [RunSummary.State]
    private let titles: [String]
    private var rows: [[String]]

    /// - Parameters:
    ///   - runs: The runs, in their order.
    ///   - now: The time to which relative times refer.
    ///   - width: The terminal's columns; nil for no limit.
    init(_ runs: [RunSummary], now: Date, width: Int?) {
        states = runs.map(\.state)
        let errors = runs.map { PlainText.line($0.errorTitle ?? "", limit: 60) }
        let items = runs.map { $0.counts?.text ?? "" }
        // An empty column would only take room.
        let graphs = runs.map { $0.isSandboxed ? "sandbox" : "" }
        let more = [("GRAPH", graphs), ("ITEMS", items), ("ERROR", errors)].filter { _, cells in
            cells.contains { !$0.isEmpty }
        }
        titles = Self.titles + more.map(\.0)
        rows = runs.enumerated().map { index, run in
            [
                run.run, PlainText.line(run.workflow?.name ?? "?", limit: 60), run.state.rawValue,
                run.startedAt.relative(to: now), Duration.seconds(run.duration(now: now)).text,
            ] + more.map { $0.1[index] }
        }
        guard let width else { return }
        if overhang(width) > 0 {
            // A prefix is enough if no other name has it.
            let names = runs.map(\.run).sorted()
            let length = Swift.max(
                12, zip(names, names.dropFirst()).map { zip($0, $1).prefix { $0 == $1 }.count + 2 }.max() ?? 0)
            for index in rows.indices { rows[index][0] = String(rows[index][0].prefix(length)) }
        }
        if titles.last == "ERROR" { shorten(column: titles.count - 1, to: Self.leastError, width) }
        shorten(column: 1, to: Self.leastName, width)
    }

    /// Shortens the cells of a column as far as needed and allowed.
    private mutating func shorten(column: Int, to least: Int, _ width: Int) {
        let overhang = overhang(width)
        guard overhang > 0 else { return }
        let room = Swift.max(least, widths[column] - overhang)
        for index in rows.indices where rows[index][column].count > room {
            rows[index][column] = PlainText.fitted(rows[index][column], to: room)
        }
    }

    /// The lines, with the titles first.
    func lines(colour: Bool) -> [String] {
        let widths = widths
        func line(_ cells: [String], _ paint: (Int, String) -> String) -> String {
            cells.enumerated().map { column, cell in
                column == cells.count - 1 ? paint(column, cell) : paint(column, cell.padding(to: widths[column]))
            }.joined(separator: Self.gap).trimmed
        }
        let head = line(titles) { colour ? "\u{1B}[1m\($1)\u{1B}[0m" : $1 }
        return [head]
            + zip(rows, states).map { row, state in
                line(row) { $0 == 2 && colour ? "\u{1B}[\(state.colour)m\($1)\u{1B}[0m" : $1 }
            }
    }

    private var widths: [Int] {
        titles.indices.map { column in
            rows.reduce(titles[column].count) { Swift.max($0, $1[column].count) }
        }
    }

    private func overhang(_ width: Int) -> Int {
        widths.reduce(0, +) + Self.gap.count * (titles.count - 1) - width
    }
}

extension RunSummary {
    /// The title of the error that ended the run, or what is wrong with its journal.
    fileprivate var errorTitle: String? {
        if let problem { return problem }
        guard let error else { return nil }
        return error["title"]?.string ?? error["type"]?.string
    }
}

extension RunSummary.State {
    var colour: Int {
        switch self {
        case .completed: 32
        case .faulted, .damaged: 31
        case .interrupted, .suspended, .unknown: 33
        case .running: 36
        case .waiting: 35
        case .cancelled: 2
        }
    }
}

extension Date {
    /// The time relative to now, such as `3 min ago`; the day if it is long ago.
    func relative(to now: Date) -> String {
        let seconds = now.timeIntervalSince(self)
        if seconds < 5 { return "just now" }
        if seconds < 60 { return "\(Int(seconds)) s ago" }
        if seconds < 3_600 { return "\(Int(seconds / 60)) min ago" }
        if seconds < 86_400 { return "\(Int(seconds / 3_600)) h ago" }
        let days = Int(seconds / 86_400)
        if days < 30 { return days == 1 ? "1 day ago" : "\(days) days ago" }
        return String(iso8601.prefix(10))
    }
}
