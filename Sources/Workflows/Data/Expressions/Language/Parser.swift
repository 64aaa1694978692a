struct Parser {
    /// The maximum nesting; real expressions stay below ten.
    static let maximumHeight = 256

    private var lexer: Lexer
    private(set) var token: Token
    private var height = 0
    private let stack: StackMark
    /// Set if the stack was too small, so the caller can retry on a larger one.
    private(set) var ranOutOfStack = false
    /// Whether traversing the syntax tree may need more stack than every thread has.
    private(set) var isDeep = false

    init(_ source: String, stack: StackMark) throws(ExpressionError) {
        lexer = Lexer(source)
        self.stack = stack
        token = try lexer.next()
    }

    mutating func expression() throws(ExpressionError) -> Syntax {
        if token.isKeyword("module") || token.isKeyword("import") || token.isKeyword("include") {
            throw ExpressionError("modules are not available in expressions", offset: token.offset)
        }
        let syntax = token.kind == .end ? .identity : try pipe()
        guard token.kind == .end else { throw unexpected() }
        return syntax
    }

    mutating func advance() throws(ExpressionError) { token = try lexer.next() }

    mutating func accept(_ symbol: String) throws(ExpressionError) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(ExpressionError) {
        guard token.isSymbol(symbol) else { throw unexpected(expecting: "'\(symbol)'") }
        try advance()
    }

    mutating func expect(keyword: String) throws(ExpressionError) {
        guard token.isKeyword(keyword) else { throw unexpected(expecting: "'\(keyword)'") }
        try advance()
    }

    func unexpected(expecting wanted: String? = nil) -> ExpressionError {
        ExpressionError(
            "unexpected \(token.description)" + (wanted.map { ", expected \($0)" } ?? ""), offset: token.offset)
    }

    func line(of offset: Int) -> Int { lexer.line(of: offset) }

    mutating func stringText() throws(ExpressionError) -> (text: String, interpolates: Bool) { try lexer.stringText() }

    /// Records a node this many levels below the current one.
    mutating func note(depth: Int) { isDeep = isDeep || height + depth > 48 }

    mutating func nested(
        _ body: (inout Parser) throws(ExpressionError) -> Syntax
    ) throws(ExpressionError) -> Syntax {
        height += 1
        defer { height -= 1 }
        note(depth: 0)
        if height > Self.maximumHeight || stack.isExhausted {
            ranOutOfStack = height <= Self.maximumHeight
            throw ExpressionError(
                "the expression is nested more than \(Self.maximumHeight) levels deep", offset: token.offset)
        }
        return try body(&self)
    }

    /// Everything allowed inside parentheses.
    mutating func pipe() throws(ExpressionError) -> Syntax {
        try nested { (parser: inout Parser) throws(ExpressionError) in
            if parser.token.isKeyword("def") { return try parser.definitions() }
            var parts = [try parser.comma()]
            while try parser.accept("|") {
                if parser.token.isKeyword("def") {
                    parts.append(try parser.definitions())
                    break
                }
                parts.append(try parser.comma())
                try parser.limit(parts.count)
            }
            return parts.count == 1 ? parts[0] : .pipe(parts)
        }
    }

    private mutating func definitions() throws(ExpressionError) -> Syntax {
        var definitions: [Syntax.Definition] = []
        while token.isKeyword("def") { definitions.append(try definition()) }
        return .define(definitions, body: try pipe())
    }

    private mutating func comma() throws(ExpressionError) -> Syntax {
        var parts = [try binding()]
        while try accept(",") { parts.append(try binding()) }
        return parts.count == 1 ? parts[0] : .comma(parts)
    }

    /// `source as $name | body`, in which the source has all operators except `,` and `|`.
    private mutating func binding() throws(ExpressionError) -> Syntax {
        let source = try alternative()
        guard token.isKeyword("as") else { return source }
        try advance()
        let patterns = try patterns()
        try expect("|")
        return .bind(source, patterns, body: try pipe())
    }

    /// Everything that may precede `as` or be a member's value: operators and their operands.
    mutating func alternative() throws(ExpressionError) -> Syntax {
        var parts = [try assignment()]
        while try accept("//") { parts.append(try assignment()) }
        note(depth: parts.count)
        return try foldRight(parts)
    }

    private func foldRight(_ parts: [Syntax]) throws(ExpressionError) -> Syntax {
        guard parts.count <= Self.maximumHeight, var result = parts.last else { throw tooManyOperators() }
        for part in parts.dropLast().reversed() { result = .binary(.alternative, part, result) }
        return result
    }

    private mutating func assignment() throws(ExpressionError) -> Syntax {
        let target = try or()
        guard case .symbol(let symbol) = token.kind else { return target }
        let kind: Syntax.Assignment
        switch symbol {
        case "=": kind = .set
        case "|=": kind = .modify
        case "+=", "-=", "*=", "/=", "%=", "//=":
            guard let combined = Syntax.Operator(rawValue: String(symbol.dropLast())) else { return target }
            kind = .combine(combined)
        default: return target
        }
        try advance()
        return .assign(kind, target, try or())
    }

    private mutating func or() throws(ExpressionError) -> Syntax {
        try leftAssociative([.or]) { (parser: inout Parser) throws(ExpressionError) in
            try parser.leftAssociative([.and]) { (parser: inout Parser) throws(ExpressionError) in
                try parser.comparison()
            }
        }
    }

    private mutating func comparison() throws(ExpressionError) -> Syntax {
        let left = try sum()
        guard let found = currentOperator([.equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual]) else {
            return left
        }
        try advance()
        return .binary(found, left, try sum())
    }

    private mutating func sum() throws(ExpressionError) -> Syntax {
        try leftAssociative([.add, .subtract]) { (parser: inout Parser) throws(ExpressionError) in
            try parser.product()
        }
    }

    mutating func product() throws(ExpressionError) -> Syntax {
        try leftAssociative([.multiply, .divide, .remainder]) { (parser: inout Parser) throws(ExpressionError) in
            try parser.operand()
        }
    }

    private mutating func leftAssociative(
        _ operators: [Syntax.Operator], operand: (inout Parser) throws(ExpressionError) -> Syntax
    ) throws(ExpressionError) -> Syntax {
        var result = try operand(&self)
        var count = 0
        while let found = currentOperator(operators) {
            try advance()
            result = .binary(found, result, try operand(&self))
            count += 1
            note(depth: count)
            if count > Self.maximumHeight { throw tooManyOperators() }
        }
        return result
    }

    private func tooManyOperators() -> ExpressionError {
        ExpressionError("more than \(Self.maximumHeight) operators in a row", offset: token.offset)
    }

    private func currentOperator(_ operators: [Syntax.Operator]) -> Syntax.Operator? {
        let text: String
        switch token.kind {
        case .symbol(let symbol): text = symbol
        case .keyword(let keyword): text = keyword
        default: return nil
        }
        return operators.first { $0.rawValue == text }
    }
}
