extension Expression {
    /// Something that an expression does with data that cannot be meant.
    package struct TypeFinding: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// It reads a member that an object does not have, or is not known to have.
            case missing(String, known: [String])
            /// It makes a text of what can be null, for that reason.
            case absent(String)
            /// It uses the result of a loop's last round as if it were those of all rounds.
            case lastRound(String)
        }

        package let kind: Kind
        /// Whether no data of this type has what is read; otherwise it may.
        package let isCertain: Bool
        /// Whether the expression only finds out whether it is there.
        package let isTested: Bool
        /// Where the data come from.
        package let source: DataType.Source?

        package init(_ kind: Kind, isCertain: Bool, isTested: Bool, source: DataType.Source?) {
            (self.kind, self.isCertain, self.isTested, self.source) = (kind, isCertain, isTested, source)
        }
    }

    /// What the first output can be, and what cannot be meant.
    ///
    /// - Parameters:
    ///   - input: The type of `.`.
    ///   - variables: The types of variables, without `$`; others can be anything.
    ///   - isTest: Whether the expression is a condition.
    ///   - demandsTexts: Whether null must not become a part of a text in it.
    package func type(
        of input: DataType, variables: [String: DataType], isTest: Bool = false, demandsTexts: Bool = false
    ) -> (type: DataType, findings: [TypeFinding]) {
        // A very deep one would need a larger stack.
        guard let syntax else { return (.anything, []) }
        var inference = TypeInference(variables: variables, demandsTexts: demandsTexts)
        let outputs = inference.outputs(syntax, input, isTest ? .test : .value)
        return (outputs.isCertain ? outputs.type : outputs.type.or(.null), inference.findings)
    }
}

extension Template {
    /// What the data can be once the expressions in it are evaluated.
    ///
    /// - Parameter infer: Returns what an expression at a path can be, which may be a part of a longer text.
    package func type(_ infer: (_ expression: Expression, _ place: JSONPointer, _ isPart: Bool) -> DataType) -> DataType
    {
        root.type(infer)
    }
}

extension Template.Part {
    fileprivate func type(_ infer: (Expression, JSONPointer, Bool) -> DataType) -> DataType {
        switch self {
        case .constant(let value): return DataType(of: value)
        case .expression(let expression, let pointer): return infer(expression, pointer, false)
        case .text(let pieces, let pointer):
            for piece in pieces {
                switch piece {
                case .text: break
                case .expression(let expression), .encoded(let expression): _ = infer(expression, pointer, true)
                }
            }
            return .text
        case .array(let parts): return .array(of: parts.reduce(.nothing) { $0.or($1.type(infer)) })
        case .object(let members):
            return .object(
                members.map { DataType.Member(name: $0.name, type: $0.part.type(infer), isCertain: true) })
        }
    }
}

extension Expression {
    /// What the data are after the expression has looked at them, for expressions that are evaluated if it holds.
    package func checked(
        _ input: DataType, _ variables: [String: DataType]
    ) -> (input: DataType, variables: [String: DataType]) {
        guard let syntax else { return (input, variables) }
        var inference = TypeInference(variables: variables, demandsTexts: false)
        let input = inference.checked(input, by: syntax)
        return (input, inference.variables)
    }

    /// Whether it assigns with `=` where its result decides something, as a whole or as a part of a condition.
    package var isAssignment: Bool { syntax?.isAssignment ?? false }
}

extension Syntax {
    fileprivate var isAssignment: Bool {
        switch self {
        case .assign(.set, _, _): true
        case .binary(.and, let left, let right), .binary(.or, let left, let right):
            left.isAssignment || right.isAssignment
        default: false
        }
    }
}
