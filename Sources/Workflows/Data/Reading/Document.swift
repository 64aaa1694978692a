public import Foundation

/// A YAML or JSON file as data, with the place of every node in its text.
///
/// JSON is read as the part of YAML 1.2 that it is. A file may be 10 MB large and 200 levels deep, and its aliases may
/// stand for 100,000 values.
public struct Document: Sendable {
    /// The two parts of an object's member.
    public enum Part: Sendable, Hashable {
        /// The member's name.
        case key
        /// The member's value.
        case value
    }

    /// How many bytes a file may have.
    public static let sizeLimit = 10_000_000

    /// The file's name as it was given.
    public let name: String
    /// What the file holds.
    public let value: Value

    /// The text in UTF-8.
    package var text: Data { Data(source.bytes.dropLast()) }

    private let source: SourceText
    private let tree: PositionTree

    /// Reads a file; its name is the URL's relative path.
    ///
    /// - Throws: ``ReadingError`` when it cannot be opened, or holds anything but one YAML or JSON document.
    public init(contentsOf url: URL) throws(ReadingError) {
        let name = url.relativePath
        let data: Data
        do {
            let values = try url.resourceValues(forKeys: [.isDirectoryKey, .fileSizeKey])
            if values.isDirectory == true { throw CocoaError(.fileReadUnknown) }
            if let size = values.fileSize, size > Self.sizeLimit { throw CocoaError(.fileReadTooLarge) }
            data = try Data(contentsOf: url)
        } catch {
            throw Self.cannotOpen(name, error as? CocoaError)
        }
        try self.init(data: data, name: name)
    }

    /// Reads text.
    ///
    /// - Throws: ``ReadingError`` with all that was found.
    public init(text: String, name: String) throws(ReadingError) {
        try self.init(bytes: Array(text.utf8), name: name)
    }

    /// Reads bytes that are text in UTF-8, UTF-16 or UTF-32.
    ///
    /// - Throws: ``ReadingError`` with all that was found.
    public init(data: Data, name: String) throws(ReadingError) {
        try self.init(bytes: Array(data), name: name)
    }

    private init(bytes: [UInt8], name: String) throws(ReadingError) {
        guard bytes.count <= Self.sizeLimit else {
            throw ReadingError(diagnostics: [Self.tooLarge(name)])
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
        var reader = YAMLReader(source, name: name)
        (value, tree) = try reader.read()
    }

    private static func tooLarge(_ name: String) -> Diagnostic {
        Diagnostic(id: "too-large", "the file is larger than \(sizeLimit / 1_000_000) MB", file: name)
    }

    private static func cannotOpen(_ name: String, _ error: CocoaError?) -> ReadingError {
        let diagnostic =
            switch error?.code {
            case .fileReadNoSuchFile?, .fileNoSuchFile?: Diagnostic(id: "no-file", "there is no such file", file: name)
            case .fileReadNoPermission?: Diagnostic(id: "no-file", "reading this file is not permitted", file: name)
            case .fileReadUnknown?: Diagnostic(id: "no-file", "this is a folder or cannot be read", file: name)
            case .fileReadTooLarge?: tooLarge(name)
            default: Diagnostic(id: "no-file", "the file cannot be read", file: name)
            }
        return ReadingError(diagnostics: [diagnostic])
    }

    /// The stretch of text that a value, or the name before it, is written in.
    ///
    /// - Returns: For a pointer to nothing, the stretch of the nearest value around it.
    public func range(of pointer: JSONPointer, part: Part = .value) -> SourceRange? {
        let (node, isExact) = tree.node(at: pointer, in: value)
        if part == .key, isExact, node.keyEnd > 0 {
            return source.range(from: Int(node.keyStart), to: Int(node.keyEnd))
        }
        return source.range(from: Int(node.start), to: Int(node.end))
    }

    /// The stretch of text that a part of a text's characters is written in, whatever its style.
    ///
    /// - Parameters:
    ///   - offset: How many Unicode scalars of the value come before it.
    ///   - length: How many Unicode scalars it has.
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

    /// A line of the text, counted from 1, without its break.
    public func line(_ number: Int) -> String? { source.line(number) }

    /// A line as findings show it; nil for one that is too long to be looked at.
    func shownLine(_ number: Int) -> String? { source.shownLine(number) }
}
