extension Mail {
    /// - Parameter user: The sender; nil for the signed-in user.
    func effect(of user: String?) -> Effect {
        var effect = Effect(
            .mail(
                .init(
                    from: .owner(user), to: addresses(to), cc: addresses(cc), bcc: addresses(bcc),
                    subject: .string(subject), attachments: attachmentsValue, sent: true)), isOwn: user == nil)
        effect.isOnce = true
        return effect
    }

    private func addresses(_ all: [String]) -> Value {
        all.contains(where: unknownLists.contains)
            ? .string(all.joined(separator: ", ")) : .array(all.map(Value.string))
    }

    private var attachmentsValue: Value {
        if attachments.contains(where: \.isList) { return .null }
        return .array(
            attachments.map { attachment in
                guard attachment.unknown == nil else { return ["name": .null, "size": .null] }
                return [
                    "name": .string(attachment.name),
                    "size": attachment.content.hasUnknownSize ? .null : .integer(attachment.content.size),
                ]
            })
    }
}
