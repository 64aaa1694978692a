indirect enum Syntax: Sendable {
    case identity
    case descend
    case constant(Value)
    case string(format: String?, [Piece])
    case format(String)
    case variable(String, offset: Int)
    case location(line: Int)
    /// `.[key]`; a `?` after it suppresses only errors of the access itself, not of the target.
    case index(Syntax, key: Syntax, isOptional: Bool)
    case slice(Syntax, from: Syntax?, to: Syntax?, isOptional: Bool)
    case iterate(Syntax, isOptional: Bool)
    case array(Syntax?)
    case object([Member])
    case negate(Syntax)
    case pipe([Syntax])
    case comma([Syntax])
    case binary(Operator, Syntax, Syntax)
    case assign(Assignment, Syntax, Syntax)
    case conditional([Branch], otherwise: Syntax?)
    case attempt(Syntax, handler: Syntax?)
    case reduce(Syntax, [Pattern], start: Syntax, update: Syntax)
    case foreach(Syntax, [Pattern], start: Syntax, update: Syntax, extract: Syntax?)
    case bind(Syntax, [Pattern], body: Syntax)
    case label(String, body: Syntax)
    case leave(String, offset: Int)
    case define([Definition], body: Syntax)
    case call(String, [Syntax], offset: Int)

    enum Piece: Sendable {
        case text(String)
        case interpolation(Syntax)
    }

    /// A member in an object construction; without a value it takes the input's member of the same name.
    struct Member: Sendable {
        var key: Syntax
        var value: Syntax
        /// Whether the value is the input's member of the same name, as in `{"\(.name)"}`.
        var isShorthand = false
    }

    struct Branch: Sendable {
        var condition: Syntax
        var result: Syntax
    }

    enum Operator: String, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case and
        case or
        case alternative = "//"
    }

    enum Assignment: Sendable {
        /// `=`
        case set
        /// `|=`
        case modify
        /// `+=`, `//=` and the like
        case combine(Operator)
    }

    indirect enum Pattern: Sendable {
        case variable(String)
        case array([Pattern])
        case object([Member])

        struct Member: Sendable {
            /// Nil for the variable's own name.
            var key: Syntax?
            var variable: String?
            var pattern: Pattern?
        }
    }

    struct Definition: Sendable {
        var name: String
        var parameters: [Parameter]
        var body: Syntax
        var offset: Int

        struct Parameter: Sendable {
            var name: String
            /// Whether it was written with `$`, so it is evaluated before the call.
            var isValue: Bool
        }
    }
}
