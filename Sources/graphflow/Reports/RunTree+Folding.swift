import Essentials

extension RunTree {
    /// What a task repeats: the rounds of a loop, the attempts of a `try`, or the runs of a workflow.
    struct Repetitions {
        /// More than this many are folded.
        static let mostShown = 8
        private static let (mostFailed, mostSlow) = (5, 3)

        /// What they are called, in the plural.
        let kind: String
        let count: Int
        let failed: Int
        /// The time that all took, in seconds.
        let total: Double
        /// What is shown although they are folded: some that failed, the slowest ones, and the last one.
        let shown: [Int]
        /// The first tasks of the slowest ones.
        let slowest: Set<Int>
        /// How many are folded.
        let hidden: Int

        fileprivate init(_ kind: String, _ groups: [[Int]], of tree: RunTree, now: Date) {
            self.kind = kind
            count = groups.count
            func hasFailed(_ group: [Int]) -> Bool { group.contains { tree.nodes[$0].state == .faulted } }
            let failures = groups.indices.filter { hasFailed(groups[$0]) }
            failed = failures.count
            let times = groups.map { $0.reduce(0) { $0 + tree.duration(of: tree.nodes[$1], now: now) } }
            total = times.reduce(0, +)
            let slow = groups.indices.sorted { (times[$1], $0) < (times[$0], $1) }.prefix(Self.mostSlow)
            let open = groups.indices.filter { group in groups[group].contains { tree.nodes[$0].state == .running } }
            let chosen = Set(failures.prefix(Self.mostFailed) + slow + open.prefix(Self.mostFailed)).union(
                [groups.count - 1])
            shown = chosen.sorted().flatMap { groups[$0] }
            slowest = Set(slow.compactMap { groups[$0].first })
            hidden = groups.count - chosen.count
        }
    }

    /// What a node repeats; nil if that is so little that nothing is folded.
    func repetitions(in node: Node, now: Date) -> Repetitions? {
        guard node.children.count > Repetitions.mostShown else { return nil }
        var groups: [[Int]] = []
        var (last, kind): (Substring?, String?) = (nil, nil)
        for child in node.children {
            let part: Substring? =
                nodes[child].task == nil
                ? "run:\(groups.count)" : Self.part(of: nodes[child].occurrence, inside: node.occurrence)
            guard let part, let name = Self.name(of: part) else { return nil }
            if part == last { groups[groups.count - 1].append(child) } else { groups.append([child]) }
            (last, kind) = (part, kind ?? name)
        }
        guard let kind, groups.count > Repetitions.mostShown else { return nil }
        return Repetitions(kind, groups, of: self, now: now)
    }

    /// What the repetitions of such a part are called; nil if it is no repetition.
    private static func name(of part: Substring) -> String? {
        switch part.prefix(while: { $0 != ":" }) {
        case "for", "foreach": "rounds"
        case "try": "attempts"
        case "jump": "passes"
        case "run": "runs"
        default: nil
        }
    }
}
