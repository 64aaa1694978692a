extension Parser {
    mutating func string() throws(ExpressionError) -> Syntax {
        guard case .format(let name) = token.kind else { return try string(format: nil, at: token.offset) }
        let offset = token.offset
        try advance()
        return try string(format: name, at: offset)
    }

    mutating func string(format: String?, at offset: Int) throws(ExpressionError) -> Syntax {
        guard token.kind == .quote else { throw unexpected(expecting: "a string") }
        if let format { try checkFormat(format, at: offset) }
        var pieces: [Syntax.Piece] = []
        while true {
            let (text, interpolates) = try stringText()
            if !text.isEmpty { pieces.append(.text(text)) }
            guard interpolates else { break }
            try advance()
            pieces.append(.interpolation(try pipe()))
            guard token.isSymbol(")") else { throw unexpected(expecting: "')'") }
        }
        try advance()
        switch pieces.first {
        case nil: return .constant(.string(""))
        case .text(let text) where pieces.count == 1: return .constant(.string(text))
        default: return .string(format: format, pieces)
        }
    }

    func checkFormat(_ name: String, at offset: Int) throws(ExpressionError) {
        guard Format(rawValue: name) != nil else {
            throw ExpressionError("\(name) is not a valid format", offset: offset)
        }
    }

    mutating func object() throws(ExpressionError) -> Syntax {
        try expect("{")
        var members: [Syntax.Member] = []
        if try accept("}") { return .object([]) }
        repeat { members.append(try member()) } while try accept(",") && !token.isSymbol("}")
        try expect("}")
        return .object(members)
    }

    private mutating func member() throws(ExpressionError) -> Syntax.Member {
        let start = token
        switch start.kind {
        case .variable(let name):
            try advance()
            let key = Syntax.constant(.string(name))
            if try accept(":") { return Syntax.Member(key: .variable(name, offset: start.offset), value: try value()) }
            let value: Syntax =
                name == "__loc__" ? .location(line: line(of: start.offset)) : .variable(name, offset: start.offset)
            return Syntax.Member(key: key, value: value)
        case .identifier(let name), .keyword(let name):
            try advance()
            let key = Syntax.constant(.string(name))
            if try accept(":") { return Syntax.Member(key: key, value: try value()) }
            return Syntax.Member(key: key, value: .index(.identity, key: key, isOptional: false))
        case .quote, .format:
            let key = try string()
            if try accept(":") { return Syntax.Member(key: key, value: try value()) }
            return Syntax.Member(key: key, value: .index(.identity, key: key, isOptional: false), isShorthand: true)
        case .symbol("("):
            try advance()
            let key = try pipe()
            try expect(")")
            try expect(":")
            return Syntax.Member(key: key, value: try value())
        default: throw unexpected(expecting: "a name")
        }
    }

    /// A member's value: what may precede `as`, and pipes between.
    private mutating func value() throws(ExpressionError) -> Syntax {
        var parts = [try alternative()]
        while try accept("|") {
            parts.append(try alternative())
            try limit(parts.count)
        }
        guard token.isSymbol(",") || token.isSymbol("}") else { throw unexpected(expecting: "',' or '}'") }
        return parts.count == 1 ? parts[0] : .pipe(parts)
    }

    /// One or more destructuring patterns, separated by `?//`.
    mutating func patterns() throws(ExpressionError) -> [Syntax.Pattern] {
        var patterns = [try pattern(depth: 0)]
        while try accept("?//") { patterns.append(try pattern(depth: 0)) }
        return patterns
    }

    private mutating func pattern(depth: Int) throws(ExpressionError) -> Syntax.Pattern {
        if depth > 64 { throw ExpressionError("the pattern is nested too deeply", offset: token.offset) }
        if case .variable(let name) = token.kind {
            try advance()
            return .variable(name)
        }
        if try accept("[") {
            var elements: [Syntax.Pattern] = []
            repeat { elements.append(try pattern(depth: depth + 1)) } while try accept(",")
            try expect("]")
            return .array(elements)
        }
        try expect("{")
        var members: [Syntax.Pattern.Member] = []
        repeat { members.append(try patternMember(depth: depth)) } while try accept(",")
        try expect("}")
        return .object(members)
    }

    private mutating func patternMember(depth: Int) throws(ExpressionError) -> Syntax.Pattern.Member {
        var member = Syntax.Pattern.Member()
        switch token.kind {
        case .variable(let name):
            try advance()
            member.variable = name
            if try accept(":") { member.pattern = try pattern(depth: depth + 1) }
            return member
        case .identifier(let name), .keyword(let name):
            try advance()
            member.key = .constant(.string(name))
        case .quote, .format: member.key = try string()
        case .symbol("("):
            try advance()
            member.key = try pipe()
            try expect(")")
        default: throw unexpected(expecting: "a name")
        }
        try expect(":")
        member.pattern = try pattern(depth: depth + 1)
        return member
    }

    /// `def name: body;` or `def name(a; $b): body;`.
    mutating func definition() throws(ExpressionError) -> Syntax.Definition {
        let offset = token.offset
        try expect(keyword: "def")
        let name: String
        switch token.kind {
        case .identifier(let text), .keyword(let text): name = text
        default: throw unexpected(expecting: "a function's name")
        }
        try advance()
        var parameters: [Syntax.Definition.Parameter] = []
        if try accept("(") {
            repeat {
                switch token.kind {
                case .identifier(let text), .keyword(let text):
                    parameters.append(Syntax.Definition.Parameter(name: text, isValue: false))
                case .variable(let text): parameters.append(Syntax.Definition.Parameter(name: text, isValue: true))
                default: throw unexpected(expecting: "a parameter's name")
                }
                try advance()
            } while try accept(";")
            try expect(")")
        }
        try expect(":")
        let body = try pipe()
        try expect(";")
        return Syntax.Definition(name: name, parameters: parameters, body: body, offset: offset)
    }
}
