/// Data in a file of JSON or YAML, or JSON on standard input.
enum DataFile {
    /// A larger file is refused, because it may have no end.
    private static let largest = 1_000_000_000

    /// Reads a file: as YAML if its name ends in `.yaml` or `.yml`, otherwise as JSON.
    /// - Throws: ``ReadingError`` with the position of a mistake.
    static func read(_ path: String) throws -> Value {
        if let value = try yaml(path) { return value }
        return try Value(json: json(path), name: path)
    }

    /// Reads a plan or an approval: JSON in which no object has a name twice.
    /// - Throws: ``ReadingError`` with the position of a mistake.
    static func readStrictly(_ path: String) throws -> Value {
        // A pipe may never have a writer, and what it held cannot be checked again.
        let size = Result { () throws(SystemError) in try SystemCall.sizeOfFile(path) }
        guard size != .success(nil) else { throw ReadingError(unreadable: path, "is not a regular file") }
        return try Value(strictJSON: json(path), name: path)
    }

    /// Reads all values of a file: one of YAML, or several of JSON.
    static func readAll(_ path: String) throws -> [Value] {
        if let value = try yaml(path) { return [value] }
        return try Value.all(json: json(path), name: path)
    }

    private static func yaml(_ path: String) throws -> Value? {
        guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else { return Optional<Value>.none }
        return try Document(dataAt: URL(fileURLWithPath: path)).value
    }

    private static func json(_ path: String) throws -> Data {
        // Devices such as /dev/zero have no end.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType != .typeCharacterSpecial else {
            throw ReadingError(unreadable: path, "is a device and holds no data")
        }
        return try bytes(named: path) { () throws(SystemError) in
            let file = try SystemCall.open(reading: path)
            defer { SystemCall.close(file) }
            return try SystemCall.read(file, upTo: largest)
        }
    }

    /// Reads JSON from standard input.
    /// - Throws: ``ReadingError`` with the position of a mistake.
    static func readStandardInput() throws -> Value { try Value(json: standardInput(), name: "standard input") }

    static func readAllOfStandardInput() throws -> [Value] {
        try Value.all(json: standardInput(), name: "standard input")
    }

    private static func standardInput() throws -> Data {
        try bytes(named: "standard input") { () throws(SystemError) in
            try SystemCall.read(STDIN_FILENO, upTo: largest)
        }
    }

    private static func bytes(
        named name: String, _ read: () throws(SystemError) -> Data
    ) throws(ReadingError) -> Data {
        let bytes: Data
        do throws(SystemError) {
            bytes = try read()
        } catch {
            throw ReadingError(
                unreadable: name, "cannot be read", hint: "check that it exists and that you may read it")
        }
        guard bytes.count <= largest else {
            throw ReadingError(unreadable: name, "is larger than \(largest / 1_000_000) MB")
        }
        return bytes
    }
}

extension ReadingError {
    fileprivate init(unreadable path: String, _ why: String, hint: String? = nil) {
        let start = SourceRange.Position(line: 1, column: 1)
        self.init(diagnostics: [
            Diagnostic(
                id: "unreadable", "the file \(why)", hint: hint,
                file: path, range: SourceRange(start: start, end: start))
        ])
    }
}
