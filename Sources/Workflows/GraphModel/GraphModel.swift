internal import Promises
package import WorkflowData

/// Microsoft Graph v1.0 as data: its types, and what each path is.
///
/// The facts are those of the metadata and the table of permissions that Microsoft publishes; `scripts/make-graph-model.py` makes
/// ``GraphData`` of them. A definition is read when it is first needed.
package enum GraphModel {
    private static let table = RecordTable(text: GraphData.types, offsets: GraphData.typeOffsets)
    private static let read = Locked<[Int: GraphDefinition]>([:])

    /// What an address begins with: its members are the entity sets and the singletons.
    package static let root = definition(named: "$root") ?? definition(0)

    package static func definition(_ index: Int) -> GraphDefinition {
        if let known = read.withLock({ $0[index] }) { return known }
        let definition = GraphDefinition(index, table[index])
        read.withLock { $0[index] = definition }
        return definition
    }

    /// A type by its name without `microsoft.graph.`, in any letters.
    package static func definition(named name: some StringProtocol) -> GraphDefinition? {
        let name = name.lowercased()
        var (low, high) = (0, table.count)
        while low < high {
            let middle = (low + high) / 2
            let found = self.name(middle).lowercased()
            if found == name { return definition(middle) }
            if found < name { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The name of a type in an `@odata.type`: `#microsoft.graph.user` is `user`; nil without one.
    package static func plainName(_ annotation: Value?) -> Substring? {
        (annotation?.string).map { $0.trimmingPrefix("#").trimmingPrefix("microsoft.graph.") }
    }

    private static func name(_ index: Int) -> Substring { table.head(index).dropFirst().prefix { $0 != " " } }

    /// A type and those that it comes from, the nearest first.
    package static func lineage(of index: Int) -> [GraphDefinition] {
        var lineage = [definition(index)]
        while let base = lineage.last?.base { lineage.append(definition(base)) }
        return lineage
    }

    /// The types that come from a type.
    package static func descendants(of index: Int) -> [GraphDefinition] {
        definition(index).derived.flatMap { [definition($0)] + descendants(of: $0) }
    }
}

extension GraphDefinition {
    /// The members of the type and of those that it comes from; the nearest first.
    package var allMembers: [Member] { GraphModel.lineage(of: index).flatMap(\.members) }

    /// A member in any letters; also of a type that comes from this one, which the service answers as well.
    package func member(_ name: some StringProtocol) -> Member? {
        let name = name.lowercased()
        return first { type in type.members.first { $0.name.lowercased() == name } }
    }

    /// A member of the type or of those that it comes from, in any letters.
    package func ownMember(_ name: some StringProtocol) -> Member? {
        let name = name.lowercased()
        return GraphModel.lineage(of: index).lazy.flatMap(\.members).first { $0.name.lowercased() == name }
    }

    /// An action or function that is bound to the type, or to a list of it.
    package func operations(_ name: some StringProtocol, ofList: Bool) -> [Operation] {
        let name = name.lowercased()
        return first { type in
            let found = type.operations.filter { $0.isOfList == ofList && $0.name.lowercased() == name }
            return found.isEmpty ? nil : found
        } ?? []
    }

    /// The first that is found in the type and those that it comes from, else in those that come from it.
    private func first<Found>(_ find: (GraphDefinition) -> Found?) -> Found? {
        for type in GraphModel.lineage(of: index) {
            if let found = find(type) { return found }
        }
        for type in GraphModel.descendants(of: index) {
            if let found = find(type) { return found }
        }
        return nil
    }
}
