import Essentials
import Workflows

/// What is over and not yet written: the same of the same task is one line, and many lines become fewer.
struct FinishedTasks {
    /// What happened.
    enum Kind: String {
        case done = "✓"
        case failed = "✗"
        case stopped = "-"
        case retried = "↻"
        case uploaded = "↑"
        case emitted = "→"
        case waits = "…"

        var colour: Int {
            switch self {
            case .done: 32
            case .failed: 31
            case .stopped, .retried: 33
            case .uploaded: 2
            case .emitted, .waits: 36
            }
        }
    }

    /// Something that is over.
    struct Entry {
        var kind: Kind
        var name: String
        /// How long it took or, of a request that is sent again or held, how long that waits; nil for no time.
        var length: Duration?
        var notes: [String] = []
    }

    private struct Key: Hashable {
        var kind: Kind
        var task: JSONPointer
        var words: String

        func hash(into hasher: inout Hasher) { hasher.combine(task.tokens.last) }
    }

    fileprivate struct Group {
        var entry: Entry
        var count = 1
        var shortest: Duration
        var longest: Duration
    }

    /// How many lines may be written at once; each second allows one more.
    private static let mostLines = 20.0

    private var groups: [Group] = []
    private var indices: [Key: Int] = [:]
    /// What came when there were too many groups already.
    private var others = (done: 0, failed: 0)
    private var allowance = mostLines
    private var allowedAt: Date?

    /// Whether there is nothing to write.
    var isEmpty: Bool { groups.isEmpty && others.done + others.failed == 0 }

    /// Adds what is over.
    /// - Parameters:
    ///   - task: The task, in any repetition; the root for what can be one line for all tasks.
    ///   - words: What else must be the same in one line.
    mutating func add(_ entry: Entry, of task: JSONPointer, words: String = "") {
        let key = Key(kind: entry.kind, task: task, words: words)
        let length = entry.length ?? .zero
        guard let index = indices[key] else {
            guard groups.count < 100 else {
                if entry.kind == .failed { others.failed += 1 } else if entry.kind == .done { others.done += 1 }
                return
            }
            indices[key] = groups.count
            groups.append(Group(entry: entry, shortest: length, longest: length))
            return
        }
        groups[index].count += 1
        if groups[index].entry.name != entry.name { groups[index].entry.name = "several tasks" }
        groups[index].entry.notes = entry.notes
        groups[index].shortest = min(groups[index].shortest, length)
        groups[index].longest = max(groups[index].longest, length)
    }

    /// Takes what is over as lines, as many as may be written now.
    /// - Parameter isLast: Whether there will be no later time.
    mutating func take(at now: Date, isLast: Bool = false) -> [TerminalLine] {
        let passed = allowedAt.map { max(0, now.timeIntervalSince($0)) } ?? 0
        allowance = min(Self.mostLines, allowance + passed)
        allowedAt = now
        let room = max(Int(allowance), isLast ? 5 : 0)
        guard !isEmpty, room > 0 else { return [] }
        var shown = groups
        var rest: [Group] = []
        if groups.count + (others.done + others.failed > 0 ? 1 : 0) > room {
            // What failed comes first, because that is what people look for.
            shown = groups.filter { $0.entry.kind == .failed } + groups.filter { $0.entry.kind != .failed }
            rest = Array(shown.dropFirst(room - 1))
            shown.removeLast(rest.count)
        }
        let lines = shown.map(\.line) + (rest.isEmpty && others == (0, 0) ? [] : [line(of: rest)])
        allowance = max(0, allowance - Double(lines.count))
        (groups, indices, others) = ([], [:], (0, 0))
        return lines
    }

    /// A line for all the rest.
    private func line(of rest: [Group]) -> TerminalLine {
        let failed = rest.filter { $0.entry.kind == .failed }
        let done = rest.filter { $0.entry.kind == .done }
        let more = rest.filter { $0.entry.kind != .failed && $0.entry.kind != .done }
        func part(_ what: String, _ groups: [Group], _ others: Int) -> String? {
            let count = groups.reduce(others) { $0 + $1.count }
            guard count > 0 else { return nil }
            let names = groups.prefix(5).map(\.entry.name).joined(separator: ", ")
            let isWhole = groups.count <= 5 && others == 0
            return "\(count) \(what)" + (names.isEmpty ? "" : ": \(names)\(isWhole ? "" : ", …")")
        }
        let words = [
            part("failed", failed, others.failed), part("done", done, others.done), part("other events", more, 0),
        ].compactMap(\.self).joined(separator: "; ")
        let kind = failed.isEmpty && others.failed == 0 ? Kind.done : .failed
        return TerminalLine(kind.rawValue, kind.colour, words)
    }
}

extension FinishedTasks.Group {
    fileprivate var line: TerminalLine {
        var entry = entry
        if count > 1 {
            let range = shortest.text == longest.text ? shortest.text : "\(shortest.text) to \(longest.text)"
            let length = entry.kind == .retried ? "at most \(longest.text)" : range
            entry.notes = ["\(count) times", entry.length == nil ? nil : length].compactMap(\.self) + entry.notes
            entry.length = nil
        }
        return entry.line
    }
}

extension FinishedTasks.Entry {
    /// The line of this alone.
    var line: TerminalLine {
        TerminalLine(
            kind.rawValue, kind.colour, name, ([length?.text].compactMap(\.self) + notes).joined(separator: ", "))
    }
}
