/// Where a promise was made, in the twelve bytes that every promise can afford.
@usableFromInline
@safe
struct Origin: Sendable {
    /// The file as `#fileID` has it: static, and ending in a zero.
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
