/// A range of a file's text.
public struct SourceRange: Sendable, Hashable {
    /// A position in a file's text.
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

    /// The position of the first character.
    public var start: Position
    /// The position after the last character.
    public var end: Position

    /// Creates a range from the position of its first character and the position after its last one.
    public init(start: Position, end: Position) {
        self.start = start
        self.end = end
    }
}
