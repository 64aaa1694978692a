extension ApprovedPlan {
    /// The maximum number of reported differences; further ones often have the same cause.
    private static let mostDifferences = 20

    /// How a workflow and its input differ from what was approved, one difference per line; nothing is run.
    /// - Parameters:
    ///   - workflow: The workflow as its file is now.
    ///   - input: The input that it would run with.
    ///   - own: The files that are this process's and not the workflow's.
    public func differences(to workflow: Workflow, input: Value, without own: OwnFiles = OwnFiles()) -> [String] {
        Self.differences(of: workflow, to: file, references, without: own)
            + Self.compare(self.input, input, "the input")
    }

    static func differences(
        of workflow: Workflow, to file: String, _ references: [String: String], without own: OwnFiles
    ) -> [String] {
        var differences: [String] = []
        if digest(of: workflow) != file { differences.append("the workflow file was changed") }
        let present = self.references(of: workflow, without: own)
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
        let made = EffectPerspective(self.plan["account"])
        if let account = plan.perspective.account, let former = made.account,
            account.lowercased() != former.lowercased()
        {
            return ["the plan was made for \(Self.line(former)), but \(Self.line(account)) is signed in"]
        }
        // Only one of the two may know who is signed in; that is no difference in what is done.
        var plan = plan
        plan.perspective = made
        let (old, new) = (self.plan, plan.pinnedValue)
        let tasks = zip(Self.tasks(of: old["tasks"]), Self.tasks(of: new["tasks"]))
        // Effects first: the requests that differ follow from them.
        var differences = DifferenceWords.effects(old["effects"]?.array ?? [], new["effects"]?.array ?? [])
        for (old, new) in tasks {
            let name = "task \(old["number"]?.string ?? "?") '\(Self.line(old["name"]?.string ?? "?"))'"
            guard old["reference"] == new["reference"] else {
                differences.append("\(name) would be '\(Self.line(new["name"]?.string ?? "?"))' now")
                break
            }
            differences += Self.compare(Self.own(old), Self.own(new), name)
        }
        let counts = (Self.tasks(of: old["tasks"]).count, Self.tasks(of: new["tasks"]).count)
        if counts.0 != counts.1, differences.isEmpty {
            differences.append("there would be \(counts.1) tasks, but the plan has \(counts.0)")
        }
        differences += variables.differences(to: plan.variables)
        differences += Self.compare(.object(files(of: plan)), .object(plan.pinnedFiles(of: self.plan)), "the files")
        if differences.isEmpty {
            // Everything else for readers: the branch that a task is in, the summary, the output.
            differences = Self.compare(Self.readable(old), Self.readable(new), "the plan")
        }
        return Array(differences.prefix(Self.mostDifferences))
    }

    /// The files that were approved, without those of this process.
    private func files(of plan: Plan) -> Object {
        let folder = WorkflowFiles(folder: plan.workflow.folder, without: plan.ownFiles)
        return Object((self.plan["files"]?.object ?? [:]).filter { !folder.isOwn($0.key) }.map { ($0.key, $0.value) })
    }

    /// The plan without its files, which are compared one by one, and without the person who made it.
    private static func readable(_ plan: Value) -> Value {
        var members = plan.object ?? [:]
        (members["files"], members["plannedBy"]) = (nil, nil)
        return .object(members)
    }

    /// Every task of a list of a plan in JSON, at every depth, in order.
    package static func tasks(of list: Value?) -> [Value] {
        (list?.array ?? []).flatMap { task in
            [task] + (task["branches"]?.array ?? []).flatMap { tasks(of: $0["tasks"]) }
        }
    }

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
        case (.array(let mine), .array(let theirs)) where mine.count != theirs.count:
            let words = DifferenceWords.list(mine, theirs) ?? "\(theirs.count) elements, and not \(mine.count)"
            return ["\(place): \(words)"]
        case (.array(let mine), .array(let theirs)):
            return zip(mine, theirs).enumerated().flatMap { number, pair in
                compare(pair.0, pair.1, "\(place)[\(number)]")
            }
        default: return ["\(place) is \(DifferenceWords.values(old, new))"]
        }
    }

    private static func shown(_ value: Value) -> String { line(value.json()) }

    private static func line(_ text: String) -> String { PlainText.exact(text, limit: 120) }
}
