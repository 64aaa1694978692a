/// Parses JSON text in one pass, with its own stack instead of recursion.
package struct JSONReader {
    package static let depthLimit = 10_000
    static let sizeLimit = 1_000_000_000

    struct Failure: Error {
        let id: String
        let message: String
        var hint: String?
        let offset: Int
    }

    private struct Open {
        let isObject: Bool
        /// The indices of its first value and name among the finished ones.
        let values: Int
        let keys: Int
    }

    let bytes: [UInt8]
    var position = 0
    private var open: [Open] = []
    private var values: [Value] = []
    private var keys: [String] = []

    /// Whether a repeated name is an error.
    private let isStrict: Bool
    private let depthLimit: Int
    private let otherNumber: ((String) -> Value?)?

    init(
        _ bytes: [UInt8], isStrict: Bool = false, depthLimit: Int = depthLimit,
        otherNumber: ((String) -> Value?)? = nil
    ) {
        self.bytes = bytes
        self.isStrict = isStrict
        self.depthLimit = depthLimit
        self.otherNumber = otherNumber
    }

    mutating func read() throws(Failure) -> Value {
        guard bytes.count <= Self.sizeLimit else {
            throw Failure(id: "too-large", message: "the data is larger than 1 GB", offset: 0)
        }
        let value = try next()
        guard !skipsToMore() else { throw unexpected("the end") }
        return value
    }

    mutating func readAll() throws(Failure) -> [Value] {
        var all: [Value] = []
        repeat { all.append(try next()) } while skipsToMore()
        return all
    }

    private mutating func next() throws(Failure) -> Value {
        if position == 0, bytes.starts(with: UTF8Text.byteOrderMark) { position = 3 }
        try skipWhite(expecting: "a value")
        while true {
            if try begin() { continue }
            // After a value, the collections that end with it are closed.
            while true {
                guard let last = open.last else { return values.removeLast() }
                if try !closes(last) { break }
            }
        }
    }

    /// Reads a scalar or an empty collection; true if a collection was opened and its first value follows.
    private mutating func begin() throws(Failure) -> Bool {
        let start = position
        do throws(Failure) {
            return try beginJSON()
        } catch {
            let token = bytes[start...].prefix { !" \t\r\n,:[]{}\"".utf8.contains($0) }
            guard let value = otherNumber?(String(decoding: token, as: UTF8.self)) else { throw error }
            position = token.endIndex
            values.append(value)
            return false
        }
    }

    private mutating func beginJSON() throws(Failure) -> Bool {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""): values.append(.string(try string()))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            guard open.count < depthLimit else {
                throw Failure(
                    id: "too-deep", message: "the data is nested more than \(depthLimit) levels deep",
                    offset: position)
            }
            position += 1
            try skipWhite(expecting: isObject ? "a name or '}'" : "a value or ']'")
            if bytes[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                position += 1
                values.append(isObject ? .object(Object()) : .array([]))
                return false
            }
            open.append(Open(isObject: isObject, values: values.count, keys: keys.count))
            if isObject { try key() }
            return true
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): values.append(try number())
        case UInt8(ascii: "t"): try word("true", .bool(true))
        case UInt8(ascii: "f"): try word("false", .bool(false))
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw unexpected("a value")
        }
        return false
    }

    /// Reads the separator after a value; true if it closes the collection.
    private mutating func closes(_ collection: Open) throws(Failure) -> Bool {
        let expected = collection.isObject ? "',' or '}'" : "',' or ']'"
        try skipWhite(expecting: expected)
        let byte = bytes[position]
        if byte == UInt8(ascii: ",") {
            position += 1
            if collection.isObject {
                try skipWhite(expecting: "a name")
                try key()
            } else {
                try skipWhite(expecting: "a value")
            }
            return false
        }
        guard byte == (collection.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw unexpected(expected) }
        position += 1
        open.removeLast()
        if collection.isObject {
            let object = Object(
                keys: keys[collection.keys...], values: values[collection.values...])
            guard !isStrict || object.count == keys.count - collection.keys else {
                throw Failure(id: "duplicate-key", message: "this object has a name twice", offset: position - 1)
            }
            keys.removeSubrange(collection.keys...)
            values.removeSubrange(collection.values...)
            values.append(.object(object))
        } else {
            let array = Array(values[collection.values...])
            values.removeSubrange(collection.values...)
            values.append(.array(array))
        }
        return true
    }

    private mutating func key() throws(Failure) {
        guard bytes[position] == UInt8(ascii: "\"") else { throw unexpected("a name in double quotes") }
        keys.append(try string())
        try skipWhite(expecting: "':'")
        guard bytes[position] == UInt8(ascii: ":") else { throw unexpected("':'") }
        position += 1
        try skipWhite(expecting: "a value")
    }

    private mutating func skipsToMore() -> Bool {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        return position < bytes.count
    }

    private mutating func skipWhite(expecting expected: String) throws(Failure) {
        while position < bytes.count {
            guard bytes[position].isBlank else { return }
            position += 1
        }
        throw unexpected(expected)
    }

    private mutating func word(_ word: String, _ value: Value) throws(Failure) {
        let length = word.utf8.count
        guard position + length <= bytes.count,
            bytes[position..<(position + length)].elementsEqual(word.utf8)
        else { throw unexpected("a value") }
        position += length
        values.append(value)
    }

    private func unexpected(_ expected: String) -> Failure {
        guard position < bytes.count else {
            return Failure(id: "json", message: "the data ends where \(expected) is expected", offset: bytes.count)
        }
        let hint: String? =
            switch bytes[position] {
            case UInt8(ascii: "'"): "JSON uses double quotes only"
            case UInt8(ascii: "/"), UInt8(ascii: "#"): "JSON has no comments"
            case UInt8(ascii: "}"), UInt8(ascii: "]"): "remove the ',' before it"
            case UInt8(ascii: "<"): "this looks like HTML or XML"
            default: nil
            }
        return Failure(id: "json", message: "expected \(expected)", hint: hint, offset: position)
    }
}

extension JSONReader.Failure {
    func error(in data: [UInt8], name: String?) -> ReadingError {
        // A line may be as long as the text, up to a gigabyte, so only a part is shown.
        let window = max(0, offset - 10_000_000)
        let source = SourceText(Array(data[window...].prefix(offset - window + 1000)))
        var diagnostic = source.diagnostic(
            id: id, message, hint: hint, file: name, from: offset - window, to: offset - window + 1)
        if window > 0 {
            let lines = data.prefix(window).count { $0 == UInt8(ascii: "\n") }
            diagnostic.range?.start.line += lines
            diagnostic.range?.end.line += lines
        }
        return ReadingError(diagnostics: [diagnostic])
    }
}
