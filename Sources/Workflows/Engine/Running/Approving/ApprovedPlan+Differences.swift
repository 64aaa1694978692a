extension ApprovedPlan {
    /// How many differences are reported; further ones often have the same cause.
    private static let mostDifferences = 20

    /// How a workflow and its input differ from what was approved, one difference per line; nothing is run.
    public func differences(to workflow: Workflow, input: Value) -> [String] {
        Self.differences(of: workflow, to: file, references) + Self.compare(self.input, input, "the input")
    }

    /// How a workflow differs from the one that has this digest and references.
    static func differences(
        of workflow: Workflow, to file: String, _ references: [String: String]
    ) -> [String] {
        var differences: [String] = []
        if digest(of: workflow) != file { differences.append("the workflow file was changed") }
        let present = self.references(of: workflow)
        for name in Set(references.keys).union(present.keys).sorted() where references[name] != present[name] {
            switch (references[name], present[name]) {
            case (nil, _): differences.append("'\(line(name))' is new")
            case (_, nil): differences.append("'\(line(name))' is missing")
            default: differences.append("'\(line(name))' was changed")
            }
        }
        return differences
    }

    /// How a new plan differs from the approved one, one difference per line.
    public func differences(to plan: Plan) -> [String] {
        let (old, new) = (self.plan, plan.value)
        let tasks = zip(Self.flat(old["tasks"]), Self.flat(new["tasks"]))
        var differences: [String] = []
        for (old, new) in tasks {
            let name = "task \(old["number"]?.string ?? "?") '\(Self.line(old["name"]?.string ?? "?"))'"
            guard old["reference"] == new["reference"] else {
                differences.append("\(name) would be '\(Self.line(new["name"]?.string ?? "?"))' now")
                break
            }
            differences += Self.compare(Self.own(old), Self.own(new), name)
        }
        let counts = (Self.flat(old["tasks"]).count, Self.flat(new["tasks"]).count)
        if counts.0 != counts.1, differences.isEmpty {
            differences.append("there would be \(counts.1) tasks, and the plan has \(counts.0)")
        }
        if differences.isEmpty {
            // Differences outside the tasks' own data, such as the branch that a task is in.
            differences = Self.compare(old["tasks"] ?? .null, new["tasks"] ?? .null, "the plan")
        }
        differences += Self.compare(old["files"] ?? [:], new["files"] ?? [:], "the files")
        differences += Self.compare(old["mode"] ?? .null, new["mode"] ?? .null, "the plan's mode")
        differences += Self.compare(old["output"] ?? .null, new["output"] ?? .null, "the output")
        return Array(differences.prefix(Self.mostDifferences))
    }

    /// Every task of a plan at every depth, in order.
    private static func flat(_ tasks: Value?) -> [Value] {
        (tasks?.array ?? []).flatMap { task in
            [task] + (task["branches"]?.array ?? []).flatMap { flat($0["tasks"]) }
        }
    }

    /// The task without its inner tasks.
    private static func own(_ task: Value) -> Value {
        var members = task.object ?? [:]
        members["branches"] = nil
        return .object(members)
    }

    static func compare(_ old: Value, _ new: Value, _ place: String) -> [String] {
        guard old != new else { return [] }
        switch (old, new) {
        case (.object(let mine), .object(let theirs)):
            let names = mine.keys + theirs.keys.filter { mine[$0] == nil }
            return names.flatMap { name -> [String] in
                let inside = "\(place), \(line(name))"
                switch (mine[name], theirs[name]) {
                case (let one?, let other?): return compare(one, other, inside)
                case (let one?, nil): return ["\(inside) is gone: \(shown(one))"]
                case (nil, let other?): return ["\(inside) is new: \(shown(other))"]
                case (nil, nil): return []
                }
            }
        case (.array(let mine), .array(let theirs)) where mine.count == theirs.count:
            return zip(mine, theirs).enumerated().flatMap { number, pair in
                compare(pair.0, pair.1, "\(place)[\(number)]")
            }
        default: return ["\(place) is \(shown(new)), and \(shown(old)) in the plan"]
        }
    }

    private static func shown(_ value: Value) -> String { line(value.json()) }

    private static func line(_ text: String) -> String { PlainText.line(text, limit: 120) }
}
