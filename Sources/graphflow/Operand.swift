struct OperandSyntax: Sendable {
    /// The operand in the usage line.
    let placeholder: String
    /// What the operand names, with its article; nil if the command checks it itself.
    let what: String?
    let hint: String?
    var isRepeatable = false
    let offer: Completion.Offer
}

/// An argument without a name: `@Operand("FILE", "a workflow file", hint: "graphflow run FILE") var file: String`.
///
/// The property's type says how many there are: one, at most one for an optional, all for an array.
@propertyWrapper
struct Operand<Value: Sendable>: DeclaredOperand {
    let syntax: OperandSyntax
    /// Takes words and returns their value; nil if there are too few.
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
    /// A required operand; it cannot be empty unless the command allows that.
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
    /// An optional operand.
    init(_ placeholder: String, _ what: String, hint: String? = nil, offering offer: Completion.Offer? = nil) {
        self.init(placeholder, what, hint, offer, before: nil) { .some($0.popFirst()) }
    }
}

extension Operand<[String]> {
    /// All remaining operands; at least one if `what` is given.
    init(_ placeholder: String, _ what: String? = nil, hint: String? = nil, offering offer: Completion.Offer? = nil) {
        self.init(placeholder, what, hint, offer, before: [], isRepeatable: true) { words in
            defer { words = [] }
            return words.isEmpty && what != nil ? nil : Array(words)
        }
    }
}
