extension Parser {
    mutating func operand() throws(ExpressionError) -> Syntax {
        try nested { (parser: inout Parser) throws(ExpressionError) in
            switch parser.token.kind {
            case .keyword("def"): return try parser.pipe()
            case .keyword("label"): return try parser.label()
            case .keyword("try"): return try parser.optional(parser.attempt())
            case .symbol("-"):
                try parser.advance()
                return .negate(try parser.operand())
            default: return try parser.postfix()
            }
        }
    }

    private mutating func label() throws(ExpressionError) -> Syntax {
        try advance()
        guard case .variable(let name) = token.kind else { throw unexpected(expecting: "a label such as '$out'") }
        try advance()
        try expect("|")
        return .label(name, body: try pipe())
    }

    private mutating func attempt() throws(ExpressionError) -> Syntax {
        try advance()
        let body = try attempted()
        guard token.isKeyword("catch") else { return .attempt(body, handler: nil) }
        try advance()
        return .attempt(body, handler: try attempted())
    }

    /// The body of `try` or `catch`: a term, or one of the few constructs that start with a keyword.
    private mutating func attempted() throws(ExpressionError) -> Syntax {
        try nested { (parser: inout Parser) throws(ExpressionError) in
            switch parser.token.kind {
            case .keyword("try"): return try parser.attempt()
            case .keyword("label"), .keyword("def"): return try parser.operand()
            case .symbol("-"):
                try parser.advance()
                return .negate(try parser.attempted())
            default: return try parser.postfix()
            }
        }
    }

    private mutating func optional(_ syntax: Syntax) throws(ExpressionError) -> Syntax {
        var syntax = syntax
        var count = 0
        while try accept("?") {
            syntax = .attempt(syntax, handler: nil)
            count += 1
            try limit(count)
        }
        return syntax
    }

    /// A term with all its suffixes: names, brackets and question marks.
    mutating func postfix() throws(ExpressionError) -> Syntax {
        try nested { (parser: inout Parser) throws(ExpressionError) in
            var term = try parser.term()
            var count = 0
            while let longer = try parser.suffix(of: term) {
                term = longer
                count += 1
                try parser.limit(count)
            }
            return term
        }
    }

    /// Throws if the syntax tree would be too deep for recursive functions.
    mutating func limit(_ count: Int) throws(ExpressionError) {
        note(depth: count)
        if count > Self.maximumHeight {
            throw ExpressionError("more than \(Self.maximumHeight) steps in a row", offset: token.offset)
        }
    }

    private mutating func suffix(of term: Syntax) throws(ExpressionError) -> Syntax? {
        switch token.kind {
        case .field(let name):
            try advance()
            return .index(term, key: .constant(.string(name)), isOptional: try accept("?"))
        case .symbol("?"):
            try advance()
            return .attempt(term, handler: nil)
        case .symbol("["): return try brackets(behind: term)
        case .symbol("."):
            try advance()
            switch token.kind {
            case .symbol("["): return try brackets(behind: term)
            case .quote, .format: return .index(term, key: try string(), isOptional: try accept("?"))
            default: throw unexpected(expecting: "a name")
            }
        default: return nil
        }
    }

    /// `[]`, `[key]`, `[from:to]`, `[from:]` or `[:to]`.
    private mutating func brackets(behind term: Syntax) throws(ExpressionError) -> Syntax {
        try expect("[")
        if try accept("]") { return .iterate(term, isOptional: try accept("?")) }
        if try accept(":") {
            let end = try pipe()
            try expect("]")
            return .slice(term, from: nil, to: end, isOptional: try accept("?"))
        }
        let key = try pipe()
        if try accept("]") { return .index(term, key: key, isOptional: try accept("?")) }
        try expect(":")
        if try accept("]") { return .slice(term, from: key, to: nil, isOptional: try accept("?")) }
        let end = try pipe()
        try expect("]")
        return .slice(term, from: key, to: end, isOptional: try accept("?"))
    }

    private mutating func term() throws(ExpressionError) -> Syntax {
        let start = token
        switch start.kind {
        case .number(let number):
            try advance()
            return .constant(number)
        case .quote: return try string()
        case .format(let name):
            try advance()
            guard token.kind == .quote else {
                try checkFormat(name, at: start.offset)
                return .format(name)
            }
            return try string(format: name, at: start.offset)
        case .field(let name):
            try advance()
            return .index(.identity, key: .constant(.string(name)), isOptional: try accept("?"))
        case .variable(let name):
            try advance()
            return name == "__loc__" ? .location(line: line(of: start.offset)) : .variable(name, offset: start.offset)
        case .identifier(let name): return try call(name)
        case .keyword("reduce"), .keyword("foreach"): return try fold(isReduce: start.isKeyword("reduce"))
        case .keyword("if"): return try conditional()
        case .keyword("break"):
            try advance()
            guard case .variable(let name) = token.kind else { throw unexpected(expecting: "a label such as '$out'") }
            try advance()
            return .leave(name, offset: start.offset)
        case .symbol("."):
            try advance()
            switch token.kind {
            case .quote, .format: return .index(.identity, key: try string(), isOptional: try accept("?"))
            default: return .identity
            }
        case .symbol(".."):
            try advance()
            return .descend
        case .symbol("("):
            try advance()
            let inner = try pipe()
            try expect(")")
            return inner
        case .symbol("["):
            try advance()
            if try accept("]") { return .array(nil) }
            let inner = try pipe()
            try expect("]")
            return .array(inner)
        case .symbol("{"): return try object()
        default: throw unexpected()
        }
    }

    private mutating func call(_ name: String) throws(ExpressionError) -> Syntax {
        let offset = token.offset
        try advance()
        var arguments: [Syntax] = []
        if try accept("(") {
            repeat { arguments.append(try pipe()) } while try accept(";")
            try expect(")")
        }
        return .call(name, arguments, offset: offset)
    }

    private mutating func conditional() throws(ExpressionError) -> Syntax {
        var branches: [Syntax.Branch] = []
        repeat {
            try advance()
            let condition = try pipe()
            try expect(keyword: "then")
            branches.append(Syntax.Branch(condition: condition, result: try pipe()))
            try limit(branches.count)
        } while token.isKeyword("elif")
        var otherwise: Syntax?
        if token.isKeyword("else") {
            try advance()
            otherwise = try pipe()
        }
        try expect(keyword: "end")
        return .conditional(branches, otherwise: otherwise)
    }

    private mutating func fold(isReduce: Bool) throws(ExpressionError) -> Syntax {
        try advance()
        let source = try alternative()
        try expect(keyword: "as")
        let patterns = try patterns()
        try expect("(")
        let start = try pipe()
        try expect(";")
        let update = try pipe()
        if isReduce {
            try expect(")")
            return .reduce(source, patterns, start: start, update: update)
        }
        var extract: Syntax?
        if try accept(";") { extract = try pipe() }
        try expect(")")
        return .foreach(source, patterns, start: start, update: update, extract: extract)
    }
}
