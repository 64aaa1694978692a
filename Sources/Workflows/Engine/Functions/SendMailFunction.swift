import Essentials
import Promises

extension Function {
    static let sendMail = Function(
        "sendMail", summary: "Sends a message as the signed-in user, and never repeats it by itself.",
        input: FunctionSchema.object(
            required: ["to", "subject", "body"],
            [
                "to": FunctionSchema.addresses("The recipient's address, or several."),
                "cc": FunctionSchema.addresses("Who gets a copy."),
                "bcc": FunctionSchema.addresses("Who gets a copy without the others knowing."),
                "replyTo": FunctionSchema.addresses("Who gets the replies, if not the sender."),
                "subject": FunctionSchema.text("The subject.", minLength: 0),
                "body": body,
                "attachments": attachments,
                "importance": FunctionSchema.choice(
                    Mail.Importance.self, default: .normal, "The importance that it is marked with."),
                "saveToSentItems": [
                    "type": "boolean", "default": true, "description": "Whether the sender keeps a copy.",
                ],
                "delivery": FunctionSchema.choice(Mail.Delivery.self, delivery),
                "user": FunctionSchema.user,
            ]),
        output: FunctionSchema.answer(
            required: ["status"],
            [
                "status": FunctionSchema.choice(["accepted"], "The service accepted it and will try to deliver it."),
                "messageId": FunctionSchema.text(
                    "The id of the message, which it keeps in Sent Items; none with direct delivery."),
            ]),
        permissions: .drafts, effect: .once, commitsItself: true, assumedOutput: ["status": "accepted"],
        check: { with, files in
            let addresses = ["to", "cc", "bcc", "replyTo"].flatMap { findings(in: with[$0], at: JSONPointer([$0])) }
            let list = JSONPointer(["attachments"])
            let missing = (with["attachments"]?.array ?? []).enumerated().flatMap { position, value in
                missingFile(in: value["content"], at: list.appending(position).appending("content"), files)
            }
            let likelyMistakes = htmlAsText(with["body"]) + namesAsContent(with["attachments"])
            guard with["delivery"]?.literal == "draft", with["saveToSentItems"]?.bool == false else {
                return addresses + missing + likelyMistakes
            }
            let conflict = Finding(
                pointer: JSONPointer(["saveToSentItems"]), id: "mail-delivery",
                message: "a message that is delivered as a draft always stays in Sent Items",
                hint: "leave 'delivery' out, or make it 'direct'")
            return addresses + missing + likelyMistakes + [conflict]
        },
        body: { input, context in
            let arguments = try Arguments(input)
            var mail = try mail(arguments, context)
            mail.key = context.mailKey
            let user = try arguments.text("user")
            return context.graph.sendMail(mail, user: user, resuming: context.draft).map(on: nil) { $0.value }
        })

    /// A warning of a text that readers would see with its tags.
    private static func htmlAsText(_ body: Value?) -> [Finding] {
        guard let body, body["contentType"] == nil || body["contentType"]?.literal == "text" else { return [] }
        let isObject = body.object != nil
        guard let text = (isObject ? body["content"] : body)?.string?.lowercased(),
            ["</", "<br", "<p>"].contains(where: text.contains), text.contains(">")
        else { return [] }
        return [
            Finding(
                pointer: JSONPointer(isObject ? ["body", "content"] : ["body"]), id: "html-as-text",
                message: "this body is sent as plain text, but has tags of HTML in it",
                hint: "write 'body: { contentType: html, content: … }'", severity: .warning)
        ]
    }

    /// Warnings of attachments that hold the name of a file and not the file.
    private static func namesAsContent(_ attachments: Value?) -> [Finding] {
        (attachments?.array ?? []).enumerated().compactMap { position, attachment in
            guard let text = attachment["content"]?.literal, text.looksLikeFileName else { return nil }
            let name = PlainText.line(text, limit: 50)
            return Finding(
                pointer: JSONPointer(["attachments", "\(position)", "content"]), id: "name-as-content",
                message: "the attachment holds the text '\(name)', and not a file of that name",
                hint: "write 'content: { file: \(name) }'", severity: .warning)
        }
    }

    private static let delivery =
        "How it is sent. draft (Mail.ReadWrite and Mail.Send): as a draft that is then sent, and searched for if it "
        + "is unknown whether it was. direct (Mail.Send): in one request that is never repeated. Default: draft, or "
        + "direct where drafts are not permitted or saveToSentItems is false."

    private static let body: Value = [
        "type": ["string", "object"],
        "properties": [
            "contentType": FunctionSchema.choice(["text", "html"], default: "text", "The form of the content."),
            "content": FunctionSchema.content,
        ],
        "required": ["content"], "additionalProperties": false,
        "description": "A string is plain text; { contentType: html, content: … } is HTML, as render makes it.",
    ]

