/// Texts that stand for others, found in one pass wherever they occur: the longest one first.
///
/// What was put in is never looked at again, and a text that stands for itself protects what is inside it.
struct TextReplacements: Sendable {
    private struct Entry {
        var from: [UInt8]
        var to: [UInt8]
    }

    /// The entries by the byte that they begin with, the longest first.
    private var entries = [[Entry]](repeating: [], count: 256)
    /// How many there are.
    private(set) var count = 0

    /// Adds a text and what it stands for; one that is known stays what it is.
    mutating func add(_ from: String, to: String) {
        let bytes = Array(from.utf8)
        guard let first = bytes.first.map(Int.init), !entries[first].contains(where: { $0.from == bytes }) else {
            return
        }
        let place = entries[first].firstIndex { $0.from.count < bytes.count } ?? entries[first].endIndex
        entries[first].insert(Entry(from: bytes, to: Array(to.utf8)), at: place)
        count += 1
    }

    /// The text with every occurrence replaced; nil where there is none.
    /// - Complexity: O(n), times how many texts begin alike.
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
    /// Deeper than this, data is not looked into: a thread's stack has an end.
    private static let deepest = 500

    /// The data with its texts changed, those of its names too.
    /// - Parameters:
    ///   - names: Whether an object's names are changed as well.
    ///   - deep: What becomes of data that is nested too deeply to be looked into.
    ///   - change: What becomes of a text, or of a number as text; nil for what stays as it is.
    func mapTexts(
        names: Bool, deep: (Value) -> Value, _ change: (String) -> String?
    ) -> Value { mapTexts(0, names, deep, change) }

    private func mapTexts(
        _ depth: Int, _ names: Bool, _ deep: (Value) -> Value, _ change: (String) -> String?
    ) -> Value {
        switch self {
        case .null, .bool: return self
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
