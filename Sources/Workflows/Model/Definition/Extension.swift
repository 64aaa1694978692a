/// Tasks that are performed before and after others.
///
/// Specification: dsl-reference.md, "Extension".
package struct Extension: Sendable {
    package var name: String
    package var target: Target
    /// The condition under which it applies; nil for always.
    package var condition: Expression?
    /// The tasks performed before a task; if they exit, they replace it.
    package var before: [Workflow.Task]
    package var after: [Workflow.Task]
    package var pointer: JSONPointer

    package enum Target: String, Sendable, Hashable, CaseIterable {
        case all, call
        /// Tasks that only contain other tasks: `do` and `fork`.
        case composite
        case emit, `for`, listen, raise, run, set, `switch`, `try`, wait
    }
}

extension Extension.Target {
    package func includes(_ action: Workflow.Action) -> Bool {
        switch self {
        case .all: true
        case .composite: [.do, .fork].contains(action.kind)
        default: rawValue == action.kind.rawValue
        }
    }
}

extension Extension {
    /// Decodes an entry of `use.extensions`: an object whose only member is the extension under its name.
    init?(element: DocumentNode, _ decoding: Decoding) {
        guard let members = element.members, members.count == 1, let (name, node) = members.first else {
            decoding.report(
                "extension", "an entry of 'use.extensions' must have one name with one extension under it",
                at: element.pointer)
            return nil
        }
        guard
            decoding.check(
                node, is: "an extension", known: ["extend", "when", "before", "after"], required: ["extend"]),
            let target = decoding.choice(node["extend"], Target.self, "'extend'")
        else { return nil }
        let condition = decoding.expression(node["when"], "a condition")
        let before = node["before"].map { [Workflow.Task]($0, decoding) } ?? []
        let after = node["after"].map { [Workflow.Task]($0, decoding) } ?? []
        guard let before, let after, node["when"] == nil || condition != nil else { return nil }
        self.init(
            name: name, target: target, condition: condition, before: before, after: after, pointer: node.pointer)
    }
}
