internal import WorkflowData

/// An address of Graph: what each of its segments is.
package struct GraphAddress: Sendable {
    package struct Segment: Sendable {
        package enum Role: Sendable {
            case member(GraphDefinition.Member)
            case key
            case cast
            /// The overloads that fit.
            case operation([GraphDefinition.Operation])
            case count, reference, value, batch
            /// The path of a file or a site between colons.
            case path
            /// An expression whose value decides what follows.
            case unknown
        }

        package let role: Role
        /// In the model's spelling.
        package let text: String
        /// What the path up to here is; nil if that is not known, or nothing.
        package let type: GraphType?
    }

    /// A segment that what precedes it does not have.
    package struct Mistake: Error, Sendable {
        /// The segment as it was given.
        package let segment: String
        /// What precedes it; nil at the start.
        package let owner: GraphType?
        package let known: [String]
    }

    package private(set) var segments: [Segment] = []

    /// - Parameter path: The path after the version, percent-encoded, without its query; `{…}` stands for an unknown value.
    package init(_ path: some StringProtocol) throws(Mistake) {
        var type: GraphType? = GraphType(.defined(GraphModel.root.index))
        var isInPath = false
        for part in Self.parts(of: path) {
            if isInPath {
                segments.append(Segment(role: .path, text: part.given, type: type))
                isInPath = !part.given.hasSuffix(":")
                continue
            }
            guard let current = type else {
                segments.append(Segment(role: .unknown, text: part.given, type: nil))
                continue
            }
            let found = try Self.step(part, from: current, segments.last)
            segments += found
            type = found.last?.type
            isInPath = part.given.hasSuffix(":") && found.last?.type.map(Self.hasPaths) == true
        }
    }

    /// Whether paths between colons lead on from a type.
    private static func hasPaths(_ type: GraphType) -> Bool {
        !type.isList && ["driveItem", "site"].contains(type.name)
    }

    private static func step(_ part: Part, from type: GraphType, _ last: Segment?) throws(Mistake) -> [Segment] {
        let name = part.name.hasSuffix(":") ? String(part.name.dropLast()) : part.name
        let colon = part.name.hasSuffix(":") ? ":" : ""
        let definition = type.definition
        if let end = self.end(name, of: type, after: last) { return [end] }
        // Most names are those of members, and no operation has the name of one.
        let own = type.isList ? nil : definition?.ownMember(name)
        if own == nil, let definition {
            let operations = fitting(self.operations(name, of: definition, ofList: type.isList), part)
            if let operation = operations.first {
                return [
                    Segment(
                        role: .operation(operations), text: operation.name + part.parameters, type: operation.result)
                ]
            }
            if let cast = self.cast(name, from: type) { return [cast] }
        }
        if type.isList {
            guard type.isEntity, !part.isCall else {
                throw Mistake(segment: part.given, owner: type, known: names(after: type, last))
            }
            return [Segment(role: .key, text: part.given, type: type.element)]
        }
        if let member = own ?? definition?.member(name) {
            let segment = Segment(role: .member(member), text: member.name + colon, type: member.type)
            guard let inside = part.inside, !inside.isEmpty else { return [segment] }
            guard member.type.isList else { throw Mistake(segment: part.given, owner: type, known: []) }
            // An alternate key has a name, and cannot be a segment of its own.
            let isNamed = inside.first != "'" && inside.contains("=")
            let key = isNamed ? "(\(inside))" : part.key
            return [segment, Segment(role: .key, text: key, type: member.type.element)]
        }
        if part.isUnknown { return [Segment(role: .unknown, text: part.given, type: nil)] }
        throw Mistake(segment: part.given, owner: last == nil ? nil : type, known: names(after: type, last))
    }

    /// The segments with which an address can end for every type.
    private static func end(_ name: String, of type: GraphType, after last: Segment?) -> Segment? {
        switch name.lowercased() {
        case "$count" where type.isList:
            Segment(role: .count, text: "$count", type: GraphType(.primitive(.int)))
        case "$ref" where type.isEntity && last != nil:
            Segment(role: .reference, text: "$ref", type: nil)
        case "$value" where !type.isList && last != nil:
            Segment(role: .value, text: "$value", type: GraphType(.primitive(.stream)))
        case "$batch" where last == nil: Segment(role: .batch, text: "$batch", type: nil)
        default: nil
        }
    }

    /// Operations by their name, with or without the namespace.
    private static func operations(
        _ name: String, of definition: GraphDefinition, ofList isList: Bool
    ) -> [GraphDefinition.Operation] {
        let plain = withoutNamespace(name) ?? Substring(name)
        for name in [plain, plain.split(separator: ".").last ?? plain] {
            let found = definition.operations(name, ofList: isList)
            if !found.isEmpty { return found }
        }
        return []
    }

    private static func withoutNamespace(_ name: String) -> Substring? {
        ["microsoft.graph.", "graph."].first { name.lowercased().hasPrefix($0) }.map { name.dropFirst($0.count) }
    }

    private static func cast(_ name: String, from type: GraphType) -> Segment? {
        guard let plain = withoutNamespace(name), let found = GraphModel.definition(named: plain),
            found.kind != .enumeration
        else { return nil }
        return Segment(
            role: .cast, text: "microsoft.graph.\(found.name)",
            type: GraphType(.defined(found.index), isList: type.isList))
    }

    /// The overloads whose parameters are those that are given; all where none is.
    private static func fitting(
        _ operations: [GraphDefinition.Operation], _ part: Part
    ) -> [GraphDefinition.Operation] {
        guard let inside = part.inside, !inside.isEmpty else { return operations }
        let given = Set(inside.split(separator: ",").map { $0.prefix { $0 != "=" }.lowercased() })
        let fitting = operations.filter { Set($0.parameters.map { $0.name.lowercased() }) == given }
        return fitting.isEmpty ? operations : fitting
    }

    /// What can follow a type, for a list of suggestions.
    package static func names(after type: GraphType, _ last: Segment?) -> [String] {
        guard let definition = type.definition else { return [] }
        let operations = GraphModel.lineage(of: definition.index).flatMap(\.operations)
            .filter { $0.isOfList == type.isList }.map(\.name)
        let members = type.isList ? [] : definition.allMembers.map(\.name)
        let ends = type.isList ? ["$count", "$ref"] : definition.hasStream ? ["$value"] : []
        return members + Set(operations).sorted() + (last == nil ? ["$batch"] : ends)
    }

    /// The way in the model's spelling, with keys as segments.
    package var path: String {
        segments.reduce("") { path, segment in
            if case .key = segment.role, segment.text.hasPrefix("(") { return path + segment.text }
            return "\(path)/\(segment.text)"
        }
    }
}

