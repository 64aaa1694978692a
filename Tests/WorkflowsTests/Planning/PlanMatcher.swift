import Foundation
import TestSupport
import Workflows

/// Finds out whether the requests of a run are a path through a plan.
final class PlanMatcher {
    /// How a list of tasks ended in the run.
    private enum End {
        /// At the end of the list.
        case done
        /// With the end of the workflow.
        case complete
        /// With an error of the last request.
        case failed
    }

    private typealias Rest = ArraySlice<RecordingTransport.Record>
    private typealias Next = (Rest, SymbolBindings, End) -> Bool

    /// How far the best path got, for a message.
    private(set) var furthest = 0
    private(set) var expected = ""
    private(set) var bindings = SymbolBindings()
    private var steps = 0
    private let count: Int
    private let records: [RecordingTransport.Record]

    init(_ records: [RecordingTransport.Record]) {
        self.records = records
        count = records.count
    }

    /// Whether the requests are a path through these tasks, with none left over.
    /// - Parameter failed: Whether the run ended with an error, which the plan does not foresee.
    func matches(_ plan: Plan, failed: Bool = false) -> Bool {
        match(plan.tasks[...], records[...], SymbolBindings(), canFail: failed) { rest, bindings, end in
            guard rest.isEmpty, failed == (end == .failed) else { return false }
            self.bindings = bindings
            return true
        }
    }

    private func match(
        _ tasks: ArraySlice<PlannedTask>, _ rest: Rest, _ bindings: SymbolBindings, canFail: Bool, _ next: Next
    ) -> Bool {
        guard let task = tasks.first else { return next(rest, bindings, .done) }
        return match(task, rest, bindings, canFail: canFail) { rest, bindings, end in
            guard end == .done else { return next(rest, bindings, end) }
            return self.match(tasks.dropFirst(), rest, bindings, canFail: canFail, next)
        }
    }

    private func match(
        _ task: PlannedTask, _ rest: Rest, _ bindings: SymbolBindings, canFail: Bool, _ next: Next
    ) -> Bool {
        steps += 1
        guard steps < 2_000_000 else { return false }
        if task.certainty != .certain, next(rest, bindings, .done) { return true }
        if case .skipped = task.outcome { return next(rest, bindings, .done) }
        return match(task.steps[...], rest, bindings, canFail: canFail || task.kind == .try) { rest, bindings, end in
            guard end == .done else { return next(rest, bindings, end) }
            if task.kind == .fork { return self.matchSides(of: task, rest, bindings, next) }
            if case .faulted = task.outcome {
                return self.match(task.branches[...], of: task, rest, bindings, canFail: canFail) { rest, bindings, _ in
                    next(rest, bindings, .failed)
                }
            }
            return self.match(task.branches[...], of: task, rest, bindings, canFail: canFail, next)
        }
    }

    private func match(
        _ steps: ArraySlice<PlannedStep>, _ rest: Rest, _ bindings: SymbolBindings, canFail: Bool, _ next: Next
    ) -> Bool {
        guard let step = steps.first else { return next(rest, bindings, .done) }
        guard case .request(let planned) = step else {
            return match(steps.dropFirst(), rest, bindings, canFail: canFail, next)
        }
        if planned.operation.condition != nil, match(steps.dropFirst(), rest, bindings, canFail: canFail, next) {
            return true
        }
        guard let actual = rest.first, let bound = Self.matching(planned, actual, bindings) else {
            if count - rest.count >= furthest {
                furthest = count - rest.count
                expected = "\(planned.request.method) \(planned.address)\n\(planned.bodyDescription ?? "")"
            }
            return false
        }
        // A run sends requests of one kind.
        let others = steps.dropFirst().filter { !$0.isOther(than: planned) }
        if match(others[...], rest.dropFirst(), bound, canFail: canFail, next) { return true }
        return canFail && next(rest.dropFirst(), bound, .failed)
    }

    private func match(
        _ branches: ArraySlice<PlannedBranch>, of task: PlannedTask, _ rest: Rest, _ bindings: SymbolBindings,
        canFail: Bool, _ next: Next
    ) -> Bool {
        guard let branch = branches.first else { return next(rest, bindings, .done) }
        let others = branches.dropFirst()
        let handlers = others.filter { $0.kind == .handler }
        func proceed(_ rest: Rest, _ bindings: SymbolBindings, _ end: End) -> Bool {
            guard end == .done else { return next(rest, bindings, end) }
            return self.match(others, of: task, rest, bindings, canFail: canFail, next)
        }
        switch branch.kind {
        case .handler: return next(rest, bindings, .done)
        case .tasks:
            guard task.kind == .try else { return match(branch, rest, bindings, canFail: canFail, proceed) }
            // A resumed run repeats in another attempt what it has done in the one in progress.
            let again = handlers.first { $0.title.hasSuffix("in another attempt") } ?? branch
            func attempt(_ branch: PlannedBranch, _ rest: Rest, left: Int) -> Bool {
                match(branch, rest, bindings, canFail: true) { rest, found, end in
                    guard end == .failed else { return proceed(rest, found, end) }
                    if left > 0, attempt(again, rest, left: left - 1) { return true }
                    for handler in handlers where !handler.title.hasSuffix("in another attempt") {
                        if self.match(handler, rest, found, canFail: canFail, next) { return true }
                    }
                    return next(rest, found, .failed)
                }
            }
            return attempt(branch, rest, left: task.retry.map { min(3, $0.attempts ?? 3) - 1 } ?? 0)
        case .alternative:
            let after = branches.drop { $0.kind == .alternative }
            for way in branches.prefix(while: { $0.kind == .alternative }) {
                let isRight = match(way, rest, bindings, canFail: canFail) { rest, bindings, end in
                    guard end == .done else { return next(rest, bindings, end) }
                    return self.match(after, of: task, rest, bindings, canFail: canFail, next)
                }
                if isRight { return true }
            }
            return false
        // A way may have left the list before.
        case .rest:
            return next(rest, bindings, .done) || match(branch, rest, bindings, canFail: canFail, proceed)
        case .round:
            guard branch.certainty != .certain else {
                return match(branch, rest, bindings, canFail: canFail, proceed)
            }
            return matchRounds(branch, rest, bindings, canFail: canFail, proceed)
        // Their requests come in any order.
        case .branch, .item: return false
        }
    }

