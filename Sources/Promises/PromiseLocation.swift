/// The file and line where a promise was made.
public struct PromiseLocation: Sendable, Hashable, CustomStringConvertible {
    /// The file, as `#fileID` has it: `Module/File.swift`.
    public let fileID: String
    /// The line, counted from 1.
    public let line: Int

    /// Creates a location.
    public init(fileID: String, line: Int) {
        self.fileID = fileID
        self.line = line
    }

    /// `Module/File.swift:LINE`.
    public var description: String { "\(fileID):\(line)" }
}
