extension Value {
    /// Parses JSON (RFC 8259) of up to 1 GB and 10,000 levels.
    ///
    /// The last value of a repeated name counts. An unpaired surrogate becomes U+FFFD.
    /// - Parameters:
    ///   - data: The text in UTF-8.
    ///   - name: The file's name in diagnostics; nil if there is none.
    /// - Throws: ``ReadingError`` with the line and column of the error.
    /// - Complexity: O(n), without recursion.
    public init(json data: Data, name: String? = nil) throws(ReadingError) {
        try self.init(json: Array(data), name: name)
    }

    /// Parses JSON text.
    ///
    /// - Throws: ``ReadingError`` with the line and column of the error.
    public init(json text: String, name: String? = nil) throws(ReadingError) {
        try self.init(json: Array(text.utf8), name: name)
    }

    /// Parses JSON in which no object has a name twice, because another reader may take the other value.
    package init(
        strictJSON data: Data, name: String? = nil, depthLimit: Int = JSONReader.depthLimit
    ) throws(ReadingError) {
        try self.init(json: Array(data), name: name, isStrict: true, depthLimit: depthLimit)
    }

    /// - Parameter otherNumber: Reads a number that is not written as JSON has it.
    init(json text: String, otherNumber: @escaping (String) -> Value?) throws(ReadingError) {
        try self.init(json: Array(text.utf8), name: nil, otherNumber: otherNumber)
    }

    private init(
        json bytes: [UInt8], name: String?, isStrict: Bool = false, depthLimit: Int = JSONReader.depthLimit,
        otherNumber: ((String) -> Value?)? = nil
    ) throws(ReadingError) {
        var reader = JSONReader(bytes, isStrict: isStrict, depthLimit: depthLimit, otherNumber: otherNumber)
        do {
            self = try reader.read()
        } catch {
            throw error.error(in: bytes, name: name)
        }
    }

    /// Parses JSON values that follow each other, with or without white space between them.
    /// - Throws: ``ReadingError`` with the line and column of the error, even if there is no value.
    package static func all(json data: Data, name: String) throws(ReadingError) -> [Value] {
        var reader = JSONReader(Array(data))
        do {
            return try reader.readAll()
        } catch {
            throw error.error(in: reader.bytes, name: name)
        }
    }

    /// The value as JSON text: on one line, or indented by two spaces per level.
    ///
    /// Numbers are written as in jq: the shortest form that reads back the same, without a needless `.0`. Not-a-number
    /// becomes `null`, and an infinity the largest finite number.
    /// - Parameters:
    ///   - pretty: Whether each member and element gets its own line.
    ///   - sortedKeys: Whether an object's names are sorted by their Unicode scalars.
    public func json(pretty: Bool = false, sortedKeys: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - pretty: Whether each member and element gets its own line.
    ///   - sortedKeys: Whether an object's names are sorted by their Unicode scalars.
    public func jsonData(pretty: Bool = false, sortedKeys: Bool = false) -> Data {
        var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
        writer.write(self)
        return Data(writer.bytes)
    }

    /// A number as written in JSON.
    public static func jsonNumber(_ double: Double) -> String {
        var writer = JSONWriter(pretty: false, sortedKeys: false)
        writer.write(double)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
