/// A stretch of a file's text.
public struct SourceRange: Sendable, Hashable {
    /// A place in a file's text.
    public struct Position: Sendable, Hashable {
        /// The line, from 1.
        public var line: Int
        /// The column in characters, from 1.
        public var column: Int

        /// Creates a position from a line and a column, both from 1.
        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// The place of the first character.
    public var start: Position
    /// The place behind the last character.
    public var end: Position

    /// Creates a range from the place of its first character and the place behind its last one.
    public init(start: Position, end: Position) {
        self.start = start
        self.end = end
    }
}