extension GraphAddress {
    package func leading(_ count: Int) -> GraphAddress {
        var address = self
        address.segments = Array(segments.prefix(count))
        return address
    }

    /// The address without its last segment.
    package var owner: GraphAddress? {
        guard segments.count > 1 else { return nil }
        var owner = self
        owner.segments.removeLast()
        return owner
    }

    /// The names on the way in lower case, `*` for a key; casts and paths of files are left out.
    var steps: [String] {
        segments.compactMap { segment in
            switch segment.role {
            case .member(let member): member.name.lowercased()
            case .operation(let all): all[0].name.lowercased()
            case .key: "*"
            case .count, .reference, .value, .batch: segment.text
            case .unknown: "?"
            case .cast, .path: nil
            }
        }
    }
}

extension GraphAddress.Part {
    /// The parentheses with what is in them, as it was given; empty without parameters.
    fileprivate var parameters: String {
        guard let inside, !inside.isEmpty else { return "" }
        return given.firstIndex(of: "(").map { String(given[$0...]) } ?? "(\(inside))"
    }

    /// The key in the parentheses as a segment.
    fileprivate var key: String {
        let inside = inside ?? ""
        guard inside.first == "'", inside.last == "'", inside.count > 1 else { return inside }
        return inside.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
            .joined(separator: "'").percentEncoded(keeping: "@!")
    }
}
