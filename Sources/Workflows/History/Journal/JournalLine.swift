/// A line of a log: JSON with the line's number and a checksum as its last members.
///
/// The checksum covers the previous line's checksum and this line's bytes before it: a changed, swapped, missing or
/// added line is found.
package enum JournalLine {
    /// The maximum size of a line in bytes; large data is in blobs.
    static let largest = 16 << 20
    private static let numberName = Array(#","line":"#.utf8)
    private static let checksumName = Array(#","checksum":""#.utf8)
    private static let end = Array("\"}".utf8)
    private static let digits = 16

    static func size(of json: [UInt8], number: Int) -> Int {
        json.count - 1 + numberName.count + String(number).utf8.count + checksumName.count + digits + end.count + 1
    }

    /// Appends a line to others, and returns its checksum.
    /// - Parameters:
    ///   - json: The bytes of a JSON object with at least one member.
    ///   - number: The line's number, from 1.
    ///   - previous: The checksum of the previous line; empty for the first line.
    static func append(
        _ json: [UInt8], to lines: inout [UInt8], number: Int, after previous: String
    ) -> String {
        let start = lines.count
        lines.append(contentsOf: json)
        lines.removeLast()
        lines.append(contentsOf: numberName)
        lines.append(contentsOf: String(number).utf8)
        let checksum = checksum(of: lines[start...], after: previous)
        lines.append(contentsOf: checksumName)
        lines.append(contentsOf: checksum.utf8)
        lines.append(contentsOf: end)
        lines.append(UInt8(ascii: "\n"))
        return checksum
    }

    /// Reads a line without its line end; `file` is its name in errors.
    package static func decode(
        _ bytes: Data, number: Int, after previous: String, of file: String = "journal"
    ) throws(JournalError) -> (members: Object, checksum: String) {
        let rest = checksumName.count + digits + end.count
        guard bytes.count <= largest else { throw damaged(number, of: file, "it is too long") }
        guard bytes.count > rest else { throw damaged(number, of: file, mismatch(bytes, number)) }
        let content = bytes.dropLast(rest)
        let checksum = checksum(of: content, after: previous)
        guard isEnd(bytes.suffix(rest), with: checksum) else {
            throw damaged(number, of: file, mismatch(bytes, number))
        }
        guard let members = (try? Value(json: bytes))?.object else {
            throw damaged(number, of: file, "it is not a JSON object")
        }
        guard members["line"]?.integer == number else { throw damaged(number, of: file, mismatch(bytes, number)) }
        return (members, checksum)
    }

    /// The checksum that is written in a line, which may be damaged.
    static func checksum(in line: Data) -> String {
        String(decoding: line.dropLast(end.count).suffix(digits), as: UTF8.self)
    }

    static func damaged(_ number: Int, of file: String = "journal", _ why: String) -> JournalError {
        JournalError(
            .damaged, "line \(number) of the \(file) is damaged: \(why)",
            hint:
                "the \(file) was changed after it was written, so its \(file == "journal" ? "run" : "batch") cannot be "
                + "resumed",
            line: number)
    }

    private static func mismatch(_ bytes: Data, _ number: Int) -> String {
        guard let found = (try? Value(json: bytes))?["line"]?.integer, found != number else {
            return "its checksum is wrong"
        }
        return "line \(found) is in its place"
    }

    private static func checksum(of bytes: some ContiguousBytes, after previous: String) -> String {
        var hash = SHA256()
        var previous = previous
        previous.withUTF8 { unsafe hash.update($0) }
        hash.update(bytes)
        let number = hash.first64Bits
        return unsafe String(unsafeUninitializedCapacity: digits) { text in
            for index in 0..<digits {
                let digit = UInt8(truncatingIfNeeded: number &>> UInt64(4 &* (digits &- 1 &- index))) & 15
                unsafe text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return digits
        }
    }

    private static func isEnd(_ bytes: Data, with checksum: String) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.starts(with: checksumName) && bytes.dropFirst(checksumName.count).starts(with: checksum.utf8)
                && bytes.dropFirst(checksumName.count + digits).elementsEqual(end)
        }
    }
}
