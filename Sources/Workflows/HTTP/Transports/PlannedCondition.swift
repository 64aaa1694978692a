/// When a planned call sends a request that it does not always send, because that depends on what only a run knows.
package struct PlannedCondition: Sendable, Hashable {
    /// The condition in words: `if the content has more than 10 MiB`.
    package var words: String
    /// The numbers of the kinds of requests, one of which a run sends, from the outermost decision to the innermost.
    package var kinds: [Int]
    /// Whether the request comes on top of those that are counted: a further page, or one in place of a refused one.
    package var isExtra: Bool
    /// The attachment that the request adds because it has no room in the message; nil for any other request.
    package var attachment: AddedAttachment?

    /// An attachment that may have to be added to a message, in one of two ways.
    package struct AddedAttachment: Sendable, Hashable {
        /// The number among the attachments of the planned message.
        package var number: Int
        /// Whether it is added in an upload session.
        package var isLarge: Bool

        package init(number: Int, isLarge: Bool) { (self.number, self.isLarge) = (number, isLarge) }
    }

    package init(words: String, kinds: [Int] = [], isExtra: Bool = false, attachment: AddedAttachment? = nil) {
        self.words = words
        self.kinds = kinds
        self.isExtra = isExtra
        self.attachment = attachment
    }

    /// Both conditions: this one, and another one inside it.
    package func and(_ inner: PlannedCondition) -> PlannedCondition {
        PlannedCondition(
            words: "\(words) and \(inner.words.hasPrefix("if ") ? String(inner.words.dropFirst(3)) : inner.words)",
            kinds: kinds + inner.kinds, isExtra: isExtra || inner.isExtra,
            attachment: inner.attachment ?? attachment)
    }
}
