public import Foundation

extension Value {
    /// Reads JSON as RFC 8259 has it, of up to 1 GB and 10,000 levels.
    ///
    /// Of a name that an object has twice, the last value counts. Half of a surrogate pair becomes U+FFFD.
    /// - Parameters:
    ///   - data: The text in UTF-8.
    ///   - name: What diagnostics call the file; nil where there is none.
    /// - Throws: ``ReadingError`` with the line and column of what is wrong.
    /// - Complexity: O(n), without recursion.
    public init(json data: Data, name: String? = nil) throws(ReadingError) {
        try self.init(json: Array(data), name: name)
    }

    /// Reads JSON text.
    ///
    /// - Throws: ``ReadingError`` with the line and column of what is wrong.
    public init(json text: String, name: String? = nil) throws(ReadingError) {
        try self.init(json: Array(text.utf8), name: name)
    }

    private init(json bytes: [UInt8], name: String?) throws(ReadingError) {
        var reader = JSONReader(bytes)
        do {
            self = try reader.read()
        } catch {
            throw error.error(in: bytes, name: name)
        }
    }

    /// The value as JSON text: on one line, or with two spaces a level.
    ///
    /// Numbers are written as jq does: shortest so that they read back the same, without a needless `.0`; not-a-number
    /// is `null`, and an infinite number the largest finite one.
    /// - Parameters:
    ///   - pretty: Whether every member and element gets a line of its own.
    ///   - sortedKeys: Whether an object's names are sorted by their Unicode scalars.
    public func json(pretty: Bool = false, sortedKeys: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - pretty: Whether every member and element gets a line of its own.
    ///   - sortedKeys: Whether an object's names are sorted by their Unicode scalars.
    public func jsonData(pretty: Bool = false, sortedKeys: Bool = false) -> Data {
        var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
        writer.write(self)
        return Data(writer.bytes)
    }

    /// A number as it stands in JSON text.
    public static func jsonNumber(_ double: Double) -> String {
        var writer = JSONWriter(pretty: false, sortedKeys: false)
        writer.write(double)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
