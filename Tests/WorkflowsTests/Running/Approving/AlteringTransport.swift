import Foundation
import Promises
import TestSupport

@testable import MicrosoftGraph
@testable import Workflows

/// Tries altered requests on a copy of what is approved, before it sends each one as it is.
final class AlteringTransport: HTTPTransport {
    private struct State {
        var generator: SeededGenerator
        var tried = 0
        var allowed: [String] = []
    }

    private let inner: ApprovingTransport
    private let approval: Approval
    private let plan: Plan
    private let later: [RecordingTransport.Record]
    private let state: Locked<State>

    /// - Parameter later: The requests of a run with the same answers.
    init(
        _ transport: any HTTPTransport, _ approval: Approval, _ plan: Plan, later: [RecordingTransport.Record] = [],
        seed: UInt64
    ) {
        inner = ApprovingTransport(approval, over: transport)
        self.approval = approval
        self.plan = plan
        self.later = later
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// How many alterations were tried, and which were allowed.
    var results: (tried: Int, allowed: [String]) { state.withLock { ($0.tried, $0.allowed) } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let altered = state.withLock { Self.alterations(of: request, &$0.generator) }
        for other in altered { attempt(other.what, other.request, operation) }
        if isSure(operation) {
            for other in later where number(of: other.operation) ?? 0 > number(of: operation) ?? .max {
                attempt("before \(request.method) \(request.url)", other.request, other.operation)
            }
        }
        attempt("without the request before", request, operation) { state in
            // Only requests that every run of the call sends, and that are not the same as the next one.
            guard let last = state.done.all.last, last.hasSucceeded,
                approval.places.all[last.place].task.reference == operation.task,
                last.position.occurrence == PlannedPlaces.parts(operation.occurrence),
                case .request(let planned) = approval.places.all[last.place].task.steps[last.step],
                planned.operation.condition == nil || planned.operation.condition?.holds.isEmpty == false,
                planned.operation.effect != .read, !planned.isRange
            else { return false }
            state.done = DoneSteps(self.approval.places, state.done.all.dropLast())
            return true
        }
        return inner.send(request, for: operation).get(on: nil) { [self] response in
            guard (200..<300).contains(response.status), request.headers["Content-Range"] == nil else { return }
            attempt("once more", request, operation)
        }
    }

    /// Tries a request on a copy of what is known.
    /// - Parameter change: Changes what was done; false if there is nothing to try.
    private func attempt(
        _ what: String, _ request: HTTPRequest, _ operation: HTTPOperation,
        _ change: (inout Approval.State) -> Bool = { _ in true }
    ) {
        let known = approval.state.withLock { $0 }
        defer { approval.state.withLock { $0 = known } }
        var changed = known
        guard change(&changed) else { return }
        approval.state.withLock { [changed] in $0 = changed }
        let match = approval.allow(TaskExecution(operation.task ?? .root, operation.occurrence), attempts: 1) {
            step, reading in
            guard case .request(let planned) = step else { return false }
            return planned.allows(request, &reading)
        }
        state.withLock { state in
            state.tried += 1
            if match != nil { state.allowed.append("\(what): \(request.method) \(request.url)") }
        }
    }

    /// Whether every run sends the request, which changes something, before what later tasks send.
    private func isSure(_ operation: HTTPOperation) -> Bool {
        guard let task = plan.tasks.first(where: { $0.reference == operation.task }), task.certainty == .certain,
            operation.effect != .read
        else { return false }
        return task.steps.requests.allSatisfy { $0.operation.condition == nil }
    }

    /// The number of the task of the workflow itself that a request is sent in.
    private func number(of operation: HTTPOperation) -> Int? {
        plan.tasks.firstIndex { operation.task?.tokens.starts(with: $0.reference.tokens) ?? false }
    }

    static func alterations(
        of request: HTTPRequest, _ generator: inout SeededGenerator
    ) -> [(what: String, request: HTTPRequest)] {
        var all: [(String, HTTPRequest)] = []
        func add(_ what: String, _ change: (inout HTTPRequest) -> Void) {
            var altered = request
            change(&altered)
            all.append((what, altered))
        }
        add("another method") { $0.method = $0.method == "PUT" ? "PATCH" : "PUT" }
        add("a query item more") { $0.url.append(queryItems: [URLQueryItem(name: "x", value: "1")]) }
        add("a segment more") { $0.url.append(path: "x") }
        add("a header field more") { $0.headers["X-More"] = "1" }
        if let field = request.headers.fields.first(where: { $0.name == "Accept" || $0.name == "Content-Type" }) {
            add("another header field") { $0.headers[field.name] = field.value + "x" }
        }
        let address = Array(request.url.absoluteString)
        let letters = address.indices.filter { address[$0].isLetter && address[$0].isASCII && $0 > 8 }
        if let place = letters.randomElement(using: &generator) {
            var other = address
            other[place] = other[place] == "q" ? "w" : "q"
            if let url = URL(string: String(other)) { add("a letter of the address") { $0.url = url } }
        }
        guard let body = request.body, !body.isEmpty else { return all }
        add("no body") { $0.body = nil }
        if let range = ContentRange(request.headers["Content-Range"]) {
            for (first, total) in [
                (range.bytes.lowerBound + 1, range.total + 1), (range.bytes.lowerBound, range.total + 1),
            ] {
                let last = first + range.bytes.count - 1
                add("another range") { $0.headers["Content-Range"] = "bytes \(first)-\(last)/\(total)" }
            }
            add("a shorter range") {
                $0.headers["Content-Range"] =
                    "bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound - 2)/\(range.total)"
            }
        }
        for _ in 0..<3 {
            let place = Int.random(in: 0..<body.count, using: &generator)
            var other = body
            other[other.startIndex + place] ^= 1
            if (try? Value(json: other)) != (try? Value(json: body)) || (try? Value(json: body)) == nil {
                add("a byte of the body at \(place)") { $0.body = other }
            }
        }
        if var members = (try? Value(json: body))?.object {
            alterAttachments(of: members, &generator) { what, other in
                add(what) { $0.body = Value.object(other).jsonData() }
            }
            members["x"] = 1
            add("a member more") { $0.body = Value.object(members).jsonData() }
            members["x"] = nil
            for (name, value) in members where value.array != nil {
                var other = members
                other[name] = .array((value.array ?? []) + (value.array ?? [1]))
                if other[name] != value { add("more of '\(name)'") { $0.body = Value.object(other).jsonData() } }
            }
            if let message = members["message"]?.object, let to = message["toRecipients"]?.array {
                var other = message
                other["toRecipients"] = .array(to + [["emailAddress": ["address": "other@contoso.com"]]])
                members["message"] = .object(other)
                add("another recipient") { $0.body = Value.object(members).jsonData() }
            }
        }
        return all
    }

    private static func alterAttachments(
        of body: Object, _ generator: inout SeededGenerator, _ add: (String, Object) -> Void
    ) {
        // One that is added to a draft, by itself or in a session.
        for (member, value) in body where ["name", "contentType", "contentBytes"].contains(member) {
            var other = body
            other[member] = altered(value, &generator)
            add("another \(member) of an attachment", other)
        }
        if var item = body["AttachmentItem"]?.object {
            for (member, value) in item {
                let before = value
                item[member] = altered(value, &generator)
                add("another \(member) of a session", ["AttachmentItem": .object(item)])
                item[member] = before
            }
        }
        if let message = body["message"]?.object {
            alterAttachments(of: message, &generator) { what, other in
                var all = body
                all["message"] = .object(other)
                add(what, all)
            }
        }
        guard body.contains("toRecipients") else { return }
        let given = body["attachments"]?.array ?? []
        func give(_ what: String, _ attachments: [Value]) {
            var other = body
            other["attachments"] = attachments.isEmpty ? nil : .array(attachments)
            add(what, other)
        }
        let more: Value = [
            "@odata.type": "#microsoft.graph.fileAttachment", "name": "a", "contentType": "text/plain",
            "contentBytes": "YQ==",
        ]
        give("one attachment more", given + [more])
        for (position, attachment) in given.enumerated() {
            give("one attachment fewer", given.enumerated().filter { $0.offset != position }.map(\.element))
            for (member, value) in attachment.object ?? [:] {
                var (other, all) = (attachment.object ?? [:], given)
                other[member] = altered(value, &generator)
                all[position] = .object(other)
                give("another \(member) of an attachment", all)
            }
        }
        if given.count > 1, given.first != given.last { give("another order of attachments", given.reversed()) }
    }

    private static func altered(_ value: Value, _ generator: inout SeededGenerator) -> Value {
        guard let text = value.string else { return .integer((value.integer ?? 0) + 1) }
        guard text.utf8.count > 3, var bytes = Data(base64Encoded: text) else { return .string(text + "x") }
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1
        return .string(bytes.base64EncodedString())
    }
}
