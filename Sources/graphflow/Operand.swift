import Promises

/// How an operand is written.
struct OperandSyntax: Sendable {
    /// The operand as the usage line shows it.
    let placeholder: String
    /// What the operand names, with its article; nil if the command itself checks what is given.
    let what: String?
    /// What to do if it is missing.
    let hint: String?
    /// Whether it takes all operands that are left.
    var isRepeatable = false
    /// What shells offer for it.
    let offer: Completion.Offer
}

/// An argument without a name: `@Operand("FILE", "a workflow file", hint: "graphflow run FILE") var file: String`.
///
/// The property's type says how many there are: one, at most one with an optional, or all with an array.
@propertyWrapper
struct Operand<Value: Sendable>: DeclaredOperand {
    let syntax: OperandSyntax
    /// The value of the words that it takes; nil if they are not enough.
    private let convert: @Sendable (inout ArraySlice<String>) -> Value?
    private let value: Locked<Value>

    var wrappedValue: Value { value.withLock { $0 } }

    func take(_ words: inout ArraySlice<String>) -> Bool {
        guard let taken = convert(&words) else { return false }
        value.withLock { $0 = taken }
        return true
    }

    private init(
        _ placeholder: String, _ what: String?, _ hint: String?, _ offer: Completion.Offer?, before value: Value,
        isRepeatable: Bool = false, _ convert: @escaping @Sendable (inout ArraySlice<String>) -> Value?
    ) {
        syntax = OperandSyntax(
            placeholder: placeholder, what: what, hint: hint, isRepeatable: isRepeatable,
            offer: offer ?? .usual(for: .required(placeholder)))
        self.convert = convert
        self.value = Locked(value)
    }
}

extension Operand<String> {
    /// One operand, which must be given, and with other than an empty text unless the command allows that.
    init(
        _ placeholder: String, _ what: String, hint: String, offering offer: Completion.Offer? = nil,
        mayBeEmpty: Bool = false
    ) {
        self.init(placeholder, what, hint, offer, before: "") { words in
            words.popFirst().flatMap { $0.isEmpty && !mayBeEmpty ? nil : $0 }
        }
    }
}

extension Operand<String?> {
    /// One operand, which may be left out.
    init(_ placeholder: String, _ what: String, hint: String? = nil, offering offer: Completion.Offer? = nil) {
        self.init(placeholder, what, hint, offer, before: nil) { .some($0.popFirst()) }
    }
}

extension Operand<[String]> {
    /// All operands that are left; at least one if `what` names one.
    init(_ placeholder: String, _ what: String? = nil, hint: String? = nil, offering offer: Completion.Offer? = nil) {
        self.init(placeholder, what, hint, offer, before: [], isRepeatable: true) { words in
            defer { words = [] }
            return words.isEmpty && what != nil ? nil : Array(words)
        }
    }
}
