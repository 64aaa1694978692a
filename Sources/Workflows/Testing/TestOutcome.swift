/// The outcome of a test case's run, in the format of its expectations.
package struct TestOutcome: Sendable {
    /// The state, the output and so on, by the name of the expectation.
    package private(set) var members: Object
    /// The tasks and branches that were reached.
    package var reached: Set<TestCoverage.Place> = []
    /// The requests to other services that nothing answered.
    package var unanswered: [String] = []
    /// The patterns of `mock` that no request matched.
    package var unmatched: [String] = []
    /// The real time that the run took.
    package var duration = Duration.zero

    package init(state: String) { members = ["state": .string(state)] }

    package subscript(name: String) -> Value? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// Adds the sandbox's mails, files, links and requests.
    package mutating func add(_ sandbox: Sandbox) {
        members["mails"] = .array(sandbox.outbox.map(\.tested))
        members["files"] = .array(sandbox.drive.map(\.tested))
        members["links"] = .array(
            sandbox.drive.flatMap { file in
                file.links.map { link in
                    [
                        "path": .string("/" + file.path), "type": .string(link.type), "scope": .string(link.scope),
                        "webUrl": .string(link.webURL),
                    ]
                }
            })
        members["requests"] = .array(sandbox.requests.map(\.tested))
    }
}

extension Sandbox.Mail {
    fileprivate var tested: Value {
        func list(_ addresses: [String]) -> Value { .array(addresses.map(Value.string)) }
        return [
            "from": .string(sender), "to": list(to), "cc": list(cc), "bcc": list(bcc), "replyTo": list(replyTo),
            "subject": .string(subject), "body": .string(body), "bodyType": .string(bodyType),
            "importance": .string(importance), "deliveries": .integer(deliveries),
            "attachments": .array(
                attachments.map { attachment in
                    [
                        "name": .string(attachment.name), "contentType": .string(attachment.contentType),
                        "size": .integer(attachment.size), "content": attachment.content.testedText,
                    ]
                }),
        ]
    }
}

extension Sandbox.DriveItem {
    fileprivate var tested: Value {
        [
            "path": .string("/" + path), "owner": .string(owner), "contentType": .string(contentType),
            "size": .integer(size), "version": .integer(version), "content": content.testedText,
        ]
    }
}

extension Sandbox.Exchange {
    fileprivate var tested: Value {
        let path = path.hasPrefix("/v1.0/") ? String(path.dropFirst("/v1.0".count)) : path
        return [
            "method": .string(method), "path": .string(path), "status": status.map(Value.integer) ?? .null,
            "body": (try? Value(json: body)) ?? body.testedText,
        ]
    }
}

extension Data {
    /// The bytes as text; null if they are not UTF-8.
    fileprivate var testedText: Value { String(validating: self, as: UTF8.self).map(Value.string) ?? .null }
}
