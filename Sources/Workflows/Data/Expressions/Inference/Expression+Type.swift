extension Expression {
    /// A use of data that is probably a mistake.
    package struct TypeFinding: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case missing(String, known: [String])
            /// It makes a text of a value that can be null, for this reason.
            case absent(String)
            /// It uses a loop's last result as if it were the results of all iterations.
            case lastRound(String)
        }

        package let kind: Kind
        /// Whether no data of this type has the member; otherwise it may.
        package let isCertain: Bool
        package let isTested: Bool
        package let source: DataType.Source?

        package init(_ kind: Kind, isCertain: Bool, isTested: Bool, source: DataType.Source?) {
            (self.kind, self.isCertain, self.isTested, self.source) = (kind, isCertain, isTested, source)
        }
    }

    /// The first output's type, and probable mistakes.
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
    /// The data's type after its expressions are evaluated.
    ///
    /// - Parameter infer: Returns the type of an expression at a path, which may be a part of a longer text.
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
                case .expression(let expression, _): _ = infer(expression, pointer, true)
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
    /// The types after the expression has tested them, for expressions that are evaluated if it holds.
    package func checked(
        _ input: DataType, _ variables: [String: DataType]
    ) -> (input: DataType, variables: [String: DataType]) {
        guard let syntax else { return (input, variables) }
        var inference = TypeInference(variables: variables, demandsTexts: false)
        let input = inference.checked(input, by: syntax)
        return (input, inference.variables)
    }

    /// Whether it assigns with `=` where its result decides something, as a whole or in a condition.
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
