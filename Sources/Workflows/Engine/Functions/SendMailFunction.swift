extension Mail.Importance: ParameterValue {}
extension Mail.Delivery: ParameterValue {}

private struct SendMailParameters: FunctionParameters {
    @Parameter("The recipient's address, or several.", schema: FunctionSchema.addresses) var to: Value
    @Parameter("Who gets a copy.", schema: FunctionSchema.addresses) var cc: Value?
    @Parameter("Who gets a blind copy.", schema: FunctionSchema.addresses) var bcc: Value?
    @Parameter("Who gets the replies, if not the sender.", schema: FunctionSchema.addresses) var replyTo: Value?
    @Parameter("The subject.", schema: FunctionSchema.anyText) var subject: String
    @Parameter(
        "A string is plain text; { contentType: html, content: … } is HTML, as render makes it.",
        schema: Body.orTextSchema)
    var body: Value
    @Parameter(
        "Files, 150 MB each at most; with direct delivery about 3 MB in total.",
        schema: [Attachment].parameterSchema)
    var attachments: Value?
    @Parameter("The importance that it is marked with.", schema: Mail.Importance.parameterSchema)
    var importance: Value = "normal"
    @Parameter("Whether the sender keeps a copy.") var saveToSentItems = true
    @Parameter(
        "How it is sent. draft (Mail.ReadWrite and Mail.Send): as a draft that is then sent, and searched for if it "
            + "is unknown whether it was. direct (Mail.Send): in one request that is never repeated. Default: draft, "
            + "or direct where drafts are not permitted or saveToSentItems is false.")
    var delivery: Mail.Delivery?
    @Parameter(FunctionSchema.user) var user: String?

    struct Body: FunctionParameters {
        @Parameter("The form of the content.", schema: FunctionSchema.choice(["text", "html"]))
        var contentType: Value = "text"
        @Parameter() var content: Content

        static var orTextSchema: Object {
            var schema = parameterSchema
            schema["type"] = ["string", "object"]
            return schema
        }
    }

    struct Attachment: FunctionParameters {
        @Parameter("The name that the reader sees.") var name: String
        @Parameter() var content: Content
        @Parameter("The media type; by default the one that the bytes have.") var contentType: String?
        @Parameter("The name by which HTML shows it: logo for <img src=\"cid:logo\">.") var contentId: String?
        @Parameter("Whether it is a picture in the text.", schema: Bool.parameterSchema) var isInline: Value?
    }
}

extension Function {
    static let sendMail = Function(
        "sendMail", summary: "Sends a message as the signed-in user, and never repeats it by itself.",
        input: SendMailParameters.self,
        output: FunctionSchema.answer(
            required: ["status"],
            [
                "status": [
                    "type": "string", "enum": ["accepted"],
                    "description": "The service accepted it and will try to deliver it.",
                ],
                "messageId": FunctionSchema.text(
                    "The id of the message, which it keeps in Sent Items; none with direct delivery."),
            ]),
        requests: requests, effect: .once, commitsItself: true, assumedOutput: ["status": "accepted"],
        check: { with, files in
            let addresses = ["to", "cc", "bcc", "replyTo"].flatMap {
                Finding.addresses(in: with[$0], at: JSONPointer([$0]))
            }
            let list = JSONPointer(["attachments"])
            let missing = (with["attachments"]?.array ?? []).enumerated().flatMap { position, value in
                missingFile(in: value["content"], at: list.appending(position).appending("content"), files)
            }
            let likelyMistakes = htmlAsText(with["body"]) + namesAsContent(with["attachments"])
            guard with["delivery"]?.literal == "draft", with["saveToSentItems"]?.bool == false else {
                return addresses + missing + likelyMistakes
            }
            let conflict = Finding(
                "mail-delivery", at: ["saveToSentItems"],
                "a message that is delivered as a draft always stays in Sent Items",
                hint: "leave 'delivery' out, or make it 'direct'")
            return addresses + missing + likelyMistakes + [conflict]
        },
        body: { with, context in
            var mail = try mail(with, context)
            mail.key = context.mailKey
            return context.graph.sendMail(mail, user: with.user, resuming: context.draft).map(on: nil) { $0.value }
        })

    /// A draft that is sent, unless the message is delivered directly.
    @Sendable private static func requests(_ with: Value) -> [ExpectedRequest] {
        let direct = [ExpectedRequest("POST", with.userPath + "/sendMail")]
        let messages = with.userPath + "/messages"
        let draft = [ExpectedRequest("POST", messages), ExpectedRequest("POST", messages + "/x/send")]
        guard let delivery = with["delivery"], !delivery.isNull else {
            return with["saveToSentItems"] == false ? direct : draft
        }
        return delivery.literal.map { $0 == "direct" ? direct : draft } ?? draft + direct
    }

    /// Warns of text in which readers would see HTML tags.
    private static func htmlAsText(_ body: Value?) -> [Finding] {
        guard let body, body["contentType"] == nil || body["contentType"]?.literal == "text" else { return [] }
        let isObject = body.object != nil
        guard let text = (isObject ? body["content"] : body)?.string?.lowercased(),
            ["</", "<br", "<p>"].contains(where: text.contains), text.contains(">")
        else { return [] }
        return [
            Finding(
                "html-as-text", at: isObject ? ["body", "content"] : ["body"],
                "this body is sent as plain text, but has tags of HTML in it",
                hint: "write 'body: { contentType: html, content: … }'", severity: .warning)
        ]
    }

