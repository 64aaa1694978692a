struct OptionSyntax: Sendable {
    enum Argument: Sendable {
        case none
        /// A required value, shown as that word: `--input JSON`.
        case required(String)
        /// Two values, shown as those words: `--arg NAME VALUE`.
        case pair(String, String)
        /// An optional value after an equals sign: `--sandbox=PROFILE`.
        case optional(String)
    }

    let name: String
    var letter: Character?
    var argument = Argument.none
    var isRepeatable = false
    let help: String
    var offer = Completion.Offer.nothing
    /// Whether the value names a file or folder that the command writes.
    var isOutput = false
    /// Why this command refuses an option of other commands; nil if it takes the option.
    var refusal: String?

    var dashed: String { "--\(name)" }
}

/// An option with a value: `@Option("limit", "N", "List at most N runs.", as: .count(from: 1)) var limit: Int?`.
///
/// The property's type says how often it can be given: once for an optional, any number of times for an array. A
/// property with a value has a default.
@propertyWrapper
struct Option<Value: Sendable>: DeclaredOption {
    private(set) var syntax: OptionSyntax
    private let standard: Value
    private let convert: @Sendable ([String]) throws -> Value
    private let taken = Locked<(value: Value, words: [String])?>(nil)

    var wrappedValue: Value { taken.withLock { $0?.value } ?? standard }
    var projectedValue: Self { self }
    var isGiven: Bool { taken.withLock { $0 != nil } }
    var words: [String] { taken.withLock { $0?.words } ?? [] }

    func take(_ words: [String]) throws {
        let value = try convert(words)
        taken.withLock { $0 = (value, words) }
    }

    private init(
        _ name: String, letter: Character? = nil, _ argument: OptionSyntax.Argument, _ help: String,
        isRepeatable: Bool = false, _ offer: Completion.Offer?, _ standard: Value,
        _ convert: @escaping @Sendable (_ words: [String], _ name: String) throws -> Value
    ) {
        let syntax = OptionSyntax(
            name: name, letter: letter, argument: argument, isRepeatable: isRepeatable, help: help,
            offer: offer ?? .usual(for: argument))
        (self.syntax, self.standard) = (syntax, standard)
        self.convert = { try convert($0, syntax.dashed) }
    }

    /// An option with a default.
    init(
        wrappedValue: Value, _ name: String, _ placeholder: String, _ help: String, as conversion: Conversion<Value>
    ) {
        self.init(name, .required(placeholder), help, conversion.offer, wrappedValue) {
            try conversion.value($0[0], $1)
        }
    }

    /// An option without a default.
    init<One>(_ name: String, _ placeholder: String, _ help: String, as conversion: Conversion<One>)
    where Value == One? {
        self.init(name, .required(placeholder), help, conversion.offer, nil) { try conversion.value($0[0], $1) }
    }

    /// An option whose value can be left out.
    init<One>(_ name: String, optional placeholder: String, _ help: String, as conversion: Conversion<One>)
    where Value == One? {
        self.init(name, .optional(placeholder), help, conversion.offer, nil) { try conversion.value($0[0], $1) }
    }

    /// An option that can be repeated.
    init<One>(
        each name: String, letter: Character? = nil, _ placeholder: String, _ help: String,
        as conversion: Conversion<One>
    ) where Value == [One] {
        self.init(
            name, letter: letter, .required(placeholder), help, isRepeatable: true, conversion.offer, []
        ) { words, name in try words.map { try conversion.value($0, name) } }
    }

    /// An option with a name and a value that can be repeated.
    init<One>(each name: String, _ first: String, _ second: String, _ help: String, as conversion: Conversion<One>)
    where Value == [(name: String, value: One)] {
        self.init(name, .pair(first, second), help, isRepeatable: true, nil, []) { words, name in
            try stride(from: 0, to: words.count, by: 2).map { place in
                (words[place], try conversion.value(words[place + 1], "\(name) \(words[place])"))
            }
        }
    }
}

extension Option<String?> {
    /// An option of other commands that this one refuses, with a reason.
    init(_ name: String, letter: Character? = nil, _ placeholder: String, refused reason: String) {
        self.init(name, placeholder, "")
        (syntax.letter, syntax.refusal) = (letter, reason)
    }

    /// A text as it is given.
    /// - Parameter isOutput: Whether it names a file or folder that the command writes.
    init(
        _ name: String, _ placeholder: String, _ help: String, offering offer: Completion.Offer? = nil,
        isOutput: Bool = false
    ) {
        self.init(name, placeholder, help, as: Conversion(offering: offer) { text, _ in text })
        syntax.isOutput = isOutput
    }
}

extension Option<[String]> {
    /// Texts in the given order.
    init(
        each name: String, letter: Character? = nil, _ placeholder: String, _ help: String,
        offering offer: Completion.Offer? = nil
    ) {
        self.init(each: name, letter: letter, placeholder, help, as: Conversion(offering: offer) { text, _ in text })
    }
}

/// An option without a value: `@Flag("json", "Print JSON.") var wantsJSON`.
@propertyWrapper
struct Flag: DeclaredOption {
    let syntax: OptionSyntax
    private let taken = Locked(false)

    init(_ name: String, letter: Character? = nil, _ help: String) {
        syntax = OptionSyntax(name: name, letter: letter, help: help)
    }

    var wrappedValue: Bool { isGiven }
    var projectedValue: Self { self }
    var isGiven: Bool { taken.withLock { $0 } }
    var words: [String] { [] }

    func take(_ words: [String]) { taken.withLock { $0 = true } }
}
