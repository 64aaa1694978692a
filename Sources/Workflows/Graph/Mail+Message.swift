import Foundation

extension Mail {
    /// The message as the body of Graph's `sendMail`.
    var payload: Value {
        ["message": message, "saveToSentItems": .bool(saveToSentItems)]
    }

    /// The message as Graph describes one.
    var message: Value {
        var message: Object = ["subject": .string(subject), "body": itemBody, "toRecipients": Self.recipients(to)]
        if !cc.isEmpty { message["ccRecipients"] = Self.recipients(cc) }
        if !bcc.isEmpty { message["bccRecipients"] = Self.recipients(bcc) }
        if importance != .normal { message["importance"] = .string(importance.rawValue) }
        if !attachments.isEmpty { message["attachments"] = .array(attachments.map(\.value)) }
        return .object(message)
    }

    /// Finds what cannot be right before anything is sent.
    func check() throws(GraphError) {
        guard !(to + cc + bcc).isEmpty else {
            throw GraphError(.invalidInput, message: "The message has no recipient.")
        }
        for address in to + cc + bcc where !Self.isAddress(address) {
            throw GraphError(
                .invalidInput, message: "'\(PlainText.line(address, limit: 100))' is not an address for mail.",
                hint: "Write each address by itself, without a name: megan@contoso.com.")
        }
        for attachment in attachments where attachment.name.isEmpty {
            throw GraphError(.invalidInput, message: "An attachment has no name.")
        }
        let size = attachments.reduce(0) { $0 + $1.content.size }
        guard size <= Self.largestAttachments else {
            throw GraphError(
                .invalidInput,
                message: "The attachments have \(size) bytes together; "
                    + "one request can carry \(Self.largestAttachments).",
                hint: "Upload them and send a link instead.")
        }
    }

    private var itemBody: Value {
        switch body {
        case .text(let text): ["contentType": "text", "content": .string(text)]
        case .html(let html): ["contentType": "html", "content": .string(html)]
        }
    }

    private static func recipients(_ addresses: [String]) -> Value {
        .array(addresses.map { ["emailAddress": ["address": .string($0)]] })
    }

    /// Whether a text has the shape of an address: one `@` with something on both sides, nothing that separates addresses.
    ///
    /// What a dry run does not know yet, such as `‹me.mail›`, passes.
    private static func isAddress(_ text: String) -> Bool {
        if text.hasPrefix("‹"), text.hasSuffix("›") { return true }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count <= 320
            && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".") && !$0.contains("..") }
            && !text.unicodeScalars.contains { scalar in
                scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
                    || "<>()[],;:\\\"".unicodeScalars.contains(scalar)
            }
    }
}

extension Mail.Attachment {
    /// The attachment as Graph describes one.
    var value: Value {
        [
            "@odata.type": "#microsoft.graph.fileAttachment", "name": .string(name),
            "contentType": .string(content.contentType), "contentBytes": .string(content.bytes.base64EncodedString()),
        ]
    }
}