    /// Warns of attachments whose content is a file's name.
    private static func namesAsContent(_ attachments: Value?) -> [Finding] {
        (attachments?.array ?? []).enumerated().compactMap { position, attachment in
            guard let text = attachment["content"]?.literal, text.looksLikeFileName else { return nil }
            let name = PlainText.exact(text, limit: 50)
            return Finding(
                "name-as-content", at: ["attachments", "\(position)", "content"],
                "the attachment holds the text '\(name)', not the file of that name",
                hint: "write 'content: { file: \(name) }'", severity: .warning)
        }
    }

    private static func mail(_ with: SendMailParameters, _ context: FunctionContext) throws(FunctionError) -> Mail {
        var mail = Mail(to: [], subject: with.subject, body: try body(with.body, context))
        mail.to = try addresses("to", with.to, &mail, context)
        mail.cc = try addresses("cc", with.cc, &mail, context)
        mail.bcc = try addresses("bcc", with.bcc, &mail, context)
        mail.replyTo = try addresses("replyTo", with.replyTo, &mail, context)
        mail.delivery = with.delivery
        if let word = with.importance.string, UnknownTokens.isIn(word) {
            mail.unknownImportance = word
        } else {
            mail.importance = try Mail.Importance(argument: with.importance, at: JSONPointer(["importance"]))
        }
        mail.saveToSentItems = with.saveToSentItems
        if let given = with.attachments, let all = unknownAttachments(given, context) {
            mail.attachments = [all]
            mail.attachments[0].isList = true
            return mail
        }
        for (position, value) in (with.attachments?.array ?? []).enumerated() {
            if let unknown = unknownAttachments(value, context) {
                mail.attachments.append(unknown)
                continue
            }
            let place = JSONPointer(["attachments"]).appending(position)
            let attachment = try SendMailParameters.Attachment(argument: value, at: place)
            let content = try attachment.content.blob(in: context)
            var attached = Mail.Attachment(
                name: attachment.name,
                content: attachment.contentType.map(content.with(contentType:)) ?? content)
            attached.contentID = attachment.contentId
            attached.inline = attachment.isInline
            mail.attachments.append(attached)
        }
        return mail
    }

    /// The addresses of an argument; one token if a plan does not know how many there are.
    private static func addresses(
        _ name: String, _ given: Value?, _ mail: inout Mail, _ context: FunctionContext
    ) throws(FunctionError) -> [String] {
        guard let given else { return [] }
        guard let unknowns = context.graph.plan?.unknowns,
            let unknown = given.string.flatMap({ unknowns.unknown(of: $0) }) ?? unknowns.collection(given),
            unknown.shape != .text, !unknowns.isMember(unknown)
        else { return try [String](argument: given, at: JSONPointer([name])) }
        let token = context.graph.plannedToken(
            unknown.name, computed: "[if type == \"array\" then .[] else . end | {emailAddress: {address: .}}]",
            from: given)
        mail.unknownLists.insert(token)
        return [token]
    }

    /// One attachment that represents an unknown attachment, or an unknown list of them.
    private static func unknownAttachments(_ value: Value, _ context: FunctionContext) -> Mail.Attachment? {
        guard let plan = context.graph.plan,
            let unknown = value.string.flatMap({ plan.unknowns.unknown(of: $0) })
                ?? (value.array == nil ? nil : plan.unknowns.collection(value))
        else { return nil }
        let name = plan.unknowns.token(for: unknown.member("name", .text))
        let content = plan.unknowns.token(for: unknown.member("content"))
        var attachment = Mail.Attachment(
            name: name, content: plan.unknownBytes(content))
        attachment.unknown = plan.unknowns.token(for: unknown)
        return attachment
    }

    private static func body(_ value: Value, _ context: FunctionContext) throws(FunctionError) -> Mail.Body {
        if let text = value.string { return .text(text) }
        let body = try SendMailParameters.Body(argument: value, at: JSONPointer(["body"]))
        let place = JSONPointer(["body", "content"]), isHTML = body.contentType == "html"
        let blob = try body.content.blob(in: context)
        if let plan = context.graph.plan, let bytes = try? blob.bytes, let unknown = plan.unknowns.example(of: bytes) {
            let token = plan.unknowns.token(for: unknown)
            return isHTML ? .html(token) : .text(token)
        }
        let bytes = try FunctionError.placed(at: place) { try blob.bytes }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FunctionError("is not text in UTF-8", at: place)
        }
        return isHTML ? .html(text) : .text(text)
    }
}

extension FunctionFinding {
    /// Finds what is no address of one person, in one text or in a list.
    static func addresses(in value: Value?, at pointer: JSONPointer) -> [Self] {
        if let addresses = value?.array {
            return addresses.enumerated().flatMap { Self.addresses(in: $1, at: pointer.appending($0)) }
        }
        guard let address = value?.literal else { return [] }
        return caught("mail-address", at: pointer) { try MailAddress.check(address) }
    }
}

extension String {
    /// Whether it is one word that ends in a dot and two to five letters or digits.
    fileprivate var looksLikeFileName: Bool {
        guard utf8.count <= 200, !contains(where: \.isWhitespace), let point = lastIndex(of: "."), point > startIndex
        else { return false }
        let ending = self[index(after: point)...]
        return (2...5).contains(ending.count) && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
