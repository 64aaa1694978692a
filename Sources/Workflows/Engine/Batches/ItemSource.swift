/// The file with the items of a batch; reading fails if it has changed since the batch began.
package struct ItemSource: Sendable {
    package let name: String
    package let format: DataFormat
    /// The separator of a table that the user gave; nil to find it.
    let separator: SeparatedReader.Separator?
    private let file: FilePart

    /// Finds a file, whose extension says its format.
    /// - Parameter separator: The separator of a table; nil to find it.
    /// - Throws: ``ReadingError`` if it cannot be read, such as a device or a pipe, which may have no end.
    package init(_ path: String, separator: SeparatedReader.Separator? = nil) throws(ReadingError) {
        guard let format = DataFormat(nameOf: path), format != .text else {
            throw ReadingError(
                path, "the file's name does not show its format",
                hint: "name it .csv, .tsv, .jsonl, .json or .yaml, or write '-' and give JSON Lines to standard input")
        }
        guard separator == nil || format == .csv || format == .tsv else {
            throw ReadingError(path, "'--separator' is for tables: .csv and .tsv")
        }
        try self.init(path, named: path, format, separator)
    }

    /// Finds a file with the spooled standard input: JSON Lines.
    package init(spooled path: String) throws(ReadingError) {
        try self.init(path, named: "standard input", .jsonl)
    }

    private init(
        _ path: String, named name: String, _ format: DataFormat, _ separator: SeparatedReader.Separator? = nil
    ) throws(ReadingError) {
        do throws(SystemError) {
            file = try FilePart(path: path)
        } catch {
            throw ReadingError(
                name, error.isMissing ? "there is no such file" : "the file cannot be read: \(error)",
                hint: error.code == nil ? "write '-' and give JSON Lines to standard input" : nil)
        }
        self.name = name
        self.format = format
        self.separator = separator
    }

    /// Loads the file piece by piece; `hash` gets each byte once.
    func loading(_ hash: Locked<SHA256>?) throws(ReadingError) -> TextWindow.Load {
        let name = name, file = file
        let reader = try Self.reading(name) { () throws(SystemError) in try file.open() }
        return { offset throws(ReadingError) in
            guard offset < file.size else { return [] }
            let piece = try Self.reading(name) { () throws(SystemError) in try reader.piece(from: offset) }
            hash?.withLock { $0.update(piece) }
            return piece
        }
    }

    /// The items of a small JSON or YAML file, with their places.
    func document(_ hash: Locked<SHA256>?) throws(ReadingError) -> Document {
        guard file.size <= Document.sizeLimit else {
            throw ReadingError(
                name, "the file is larger than \(Document.sizeLimit / 1_000_000) MB",
                hint: "only CSV, TSV, JSON Lines and arrays in JSON may be larger")
        }
        let file = file
        let bytes = try Self.reading(name) { () throws(SystemError) in try file.bytes() }
        hash?.withLock { $0.update(bytes) }
        // YAML accepts more than JSON does.
        if format == .json { _ = try Value(json: bytes, name: name) }
        let document = try Document(data: bytes, name: name)
        guard document.value.array != nil else {
            throw ReadingError(diagnostics: [
                document.diagnostic(
                    id: "items", "the items must be an array, but this is \(document.value.described)", at: .root)
            ])
        }
        return document
    }

    private static func reading<Result>(
        _ name: String, _ body: () throws(SystemError) -> Result
    ) throws(ReadingError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw ReadingError(name, "the file cannot be read: \(error)")
        }
    }
}

extension ReadingError {
    fileprivate init(_ file: String, _ message: String, hint: String? = nil) {
        self.init(diagnostics: [Diagnostic(id: "source", message, hint: hint, file: file)])
    }
}
