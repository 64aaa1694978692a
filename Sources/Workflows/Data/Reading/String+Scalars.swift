import Essentials

extension String {
    /// By code point, which is also the order of UTF-8 bytes.
    func compared(to other: String) -> Int {
        var left = self
        var right = other
        return left.withUTF8 { left in
            right.withUTF8 { right in
                let count = min(left.count, right.count)
                guard count > 0, let one = left.baseAddress, let another = right.baseAddress else {
                    return left.count - right.count
                }
                let order = unsafe memcmp(one, another, count)
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
    }

    package func hasSameScalars(as other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && compared(to: other) == 0
    }

    /// Whether all of its characters are white space or not seen at all.
    var isBlank: Bool { unicodeScalars.allSatisfy(\.isBlank) }

    /// The text in one letters' case, its words with one blank between them: the same for texts that differ in these.
    package var folded: String {
        unicodeScalars.split(whereSeparator: \.isBlank).map { String($0) }.joined(separator: " ").uppercased()
            .lowercased()
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { properties.isWhitespace || PlainText.isControl(self) }
}
