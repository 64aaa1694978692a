/// Replaces texts by others in one pass, the longest match first.
///
/// Replacements are not searched again, and a text that is replaced by itself protects the texts inside it.
struct TextReplacements: Sendable {
    private struct Entry {
        var from: [UInt8]
        var to: [UInt8]
    }

    /// The entries by their first byte, the longest first.
    private var entries = [[Entry]](repeating: [], count: 256)
    private(set) var count = 0

    /// Adds a text and its replacement; a known text keeps its replacement.
    mutating func add(_ from: String, to: String) {
        let bytes = Array(from.utf8)
        guard let first = bytes.first.map(Int.init), !entries[first].contains(where: { $0.from == bytes }) else {
            return
        }
        let place = entries[first].firstIndex { $0.from.count < bytes.count } ?? entries[first].endIndex
        entries[first].insert(Entry(from: bytes, to: Array(to.utf8)), at: place)
        count += 1
    }

    /// The text with every occurrence replaced; nil if there is none.
    /// - Complexity: O(n), times the number of texts with the same first byte.
    func apply(to text: String) -> String? {
        guard count > 0 else { return nil }
        let bytes = Array(text.utf8)
        var result: [UInt8]?
        var copied = 0
        var place = 0
        while place < bytes.count {
            guard let entry = entry(at: place, in: bytes) else {
                place += 1
                continue
            }
            result = (result ?? []) + bytes[copied..<place]
            result?.append(contentsOf: entry.to)
            place += entry.from.count
            copied = place
        }
        guard var result else { return nil }
        result.append(contentsOf: bytes[copied...])
        return String(decoding: result, as: UTF8.self)
    }

    private func entry(at place: Int, in bytes: [UInt8]) -> Entry? {
        let candidates = entries[Int(bytes[place])]
        guard !candidates.isEmpty else { return nil }
        return candidates.first { entry in
            guard place + entry.from.count <= bytes.count else { return false }
            for offset in 0..<entry.from.count where bytes[place + offset] != entry.from[offset] { return false }
            return true
        }
    }
}

extension Value {
    /// Deeper data is not searched, because a thread's stack is limited.
    private static let deepest = 500

    /// Changes the texts of data.
    /// - Parameters:
    ///   - names: Whether the names of objects are changed as well.
    ///   - deep: Changes data that is nested too deeply to be searched.
    ///   - change: Changes a text, or a number as text; nil if it is unchanged.
    func mapTexts(
        names: Bool, deep: (Value) -> Value, _ change: (String) -> String?
    ) -> Value { mapTexts(0, names, deep, change) }

    private func mapTexts(
        _ depth: Int, _ names: Bool, _ deep: (Value) -> Value, _ change: (String) -> String?
    ) -> Value {
        switch self {
        case .null, .bool, .marked: return self
        case .integer, .double: return change(json()).map(Value.string) ?? self
        case .string(let text): return change(text).map(Value.string) ?? self
        case .array(let elements):
            guard depth < Self.deepest else { return deep(self) }
            return .array(elements.map { $0.mapTexts(depth + 1, names, deep, change) })
        case .object(let members):
            guard depth < Self.deepest else { return deep(self) }
            var changed = Object()
            changed.reserveCapacity(members.count)
            for (name, member) in members {
                changed[names ? change(name) ?? name : name] = member.mapTexts(depth + 1, names, deep, change)
            }
            return .object(changed)
        }
    }
}

extension Event.Kind {
    /// The same event without secrets.
    func hidingSecrets(_ secrets: SecretVault) -> Event.Kind {
        mapping(
            values: { secrets.conceal($0) }, errors: { secrets.conceal($0) }, texts: { secrets.conceal($0) })
    }
}