    private func match(
        _ branch: PlannedBranch, _ rest: Rest, _ bindings: SymbolBindings, canFail: Bool, _ next: Next
    ) -> Bool {
        match(branch.tasks[...], rest, bindings, canFail: canFail) { rest, bindings, end in
            switch (branch.end, end) {
            case (.workflow, .done): next(rest, bindings, .complete)
            case (.fault, .done): next(rest, bindings, .failed)
            default: next(rest, bindings, end)
            }
        }
    }

    /// None, one or several rounds, each with its own unknowns.
    private func matchRounds(
        _ branch: PlannedBranch, _ rest: Rest, _ bindings: SymbolBindings, canFail: Bool, _ next: Next
    ) -> Bool {
        if next(rest, bindings, .done) { return true }
        return match(branch, rest, bindings.outsideOfRounds, canFail: canFail) { after, inside, end in
            guard end == .done else { return next(after, inside, end) }
            guard after.count < rest.count else { return false }
            return self.matchRounds(branch, after, bindings, canFail: canFail, next)
        }
    }

    /// Each branch by itself: the order of requests between branches does not matter.
    private func matchSides(
        of task: PlannedTask, _ rest: Rest, _ bindings: SymbolBindings, _ next: Next
    ) -> Bool {
        let inside = rest.prefix { $0.operation.task?.tokens.starts(with: task.reference.tokens) ?? false }
        var sides = task.branches.compactMap { branch in
            branch.tasks.first.map { first in
                (branch, inside.filter { $0.operation.task?.tokens.starts(with: first.reference.tokens) ?? false })
            }
        }
        guard sides.reduce(0, { $0 + $1.1.count }) == inside.count else { return false }
        func go(_ bindings: SymbolBindings) -> Bool {
            guard !sides.isEmpty else { return next(rest.dropFirst(inside.count), bindings, .done) }
            let (branch, own) = sides.removeFirst()
            return match(branch, own[...], bindings, canFail: false) { left, bindings, end in
                left.isEmpty && end == .done && go(bindings)
            }
        }
        return go(bindings)
    }

    private static func matching(
        _ planned: PlannedRequest, _ actual: RecordingTransport.Record, _ bindings: SymbolBindings
    ) -> SymbolBindings? {
        let (wanted, given) = (planned.request, actual.request)
        guard wanted.method == given.method, planned.operation.name == actual.operation.name,
            planned.operation.task == actual.operation.task, planned.operation.effect == actual.operation.effect,
            wanted.headers.fields.map(\.name) == given.headers.fields.map(\.name),
            var bindings = bindings.matching(wanted.url, given.url)
        else { return nil }
        for (field, other) in zip(wanted.headers.fields, given.headers.fields) where field.name != "Authorization" {
            guard let next = bindings.matching(field.value, other.value, decode: { $0 }) else { return nil }
            bindings = next
        }
        switch planned.body {
        case nil: return given.body == nil ? bindings : nil
        case .json(let value):
            guard let body = given.body, let other = try? Value(json: body) else { return nil }
            return bindings.matching(value.drawn(), other)
        case .text:
            return bindings.matching(planned.body?.drawn ?? "", String(decoding: given.body ?? Data(), as: UTF8.self)) {
                $0
            }
        case .bytes(_, let size, let sha256):
            guard let body = given.body, body.count == size, "sha256:\(sha256)" == Blob(body).hash else { return nil }
            return bindings
        case .unknown(let unknown, _):
            return given.body.flatMap {
                bindings.binding(unknown.drawn().string ?? "", to: .string($0.base64EncodedString()))
            }
        }
    }
}

extension PlannedStep {
    /// Whether a run that sends a request does not make this step, because it is of another kind.
    fileprivate func isOther(than sent: PlannedRequest) -> Bool {
        guard case .request(let request) = self else { return false }
        let (mine, theirs) = (request.operation.condition?.kinds ?? [], sent.operation.condition?.kinds ?? [])
        return zip(mine, theirs).contains { $0 != $1 }
    }
}
