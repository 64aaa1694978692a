/// An expression as it is written.
indirect enum Syntax: Sendable {
    case identity
    case descend
    case constant(Value)
    case string(format: String?, [Piece])
    case format(String)
    case variable(String, offset: Int)
    case location(line: Int)
    /// `.[key]`; with `?` behind it, only an error of the access itself is left out, not one of the target.
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

    /// A part of a string: text, or an expression whose output is put in its place.
    enum Piece: Sendable {
        case text(String)
        case interpolation(Syntax)
    }

    /// A name with its value in an object's construction; without a value it is the input's member of that name.
    struct Member: Sendable {
        var key: Syntax
        var value: Syntax
    }

    /// A condition and what it chooses.
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

    /// What a value is taken apart by, behind `as`.
    indirect enum Pattern: Sendable {
        case variable(String)
        case array([Pattern])
        case object([Member])

        struct Member: Sendable {
            /// What gives the name; nil where the variable's own name is the name.
            var key: Syntax?
            /// The variable that the whole member is bound to.
            var variable: String?
            /// How the member is taken apart further.
            var pattern: Pattern?
        }
    }

    /// A function that an expression defines.
    struct Definition: Sendable {
        var name: String
        var parameters: [Parameter]
        var body: Syntax
        var offset: Int

        struct Parameter: Sendable {
            var name: String
            /// Whether it was written with `$`, so that it is evaluated before the call.
            var isValue: Bool
        }
    }
}
