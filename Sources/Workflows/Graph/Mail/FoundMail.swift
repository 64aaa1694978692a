/// A message in the sender's mailbox, as Graph describes it.
///
/// Everyone who may write to the mailbox can make it, with any key. So it counts as a mail only if it says the same.
struct FoundMail: Sendable {
    private static let properties =
        "id,isDraft,internetMessageId,createdDateTime,subject,body,from,sender,toRecipients,ccRecipients,bccRecipients,"
        + "replyTo,importance,isDeliveryReceiptRequested,isReadReceiptRequested,hasAttachments,internetMessageHeaders"

    /// What Exchange puts before the HTML of a message; `</body></html>` follows it.
    private static let head =
        "<html><head>\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"></head><body>"

    private let message: Value
    let isDraft: Bool

    /// Nil if Graph does not say whether it was sent.
    init?(_ message: Value) {
        guard let isDraft = message["isDraft"]?.bool else { return nil }
        self.message = message
        self.isDraft = isDraft
    }

    var draft: DraftDelivery.Draft {
        DraftDelivery.Draft(id: message["id"]?.string ?? "", internetMessageID: message["internetMessageId"]?.string)
    }
    var created: String { message["createdDateTime"]?.string ?? "" }
    var hasAttachments: Bool { message["hasAttachments"]?.bool == true }
    /// Whether it came from elsewhere: only what was transported has such a header, wherever it is moved.
    var wasReceived: Bool { headers.contains { $0["name"]?.string?.lowercased() == "received" } }
    private var headers: [Value] { message["internetMessageHeaders"]?.array ?? [] }

    /// A request for one message or a list of them, with all that is compared.
    static func request(_ path: GraphPath, example: HTTPResponse) -> GraphRequest {
        GraphRequest(
            "sendMail", .read, "GET", path.adding(query: "$select", properties),
            headers: [
                "Accept": "application/json",
                // Without the second preference, Graph leaves parts of HTML out.
                "Prefer": "\(DraftDelivery.immutable), outlook.allow-unsafe-html",
            ], example: example)
    }

    /// Whether its sender, if it has one, is among these addresses.
    func isFrom(_ owner: Set<[UInt8]>) -> Bool {
        Self.address(message["from"]).map { owner.isSuperset(of: Self.forms(of: [$0])) } ?? true
    }

    /// Whether it reads as a mail does, apart from the attachments and the sender.
    ///
    /// Equal are the same addresses in any order and letter case of ASCII, whatever names stand beside them; the same
    /// bytes of the subject; and the same lines of the same kind of text, in HTML also within Exchange's frame. What
    /// Exchange rewrites in another way counts as different.
    func says(what mail: Mail) -> Bool {
        let lists = [
            ("toRecipients", mail.to), ("ccRecipients", mail.cc), ("bccRecipients", mail.bcc),
            ("replyTo", mail.replyTo),
        ]
        return lists.allSatisfy { Self.forms(of: addresses($0)) == Self.forms(of: $1) }
            && Array((message["subject"]?.string ?? "").utf8) == Array(mail.subject.utf8) && hasText(of: mail.body)
            && message["importance"]?.string ?? "normal" == mail.importance.rawValue
            && message["isDeliveryReceiptRequested"] != true && message["isReadReceiptRequested"] != true
            && headers.isEmpty && [nil, Self.address(message["from"])].contains(Self.address(message["sender"]))
    }

    /// Whether a list is that of a mail's attachments, in any order.
    static func areAttachments(_ list: Value, of mail: Mail) -> Bool {
        func form(_ name: String, _ type: String, _ hash: String) -> String {
            SHA256.hex(of: Data([name, type, hash].joined(separator: "\0").utf8))
        }
        guard let there = list["value"]?.array, list["@odata.nextLink"] == nil else { return false }
        let forms = there.map { file in
            guard file["@odata.type"] == "#microsoft.graph.fileAttachment", file["isInline"] != true,
                let bytes = file["contentBytes"]?.string.flatMap({ Data(base64Encoded: $0) })
            else { return "" }
            return form(
                file["name"]?.string ?? "", file["contentType"]?.string ?? "", "sha256:\(SHA256.hex(of: bytes))")
        }
        let own = mail.attachments.map { form($0.name, $0.content.contentType, $0.content.hash) }
        return forms.sorted() == own.sorted()
    }

    /// What its recipients got.
    /// - Parameter user: The mailbox's owner; nil for the signed-in user.
    func effect(of user: String?) -> Effect {
        var mail = Mail(to: addresses("toRecipients"), subject: message["subject"]?.string ?? "", body: .text(""))
        mail.cc = addresses("ccRecipients")
        mail.bcc = addresses("bccRecipients")
        if hasAttachments {
            mail.attachments = [Mail.Attachment(name: "", content: Blob(Data()))]
            mail.attachments[0].isList = true
        }
        return mail.effect(of: user)
    }

    private func hasText(of body: Mail.Body) -> Bool {
        let lines = Self.lines(message["body"]?["content"]?.string ?? "")
        let type = message["body"]?["contentType"]?.string
        return switch body {
        case .text(let text): type == "text" && lines == Self.lines(text)
        case .html(let text):
            type == "html" && [text, Self.head + text + "</body></html>"].contains { Self.lines($0) == lines }
        }
    }

    private func addresses(_ list: String) -> [String] {
        (message[list]?.array ?? []).map { Self.address($0) ?? "" }
    }

    private static func address(_ recipient: Value?) -> String? { recipient?["emailAddress"]?["address"]?.string }

    /// Addresses in a form in which equal ones are the same bytes.
    static func forms(of addresses: [String]) -> Set<[UInt8]> {
        Set(addresses.map { $0.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } })
    }

    /// The lines of a text, without empty ones at its end.
    private static func lines(_ text: String) -> [[UInt8]] {
        var lines = Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            Array(line.last == 0x0D ? line.dropLast() : line)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
