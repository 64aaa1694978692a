extension Scope {
    /// Matches an event with a filter; an expression that fails does not match.
    ///
    /// Specification: dsl-reference.md, "Event Filter". A text is compared literally and as a regular expression for
    /// the whole attribute. An expression is evaluated on the attribute; it returns whether the attribute matches, or
    /// the value that it must equal. If the data is an object, each member that the filter names is compared this way.
    /// - Returns: The keys with those of the event, or nil if it does not match.
    func match(
        _ filter: EventFilter, _ event: CloudEvent, _ keys: Object, input: Value
    ) -> Object? {
        for (name, pattern) in filter.attributes {
            guard let actual = event[name], fits(actual, pattern) else { return nil }
        }
        var keys = keys
        for (name, correlation) in filter.correlations {
            guard let value = try? evaluate(correlation.from, event.envelope), value != .null else { return nil }
            if let expect = correlation.expect {
                guard let wanted = try? evaluate(expect, input), wanted.revealed == value.revealed else {
                    return nil
                }
            } else if let known = keys[name], known.revealed != value.revealed {
                return nil
            }
            keys[name] = value
        }
        return keys
    }

    private func fits(_ actual: Value, _ pattern: EventPattern) -> Bool {
        switch pattern {
        case .expression(let template):
            guard let result = try? evaluate(template, actual) else { return false }
            if case .bool(let fits) = result { return fits }
            return result.revealed == actual.revealed
        case .text(let text):
            guard let string = actual.revealed.string else { return false }
            return string == text || string.matchesWholly(text)
        case .object(let members):
            guard let object = actual.object else { return false }
            return members.allSatisfy { name, pattern in object[name].map { fits($0, pattern) } ?? false }
        case .value(let value): return actual.revealed == value
        }
    }
}

extension String {
    /// Whether the whole text matches a regular expression; an invalid one matches nothing.
    fileprivate func matchesWholly(_ pattern: String) -> Bool {
        // Most filters name a type, whose only special characters are dots.
        guard pattern.contains(where: { "\\^$|?*+()[]{}".contains($0) }), let test = Self.test else { return false }
        let variables: [String: Value] = ["pattern": .string("^(?:\(pattern))$")]
        return (try? test.first(.string(self), variables: variables)) == true
    }

    private static let test = try? Expression("test($pattern)")
}
