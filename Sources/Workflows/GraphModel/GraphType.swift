/// The type of a value in Microsoft Graph, or of a list of such values.
package struct GraphType: Sendable, Hashable {
    package enum Primitive: Character, Sendable, Hashable {
        case string = "s", int = "i", bool = "b", double = "d", date = "D", time = "T", datetime = "t", duration = "P"
        case guid = "g", binary = "B", stream = "S", any = "a"
    }

    package enum Kind: Sendable, Hashable {
        case primitive(Primitive)
        /// A type of the model by its number.
        case defined(Int)
    }

    package var kind: Kind
    package var isList = false
    package var isNullable = false

    package init(_ kind: Kind, isList: Bool = false, isNullable: Bool = false) {
        (self.kind, self.isList, self.isNullable) = (kind, isList, isNullable)
    }

    /// Reads `*xy?`: a list, a primitive's letter or a type's number, and whether it can be null.
    init?(_ text: Substring) {
        guard text != "-" else { return nil }
        isList = text.first == "*"
        isNullable = text.last == "?"
        let name = text.drop { $0 == "*" }.prefix { $0 != "?" }
        if name.utf8.count == 1 {
            kind = .primitive(name.first.flatMap(Primitive.init) ?? .any)
        } else {
            kind = .defined(Digits.value(of: name.utf8))
        }
    }

    package var element: GraphType { GraphType(kind, isNullable: isNullable) }

    package var definition: GraphDefinition? {
        guard case .defined(let index) = kind else { return nil }
        return GraphModel.definition(index)
    }

    package var isEntity: Bool { definition?.kind == .entity }

    /// The name without marks: `user`, `string`, `security.alert`.
    package var name: String {
        switch kind {
        case .primitive(let primitive): "\(primitive)"
        case .defined(let index): GraphModel.definition(index).name
        }
    }
}

extension GraphType: CustomStringConvertible {
    /// `[user]` for a list, `string?` for what can be null.
    package var description: String { (isList ? "[\(name)]" : name) + (isNullable ? "?" : "") }
}

/// An entity type, a complex type or an enumeration.
package struct GraphDefinition: Sendable {
    package enum Kind: Character, Sendable { case entity = "E", complex = "C", enumeration = "U" }

    package struct Member: Sendable {
        package enum Kind: Character, Sendable { case property = " ", reference = ">", contained = "=" }

        package let name: String
        package let kind: Kind
        package let type: GraphType
    }

    /// An action or a function.
    package struct Operation: Sendable {
        package let name: String
        package let isAction: Bool
        package let isOfList: Bool
        package let result: GraphType?
        package let parameters: [(name: String, type: GraphType)]
    }

    /// The properties by which people know objects, the best first.
    package static let names = ["displayName", "skuPartNumber", "name", "title", "subject", "topic"]

    package let index: Int
    package let name: String
    package let kind: Kind
    package let base: Int?
    /// The types that come from it directly.
    let derived: [Int]
    package let hasStream: Bool
    /// Of an enumeration: whether a value can have several of its names.
    package let isSet: Bool
    package let members: [Member]
    package let operations: [Operation]
    package let values: [String]

    /// Reads `Euser 12 os 3456,displayName s?,manager>34,delta%*12 token:s`.
    init(_ index: Int, _ record: Substring) {
        let fields = record.split(separator: ",")
        let head = fields[0].dropFirst().split(separator: " ")
        self.index = index
        name = String(head[0])
        kind = fields[0].first.flatMap(Kind.init) ?? .complex
        base = head[1] == "-" ? nil : Digits.value(of: head[1].utf8)
        derived = head.count > 3 ? Digits.values(of: head[3].utf8) : []
        hasStream = head[2].contains("s")
        isSet = head[2].contains("m")
        guard kind != .enumeration else {
            (members, operations, values) = ([], [], fields.dropFirst().map(String.init))
            return
        }
        var (members, operations) = ([Member](), [Operation]())
        for field in fields.dropFirst() {
            guard let place = field.utf8.firstIndex(where: { !Self.isOfName($0) }) else { continue }
            let mark = field[place]
            let (name, rest) = (String(field[..<place]), field[field.index(after: place)...])
            if let kind = Member.Kind(rawValue: mark) {
                GraphType(rest).map { members.append(Member(name: name, kind: kind, type: $0)) }
                continue
            }
            let words = rest.split(separator: " ")
            let parameters = words.dropFirst().compactMap { word -> (name: String, type: GraphType)? in
                let parts = word.split(separator: ":", maxSplits: 1)
                return GraphType(parts[1]).map { (String(parts[0]), $0) }
            }
            operations.append(
                Operation(
                    name: name, isAction: "!&".contains(mark), isOfList: "&%".contains(mark),
                    result: GraphType(words[0]), parameters: parameters))
        }
        (self.members, self.operations, values) = (members, operations, [])
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
