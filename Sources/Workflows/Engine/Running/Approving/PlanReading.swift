import Essentials
import Promises

/// Reads a plan with the values that a run has found out, at one place of it.
struct PlanReading {
    let approval: Approval
    private let place: Int
    private let occurrence: [Substring]
    private let findings: Findings
    /// What was found out while reading.
    private(set) var added = Findings()
    /// Whether the data are from a journal, which does not have everything that they were computed from.
    private let isRecalling: Bool
    /// The range of a content that a request has.
    var range: ContentRange?

    init(
        _ approval: Approval, at place: Int, _ occurrence: [Substring], findings: Findings,
        isRecalling: Bool = false
    ) {
        self.approval = approval
        self.place = place
        self.occurrence = occurrence
        self.findings = findings
        self.isRecalling = isRecalling
    }

    // MARK: - The value of what the plan does not know

    /// The data with the value of every unknown.
    mutating func settled(_ planned: Value) throws(Unsettled) -> Value {
        switch planned {
        case .null, .bool, .integer, .double, .string: return planned
        case .array(let elements):
            var settled: [Value] = []
            for element in elements { settled.append(try self.settled(element)) }
            return .array(settled)
        case .object(let members):
            var settled = Object()
            for (name, member) in members { settled[name] = try self.settled(member) }
            return .object(settled)
        case .marked(let marked):
            if let unknown = planned.unknown { return try value(of: unknown) }
            return .string(try text(of: marked.parts))
        }
    }

