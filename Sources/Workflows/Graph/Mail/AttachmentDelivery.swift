struct AttachmentDelivery: Sendable {
    /// Outlook accepts ranges of less than 4 MB.
    private static let rangeSize = 12 * 320 << 10

    private let attachment: Mail.Attachment
    private let delivery: DraftDelivery
    private let attachments: GraphPath
    private let count: Int

    /// - Parameter count: The number of attachments that the draft already has.
    init(
        _ attachment: Mail.Attachment, to draft: DraftDelivery.Draft, of delivery: DraftDelivery, count: Int
    ) throws(GraphError) {
        self.attachment = attachment
        self.delivery = delivery
        self.count = count
        attachments = try delivery.path(of: draft).adding("/attachments")
    }

    func perform() -> Promise<Void> {
        attachment.content.size < Mail.smallestSession ? add(again: true) : session.perform().asVoid()
    }

    func add(again: Bool) -> Promise<Void> {
        delivery.client.exchange {
            GraphRequest(
                "sendMail", .once, "POST", attachments, headers: Self.headers,
                body: try attachment.value().jsonData(),
                example: .json(201, ["id": .string(delivery.answer("attachmentId", .text))]))
        } _: { response, _ throws(GraphError) in
            // Any other success is not Graph's and says nothing about the attachment.
            guard response.status == 201 else {
                throw GraphError(
                    .unknownOutcome, status: response.status,
                    message: "The answer is \(HTTPStatus.words(response.status)), not 201 Created.")
            }
        }.recover(on: nil) { error -> Promise<Void> in
            guard let error = error as? GraphError, [.unknownOutcome, .network].contains(error.code) else {
                throw error
            }
            return isThere().then(on: nil) { isThere -> Promise<Void> in
                if isThere { return .value(()) }
                guard again else { throw Self.failed(error) }
                return add(again: false)
            }
        }
    }

    func plan() -> Promise<Void> { session.plan() }

    private var session: RangedUpload<Bool> {
        var item: Object = [
            "attachmentType": "file", "name": .string(attachment.name),
            "size": attachment.content.sizeValue(in: delivery.client),
        ]
        for (name, member) in attachment.metadata { item[name] = member }
        return RangedUpload<Bool>(
            client: delivery.client,
            create: GraphRequest(
                "sendMail", .idempotent, "POST", attachments.adding("/createUploadSession"),
                headers: Self.headers, body: Value.object(["AttachmentItem": .object(item)]).jsonData(),
                example: .json(201, ["uploadUrl": .string(UploadSession.exampleAddress(delivery.answer))])),
            content: attachment.content.source, rangeSize: Self.rangeSize, effect: .idempotent, kind: .attachment,
            example: HTTPResponse(status: 201), finish: { _ in true },
            lookUp: { _ in isThere().map(on: nil) { $0 ? true : nil } }
        )
    }

    private func isThere() -> Promise<Bool> {
        Self.count(in: attachments, client: delivery.client).map(on: nil) { $0 > count }
    }

    static func count(in attachments: GraphPath, client: GraphClient) -> Promise<Int> {
        client.json {
            GraphRequest(
                "sendMail", .read, "GET", attachments.adding(query: "$select", "id,name,size"),
                headers: ["Accept": "application/json", "Prefer": DraftDelivery.immutable],
                example: .json(200, ["value": []]))
        } as: { answer throws(GraphError) in
            guard let there = answer["value"]?.array else {
                throw GraphError(.badAnswer, message: "The answer lists no attachments: it has no 'value'.")
            }
            return there.count
        }
    }

    /// The message has not been sent, so an attachment's unknown outcome is a plain failure.
    private static func failed(_ error: GraphError) -> GraphError {
        var error = error
        error.code = error.status.map { GraphError.Code(status: $0) } ?? .network
        error.message = error.message.replacing(GraphError.unknownOutcomePrefix, with: "")
        error.hint = nil
        return error
    }

    private static let headers: HTTPHeaders = [
        "Content-Type": "application/json", "Accept": "application/json", "Prefer": DraftDelivery.immutable,
    ]
}