    private static let attachments: Value = [
        "type": "array",
        "items": FunctionSchema.object(
            required: ["name", "content"],
            [
                "name": FunctionSchema.text("The name that the reader sees."),
                "content": FunctionSchema.content,
                "contentType": FunctionSchema.text("The media type; by default the one that the bytes have."),
            ]),
        "description": "Files, 150 MB each at most; with direct delivery about 3 MB in total.",
    ]

    private static func mail(_ arguments: Arguments, _ context: FunctionContext) throws(FunctionError) -> Mail {
        var mail = Mail(
            to: [], subject: try arguments.required("subject"), body: try body(arguments["body"] ?? .null, context))
        mail.to = try addresses("to", arguments, &mail, context)
        mail.cc = try addresses("cc", arguments, &mail, context)
        mail.bcc = try addresses("bcc", arguments, &mail, context)
        mail.replyTo = try addresses("replyTo", arguments, &mail, context)
        mail.delivery = try arguments.choice("delivery", of: Mail.Delivery.self)
        if context.isPlanning, let word = arguments["importance"]?.string, UnknownTokens.isIn(word) {
            mail.unknownImportance = word
        } else {
            mail.importance = try arguments.choice("importance", of: Mail.Importance.self) ?? .normal
        }
        mail.saveToSentItems = try arguments.flag("saveToSentItems") ?? true
        let list = JSONPointer(["attachments"])
        if let given = arguments["attachments"], let all = unknownAttachments(given, context) {
            mail.attachments = [all]
            mail.attachments[0].isList = true
            return mail
        }
        for (position, value) in (arguments["attachments"]?.array ?? []).enumerated() {
            if let unknown = unknownAttachments(value, context) {
                mail.attachments.append(unknown)
                continue
            }
            let attachment = try Arguments(value)
            let content: Blob
            do throws(FunctionError) {
                content = try attachment.content("content", in: context)
            } catch {
                let inside = error.pointer ?? .root
                throw FunctionError(
                    error.message, at: JSONPointer(list.appending(position).tokens + inside.tokens), hint: error.hint)
            }
            let type = try attachment.text("contentType")
            mail.attachments.append(
                Mail.Attachment(
                    name: try attachment.required("name"),
                    content: type.map(content.with(contentType:)) ?? content))
        }
        return mail
    }

    /// The addresses of that name; in a plan one token that stands for all if it does not know how many there are.
    private static func addresses(
        _ name: String, _ arguments: Arguments, _ mail: inout Mail, _ context: FunctionContext
    ) throws(FunctionError) -> [String] {
        guard let unknowns = context.graph.plan?.unknowns, let given = arguments[name],
            let unknown = given.string.flatMap({ unknowns.unknown(of: $0) }) ?? unknowns.collection(given),
            unknown.shape != .text, !unknowns.isMember(unknown)
        else { return try arguments.texts(name) }
        let token = context.graph.plannedToken(
            unknown.name, computed: "[if type == \"array\" then .[] else . end | {emailAddress: {address: .}}]",
            from: given)
        mail.unknownLists.insert(token)
        return [token]
    }

    /// An attachment that stands for one, or for a list of any length, of which a plan knows nothing.
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
        let place = JSONPointer(["body", "content"])
        guard let content = value["content"] else { throw FunctionError("'content' is missing", at: place.parent) }
        let isHTML = value["contentType"]?.string == "html"
        let blob = try Arguments.content(content, in: context, at: place)
        if let plan = context.graph.plan, let bytes = try? blob.bytes, let unknown = plan.unknowns.example(of: bytes) {
            let token = plan.unknowns.token(for: unknown)
            return isHTML ? .html(token) : .text(token)
        }
        let bytes: Data
        do throws(GraphError) { bytes = try blob.bytes } catch { throw FunctionError(error).at(place) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FunctionError("is not text in UTF-8", at: place)
        }
        return isHTML ? .html(text) : .text(text)
    }

    private static func findings(in value: Value?, at pointer: JSONPointer) -> [Finding] {
        if let addresses = value?.array {
            return addresses.enumerated().flatMap { findings(in: $1, at: pointer.appending($0)) }
        }
        guard let address = value?.literal else { return [] }
        do throws(GraphError) {
            try Mail(to: [address], subject: "", body: .text("")).check()
            return []
        } catch {
            return [Finding(error, id: "mail-address", at: pointer)]
        }
    }
}

extension String {
    /// Whether it is one word that ends in a point and two to five letters or digits.
    fileprivate var looksLikeFileName: Bool {
        guard utf8.count <= 200, !contains(where: \.isWhitespace), let point = lastIndex(of: "."), point > startIndex
        else { return false }
        let ending = self[index(after: point)...]
        return (2...5).contains(ending.count) && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
