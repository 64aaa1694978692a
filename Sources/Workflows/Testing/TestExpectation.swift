package struct TestDifference: Sendable {
    package var place: JSONPointer
    package var message: String
    /// The actual value, which would meet the expectation; nil if the place has a condition.
    package var actual: Value?
}

/// Compares the outcome of a run with its expectations.
package struct TestExpectation {
    /// The rule by which data are compared.
    private enum Rule {
        case whole
        /// Only the expected members.
        case members
        /// The actual text contains the expected one.
        case part
        /// The expected text is a pattern, in which `*` matches any characters.
        case pattern
        case addresses
        case duration
    }

    package private(set) var differences: [TestDifference] = []

    /// - Parameters:
    ///   - expected: The `expect` of a test case.
    ///   - place: Its place in the file.
    package init(_ expected: Value, _ outcome: TestOutcome, at place: JSONPointer) {
        let state = expected["state"] ?? (expected["error"] == nil ? "completed" : "faulted")
        if outcome["state"] != state {
            let reason = outcome["error"].map { ": \(Self.short($0))" } ?? ""
            let found = outcome["state"]?.string ?? ""
            differences.append(
                TestDifference(
                    place: expected["state"] == nil ? place : place.appending("state"),
                    message: "expected the state '\(state.string ?? "")', but it is '\(found)'\(reason)",
                    actual: expected["state"] == nil ? nil : outcome["state"]))
        }
        // Report these even if the workflow caught the error, so no case passes by accident.
        for request in outcome.unanswered { report("no 'mock' answers \(request)", at: place) }
        for name in outcome.unmatched {
            report("no request matched '\(PlainText.exact(name, limit: 200))' of 'mock'", at: place)
        }
        for (name, value) in expected.object ?? [:] where name != "state" {
            guard let actual = outcome[name] else {
                if differences.isEmpty || name != "output" && name != "error" {
                    report("there is no \(name)", at: place.appending(name))
                }
                continue
            }
            compare(value, actual, name, Self.rule(of: name), at: place.appending(name))
        }
    }

    private static func rule(of name: String) -> Rule {
        switch name {
        case "output", "tasks": .whole
        case "body": .part
        case "path", "files", "links", "requests", "attachments": .pattern
        case "to", "cc", "bcc", "replyTo": .addresses
        case "waits": .duration
        default: .members
        }
    }

    private mutating func compare(
        _ expected: Value, _ actual: Value, _ name: String, _ rule: Rule, at place: JSONPointer
    ) {
        if let text = expected.string, Template.isExpression(text) { return check(text, actual, at: place) }
        switch (expected, actual) {
        case (.object(let members), .object(let found)):
            compare(members, found, name, rule, at: place)
        case (.array(let elements), .array(let found)):
            guard elements.count == found.count else {
                return report(
                    "expected \(elements.count), but there \(found.count == 1 ? "is" : "are") "
                        + "\(found.count): \(Self.short(Self.brief(actual, name)))",
                    at: place, Self.brief(actual, name))
            }
            for (index, element) in elements.enumerated() {
                compare(element, found[index], name, rule, at: place.appending("\(index)"))
            }
        case (.string(let text), _):
            if !Self.matches(text, actual, name, rule) {
                let brief = Self.brief(actual, name)
                report(
                    rule == .part
                        ? "expected a string that contains this, but it is \(Self.short(brief))"
                        : "expected \(Self.short(expected)), but it is \(Self.short(brief))", at: place,
                    rule == .part ? Optional<Value>.none : brief)
            }
        default:
            if expected != actual {
                report("expected \(Self.short(expected)), but it is \(Self.short(actual))", at: place, actual)
            }
        }
    }

    private mutating func compare(
        _ expected: Object, _ actual: Object, _ name: String, _ rule: Rule, at place: JSONPointer
    ) {
        for (member, value) in expected {
            let inside = place.appending(member)
            guard let found = actual[member] else {
                report(
                    "expected '\(member)', which is missing; there is \(Self.short(.object(actual)))", at: inside)
                continue
            }
            compare(value, found, member, rule == .whole ? .whole : Self.rule(of: member), at: inside)
        }
        guard rule == .whole else { return }
        let others = actual.keys.filter { !expected.contains($0) }
        if let other = others.first {
            report(
                "there is '\(PlainText.exact(other, limit: 100))' as well: \(Self.short(actual[other] ?? .null))",
                at: place, .object(actual))
        }
    }

    private mutating func check(_ text: String, _ actual: Value, at place: JSONPointer) {
        do throws(ExpressionError) {
            let result = try Expression(bare: text).first(actual)
            if result != true { report("this is not true of \(Self.short(actual))", at: place) }
        } catch {
            report("this expression cannot be evaluated for \(Self.short(actual)): \(error.message)", at: place)
        }
    }

    private mutating func report(_ message: String, at place: JSONPointer, _ actual: Value? = nil) {
        differences.append(TestDifference(place: place, message: message, actual: actual))
    }

    private static func matches(_ text: String, _ actual: Value, _ name: String, _ rule: Rule) -> Bool {
        switch rule {
        case .whole, .members: actual == .string(text)
        case .part: actual.string?.contains(text) == true
        case .pattern: brief(actual, name).string.map { text.matches(all: $0) } ?? false
        case .addresses: actual == .string(text) || actual == [.string(text)]
        case .duration:
            Duration(.string(text)).map { $0 == actual.string.flatMap { Duration(.string($0)) } } ?? false
        }
    }

    /// The part that identifies an object in a list, such as a request's method and path, or a file's path.
    private static func brief(_ actual: Value, _ list: String) -> Value {
        switch (actual, list) {
        case (.array(let elements), _): .array(elements.map { brief($0, list) })
        case (.object(let object), "requests"):
            .string("\(object["method"]?.string ?? "") \(object["path"]?.string ?? "")")
        case (.object(let object), "files"), (.object(let object), "links"): object["path"] ?? .null
        case (.object(let object), "attachments"): object["name"] ?? .null
        case (.object(let object), "mails"):
            .object(object.filter { ["to", "subject"].contains($0.key) })
        default: actual
        }
    }

    private static func short(_ value: Value) -> String { PlainText.exact(value.json(), limit: 500) }
}

extension String {
    /// Whether this pattern, in which `*` matches any characters, matches the whole text.
    func matches(all text: String) -> Bool {
        let parts = split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return self == text }
        guard text.count >= first.count + last.count, text.hasPrefix(first), text.hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
