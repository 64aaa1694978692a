extension GraphClient {
    /// Sends a message, once.
    ///
    /// Unless the message says otherwise, it is saved as a draft, which is then sent. If the outcome is unknown, the
    /// message is looked up by its id. If it is not found as sent, the promise is rejected with
    /// ``GraphError/Code/unknownOutcome``, and a person has to check.
    /// - Parameters:
    ///   - mail: The message.
    ///   - user: The sender: an id or user principal name; nil for the signed-in user.
    public func sendMail(_ mail: Mail, user: String? = nil) -> Promise<MailReceipt> {
        sendMail(mail, user: user, resuming: nil)
    }

    package func sendMail(_ mail: Mail, user: String?, resuming draft: Mail.Draft?) -> Promise<MailReceipt> {
        firstly { () throws -> Promise<MailReceipt> in
            try mail.check()
            guard draft != nil || mail.isDraftable else { return sendDirectly(mail, user: user) }
            let delivery = try DraftDelivery(mail, of: user, by: self)
            if let draft { return plan == nil ? delivery.resume(draft) : delivery.plan(resuming: draft) }
            guard let key = mail.key, key.isLookedUp else {
                return plan == nil ? delivery.perform() : delivery.plan()
            }
            return plan == nil ? delivery.perform(unlessSent: key) : delivery.plan(unlessSent: key)
        }
    }

    /// Sends a message in one request, which is not repeated if its outcome is unknown.
    /// - Parameter reason: Why it is not sent as a draft, if that was intended.
    func sendDirectly(_ mail: Mail, user: String?, because reason: String? = nil) -> Promise<MailReceipt> {
        let check =
            "Look for the message '\(PlainText.exact(mail.subject, limit: 100))' in Sent Items, or ask "
            + "\(PlainText.exact(mail.to.first ?? "a recipient", limit: 100)), before you send it again."
        tell(.effect(mail.effect(of: user), .begun), of: "sendMail")
        tell(.committing(reason: reason), of: "sendMail")
        return barrier().then(on: nil) { sendOnce(mail, user: user, check: check) }
    }

    private func sendOnce(_ mail: Mail, user: String?, check: String) -> Promise<MailReceipt> {
        exchange {
            guard try mail.division().added.isEmpty else {
                let size = mail.attachments.reduce(0) { $0 + $1.content.size }
                throw GraphError(
                    .invalidInput,
                    message: "The attachments have \(size) bytes together; one request can carry about 3 MB.",
                    hint: "Deliver the message as a draft, which needs Mail.ReadWrite and keeps a copy in Sent Items, "
                        + "or upload the files and send links instead.")
            }
            var request = GraphRequest(
                "sendMail", .once, "POST", try GraphPath(user: user).adding("/sendMail"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: try mail.payload().jsonData(), example: HTTPResponse(status: 202),
                check: check)
            request.consequences = [mail.effect(of: user)]
            return request
        } _: { response, _ throws(GraphError) in
            try response.demandAccepted(check)
            return MailReceipt(status: "accepted", messageID: nil)
        }
    }

    /// Sends a message in HTML; inserted text must be escaped, as `\(html: …)` does.
    public func sendMail(
        to: String..., cc: [String] = [], bcc: [String] = [], subject: String, html: String,
        attachments: [Mail.Attachment] = [], importance: Mail.Importance = .normal, saveToSentItems: Bool = true,
        delivery: Mail.Delivery? = nil, user: String? = nil
    ) -> Promise<MailReceipt> {
        var mail = Mail(to: to, subject: subject, body: .html(html))
        (mail.cc, mail.bcc, mail.attachments, mail.delivery) = (cc, bcc, attachments, delivery)
        (mail.importance, mail.saveToSentItems) = (importance, saveToSentItems)
        return sendMail(mail, user: user)
    }

    /// Sends a message in plain text.
    public func sendMail(
        to: String..., cc: [String] = [], bcc: [String] = [], subject: String, text: String,
        attachments: [Mail.Attachment] = [], importance: Mail.Importance = .normal, saveToSentItems: Bool = true,
        delivery: Mail.Delivery? = nil, user: String? = nil
    ) -> Promise<MailReceipt> {
        var mail = Mail(to: to, subject: subject, body: .text(text))
        (mail.cc, mail.bcc, mail.attachments, mail.delivery) = (cc, bcc, attachments, delivery)
        (mail.importance, mail.saveToSentItems) = (importance, saveToSentItems)
        return sendMail(mail, user: user)
    }
}

extension HTTPResponse {
    /// Throws unless the status is 202, with which Graph accepts a message.
    ///
    /// Any other success is not Graph's: a proxy or a sign-in page answers 200 and has sent nothing.
    /// - Parameter check: How to find out whether the message was sent.
    func demandAccepted(_ check: String) throws(GraphError) {
        guard status != 202 else { return }
        throw GraphError(
            .unknownOutcome, status: status,
            message:
                GraphError.unknownOutcomePrefix + "the answer is \(HTTPStatus.words(status)), not 202 Accepted.",
            hint: check)
    }
}
