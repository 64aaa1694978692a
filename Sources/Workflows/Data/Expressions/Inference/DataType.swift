/// What is known of data before it exists: its possible kinds and contents.
///
/// A type may allow more than can occur, but never less.
package struct DataType: Sendable, Hashable {
    package struct Kinds: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let null = Kinds(rawValue: 1)
        package static let boolean = Kinds(rawValue: 2)
        package static let number = Kinds(rawValue: 4)
        package static let string = Kinds(rawValue: 8)
        package static let array = Kinds(rawValue: 16)
        package static let object = Kinds(rawValue: 32)
        package static let all: Kinds = [.null, .boolean, .number, .string, .array, .object]
    }

    package struct Member: Sendable, Hashable {
        package var name: String
        package var type: DataType
        package var isCertain: Bool
        /// Whether an enclosing expression has tested it, so its author knows that it may be missing.
        var isChecked = false

        package init(name: String, type: DataType, isCertain: Bool) {
            (self.name, self.type, self.isCertain) = (name, type, isCertain)
        }
    }

    /// The data that a diagnostic is about, named for people.
    package struct Source: Sendable, Hashable {
        /// What returns the data: `createLink`, or `the task 'fetch'`.
        package var name: String
        /// The loop whose last iteration returned the data; nil for other data.
        package var loop: String?
        /// Whether a schema describes the data.
        package var isDeclared: Bool
        package var isInput = false
        /// For data of Microsoft Graph: the names that it has, but was not asked for; nil for other data.
        package var unasked: [String]?

        package init(_ name: String, loop: String? = nil, isDeclared: Bool = false) {
            (self.name, self.loop, self.isDeclared) = (name, loop, isDeclared)
        }
    }

    /// Further members are not distinguished, and deeper contents can be anything.
    private static let (mostMembers, mostLevels) = (200, 16)

    /// Empty if there is never a value.
    package var kinds: Kinds
    /// The type of an array's elements, in an array of one; empty for anything.
    private var elements: [DataType] = []
    package private(set) var members: [Member] = []
    package private(set) var isOpen = true
    /// The data's origin; nil if it has no short name.
    package var source: Source?
    /// Why it can be null, in words: `the input need not have 'desk'`; nil if it cannot, or if unknown.
    package private(set) var absence: String?
    private var levels = 0

    private init(_ kinds: Kinds) { self.kinds = kinds }

    package static let anything = DataType(.all)
    package static let nothing = DataType([])
    package static let null = DataType(.null)
    package static let boolean = DataType(.boolean)
    package static let number = DataType(.number)
    package static let text = DataType(.string)

    package static func array(of element: DataType) -> DataType {
        var type = DataType(.array)
        guard element.levels < mostLevels, element != .anything else { return type }
        (type.elements, type.levels) = ([element], element.levels + 1)
        return type
    }

    /// - Parameter isOpen: Whether it can have other members.
    package static func object(_ members: [Member], isOpen: Bool = false) -> DataType {
        var type = DataType(.object)
        (type.members, type.isOpen) = (members, isOpen)
        type.settle()
        return type
    }

    private mutating func settle() {
        levels = max(elements.first?.levels ?? -1, members.map(\.type.levels).max() ?? -1) + 1
        guard members.count > Self.mostMembers || levels > Self.mostLevels else { return }
        (members, isOpen) = ([], true)
        levels = (elements.first?.levels ?? -1) + 1
    }

    package init(of value: Value) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .integer, .double: self = .number
        case .string: self = .text
        case .array(let elements): self = .array(of: elements.reduce(.nothing) { $0.or(DataType(of: $1)) })
        case .object(let members):
            self = .object(members.map { Member(name: $0.key, type: DataType(of: $0.value), isCertain: true) })
        case .marked: self = .anything
        }
    }

    package var element: DataType {
        var element = DataType.nothing
        if kinds.contains(.array) { element = elements.first ?? .anything }
        if kinds.contains(.object) {
            element = isOpen ? .anything : members.reduce(element) { $0.or($1.type) }
        }
        return element
    }

    package func known(_ name: String) -> Member? { members.first { $0.name == name } }

    /// The result of `.name`, which is null without such a member.
    package func member(_ name: String) -> DataType {
        var type = kinds.contains(.null) ? DataType.null : .nothing
        guard kinds.contains(.object) else { return type }
        if let known = known(name) {
            type = type.or(known.isCertain ? known.type : known.type.or(.null))
        } else {
            type = type.or(isOpen ? .anything : .null)
        }
        return type.absent(absence ?? reason(forAbsenceOf: name))
    }

    /// Why a member can be null, if an input's description says so; descriptions of results name few members as
    /// required.
    private func reason(forAbsenceOf name: String) -> String? {
        guard let source, source.isDeclared, let member = known(name), !member.isChecked else { return nil }
        let shown = PlainText.exact(name, limit: 60)
        if member.type.kinds.contains(.null) { return "'\(shown)' of \(source.name) can be null" }
        return member.isCertain || !source.isInput ? nil : "'\(shown)' may be missing in \(source.name)"
    }

    /// An element's type; an empty array has no element.
    var oneElement: DataType {
        guard !kinds.isDisjoint(with: [.array, .null]) else { return .nothing }
        let empty = source.flatMap { $0.isDeclared ? "the list of \($0.name) can be empty" : nil }
        return only(.array).element.or(.null).absent(absence ?? empty)
    }

    private func absent(_ reason: String?) -> DataType {
        var type = self
        // A value of any type is not known to be null.
        type.absence = kinds.contains(.null) && kinds != .all ? reason : nil
        return type
    }

    /// The type after a part of it was tested.
    /// - Parameter keys: The names along the path to the part.
    func checked(_ keys: some Collection<String>) -> DataType {
        var type = self
        type.absence = nil
        guard let name = keys.first, let index = members.firstIndex(where: { $0.name == name }) else { return type }
        type.members[index].isChecked = true
        type.members[index].type = members[index].type.checked(keys.dropFirst())
        return type
    }

    package func without(_ other: Kinds) -> DataType {
        var type = self
        type.kinds.subtract(other)
        return type.absent(absence)
    }

    package func only(_ other: Kinds) -> DataType {
        var type = self
        type.kinds.formIntersection(other)
        return type.absent(absence)
    }

    package func or(_ other: DataType) -> DataType {
        if kinds.isEmpty { return other }
        if other.kinds.isEmpty || self == other { return self }
        var type = DataType(kinds.union(other.kinds))
        type.source = source == other.source ? source : nil
        switch (kinds.contains(.array), other.kinds.contains(.array)) {
        case (true, true):
            if let mine = elements.first, let theirs = other.elements.first { type.elements = [mine.or(theirs)] }
        case (true, false): type.elements = elements
        case (false, true): type.elements = other.elements
        case (false, false): break
        }
        switch (kinds.contains(.object), other.kinds.contains(.object)) {
        case (true, true): type.takeMembers(of: self, or: other)
        case (true, false): (type.members, type.isOpen, type.source) = (members, isOpen, source)
        case (false, true): (type.members, type.isOpen, type.source) = (other.members, other.isOpen, other.source)
        case (false, false): break
        }
        type.settle()
        return type.absent(absence ?? other.absence)
    }

    private mutating func takeMembers(of one: DataType, or other: DataType) {
        isOpen = one.isOpen || other.isOpen
        for member in one.members {
            if let theirs = other.known(member.name) {
                members.append(
                    Member(
                        name: member.name, type: member.type.or(theirs.type),
                        isCertain: member.isCertain && theirs.isCertain))
            } else {
                // An open type may have anything there.
                members.append(
                    Member(name: member.name, type: other.isOpen ? .anything : member.type, isCertain: false))
            }
        }
        for member in other.members where one.known(member.name) == nil {
            members.append(Member(name: member.name, type: one.isOpen ? .anything : member.type, isCertain: false))
        }
    }

    package func adding(_ other: DataType) -> DataType {
        var type = DataType(.object)
        type.isOpen = isOpen || other.isOpen
        type.members = members
        for member in other.members {
            let place = type.members.firstIndex { $0.name == member.name }
            if member.isCertain {
                if let place { type.members[place] = member } else { type.members.append(member) }
            } else if let place {
                type.members[place].type = type.members[place].type.or(member.type)
            } else {
                type.members.append(Member(name: member.name, type: isOpen ? .anything : member.type, isCertain: false))
            }
        }
        if other.isOpen {
            for index in type.members.indices where other.known(type.members[index].name) == nil {
                type.members[index].type = .anything
            }
        }
        type.settle()
        return type
    }

    func withoutCertain(_ name: String) -> DataType {
        var type = self
        for index in type.members.indices where members[index].name == name { type.members[index].isCertain = false }
        return type
    }

    package func from(_ source: Source?) -> DataType {
        var type = self
        type.source = source
        return type
    }

    /// In one line, as `graphflow types` prints it.
    package var words: String { words(depth: 0) }

    private static let names: [(Kinds, String)] = [
        (.object, "object"), (.array, "array"), (.string, "text"), (.number, "number"), (.boolean, "boolean"),
        (.null, "null"),
    ]

    private func words(depth: Int) -> String {
        guard kinds != .all || !members.isEmpty else { return "anything" }
        guard !kinds.isEmpty else { return "nothing" }
        let parts = Self.names.filter { kinds.contains($0.0) }.map { kind, name in
            switch kind {
            case .object where depth < 4 && !(members.isEmpty && isOpen):
                let shown = members.map { member in
                    "\(PlainText.exact(member.name, limit: 60))\(member.isCertain ? "" : "?"): "
                        + member.type.words(depth: depth + 1)
                }
                return "{ \((shown + (isOpen ? ["…"] : [])).joined(separator: ", ")) }".replacing("{  }", with: "{ }")
            case .array where depth < 4 && !elements.isEmpty:
                let inside = elements[0].words(depth: depth + 1)
                return "[ \(elements[0].kinds.isEmpty ? "" : inside) ]".replacing("[  ]", with: "[ ]")
            default: return name
            }
        }
        return parts.joined(separator: " or ")
    }
}
