import Foundation
import Promises
import TestSupport

@testable import MicrosoftGraph
@testable import Workflows

/// Tries altered requests on a copy of what is approved, before it sends each one as it is.
///
/// They are altered outside the plan's slots, or leave a slot.
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
        let places = approval.places.matching(operation.task ?? .root, operation.occurrence)
        let planned = places.flatMap { approval.places.all[$0].task.steps.requests }.first {
            $0.fitting(request) != nil
        }
        let altered = state.withLock { Self.alterations(of: request, planned, &$0.generator) }
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
                planned.operation.condition == nil, planned.operation.effect != .read, !planned.isRange
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
        let match = approval.allow(
            request, TaskExecution(operation.task ?? .root, operation.occurrence), attempts: 1)
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

    private static func alterations(
        of request: HTTPRequest, _ planned: PlannedRequest?, _ generator: inout SeededGenerator
    ) -> [(what: String, request: HTTPRequest)] {
        guard let planned else { return [] }
        var all: [(String, HTTPRequest)] = []
        func add(_ what: String, _ change: (inout HTTPRequest) -> Void) {
            var altered = request
            change(&altered)
            all.append((what, altered))
        }
        if !planned.method.contains(where: \.isUnknown) {
            add("another method") { $0.method = $0.method == "PUT" ? "PATCH" : "PUT" }
        }
        alterAddress(of: request, planned, &generator, add)
        if !planned.hasOpenHeaders { add("a header field more") { $0.headers["X-More"] = "1" } }
        if let field = planned.headers.first(where: { $0.name == "Accept" || $0.name == "Content-Type" }),
            !field.value.contains(where: \.isUnknown), !planned.hasOpenHeaders
        {
            add("another header field") { $0.headers[field.name] = ($0.headers[field.name] ?? "") + "x" }
        }
        guard let body = request.body, !body.isEmpty else { return all }
        // A call of another kind may have none.
        if planned.operation.condition == nil { add("no body") { $0.body = nil } }
        if let range = ContentRange(request.headers["Content-Range"]) {
            func give(_ what: String, _ first: Int, _ last: Int, _ total: Int) {
                add(what) { $0.headers["Content-Range"] = "bytes \(first)-\(last)/\(total)" }
            }
            let (first, last) = (range.bytes.lowerBound, range.bytes.upperBound - 1)
            give("another range", first + 1, last + 1, range.total + 1)
            if first > 0 { give("another total", first, last, range.total + 1) }
            give("a shorter range", first, last - 1, range.total)
        }
        if planned.isRange { return all }
        alterBytes(body, planned, &generator) { what, other in add(what) { $0.body = other } }
        if let members = (try? Value(json: body))?.object {
            alterMembers(members, &generator) { what, other in
                guard !planned.hasSlots(for: .object(members), .object(other)) else { return }
                add(what) { $0.body = Value.object(other).jsonData() }
            }
        }
        return all
    }

    private static func alterAddress(
        of request: HTTPRequest, _ planned: PlannedRequest, _ generator: inout SeededGenerator,
        _ add: (String, (inout HTTPRequest) -> Void) -> Void
    ) {
        let address = request.url.absoluteString
        func give(_ what: String, _ text: String) {
            if let url = URL(string: text) { add(what) { $0.url = url } }
        }
        let (plain, slots) = planned.url.places(in: address)
        let letters = plain.filter { address[$0].isLetter && address[$0].isASCII }
        if let place = letters.randomElement(using: &generator) {
            give(
                "a letter of the address",
                address.replacingCharacters(in: place...place, with: address[place] == "q" ? "w" : "q"))
        }
        // An address that the run begins may lead anywhere.
        guard !(planned.url.first?.isUnknown ?? true), planned.url.first != .plain(UploadSession.example) else {
            return
        }
        if !planned.hasOpenQuery {
            add("a query item more") { $0.url.append(queryItems: [.init(name: "x", value: "1")]) }
        }
        add("a segment more") { $0.url.append(path: "x") }
        let mark = address.firstIndex(of: "?") ?? address.endIndex
        for slot in slots where slot.lowerBound < mark {
            for text in ["..", "%2E%2e", "."] where planned.url.isWholeSegment(slot, in: address) {
                give("a segment \(text) in a slot", address.replacingCharacters(in: slot, with: text))
            }
            give("a query in a slot", address.replacingCharacters(in: slot, with: "a?b=c"))
            guard !address.contains("root:/") else { continue }
            give("two segments in a slot", address.replacingCharacters(in: slot, with: "a/b"))
        }
        for slot in slots where slot.lowerBound > mark && !planned.hasOpenQuery {
            give("two items in a slot", address.replacingCharacters(in: slot, with: "a&zz=c"))
        }
    }

    private static func alterBytes(
        _ body: Data, _ planned: PlannedRequest, _ generator: inout SeededGenerator, _ give: (String, Data) -> Void
    ) {
        let json = try? Value(json: body)
        var plain: [Int]?
        switch planned.body {
        case .unknown: return
        case .text(let parts) where json == nil || parts.textParts == nil:
            guard let parts = parts.textParts, let text = String(validating: body, as: UTF8.self) else { return }
            plain = parts.places(in: text).plain.map { text.utf8.distance(from: text.startIndex, to: $0) }
            guard plain?.isEmpty == false else { return }
        default: break
        }
        for _ in 0..<3 {
            let place =
                plain?.randomElement(using: &generator) ?? Int.random(in: 0..<body.count, using: &generator)
            var other = body
            other[other.startIndex + place] ^= 1
            guard let json else {
                give("a byte of the body at \(place)", other)
                continue
            }
            // What is no JSON any more is no request of the plan; else the change may be in a slot.
            guard let changed = try? Value(json: other) else {
                if case .json = planned.body { give("a byte of the body at \(place)", other) }
                continue
            }
            if changed != json, !planned.hasSlots(for: json, changed) { give("a byte of the body at \(place)", other) }
        }
    }

    private static func alterMembers(
        _ given: Object, _ generator: inout SeededGenerator, _ give: (String, Object) -> Void
    ) {
        var members = given
        alterAttachments(of: members, &generator, give)
        members["x"] = 1
        give("a member more", members)
        members["x"] = nil
        for (name, value) in members where value.array != nil {
            var other = members
            other[name] = .array((value.array ?? []) + (value.array ?? [1]))
            if other[name] != value { give("more of '\(name)'", other) }
        }
        if let message = members["message"]?.object, let to = message["toRecipients"]?.array {
            var other = message
            other["toRecipients"] = .array(to + [["emailAddress": ["address": "other@contoso.com"]]])
            members["message"] = .object(other)
            give("another recipient", members)
        }
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

extension PlannedRequest {
    /// Whether only a run knows how many header fields there are.
    fileprivate var hasOpenHeaders: Bool {
        headers.contains { $0.value.count == 1 && $0.value[0].isUnknown && $0.name == Value.drawn($0.value) }
    }

    /// Whether only a run knows how many query items there are.
    fileprivate var hasOpenQuery: Bool {
        guard ["http", "graph", "openapi"].contains(operation.name) else { return false }
        return url.indices.contains { index in
            guard index > 0, url[index].isUnknown, case .plain(let before) = url[index - 1] else { return false }
            return before.hasSuffix("?") || before.hasSuffix("&") || before.hasSuffix("=")
        }
    }

    /// Whether two bodies differ in slots only.
    fileprivate func hasSlots(for one: Value, _ other: Value) -> Bool {
        switch body {
        case .json(let planned): Self.isSlot(planned, one, other)
        case .text(let planned): planned.holdsUnknown
        case .unknown: true
        case .bytes, nil: false
        }
    }

    private static func isSlot(_ planned: Value?, _ one: Value, _ other: Value) -> Bool {
        if one == other { return true }
        guard let planned else { return false }
        if planned.holdsUnknown, planned.object == nil, planned.array == nil { return true }
        switch (planned, one, other) {
        case (.array(let all), .array(let mine), .array(let theirs)) where mine.count == theirs.count:
            return zip(mine, theirs).enumerated().allSatisfy { number, pair in
                isSlot(all.indices.contains(number) ? all[number] : nil, pair.0, pair.1)
            }
        // An attachment of unknown size may be added to the message instead.
        case (.array(let all), .array(let mine), .array(let theirs)) where theirs.count < mine.count:
            return all.holdsUnknownContent
        case (.object(let all), .object(let mine), .object(let theirs)):
            return Set(mine.keys).union(theirs.keys).allSatisfy { name in
                isSlot(all[name], mine[name] ?? .null, theirs[name] ?? .null)
            }
        case (.array(let all), .array, .null): return all.holdsUnknownContent
        default: return false
        }
    }
}

extension [Value] {
    /// Whether these are attachments of which only a run knows the size.
    fileprivate var holdsUnknownContent: Bool { contains { $0["contentBytes"]?.holdsUnknown ?? false } }
}

extension [TextPart] {
    /// Where a text has the plain parts, and where the slots between them are.
    fileprivate func places(in text: String) -> (plain: [String.Index], slots: [Range<String.Index>]) {
        var (plain, slots): ([String.Index], [Range<String.Index>]) = ([], [])
        var position = text.startIndex
        var isOpen = false
        for part in self {
            guard case .plain(let piece) = part else {
                isOpen = true
                continue
            }
            guard let found = text.range(of: piece, range: position..<text.endIndex) else { return ([], []) }
            if isOpen { slots.append(position..<found.lowerBound) }
            plain += text[found].indices
            (position, isOpen) = (found.upperBound, false)
        }
        if isOpen { slots.append(position..<text.endIndex) }
        return (plain, slots)
    }

    /// Whether a slot is a whole segment of a path.
    fileprivate func isWholeSegment(_ slot: Range<String.Index>, in text: String) -> Bool {
        let isBegin = slot.lowerBound > text.startIndex && text[text.index(before: slot.lowerBound)] == "/"
        return isBegin && (slot.upperBound == text.endIndex || "/?".contains(text[slot.upperBound]))
    }
}
