package import WorkflowData

extension DataType {
    /// The type of what a request to Graph answers.
    /// - Parameters:
    ///   - query: Which properties it names.
    ///   - isWhole: Whether all pages of a list are read, so that it is an array.
    ///   - source: What the data come from, for findings.
    package init(answerTo operation: GraphOperation, _ query: GraphQuery, isWhole: Bool, from source: Source) {
        guard let response = operation.response, operation.kind != .content else {
            self = .anything
            return
        }
        if case .count? = operation.address.segments.last?.role {
            self = .text.or(.number)
            return
        }
        let isLimited = operation.answersFewProperties && query.selected == nil
        func one(_ type: GraphType) -> DataType {
            DataType(type, query, isLimited: isLimited, from: source, depth: 0)
        }
        if response.isList {
            let list = DataType.array(of: one(response.element).without(.null))
            self = isWhole ? list : Self.envelope(of: list, from: source)
        } else if response.definition.map({ $0.kind != .enumeration }) == true {
            let marks = Member(name: "@odata.context", type: .text, isCertain: false)
            self = one(response).without(.null).adding(.object([marks])).from(source)
            if response.isNullable { self = self.or(.null) }
        } else {
            self = Self.envelope(of: one(response), from: source)
        }
        self = self.from(source)
    }

    /// An answer that has its data as `value`.
    private static func envelope(of type: DataType, from source: Source) -> DataType {
        let marks = ["@odata.context", "@odata.nextLink", "@odata.deltaLink", "@odata.type", "@microsoft.graph.tips"]
        let members = marks.map { Member(name: $0, type: .text, isCertain: false) }
        return .object(
            [Member(name: "value", type: type, isCertain: true)] + members
                + [Member(name: "@odata.count", type: .number, isCertain: false)]
        ).from(source)
    }

    /// Deeper contents can be anything.
    private static let mostDepth = 4
    /// Of a type with so many others that come from it, one knows nothing.
    private static let mostDescendants = 12

    private init(_ type: GraphType, _ query: GraphQuery, isLimited: Bool, from source: Source, depth: Int) {
        var found: DataType
        switch type.kind {
        case .primitive(let primitive):
            found =
                switch primitive {
                case .bool: .boolean
                case .int, .double: .number.or(.text)
                case .any, .stream: .anything
                default: .text
                }
        case .defined(let index):
            let definition = GraphModel.definition(index)
            if definition.kind == .enumeration {
                found = .text
            } else if depth >= Self.mostDepth {
                found = DataType.anything.only(.object)
            } else {
                found = .object(definition, query, isLimited: isLimited, from: source, depth: depth)
            }
        }
        if type.isList { found = .array(of: found) }
        self = type.isNullable ? found.or(.null) : found
    }

    private static func object(
        _ definition: GraphDefinition, _ query: GraphQuery, isLimited: Bool, from source: Source, depth: Int
    ) -> DataType {
        let descendants = GraphModel.descendants(of: definition.index)
        guard !definition.isDictionary, descendants.count <= mostDescendants else {
            return DataType.anything.only(.object)
        }
        let all = definition.allMembers + descendants.flatMap(\.members)
        let selected = query.selected.map { Set($0.map { $0[0].lowercased() }) }
        // A name that is only known at run time can be any.
        if let selected, selected.contains(where: { $0.contains { "{*".contains($0) } }) {
            return DataType.anything.only(.object)
        }
        let expanded = query.expanded
        var (members, unasked) = ([Member](), [String]())
        for member in all {
            let name = member.name.lowercased()
            let isAsked =
                switch (member.kind, selected) {
                case (.property, let selected?): selected.contains(name) || name == "id"
                case (.property, nil): !isLimited || GraphOperation.fewProperties.contains(name)
                default: false
                }
            let inner = expanded.first { $0.name.lowercased() == name }
            guard isAsked || inner != nil else {
                unasked.append(member.name)
                continue
            }
            let type = DataType(
                member.type, inner?.query ?? GraphQuery(""), isLimited: false, from: source, depth: depth + 1)
            members.append(Member(name: member.name, type: type, isCertain: false))
        }
        let marks = [
            "@odata.type", "@odata.etag", "@odata.id", "@odata.editLink", "@removed", "@microsoft.graph.downloadUrl",
        ]
        members += marks.map { Member(name: $0, type: .anything, isCertain: false) }
        var source = source
        source.unasked = unasked
        return DataType.object(members).from(source)
    }
}

extension GraphOperation {
    /// What users are answered with unless more is selected, in lower case.
    static let fewProperties: Set<String> = [
        "businessphones", "displayname", "givenname", "id", "jobtitle", "mail", "mobilephone", "officelocation",
        "preferredlanguage", "surname", "userprincipalname",
    ]

    /// Whether it reads users, who are answered with few properties.
    var answersFewProperties: Bool {
        kind == .read && response?.name == "user" && address.segments.count <= 2
    }
}

extension GraphDefinition {
    /// Whether people choose the names of its members.
    package var isDictionary: Bool {
        GraphModel.lineage(of: index).contains { type in
            ["fieldValueSet", "extension", "openTypeExtension", "customSecurityAttributeValue"].contains(type.name)
                || type.name.hasPrefix("planner") && type.members.isEmpty
        }
    }
}
