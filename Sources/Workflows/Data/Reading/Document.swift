/// A YAML or JSON file as data, with the position of every node in its text.
///
/// JSON is read as a subset of YAML 1.2. The limits are 10 MB, 500 levels, and 100,000 values from aliases.
public struct Document: Sendable {
    /// The two parts of an object's member.
    public enum Part: Sendable, Hashable {
        /// The member's name.
        case key
        /// The member's value.
        case value
    }

    /// The largest file in bytes.
    public static let sizeLimit = 10_000_000

    /// The file's name as it was given.
    public let name: String
    /// The file's data.
    public let value: Value

    package var text: Data { Data(source.bytes.dropLast()) }

    /// Diagnostics that do not prevent reading.
    package let warnings: [Diagnostic]

    let source: SourceText
    let tree: PositionTree

    private static let dataLimit = 1_000_000_000

    /// Reads a file; its name is the URL's relative path.
    ///
    /// - Throws: ``ReadingError`` if it cannot be opened, or is not exactly one YAML or JSON document.
    public init(contentsOf url: URL) throws(ReadingError) {
        try self.init(contentsOf: url, limit: Self.sizeLimit, ignoresTags: false)
    }

    package init(dataAt url: URL) throws(ReadingError) {
        try self.init(contentsOf: url, limit: Self.dataLimit, ignoresTags: true)
    }

    private init(contentsOf url: URL, limit: Int, ignoresTags: Bool) throws(ReadingError) {
        let name = url.relativePath
        let data: Data
        do {
            var status = stat()
            let isThere = unsafe stat(url.path, &status) == 0
            let kind = status.st_mode & S_IFMT
            if isThere {
                if kind == S_IFDIR { throw CocoaError(.fileReadUnknown) }
                if status.st_size > limit { throw CocoaError(.fileReadTooLarge) }
            }
            data = try Data(contentsOf: url)
            // Files of the system, such as /proc/self/environ, have no size. Findings would quote their lines.
            if isThere, kind == S_IFREG, status.st_size == 0, !data.isEmpty {
                throw CocoaError(.fileReadUnsupportedScheme)
            }
        } catch {
            throw Self.cannotOpen(name, error as? CocoaError, limit)
        }
        try self.init(bytes: Array(data), name: name, limit: limit, ignoresTags: ignoresTags)
    }

    /// Reads text.
    ///
    /// - Throws: ``ReadingError`` with all diagnostics.
    public init(text: String, name: String) throws(ReadingError) {
        try self.init(bytes: Array(text.utf8), name: name)
    }

    /// Reads text encoded as UTF-8, UTF-16 or UTF-32.
    ///
    /// - Throws: ``ReadingError`` with all diagnostics.
    public init(data: Data, name: String) throws(ReadingError) {
        try self.init(bytes: Array(data), name: name)
    }

    private init(
        bytes: [UInt8], name: String, limit: Int = sizeLimit, ignoresTags: Bool = false
    ) throws(ReadingError) {
        guard bytes.count <= limit else {
            throw ReadingError(diagnostics: [Self.tooLarge(name, limit)])
        }
        do {
            source = SourceText(try UTF8Text.decode(bytes))
        } catch {
            let source = SourceText(bytes)
            throw ReadingError(diagnostics: [
                source.diagnostic(
                    id: "encoding", error.message, hint: "save the file as UTF-8", file: name, from: error.offset,
                    to: error.offset + 1)
            ])
        }
        self.name = name
        (value, tree, warnings) = try YAMLReader.read(source, name: name, ignoresTags: ignoresTags)
    }

    /// Reads text in UTF-8 that may be half typed: what cannot be read is null or left out, and nothing is reported.
    package init(incomplete data: Data, name: String) {
        self.name = name
        source = SourceText(Array(data.prefix(Self.sizeLimit)))
        (value, tree, warnings) = YAMLReader.recover(source, name: name)
    }

    private static func tooLarge(_ name: String, _ limit: Int) -> Diagnostic {
        Diagnostic(id: "too-large", "the file is larger than \(limit / 1_000_000) MB", file: name)
    }

    private static func cannotOpen(_ name: String, _ error: CocoaError?, _ limit: Int) -> ReadingError {
        let diagnostic =
            switch error?.code {
            case .fileReadNoSuchFile?, .fileNoSuchFile?: Diagnostic(id: "no-file", "there is no such file", file: name)
            case .fileReadNoPermission?: Diagnostic(id: "no-file", "reading this file is not permitted", file: name)
            case .fileReadUnknown?: Diagnostic(id: "no-file", "this is a folder or cannot be read", file: name)
            case .fileReadUnsupportedScheme?: Diagnostic(id: "no-file", "this is a file of the system", file: name)
            case .fileReadTooLarge?: tooLarge(name, limit)
            default: Diagnostic(id: "no-file", "the file cannot be read", file: name)
            }
        return ReadingError(diagnostics: [diagnostic])
    }

    /// The range of a value, or of the name before it, in the text.
    ///
    /// - Returns: For a pointer to nothing, the range of the nearest enclosing value.
    public func range(of pointer: JSONPointer, part: Part = .value) -> SourceRange? {
        let (node, isExact) = tree.node(at: pointer, in: value)
        if part == .key, isExact, node.keyEnd > 0 {
            return source.range(from: Int(node.keyStart), to: Int(node.keyEnd))
        }
        return source.range(from: Int(node.start), to: Int(node.end))
    }

    /// The range in the text of some of a string's characters, in any style.
    ///
    /// - Parameters:
    ///   - pointer: The string's path.
    ///   - offset: The number of Unicode scalars before the characters.
    ///   - length: The number of Unicode scalars in them.
    public func range(of pointer: JSONPointer, offset: Int, length: Int = 1) -> SourceRange? {
        let (node, isExact) = tree.node(at: pointer, in: value)
        guard isExact, node.style != .collection, node.style != .empty else { return range(of: pointer) }
        var reader = YAMLReader(source, name: name)
        let starts = reader.characters(of: node)
        guard let first = starts.first, let last = starts.last else { return range(of: pointer) }
        let start = offset < starts.count ? starts[max(offset, 0)] : last
        let end = offset + max(length, 1) < starts.count ? starts[max(offset + max(length, 1), 0)] : last
        return source.range(from: max(start, first), to: max(end, start))
    }

    /// A value's byte range in ``text``; nil if there is no such value.
    package func bytes(of pointer: JSONPointer) -> Range<Int>? {
        let (node, isExact) = tree.node(at: pointer, in: value)
        return isExact ? Int(node.start)..<Int(node.end) : nil
    }

    /// A line of the text without its line break; lines start at 1.
    public func line(_ number: Int) -> String? { source.line(number) }

    func shownLine(_ number: Int) -> String? { source.shownLine(number) }
}

/// An unreadable file or unreadable data, with all diagnostics.
public struct ReadingError: Error, Sendable, Hashable {
    /// The diagnostics, in the order of the text; never empty.
    public let diagnostics: [Diagnostic]

    /// Creates an error from one or more diagnostics.
    public init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

extension ReadingError: CustomStringConvertible {
    /// The diagnostics as shown in a terminal, without colour.
    public var description: String { diagnostics.map { $0.text() }.joined(separator: "\n") }
}
