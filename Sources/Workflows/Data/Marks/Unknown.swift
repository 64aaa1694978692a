/// A value that is only known at run time, such as the id that a service gives to a file; equal only to itself.
package final class Unknown: Sendable, Hashable {
    package enum Shape: Sendable, Hashable {
        case any
        case text
        case number
        case boolean
        /// An object that has these members and may have others.
        indirect case object(Object)
        /// An array of any length with elements like this one.
        indirect case array(Value)
    }

    package enum Origin: Sendable, Hashable {
        /// The run: an answer, a program's output, the time.
        case run
        case secret(String)
        /// Computed from other data when it is known.
        case computed(Derivation)
        /// One of these values, depending on the branch that the run takes.
        case oneOf([Value])
        /// A part of a collection's element, in a loop iteration.
        case element(of: Value, path: [Value])
        /// The result of the expression being evaluated, which sets origin and name when it ends.
        case pending
    }

    /// For drawings; unique in its plan.
    package let name: String
    package let shape: Shape
    package let origin: Origin
    /// The members that were requested, so each is one unknown.
    private let members = Locked<[String: Unknown]>([:])

    package init(_ name: String, _ shape: Shape = .any, from origin: Origin = .run) {
        self.name = name
        self.shape = shape
        self.origin = origin
    }

    /// A member outside the shape, which an object may still have; the same unknown for each name.
    /// - Parameter origin: Its origin; nil for the unknown itself.
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

package struct Derivation: Sendable, Hashable {
    package var expression: String
    package var input: Value
    package var variables: [String: Value]
    /// The value's path in the expression's result: names and indices.
    package var path: [Value]

    package init(_ expression: String, input: Value, variables: [String: Value] = [:], path: [Value] = []) {
        self.expression = expression
        self.input = input
        self.variables = variables
        self.path = path
    }
}
