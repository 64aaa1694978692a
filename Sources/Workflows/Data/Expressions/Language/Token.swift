struct Token: Equatable {
    enum Kind: Equatable {
        case identifier(String)
        case keyword(String)
        case field(String)
        case variable(String)
        case format(String)
        case number(Value)
        /// The opening quote; the parser reads the rest, because it may contain expressions.
        case quote
        case symbol(String)
        case end
    }

    var kind: Kind
    var offset: Int

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol(symbol) }

    func isKeyword(_ keyword: String) -> Bool { kind == .keyword(keyword) }

    var description: String {
        switch kind {
        case .identifier(let name), .keyword(let name): "'\(name)'"
        case .field(let name): "'.\(name)'"
        case .variable(let name): "'$\(name)'"
        case .format(let name): "'@\(name)'"
        case .number: "a number"
        case .quote: "a string"
        case .symbol(let symbol): "'\(symbol)'"
        case .end: "end of the expression"
        }
    }
}
