/// The place of a secret's drawing in a line of a journal, and the encrypted real text.
package struct Seal: Sendable, Hashable {
    /// The name for credentials that the workflow file spells out, which no store has.
    package static let credential = "authorization"
    /// The token of Microsoft Graph, whose seals open only in the process that made them.
    static let token = "access token"

    /// The part of the line that is a drawing.
    package enum Place: Sendable, Hashable {
        case value
        /// A part of the text at the pointer, in bytes.
        case range(Range<Int>)
        case name
    }

    package var pointer: JSONPointer
    package var place: Place
    /// The names of the secrets that are needed to open it.
    package var names: [String]
    /// Whether it was found by the search, and is plain data inside the run.
    package var isFound: Bool
    var box: Data
    /// Whether it is encrypted as in journals up to version 2.
    var isFormer = false

    private static let (member, formerMember) = ("box", "sealed")
}

extension [Seal] {
    /// The names of the secrets that are needed to open them, each once.
    package var secretNames: [String] {
        Set(flatMap(\.names)).subtracting([Seal.credential, Seal.token]).sorted()
    }
}

extension Seal {
    static let attribute = "sealed"

    static func text(_ seals: [Seal]) -> String { Value.array(seals.map(\.value)).json() }

    /// Reads the seals of a line; nil if they are damaged.
    static func read(_ text: String) -> [Seal]? {
        guard let elements = (try? Value(json: text))?.array else { return nil }
        let seals = elements.compactMap(Seal.init)
        return seals.count == elements.count ? seals : nil
    }

    /// Everything but the encrypted text; the encryption is bound to it.
    var label: Value {
        let place: Value =
            switch place {
            case .value: "value"
            case .range(let range): [.integer(range.lowerBound), .integer(range.upperBound)]
            case .name: "name"
            }
        return [
            "at": .string(pointer.description), "in": place, "of": .array(names.map(Value.string)),
            "found": .bool(isFound),
        ]
    }

    private var value: Value {
        var members = label.object ?? [:]
        members[isFormer ? Self.formerMember : Self.member] = .string(box.base64EncodedString())
        return .object(members)
    }

    private init?(_ value: Value) {
        guard let pointer = value["at"]?.string.flatMap({ JSONPointer(rfc6901: $0) }), let names = value["of"]?.array,
            let isFound = value["found"]?.bool, let text = (value[Self.member] ?? value[Self.formerMember])?.string,
            let box = Data(base64Encoded: text)
        else { return nil }
        isFormer = value[Self.member] == nil
        switch value["in"] {
        case "value": place = .value
        case "name": place = .name
        case .array(let bounds):
            guard bounds.count == 2, let start = bounds[0].integer, let end = bounds[1].integer, 0 <= start, start < end
            else { return nil }
            place = .range(start..<end)
        default: return nil
        }
        self.pointer = pointer
        self.names = names.compactMap(\.string)
        self.isFound = isFound
        self.box = box
    }
}
