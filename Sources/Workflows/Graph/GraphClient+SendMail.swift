public import Promises

extension GraphClient {
    /// Sends a message.
    ///
    /// It is never sent again by itself after a failure that leaves open whether it was taken: then the promise is
    /// rejected with ``GraphError/Code/unknownOutcome``, and somebody has to look.
    /// - Parameters:
    ///   - mail: The message.
    ///   - user: Who sends it: an id or user principal name; nil for the signed-in user.
    public func sendMail(_ mail: Mail, user: String? = nil) -> Promise<MailReceipt> {
        let check =
            "Look for the message '\(PlainText.line(mail.subject, limit: 100))' in Sent Items, or ask "
            + "\(PlainText.line(mail.to.first ?? "a recipient", limit: 100)), before you send it again."
        return exchange {
            try mail.check()
            return GraphRequest(
                "sendMail", .once, .mail, "POST", try GraphPath(user: user).adding("/sendMail"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: mail.payload.jsonData(), example: HTTPResponse(status: 202),
                check: check)
        } _: { response, _ throws(GraphError) in
            // Another success is not Graph's: a proxy or a sign-in page says 200, and has sent nothing.
            guard response.status == 202 else {
                throw GraphError(
                    .unknownOutcome, status: response.status,
                    message:
                        "Nobody knows whether it was done: the answer is \(HTTPStatus.words(response.status)), and "
                        + "not 202 Accepted.",
                    hint: check)
            }
            return MailReceipt(status: "accepted")
        }
    }

    /// Sends a message in HTML; what goes into it must be escaped, as `\(html: …)` does.
    public func sendMail(
        to: String..., cc: [String] = [], bcc: [String] = [], subject: String, html: String,
        attachments: [Mail.Attachment] = [], importance: Mail.Importance = .normal, saveToSentItems: Bool = true,
        user: String? = nil
    ) -> Promise<MailReceipt> {
        var mail = Mail(to: to, subject: subject, body: .html(html))
        (mail.cc, mail.bcc, mail.attachments) = (cc, bcc, attachments)
        (mail.importance, mail.saveToSentItems) = (importance, saveToSentItems)
        return sendMail(mail, user: user)
    }

    /// Sends a message in plain text.
    public func sendMail(
        to: String..., cc: [String] = [], bcc: [String] = [], subject: String, text: String,
        attachments: [Mail.Attachment] = [], importance: Mail.Importance = .normal, saveToSentItems: Bool = true,
        user: String? = nil
    ) -> Promise<MailReceipt> {
        var mail = Mail(to: to, subject: subject, body: .text(text))
        (mail.cc, mail.bcc, mail.attachments) = (cc, bcc, attachments)
        (mail.importance, mail.saveToSentItems) = (importance, saveToSentItems)
        return sendMail(mail, user: user)
    }
}

extension Permissions {
    /// What sending mail needs.
    static let mail = Permissions(delegated: ["Mail.Send"], application: ["Mail.Send"])
}
