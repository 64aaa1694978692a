import Foundation
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
            guard with["delivery"]?.literal == "draft", with["saveToSentItems"]?.bool == false else {
                return addresses + missing
            }
            let conflict = Finding(
                pointer: JSONPointer(["saveToSentItems"]), id: "mail-delivery",
                message: "a message that is delivered as a draft always stays in Sent Items",
                hint: "leave 'delivery' out, or make it 'direct'")
            return addresses + missing + [conflict]
        },
        body: { input, context in
            let arguments = try Arguments(input)
            let mail = try mail(arguments, context)
            let user = try arguments.text("user")
            return context.graph.sendMail(mail, user: user, resuming: context.draft).map(on: nil) { $0.value }
        })

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
            to: try arguments.texts("to"), subject: try arguments.required("subject"),
            body: try body(arguments["body"] ?? .null, context))
        mail.cc = try arguments.texts("cc")
        mail.bcc = try arguments.texts("bcc")
        mail.replyTo = try arguments.texts("replyTo")
        mail.delivery = try arguments.choice("delivery", of: Mail.Delivery.self)
        mail.importance = try arguments.choice("importance", of: Mail.Importance.self) ?? .normal
        mail.saveToSentItems = try arguments.flag("saveToSentItems") ?? true
        let list = JSONPointer(["attachments"])
        for (position, value) in (arguments["attachments"]?.array ?? []).enumerated() {
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

    private static func body(_ value: Value, _ context: FunctionContext) throws(FunctionError) -> Mail.Body {
        if let text = value.string { return .text(text) }
        let place = JSONPointer(["body", "content"])
        guard let content = value["content"] else { throw FunctionError("'content' is missing", at: place.parent) }
        let blob = try Arguments.content(content, in: context, at: place)
        let bytes: Data
        do throws(GraphError) { bytes = try blob.bytes } catch { throw FunctionError(error).at(place) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FunctionError("is not text in UTF-8", at: place)
        }
        return value["contentType"]?.string == "html" ? .html(text) : .text(text)
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
