/// How the text of an option becomes a value, and how shells complete it.
struct Conversion<Value: Sendable>: Sendable {
    /// The completions; nil for those of the option's placeholder.
    let offer: Completion.Offer?
    /// The value of a text, for the option that is written as `name`.
    let value: @Sendable (_ text: String, _ name: String) throws -> Value

    init(
        offering offer: Completion.Offer? = nil,
        _ value: @escaping @Sendable (_ text: String, _ name: String) throws -> Value
    ) {
        (self.offer, self.value) = (offer, value)
    }

    /// - Parameters:
    ///   - value: Converts a text; nil if it is not valid.
    ///   - failure: The error for an invalid text.
    init(
        offering offer: Completion.Offer? = nil, _ value: @escaping @Sendable (_ text: String) -> Value?,
        or failure: @escaping @Sendable (_ text: String, _ name: String) -> UsageError
    ) {
        self.init(offering: offer) { text, name in
            guard let value = value(text) else { throw failure(text, name) }
            return value
        }
    }

    /// Looks up the value of a name.
    /// - Parameters:
    ///   - kind: What the names name, in the singular: `format`.
    ///   - purpose: What they are for, appended to the error: ` for a plan`.
    ///   - list: The command that lists all names; nil to list them in the error.
    ///   - value: The value of a name; nil for an unknown name.
    static func named(
        _ kind: String, among names: [String], purpose: String = "", list: String? = nil,
        _ value: @escaping @Sendable (String) -> Value?
    ) -> Conversion {
        Conversion(offering: .names(names), value) { text, _ in
            UsageError(
                "there is no \(kind) '\(text)'\(purpose)",
                hint: Diagnostic.didYouMean(text, among: names) ?? list
                    ?? "choose one of \(names.joined(separator: ", "))")
        }
    }
}

extension Conversion where Value: CaseIterable & RawRepresentable<String> {
    private static var names: [String] { Value.allCases.map(\.rawValue) }

    /// A case by its name.
    /// - Parameters:
    ///   - kind: What the cases are, in the singular: `format`.
    ///   - purpose: What they are for, appended to the error: ` for a plan`.
    static func choice(_ kind: String, purpose: String = "") -> Conversion {
        named(kind, among: names, purpose: purpose) { Value(rawValue: $0) }
    }

    /// A case by its name; the hint lists all cases.
    static func choice(hint: String) -> Conversion {
        Conversion(offering: .names(names), { Value(rawValue: $0) }) { text, name in
            UsageError("'\(name)' cannot be '\(text)'", hint: hint)
        }
    }
}

extension Conversion<Int> {
    static func count(from least: Int) -> Conversion {
        Conversion({ Int($0).flatMap { $0 >= least ? $0 : nil } }) { text, name in
            UsageError("'\(name)' needs a whole number of at least \(least), not '\(text)'")
        }
    }

    static func number(in range: ClosedRange<Int>) -> Conversion {
        Conversion({ Int($0).flatMap { range.contains($0) ? $0 : nil } }) { text, name in
            UsageError(
                "\(name) '\(text)' is not understood",
                hint: "give a number from \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

extension Conversion<UInt16> {
    static var port: Conversion {
        Conversion({ UInt16($0) }) { text, _ in
            UsageError("'\(text)' is not a port", hint: "give a number from 0 to 65535")
        }
    }
}

extension Conversion<Duration> {
    /// A time such as `30s`.
    static func time(from least: Int = 0) -> Conversion {
        Conversion { text in
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
                least...1_000_000 ~= number
            else { return nil }
            return .seconds(number * unit)
        } or: { text, name in
            UsageError(
                "'\(name)' cannot be '\(PlainText.exact(text, limit: 100))'",
                hint: "write a number of seconds, minutes or hours: 30s, 2m, 1h")
        }
    }
}
