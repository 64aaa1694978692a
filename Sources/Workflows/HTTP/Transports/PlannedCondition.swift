/// When a planned call sends a request that depends on a value that is only known at run time.
package struct PlannedCondition: Sendable, Hashable {
    package var words: String
    /// For each decision, outermost first, the number of the alternative to which the request belongs.
    package var kinds: [Int]
    /// Whether the request is in addition to the counted ones: a further page, or a replacement for a refused request.
    package var isExtra: Bool
    /// The attachment that the request adds because it does not fit into the message; nil for any other request.
    package var attachment: AddedAttachment?

    /// An attachment that may have to be added to a message, in one of two ways.
    package struct AddedAttachment: Sendable, Hashable {
        package var number: Int
        package var isLarge: Bool

        package init(number: Int, isLarge: Bool) { (self.number, self.isLarge) = (number, isLarge) }
    }

    package init(words: String, kinds: [Int] = [], isExtra: Bool = false, attachment: AddedAttachment? = nil) {
        self.words = words
        self.kinds = kinds
        self.isExtra = isExtra
        self.attachment = attachment
    }

    package func and(_ inner: PlannedCondition) -> PlannedCondition {
        PlannedCondition(
            words: "\(words) and \(inner.words.hasPrefix("if ") ? String(inner.words.dropFirst(3)) : inner.words)",
            kinds: kinds + inner.kinds, isExtra: isExtra || inner.isExtra,
            attachment: inner.attachment ?? attachment)
    }
}
