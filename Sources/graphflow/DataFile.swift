import Essentials
import Workflows

/// Data from outside: a file of JSON or YAML, or JSON on standard input.
enum DataFile {
    /// A larger file is taken for one without an end.
    private static let largest = 1_000_000_000

    /// Reads a file: as YAML if its name ends in `.yaml` or `.yml`, otherwise as JSON.
    /// - Throws: ``ReadingError`` with the position of a mistake.
    static func read(_ path: String) throws -> Value {
        if path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            return try Document(contentsOf: URL(fileURLWithPath: path)).value
        }
        // Devices such as /dev/zero have no end.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType != .typeCharacterSpecial else {
            throw ReadingError(unreadable: path, "is a device and holds no data")
        }
        return try Value(
            json: bytes(named: path) { () throws(SystemError) in
                let file = try SystemCall.open(reading: path)
                defer { SystemCall.close(file) }
                return try SystemCall.read(file, upTo: largest)
            }, name: path)
    }

    /// Reads JSON from standard input.
    /// - Throws: ``ReadingError`` with the position of a mistake.
    static func readStandardInput() throws -> Value {
        let bytes = try bytes(named: "standard input") { () throws(SystemError) in
            try SystemCall.read(STDIN_FILENO, upTo: largest)
        }
        return try Value(json: bytes, name: "standard input")
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
    /// A file that cannot be used.
    fileprivate init(unreadable path: String, _ why: String, hint: String? = nil) {
        let start = SourceRange.Position(line: 1, column: 1)
        self.init(diagnostics: [
            Diagnostic(
                id: "unreadable", "the file \(why)", hint: hint,
                file: path, range: SourceRange(start: start, end: start))
        ])
    }
}
