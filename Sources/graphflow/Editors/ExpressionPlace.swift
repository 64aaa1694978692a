/// An expression in a text, with what it can read.
struct ExpressionPlace {
    let expression: WrittenExpression
    /// The scalar around it.
    let pointer: JSONPointer
    /// The offset in bytes of each character of that scalar, and its end.
    private let characters: [Int]
    /// The offset that was asked for, in characters of the expression.
    let cursor: Int
    private let analysis: Analysis

    /// The expression at an offset in bytes; nil if there is none.
    init?(_ analysis: Analysis, at offset: Int) {
        guard let place = analysis.document.place(at: offset), place.kind == .value else { return nil }
        var characters = analysis.document.characters(of: place.pointer)
        var text = analysis.document.value[place.pointer]?.string
        if characters.isEmpty, !place.bytes.isEmpty {
            // A scalar that is not closed yet: its source stands for it.
            let source = analysis.text[place.bytes]
            text = source
            var next = place.bytes.lowerBound
            characters = source.unicodeScalars.map { scalar in
                defer { next += scalar.utf8.count }
                return next
            }
            characters.append(next)
        }
        guard let text, let index = characters.firstIndex(where: { $0 >= offset }) else { return nil }
        (self.characters, self.analysis, pointer) = (characters, analysis, place.pointer)
        if let inside = WrittenExpression(around: index, of: text) {
            expression = inside
        } else if !text.contains("${"), analysis.isBareExpression(place.pointer) {
            expression = WrittenExpression(text)
        } else {
            return nil
        }
        cursor = index - expression.offset
    }

    /// The bytes of some characters of the expression.
    func bytes(_ range: Range<Int>) -> Range<Int> {
        func offset(_ index: Int) -> Int { characters[min(index + expression.offset, characters.count - 1)] }
        return offset(range.lowerBound)..<max(offset(range.lowerBound), offset(range.upperBound))
    }

    /// What the expression reads: the scope of the expression itself, or else of its task.
    var scope: TypeFlow.Scope {
        guard let scopes = analysis.model?.flow.scopes else { return TypeFlow.Scope() }
        var place: JSONPointer? = pointer
        while let here = place {
            if let scope = scopes[here] { return scope }
            place = here.parent
        }
        return TypeFlow.Scope()
    }

    /// The variables that have a value here, in alphabetical order.
    var variables: [String] {
        guard let model = analysis.model else { return [] }
        let known = VariablesValidator.variables(at: pointer, of: model.outline)
        let usual = ["context", "input", "secrets", "task", "workflow", "runtime"]
        return (known ?? Set(usual + NameSearch(analysis).locals(at: pointer))).sorted()
    }

    /// What is known where a word stands.
    func known(at word: WrittenExpression.Word) -> (members: DataType?, variables: Set<String>)? {
        let scope = scope
        return expression.known(at: word, input: scope.input, variables: scope.variables)
    }
}

extension Analysis {
    /// Whether a scalar is an expression without `${ }`.
    func isBareExpression(_ pointer: JSONPointer) -> Bool {
        guard let model, case .string(let text)? = document.value[pointer] else { return false }
        guard let name = pointer.tokens.last else { return false }
        let isPlace = ["if", "when", "exceptWhen", "while", "in", "from", "as", "until"].contains(name)
        return isPlace && (model.flow.scopes[pointer] != nil || (try? Workflows.Expression(text)) != nil)
    }
}
