/// Seals by their places.
struct SealTree {
    private var seals: [Seal] = []
    private var children: [String: SealTree] = [:]

    init() {}

    init(_ seals: [Seal]) { for seal in seals { insert(seal, at: seal.pointer.tokens[...]) } }

    private mutating func insert(_ seal: Seal, at tokens: ArraySlice<String>) {
        guard let first = tokens.first else { return seals.append(seal) }
        children[first, default: SealTree()].insert(seal, at: tokens.dropFirst())
    }

    subscript(name: String) -> SealTree { children[name] ?? SealTree() }

    private var isEmpty: Bool { seals.isEmpty && children.isEmpty }
    private var whole: Seal? { seals.first { $0.place == .value } }
    private var name: Seal? { seals.first { $0.place == .name } }

    func open(_ data: Value, _ open: (Seal) throws -> Value) throws -> Value {
        guard !isEmpty else { return data }
        if let whole { return try open(whole) }
        switch data {
        case .string(let text):
            return .text(
                try pieces(of: text).flatMap { text, seal -> [TextPart] in
                    guard let seal else { return [.plain(text)] }
                    return try open(seal).textParts ?? []
                })
        case .array(let elements):
            return .array(try elements.enumerated().map { try self[String($0)].open($1, open) })
        case .object(let members):
            var opened = Object()
            for (name, member) in members {
                let inside = self[name]
                let real = try inside.name.flatMap { try open($0).revealed.string } ?? name
                opened[real] = try inside.open(member, open)
            }
            return .object(opened)
        case .null, .bool, .integer, .double, .marked: return data
        }
    }

    /// The data as people see them: marks in plain texts are drawn.
    func shown(_ data: Value) -> Value {
        guard !isEmpty else { return data.drawn() }
        if whole != nil { return data }
        switch data {
        case .string(let text):
            return .string(pieces(of: text).map { $1 == nil ? Drawing.text($0) : $0 }.joined())
        case .array(let elements): return .array(elements.enumerated().map { self[String($0)].shown($1) })
        case .object(let members):
            var shown = Object()
            for (name, member) in members {
                let inside = self[name]
                shown[inside.name == nil ? Drawing.text(name) : name] = inside.shown(member)
            }
            return .object(shown)
        case .null, .bool, .integer, .double, .marked: return data
        }
    }

    /// The parts of a text, with the seals of those that are drawings.
    private func pieces(of text: String) -> [(text: String, seal: Seal?)] {
        let bytes = Array(text.utf8)
        func piece(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var pieces: [(String, Seal?)] = []
        var taken = 0
        for seal in seals {
            guard case .range(let range) = seal.place, range.lowerBound >= taken, range.upperBound <= bytes.count else {
                continue
            }
            if taken < range.lowerBound { pieces.append((piece(taken..<range.lowerBound), nil)) }
            pieces.append((piece(range), seal))
            taken = range.upperBound
        }
        if taken < bytes.count { pieces.append((piece(taken..<bytes.count), nil)) }
        return pieces
    }
}
