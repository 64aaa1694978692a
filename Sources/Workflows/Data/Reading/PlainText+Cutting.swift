/// Cuts outside texts for messages, with a mark at the cut.
///
/// The code that makes a message does not know the secrets. The later search for secrets finds one's beginning before
/// the mark, so at most 3 bytes of it are shown.
extension PlainText {
    package static let cutMark = "…"

    /// The beginning, with at most this many characters before the mark.
    package static func cut(_ text: some StringProtocol, to most: Int) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: max(0, most), limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return String(text) }
        return String(text[..<end]) + cutMark
    }

    /// The beginning, with at most this many columns before the mark.
    package static func cut(_ text: String, toColumns most: Int) -> String {
        var left = most
        let end = text.unicodeScalars.firstIndex { scalar in
            left -= columns(of: scalar)
            return left < 0
        }
        return end.map { text[..<$0] + cutMark } ?? text
    }

    /// The width includes the mark.
    package static func fitted(_ text: String, to width: Int) -> String {
        columns(of: text) > width ? cut(text, toColumns: width - 1) : text
    }

    /// A value as it is, on one line and cut if it is longer: what is not seen is escaped, and blanks at its ends stay.
    package static func exact(_ text: String, limit: Int) -> String { exact(cut(text, to: limit)) }

    /// A sentence of others on one line without control characters, cut if it is longer.
    ///
    /// For a value in a message, whose blanks matter, see ``exact(_:limit:)``.
    package static func line(_ text: String, limit: Int = 500) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isPlain, text.utf8.count <= limit, text.utf8.last != UInt8(ascii: " ") { return text }
        var line = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return line + cutMark }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .privateUse, .unassigned:
                guard line.last != " ", !line.isEmpty else { continue }
                line.append(" ")
            default: line.unicodeScalars.append(scalar)
            }
            count += 1
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The beginning of bytes as text, cut between two characters.
    package static func beginning(of bytes: Data, upTo most: Int) -> String {
        guard bytes.count > most else { return String(decoding: bytes, as: UTF8.self) }
        var end = bytes.startIndex + most
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + cutMark
    }

    /// The address without query and fragment, which may contain secrets.
    package static func withoutQuery(_ address: String) -> String {
        guard let end = address.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return address }
        return address[...end] + cutMark
    }
}