    /// A text with the value of every unknown in it.
    mutating func text(of parts: [TextPart]) throws(Unsettled) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .plain(let plain): text += plain
            case .unknown(let unknown): text += try value(of: unknown).asText
            case .secret(let secret): text += secret.value.asText
            }
        }
        return text
    }

    /// The value that an unknown has in this run.
    mutating func value(of unknown: Unknown) throws(Unsettled) -> Value {
        if let known = finding(unknown), !isOutdated(known, unknown) { return known.value }
        let value: Value
        switch unknown.origin {
        case .computed(let derivation): value = try result(of: derivation, unknown)
        case .oneOf(let alternatives):
            var values: Set<Value> = []
            for alternative in alternatives {
                if let value = try? settled(alternative) { values.insert(value) }
            }
            guard values.count == 1, let only = values.first else { throw notKnown(unknown) }
            value = only
        case .secret(let name): value = try secret(name, unknown)
        case .run, .element, .pending: throw notKnown(unknown)
        }
        keep(value, for: unknown)
        return value
    }

    func notKnown(_ unknown: Unknown) -> Unsettled {
        Unsettled(words: "\(Drawing.of(unknown)) is not known yet")
    }

    /// The value that was found in the same rounds of the loops around both places.
    private func finding(_ unknown: Unknown) -> Approval.Finding? {
        added.last(unknown, at: place, occurrence, approval.places)
            ?? findings.last(unknown, at: place, occurrence, approval.places)
    }

    /// Whether what was computed may be another value by now, because what it was computed from has changed.
    private func isOutdated(_ known: Approval.Finding, _ unknown: Unknown) -> Bool {
        guard case .computed(let derivation) = unknown.origin, approval.hasChanged.withLock({ $0 }) else {
            return false
        }
        var reading = self
        guard let now = try? reading.result(of: derivation, unknown), now != known.value,
            let other = try? reading.result(of: derivation, unknown, at: .distantPast)
        else { return false }
        return now == other
    }

    private mutating func keep(_ value: Value, for unknown: Unknown, isRaw: Bool = false) {
        if let known = finding(unknown), known.value != value { approval.hasChanged.withLock { $0 = true } }
        added.add(Approval.Finding(place: place, occurrence: occurrence, value: value, isRaw: isRaw), for: unknown)
    }

    private mutating func result(
        of derivation: Derivation, _ unknown: Unknown, at time: Date? = nil
    ) throws(Unsettled) -> Value {
        if Derivation.ofRun.contains(derivation.expression) { return try found(derivation, unknown) }
        let input = try settled(derivation.input)
        var variables: [String: Value] = [:]
        for (name, value) in derivation.variables { variables[name] = try settled(value) }
        let task = approval.places.all[place].task.reference
        let moment = time ?? approval.moment(of: TaskExecution(task, occurrence.joined(separator: "/")))
        do {
            let expression = try Expression(derivation.expression)
            var value = try expression.first(
                input, variables: variables, environment: Expression.Environment(now: { moment }))
            for key in derivation.path {
                switch (key, value) {
                case (.string(let name), .object(let members)): value = members[name] ?? .null
                case (.integer(let index), .array(let elements)):
                    value = elements.indices.contains(index) ? elements[index] : .null
                default: value = .null
                }
            }
            return value
        } catch {
            throw Unsettled(words: "\(Drawing.of(unknown)) cannot be computed: \(error.message)")
        }
    }

    private func secret(_ name: String, _ unknown: Unknown) throws(Unsettled) -> Value {
        var value = approval.secrets[name]?.revealed
        for key in unknown.name.dropFirst("secrets.\(name)".count).split(separator: ".") {
            value = value?[String(key)] ?? Int(key).flatMap { value?[$0] }
        }
        guard let value else { throw notKnown(unknown) }
        return value
    }

    // MARK: - What the run finds out

    /// Compares data of the run with the plan's, and finds out what the unknowns in it stand for.
    mutating func take(_ real: Value, as planned: Value) throws(Unsettled) {
        if let digest = real["blob"]?.string, let size = real["size"]?.integer {
            approval.sizes.withLock { $0[digest] = size }
        }
        switch (planned, real) {
        case (.marked(let marked), _):
            if let unknown = planned.unknown { return try take(real, as: unknown) }
            guard let text = real.string else { throw Self.differ(planned, real) }
            try take(text, as: marked.parts, planned)
        case (.array(let mine), .array(let theirs)):
            guard mine.count == theirs.count else { throw Self.differ(planned, real) }
            for (one, other) in zip(mine, theirs) { try take(other, as: one) }
        case (.object(let mine), .object(let theirs)):
            guard mine.count == theirs.count else { throw Self.differ(planned, real) }
            for (name, member) in mine {
                guard let other = theirs[name] else { throw Self.differ(planned, real) }
                try take(other, as: member)
            }
        default: guard planned == real else { throw Self.differ(planned, real) }
        }
    }

    private mutating func take(_ real: Value, as unknown: Unknown) throws(Unsettled) {
        if let known = finding(unknown), !(known.isRaw && known.place == place) {
            guard known.value != real else { return }
            // What may be one of several values, or was found before a jump back, can change.
            switch unknown.origin {
            case .oneOf, .computed: break
            case .run, .element:
                guard known.place == place, known.occurrence != occurrence else {
                    throw Self.differ(.unknown(unknown), real)
                }
            case .secret, .pending: throw Self.differ(.unknown(unknown), real)
            }
        }
        guard unknown.shape.fits(real) else {
            throw Unsettled(words: "\(Drawing.of(unknown)) is \(real.described), and of another type in the plan")
        }
        switch unknown.origin {
        case .run, .element, .pending: break
        case .secret: guard try value(of: unknown) == real else { throw Self.differ(.unknown(unknown), real) }
        case .computed(let derivation):
            let expected: Value
            do throws(Unsettled) { expected = try result(of: derivation, unknown) } catch {
                guard isRecalling else { throw error }
                break
            }
            // What depends on the time has the value that it had when the run computed it.
            let other = expected == real ? expected : try result(of: derivation, unknown, at: .distantPast)
            guard expected == real || other != expected else {
                throw Self.differ(.unknown(unknown), real)
            }
        case .oneOf(let alternatives):
            let isOne = alternatives.contains { alternative in
                var attempt = self
                guard (try? attempt.take(real, as: alternative)) != nil else { return false }
                self = attempt
                return true
            }
            guard isOne else { throw Self.differ(.unknown(unknown), real) }
        }
        keep(real, for: unknown)
        if case .object(let members) = unknown.shape {
            // A member that is not there, or of another type, is unknown where the plan uses it.
            for (name, member) in members {
                if let unknown = member.unknown, !unknown.shape.fits(real[name] ?? .null) { continue }
                try take(real[name] ?? .null, as: member)
            }
        }
    }

    /// A text, of whose parts one may be unknown as yet.
    private mutating func take(_ real: String, as parts: [TextPart], _ planned: Value) throws(Unsettled) {
        var before = ""
        var open: Unknown?
        var after = ""
        for part in parts {
            let text: String
            if case .unknown(let unknown) = part, (try? value(of: unknown)) == nil {
                guard open == nil else {
                    if isRecalling { return }
                    throw notKnown(unknown)
                }
                open = unknown
                continue
            }
            text = try self.text(of: [part])
            if open == nil { before += text } else { after += text }
        }
        guard let open else {
            guard before == real else { throw Self.differ(planned, .string(real)) }
            return
        }
        guard real.utf8.count >= before.utf8.count + after.utf8.count, real.hasPrefix(before), real.hasSuffix(after)
        else { throw Self.differ(planned, .string(real)) }
        let rest = real.utf8.dropFirst(before.utf8.count).dropLast(after.utf8.count)
        try take(.string(String(decoding: rest, as: UTF8.self)), as: open)
    }

    /// Finds out the unknowns of an answer, whose other parts are only an example's.
    mutating func learn(_ real: Value, as planned: Value) {
        switch (planned, real) {
        case (.marked(let marked), _):
            guard let unknown = planned.unknown else {
                // An example's address of an upload session has a host of its own.
                if marked.parts.count == 2, case .plain = marked.parts[0], case .unknown(let unknown) = marked.parts[1],
                    unknown.shape.fits(real)
                {
                    keep(real, for: unknown, isRaw: true)
                }
                return
            }
            switch (unknown.shape, real) {
            case (.object(let members), .object):
                keep(real, for: unknown, isRaw: true)
                learn(real, as: .object(members))
            case (.array, .array): keep(real, for: unknown, isRaw: true)
            default: if unknown.shape.fits(real) { keep(real, for: unknown, isRaw: true) }
            }
        case (.array(let mine), .array(let theirs)): for (one, other) in zip(mine, theirs) { learn(other, as: one) }
        case (.object(let mine), .object(let theirs)):
            for (name, member) in mine { if let other = theirs[name] { learn(other, as: member) } }
        default: break
        }
    }

    mutating func learn(_ bytes: Data, as unknown: Unknown) {
        keep(.string("sha256:\(SHA256.hex(of: bytes))"), for: unknown, isRaw: true)
    }

    private static func differ(_ planned: Value, _ real: Value) -> Unsettled {
        func line(_ value: Value) -> String { PlainText.line(value.drawn().json(), limit: 120) }
        return Unsettled(words: "\(line(real)) is not \(line(planned))")
    }
}

extension Unknown.Shape {
    /// Whether a value is of this shape's type.
    func fits(_ value: Value) -> Bool {
        switch (self, value) {
        case (.any, _), (.text, .string), (.number, .integer), (.number, .double), (.boolean, .bool): true
        case (.object, .object), (.array, .array): true
        default: false
        }
    }
}

extension Value {
    /// The value inside a text.
    var asText: String { string ?? json() }
}
