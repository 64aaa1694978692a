extension RunTree {
    /// The repetitions of a task: the rounds of a loop, the attempts of a `try`, or the runs of a workflow.
    package struct Repetitions {
        /// More repetitions than this are folded.
        package static let mostShown = 8
        private static let (mostFailed, mostSlow) = (5, 3)

        /// Their name, in the plural.
        package let kind: String
        package let count: Int
        package let failed: Int
        /// Their total time, in seconds.
        package let total: Double
        /// Those shown although the rest is folded: some that failed, the slowest ones, and the last one.
        package let shown: [Int]
        /// The first tasks of the slowest ones.
        package let slowest: Set<Int>
        package let hidden: Int
        /// How many of the folded ones are no longer in the tree.
        package let forgotten: Int
        /// A summary of the folded ones.
        fileprivate let leftOut: Forgotten

        fileprivate init(
            _ kind: String, _ groups: [[Int]], _ forgotten: Forgotten, of tree: RunTree, now: Date, keepsOpen: Bool
        ) {
            self.kind = kind
            count = groups.count + forgotten.count
            func hasFailed(_ group: [Int]) -> Bool { group.contains { tree.nodes[$0].state == .faulted } }
            let failures = groups.indices.filter { hasFailed(groups[$0]) }
            failed = failures.count + forgotten.failed
            let times = groups.map { $0.reduce(0) { $0 + tree.duration(of: tree.nodes[$1], now: now) } }
            total = times.reduce(forgotten.total, +)
            let slow = groups.indices.sorted { (times[$1], $0) < (times[$0], $1) }.prefix(Self.mostSlow)
            let open = groups.indices.filter { group in groups[group].contains { tree.nodes[$0].state == .running } }
            let chosen = Set(
                failures.prefix(Self.mostFailed) + slow + (keepsOpen ? open : Array(open.prefix(Self.mostFailed)))
            ).union(
                [groups.count - 1])
            shown = chosen.sorted().flatMap { groups[$0] }
            slowest = Set(slow.compactMap { groups[$0].first })
            hidden = count - chosen.count
            self.forgotten = forgotten.count
            let rest = groups.indices.filter { !chosen.contains($0) }
            leftOut = Forgotten(
                count: hidden, failed: forgotten.failed + rest.count { hasFailed(groups[$0]) },
                total: rest.reduce(forgotten.total) { $0 + times[$1] })
        }
    }

    /// A summary of repetitions that are no longer in the tree.
    package struct Forgotten {
        package var count = 0
        package var failed = 0
        /// Their time, in seconds.
        package var total = 0.0
    }

    /// The repetitions of a node; nil if they are too few to be folded.
    /// - Parameter keepsOpen: Whether all that have not ended are shown.
    package func repetitions(in node: Node, now: Date, keepsOpen: Bool = false) -> Repetitions? {
        let forgotten = node.forgotten ?? Forgotten()
        guard node.children.count + forgotten.count > Repetitions.mostShown else { return nil }
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
        guard let kind, groups.count + forgotten.count > Repetitions.mostShown else { return nil }
        return Repetitions(kind, groups, forgotten, of: self, now: now, keepsOpen: keepsOpen)
    }

    /// The nodes without folded repetitions, so that the tree of a long run stays small.
    package func folded(now: Date) -> [Node] {
        var nodes = nodes
        var numbers = [Int?](repeating: nil, count: nodes.count)
        numbers[0] = 0
        var kept: [Int] = []
        // A node comes after the node that contains it.
        for index in nodes.indices where numbers[index] != nil {
            numbers[index] = kept.count
            kept.append(index)
            if let repetitions = repetitions(in: nodes[index], now: now, keepsOpen: true) {
                nodes[index].children = repetitions.shown
                nodes[index].forgotten = repetitions.leftOut
            }
            for child in nodes[index].children { numbers[child] = 0 }
        }
        return kept.map { index in
            var node = nodes[index]
            node.children = node.children.compactMap { numbers[$0] }
            return node
        }
    }

    /// The name of such repetitions; nil if the part is not a repetition.
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

extension RunTree.Node {
    /// The item, round or attempt of this execution; nil if there is only one.
    package var label: String? {
        if let item { return "item \(item + 1)" }
        guard let part = occurrence.split(separator: "/").last, let sign = part.firstIndex(of: ":"),
            let number = Int(part[part.index(after: sign)...])
        else { return nil }
        return switch part[..<sign] {
        case "for", "foreach": "round \(number + 1)"
        case "try": number > 1 ? "attempt \(number)" : nil
        case "jump": number > 0 && isRepeated ? "again, \(number)" : nil
        default: nil
        }
    }
}
