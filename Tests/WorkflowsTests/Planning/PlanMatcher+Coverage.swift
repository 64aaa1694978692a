import Foundation
import TestSupport
import Workflows

extension PlanMatcher {
    /// What a run did that its plan does not have: each request and program with a message.
    /// - Parameters:
    ///   - records: The requests of the run.
    ///   - programs: The programs of the run, by their tasks and occurrences.
    static func missing(
        _ records: [RecordingTransport.Record], _ programs: [(task: JSONPointer, occurrence: String)], in plan: Plan
    ) -> [String] {
        let planned = Dictionary(grouping: plan.requests) { $0.operation.task }
        var missing: [String] = []
        var counts: [String: Int] = [:]
        for record in records where !record.isCleaning {
            let (request, operation) = (record.request, record.operation)
            let fitting = (planned[operation.task] ?? []).filter { $0.isOfKind(operation) }
            let place = "\(operation.task?.description ?? "") \(operation.occurrence)"
            guard fitting.contains(where: { $0.matches(request) }) else {
                missing.append("\(request.method) \(request.url) of \(operation.name) at \(place)")
                continue
            }
            counts[place, default: 0] += 1
            if counts[place] ?? 0 > fitting.count, fitting.allSatisfy(\.isCounted) {
                missing.append("request \(counts[place] ?? 0) of \(fitting.count) of \(operation.name) at \(place)")
            }
        }
        let starts = plan.steps.compactMap { step in if case .process(let process) = step { process } else { nil } }
        for (task, occurrence) in programs {
            let fitting = starts.filter { $0.task == task && occurrence.matches(pattern: $0.occurrence) }
            let place = "the program of \(task) \(occurrence)"
            counts[place, default: 0] += 1
            let isCounted = fitting.allSatisfy { !$0.occurrence.contains("*") }
            if isCounted, counts[place] ?? 0 > fitting.count { missing.append(place) }
        }
        let permissions = plan.summary.delegatedPermissions.map(\.permission)
        for scope in Set(records.filter { !$0.isCleaning }.flatMap(\.operation.scopes))
        where !permissions.cover([scope]) {
            missing.append("the permission \(scope)")
        }
        return missing
    }
}

extension RecordingTransport.Record {
    /// Whether it only removes what a failed request has left.
    fileprivate var isCleaning: Bool { request.method == "DELETE" && ["sendMail", "upload"].contains(operation.name) }
}

extension PlannedRequest {
    /// Whether the plan has a number for it: it is not sent as often as only a run knows.
    fileprivate var isCounted: Bool {
        !operation.occurrence.contains("*") && !(condition?.contains("for each") ?? false)
    }

    fileprivate func isOfKind(_ other: HTTPOperation) -> Bool {
        // Of a request whose method only a run knows, a plan says the strongest effect.
        let isEffect =
            hasUnknownMethod ? operation.effect.strength >= other.effect.strength : operation.effect == other.effect
        return operation.name == other.name && isEffect && operation.scopes == other.scopes
            && other.occurrence.matches(pattern: operation.occurrence)
    }

    private var hasUnknownMethod: Bool { request.method.unicodeScalars.contains(where: Drawing.isMark) }

    fileprivate func matches(_ other: HTTPRequest) -> Bool {
        guard request.method == other.method || hasUnknownMethod else { return false }
        var parts = url[...]
        // Where an upload session is, only the service knows.
        if parts.first == .plain(UploadSession.example) { parts.removeFirst() }
        return other.url.absoluteString[...].matches(parts)
    }
}

extension Substring {
    /// Whether it consists of these parts, with any text in place of unknowns.
    fileprivate func matches(_ parts: ArraySlice<TextPart>) -> Bool {
        guard let first = parts.first else { return isEmpty }
        let rest = parts.dropFirst()
        if case .plain(let text) = first { return hasPrefix(text) && dropFirst(text.count).matches(rest) }
        guard let next = rest.first else { return true }
        guard case .plain(let text) = next else { return matches(rest) }
        var tail = self
        while let found = tail.firstRange(of: text) {
            if self[found.lowerBound...].matches(rest) { return true }
            tail = tail[found.upperBound...]
        }
        return false
    }
}

extension String {
    /// Whether it is an occurrence of a pattern, in which `*` and `?` stand for any number.
    fileprivate func matches(pattern: String) -> Bool {
        let (mine, theirs) = (split(separator: "/"), pattern.split(separator: "/"))
        return mine.count == theirs.count
            && zip(mine, theirs).allSatisfy { own, other in
                own == other || (other.hasSuffix(":*") || other.hasSuffix(":?")) && own.hasPrefix(other.dropLast())
            }
    }
}
