import Promises

/// A value that only a run finds out, such as the id that a service gives to a file.
///
/// Two unknowns are the same only if they are the same object: their names and texts decide nothing.
package final class Unknown: Sendable, Hashable {
    /// What a plan knows of the value: its type, and what it has inside.
    package enum Shape: Sendable, Hashable {
        case any
        case text
        case number
        case boolean
        /// An object that has these members and may have others.
        indirect case object(Object)
        /// An array of any length, each of whose elements is like this one.
        indirect case array(Value)
    }

    /// Where the value comes from.
    package enum Origin: Sendable, Hashable {
        /// The run finds it out: an answer, what a program prints, the time.
        case run
        /// A secret, by its name.
        case secret(String)
        /// It is computed from other data once these are known.
        case computed(Derivation)
        /// One of these values, depending on the way that the run takes.
        case oneOf([Value])
        /// A part of an element of a collection, in a round of a loop.
        case element(of: Value, path: [Value])
        /// It results from the expression that is being evaluated, which gives it an origin and a name when it ends.
        case pending
    }

    /// The name in drawings, unique in its plan.
    package let name: String
    package let shape: Shape
    package let origin: Origin
    /// The members that were asked for, so that each is one unknown.
    private let members = Locked<[String: Unknown]>([:])

    package init(_ name: String, _ shape: Shape = .any, from origin: Origin = .run) {
        self.name = name
        self.shape = shape
        self.origin = origin
    }

    /// A member that the shape does not have, which an object may have nevertheless; the same one for each name.
    /// - Parameter origin: Where it comes from; nil for the unknown itself.
    package func member(_ name: String, _ shape: Shape = .any, from origin: Origin? = nil) -> Unknown {
        members.withLock { members in
            if let known = members[name] { return known }
            let derivation = Derivation(".", input: .unknown(self), path: [.string(name)])
            let member = Unknown("\(self.name).\(Drawing.name(name))", shape, from: origin ?? .computed(derivation))
            members[name] = member
            return member
        }
    }

    package static func == (one: Unknown, other: Unknown) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// How a value is computed from other data.
package struct Derivation: Sendable, Hashable {
    /// The expression in jq.
    package var expression: String
    /// The value of `.`, which can have unknowns.
    package var input: Value
    /// The variables that the expression reads, without `$`.
    package var variables: [String: Value]
    /// The path of the value in the expression's result: names and indices.
    package var path: [Value]

    package init(_ expression: String, input: Value, variables: [String: Value] = [:], path: [Value] = []) {
        self.expression = expression
        self.input = input
        self.variables = variables
        self.path = path
    }
}
