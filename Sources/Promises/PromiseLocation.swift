/// The file and line where a promise was made.
public struct PromiseLocation: Sendable, Hashable, CustomStringConvertible {
    /// The file, as in `#fileID`: `Module/File.swift`.
    public let fileID: String
    /// The line, from 1.
    public let line: Int

    /// Creates a location.
    public init(fileID: String, line: Int) {
        self.fileID = fileID
        self.line = line
    }

    /// `Module/File.swift:LINE`.
    public var description: String { "\(fileID):\(line)" }
}

/// Where a promise was made, in only twelve bytes.
@usableFromInline
@safe
struct Origin: Sendable {
    /// As in `#fileID`: static, and ending in a zero.
    @usableFromInline nonisolated(unsafe) let file: UnsafePointer<UInt8>
    @usableFromInline let line: UInt32

    @inlinable
    init(_ file: StaticString, _ line: UInt) {
        unsafe self.file = file.utf8Start
        self.line = UInt32(truncatingIfNeeded: line)
    }

    var location: PromiseLocation {
        unsafe PromiseLocation(fileID: String(cString: file), line: Int(line))
    }
}
