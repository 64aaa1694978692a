/// The items of a call of `forEach`, for each of which a workflow runs.
struct ForEach: Sendable {
    /// The maximum number of concurrent items: a service lets fewer requests through.
    static let mostAtWork = 100
    /// The maximum length of a key in an error and a plan.
    private static let mostOfKey = 160

    enum Failure: String, CaseIterable, ParameterValue {
        /// No other item begins, and the task fails when the active ones have ended.
        case stop
        /// The other items continue; the failures are in the output.
        case `continue`
    }

    let reference: Workflow.Process.Reference
    let workflow: Workflow
    /// The items, or the known part of one if their number is unknown.
    let items: [Value]
    let keys: [Value]
    /// The number of concurrent items; nil if only a run knows it.
    let concurrency: Int?
    let failure: Failure
    /// Whether people know an item by its key, or only by its number.
    let hasKey: Bool
    private let common: Value
    private let overlay: Expression

    /// Reads the arguments, which match the function's schema; `items` has what a plan knows of one.
    init(_ given: Value, _ items: [Value], of run: Run, _ task: ActiveTask) throws {
        let with = try ForEachParameters(given)
        guard let reference = task.definition.action.workflow else {
            throw FunctionError("must name a workflow, or have tasks in 'do'")
        }
        self.reference = reference
        workflow = try run.workflow(reference)
        concurrency = with.concurrency.integer
        failure = with.onFailure
        common = with.input ?? [:]
        overlay = try Expression(".common + (.item | if type == \"object\" then . else { item: . } end)")
        self.items = items
        let key = try with.key.map(Self.key)
        hasKey = key != nil
        keys = try key.map { key in try items.map { try task.scope.evaluate(key, $0) } } ?? items
    }

    /// The expression of an item's key, which reads only the item.
    static func key(_ source: String) throws(ExpressionError) -> Expression {
        let key = try Expression(source)
        if let read = key.variableReads.first {
            throw ExpressionError("a key can only read its item, not '$\(read.name)'", offset: read.offset)
        }
        return key
    }

    func input(of index: Int, in run: Run, _ task: ActiveTask) throws(WorkflowError) -> Value {
        try task.scope.evaluate(overlay, ["common": common, "item": items[index]])
    }

    /// Fails if two items have the same key, or if a failure would stop the others and the input of one is wrong.
    func check(in run: Run, _ task: ActiveTask) throws(WorkflowError) {
        var places = [Value: Int](minimumCapacity: keys.count)
        for (index, key) in keys.enumerated() where !key.holdsUnknown {
            guard let first = places.updateValue(index, forKey: key.revealed) else { continue }
            throw WorkflowError(
                .validation,
                detail: "items \(first + 1) and \(index + 1) of 'in' have the same key: \(shownKey(index, in: run))",
                instance: task.reference)
        }
        guard failure == .stop else { return }
        for index in items.indices {
            do throws(WorkflowError) {
                try run.check(input(of: index, in: run, task), of: workflow, reference)
            } catch {
                throw self.error(error, of: index, in: run, task)
            }
        }
    }

    /// The error of an item as the error of the task: it names the item, and keeps its type and status.
    func error(_ error: WorkflowError, of index: Int, in run: Run, _ task: ActiveTask) -> WorkflowError {
        var error = error
        let detail = error.members["detail"] ?? error.members["title"]
        let words = detail?.textParts ?? detail.map { [.plain($0.json())] } ?? [.plain(error.type)]
        let place = "item \(title(of: index, in: run)): "
        error.members["detail"] = .text([.plain(place)] + words)
        error.members["instance"] = .string(task.reference.description)
        error.members["item"] = ["index": .integer(index), "key": keys[index]]
        return error
    }

    func title(of index: Int, in run: Run) -> String {
        "\(index + 1) of \(items.count)" + (hasKey ? ", \(shownKey(index, in: run))" : "")
    }

    private func shownKey(_ index: Int, in run: Run) -> String {
        let json = run.secrets.conceal(keys[index].drawn()).json()
        return PlainText.cut(json, to: Self.mostOfKey)
    }

    enum Result: Sendable {
        case completed(Value)
        case failed(WorkflowError)
    }

    func output(_ results: some Sequence<Result?>) -> Value {
        var completed: [Value] = []
        var failed: [Value] = []
        for (key, result) in zip(keys, results) {
            switch result {
            case .completed(let output): completed.append(["key": key, "output": output])
            case .failed(let error): failed.append(["key": key, "error": .object(error.members)])
            case nil: break
            }
        }
        return ["completed": .array(completed), "failed": .array(failed)]
    }
}
