internal import Promises

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

    private static func name(_ index: Int) -> Substring { table.head(index).dropFirst().prefix { $0 != " " } }

    /// The types that come from each, directly.
    private static let derived: [Int: [Int]] = {
        var derived: [Int: [Int]] = [:]
        for index in 0..<table.count {
            let words = table.head(index).split(separator: " ")
            if words[1] != "-" { derived[Digits.value(of: words[1].utf8), default: []].append(index) }
        }
        return derived
    }()

    /// A type and those that it comes from, the nearest first.
    package static func lineage(of index: Int) -> [GraphDefinition] {
        var lineage = [definition(index)]
        while let base = lineage.last?.base { lineage.append(definition(base)) }
        return lineage
    }

    /// The types that come from a type.
    package static func descendants(of index: Int) -> [GraphDefinition] {
        derived[index, default: []].flatMap { [definition($0)] + descendants(of: $0) }
    }
}

extension GraphDefinition {
    /// The members of the type and of those that it comes from; the nearest first.
    package var allMembers: [Member] { GraphModel.lineage(of: index).flatMap(\.members) }

    /// A member in any letters; also of a type that comes from this one, which the service answers as well.
    package func member(_ name: some StringProtocol) -> Member? {
        let name = name.lowercased()
        func find(_ types: [GraphDefinition]) -> Member? {
            for type in types {
                if let member = type.members.first(where: { $0.name.lowercased() == name }) { return member }
            }
            return nil
        }
        return find(GraphModel.lineage(of: index)) ?? find(GraphModel.descendants(of: index))
    }

    /// An action or function that is bound to the type, or to a list of it.
    package func operations(_ name: some StringProtocol, ofList: Bool) -> [Operation] {
        let name = name.lowercased()
        for type in GraphModel.lineage(of: index) + GraphModel.descendants(of: index) {
            let found = type.operations.filter { $0.isOfList == ofList && $0.name.lowercased() == name }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Whether a value of this type can be one of another: one comes from the other.
    package func isRelated(to other: GraphDefinition) -> Bool {
        GraphModel.lineage(of: index).contains { $0.index == other.index }
            || GraphModel.lineage(of: other.index).contains { $0.index == index }
    }
}
