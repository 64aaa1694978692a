/// What has ended and is not yet written; what happens to one task several times is one line.
struct FinishedTasks {
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

    /// Something that has ended.
    struct Entry {
        var kind: Kind
        var name: String
        /// How long it took; for a request that is repeated or held, how long that waits; nil if it took no time.
        var length: Duration?
        var notes: [String] = []
    }

    fileprivate struct Key: Hashable {
        var kind: Kind
        var task: JSONPointer
        var words: String

        func hash(into hasher: inout Hasher) { hasher.combine(task.tokens.last) }
    }

    fileprivate struct Group {
        let key: Key
        var entry: Entry
        var count = 1
        var shortest: Duration
        var longest: Duration
        /// The names of the tasks, if this is what ended in the branches of a fork.
        var branches: [String] = []
    }

    /// How many lines can be written at once; each second allows one more.
    private static let mostLines = 20.0
    /// More different tasks at once than this are only counted.
    private static let mostGroups = 10_000

    private var groups: [Group] = []
    private var indices: [Key: Int] = [:]
    /// The entries that arrived when there were too many groups.
    private var others = (done: 0, failed: 0)
    private var allowance = mostLines
    private var allowedAt: Date?

    var isEmpty: Bool { groups.isEmpty && others.done + others.failed == 0 }

    /// Adds what has ended.
    /// - Parameters:
    ///   - task: The task in any repetition; the root for entries that all tasks share.
    ///   - words: What else entries must share to be merged into one line.
    mutating func add(_ entry: Entry, of task: JSONPointer, words: String = "") {
        let key = Key(kind: entry.kind, task: task, words: words)
        let length = entry.length ?? .zero
        guard let index = indices[key] else {
            guard groups.count < Self.mostGroups else {
                if entry.kind == .failed { others.failed += 1 } else if entry.kind == .done { others.done += 1 }
                return
            }
            indices[key] = groups.count
            groups.append(Group(key: key, entry: entry, shortest: length, longest: length))
            return
        }
        groups[index].count += 1
        if groups[index].entry.name != entry.name { groups[index].entry.name = "several tasks" }
        groups[index].entry.notes = entry.notes
        groups[index].shortest = min(groups[index].shortest, length)
        groups[index].longest = max(groups[index].longest, length)
    }

    /// Takes what has ended as lines: as many as may be written now, and the last time all of them.
    ///
    /// If they are too many, what has ended in the branches of a fork is one line.
    mutating func take(at now: Date, isLast: Bool = false) -> [TerminalLine] {
        let passed = allowedAt.map { max(0, now.timeIntervalSince($0)) } ?? 0
        allowance = min(Self.mostLines, allowance + passed)
        allowedAt = now
        let room = Int(allowance)
        guard !isEmpty, room > 0 || isLast else { return [] }
        var shown = groups.count > room ? Self.folded(groups) : groups
        var rest: [Group] = []
        if shown.count > room, !isLast {
            // What failed comes first, because that is what people look for.
            shown = shown.filter { $0.entry.kind == .failed } + shown.filter { $0.entry.kind != .failed }
            rest = Array(shown.dropFirst(room))
            shown.removeLast(rest.count)
        }
        var lines = shown.map(\.line)
        if isLast, others != (0, 0) {
            let kind = others.failed > 0 ? Kind.failed : .done
            lines.append(
                TerminalLine(kind.rawValue, kind.colour, "\(others.failed) more failed, \(others.done) more done"))
            others = (0, 0)
        }
        allowance = max(0, allowance - Double(lines.count))
        groups = rest
        indices = [:]
        for (index, group) in rest.enumerated() where group.branches.isEmpty { indices[group.key] = index }
        return lines
    }

    /// The groups, with one for all that has ended well in the branches of a fork.
    private static func folded(_ groups: [Group]) -> [Group] {
        var folded: [Group] = []
        var forks: [JSONPointer: Int] = [:]
        for group in groups {
            guard group.entry.kind == .done, let fork = group.key.task.outermostFork else {
                folded.append(group)
                continue
            }
            guard let index = forks[fork] else {
                forks[fork] = folded.count
                var first = group
                first.branches = group.branches.isEmpty ? [group.entry.name] : group.branches
                folded.append(first)
                continue
            }
            folded[index].count += group.count
            folded[index].shortest = min(folded[index].shortest, group.shortest)
            folded[index].longest = max(folded[index].longest, group.longest)
            folded[index].branches += group.branches.isEmpty ? [group.entry.name] : group.branches
        }
        return folded
    }
}

extension JSONPointer {
    /// The outermost fork that the task is inside of; nil if it is in none.
    fileprivate var outermostFork: JSONPointer? {
        for index in tokens.indices.dropFirst(2) where tokens[index] == "branches" && tokens[index - 1] == "fork" {
            return JSONPointer(Array(tokens.prefix(index - 1)))
        }
        return nil
    }
}

extension FinishedTasks.Group {
    fileprivate var line: TerminalLine {
        var entry = entry
        let range = shortest.text == longest.text ? shortest.text : "\(shortest.text) to \(longest.text)"
        if count > 1 {
            let length = entry.kind == .retried ? "at most \(longest.text)" : range
            entry.notes = ["\(count) times", entry.length == nil ? nil : length].compactMap(\.self) + entry.notes
            entry.length = nil
        }
        guard count > 1, !branches.isEmpty, let fork = key.task.outermostFork else { return entry.line }
        entry.name = RunProgress.shown(fork.tokens.last ?? "")
        entry.notes = [
            "\(count) in its branches",
            "\(range): \(branches.prefix(5).joined(separator: ", "))\(branches.count > 5 ? ", …" : "")",
        ]
        return entry.line
    }
}

extension FinishedTasks.Entry {
    var line: TerminalLine {
        TerminalLine(
            kind.rawValue, kind.colour, name, ([length?.text].compactMap(\.self) + notes).joined(separator: ", "))
    }
}
