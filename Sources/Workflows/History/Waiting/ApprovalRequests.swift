/// What a run asks people to approve, and their answers: files in the run's folder.
///
/// The run and the people who answer are different processes, and either may end at any time.
package struct ApprovalRequests: Sendable {
    let folder: PrivateFolder

    private static let requestEnd = ".request.json"
    private static let answerMark = ".answer-"
    private static let largest = 64 << 20

    /// What tells of changes of the requests and their answers.
    package var watch: FolderWatch { FolderWatch([folder]) }

    /// Whether something waits for its first answer.
    package var isOpen: Bool {
        let names = names ?? []
        return names.contains { name in
            guard name.hasSuffix(Self.requestEnd) else { return false }
            let id = name.split(separator: ".").first ?? ""
            return !names.contains { $0.hasPrefix(id + Self.answerMark) }
        }
    }

    /// The open requests, the oldest first.
    package var open: [ApprovalRequest] {
        (names ?? []).filter { $0.hasSuffix(Self.requestEnd) }
            .compactMap(readRequest).sorted { ($0.since, $0.id) < ($1.since, $1.id) }
    }

    package func request(_ id: String) -> ApprovalRequest? {
        readRequest(id + Self.requestEnd)
    }

    /// Asks, unless the request is open already, so that its expiry stays.
    /// - Returns: The open request.
    package func ask(_ request: ApprovalRequest) throws(SystemError) -> ApprovalRequest {
        if let open = self.request(request.id) { return open }
        try put(request)
        return request
    }

    /// Writes a request, replacing an open one.
    package func put(_ request: ApprovalRequest) throws(SystemError) {
        try write(request.value, as: request.id + Self.requestEnd)
    }

    /// The answers to a request: approvals in the form of their files, and rejections.
    ///
    /// One that cannot be read yet, because another program is writing it, is not among them: ``watch`` tells of it.
    package func answers(to id: String) -> [Answer] {
        answerNames(to: id).compactMap { name in
            do throws(ApprovalRefusal) {
                return try read(name).map { Answer(name: name, content: .success($0)) }
            } catch {
                return folder.isBeingWritten(name) ? nil : Answer(name: name, content: .failure(error))
            }
        }
    }

    /// A file with an answer.
    package struct Answer: Sendable {
        package let name: String
        /// The answer, or why it does not count.
        package let content: Result<Value, ApprovalRefusal>
    }

    /// Whether a request has answers, which need not count.
    package func hasAnswers(to id: String) -> Bool { !answerNames(to: id).isEmpty }

    private func answerNames(to id: String) -> [String] {
        (names ?? []).filter { $0.hasPrefix(id + Self.answerMark) }.sorted()
    }

    /// Removes an answer that does not count, so that the request is open again.
    /// - Returns: Whether it could be removed.
    @discardableResult
    package func drop(_ answer: Answer) -> Bool { remove(answer.name) }

    /// Removes a file; what cannot be removed, like a folder, gets a hidden name.
    @discardableResult
    private func remove(_ name: String) -> Bool {
        let path = folder.path(of: name)
        return unsafe unlink(path) == 0 || rename(path, folder.path(of: ".\(UUID().uuidString)")) == 0
    }

    /// Answers a request, once for each person.
    /// - Parameter person: The object id, or what identifies a person who did not sign in.
    package func answer(_ id: String, by person: String, _ value: Value) throws(SystemError) {
        let name = SHA256.hex(of: Data(person.utf8)).prefix(32)
        try write(value, as: "\(id)\(Self.answerMark)\(name).json")
    }

    /// Removes a request and its answers, because the journal has the decision.
    package func settle(_ id: String) {
        for name in names ?? [] where name.hasPrefix(id + ".") { remove(name) }
    }

    /// Removes the answers to a request that has changed.
    package func dropAnswers(to id: String) {
        for name in answerNames(to: id) { remove(name) }
    }

    private var names: [String]? { try? folder.names().filter { !$0.hasPrefix(".") } }

    private func readRequest(_ name: String) -> ApprovalRequest? {
        (try? read(name)).flatMap { ApprovalRequest($0) }
    }

    /// Reads a file; nil if it is gone.
    /// - Throws: ``ApprovalRefusal`` if somebody else could have written it.
    private func read(_ name: String) throws(ApprovalRefusal) -> Value? {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try OpenFile(folder.path(of: name), for: .reading)
            let size = try file.size
            guard size <= Self.largest else { throw SystemError("it is too large") }
            bytes = try file.read(from: 0, count: size)
        } catch {
            guard !error.isMissing else { return nil }
            throw ApprovalRefusal("others could have written its file, or it is none: \(error)", hint: "answer again")
        }
        guard let value = try? Value(json: Data(bytes)) else { throw ApprovalRefusal("its file is not JSON") }
        return value
    }

    private func write(_ value: Value, as name: String) throws(SystemError) {
        do throws(SystemError) { try folder.make() } catch { if error.code != EEXIST { throw error } }
        try folder.replace(name) { file throws(SystemError) in try file.write(Array(value.jsonData())) }
        try folder.synchronize()
    }
}

/// Something that waits for a person's approval.
package struct ApprovalRequest: Sendable {
    /// The id of the request for the plan of a whole run.
    package static let plan = "plan"

    package let id: String
    /// What is approved.
    package var subject: ApprovalStatement.Subject
    /// Who may approve it; nil for anybody in the tenant.
    package var approvers: [String]?
    package var count: Int
    package let since: Date
    package let expires: Date
    /// The name of the task that asks, as the workflow has it; nil for a plan.
    package var name: String?
    /// The plan's file; nil for a question.
    package var plan: Value?
    /// What has changed since an earlier plan was approved, one difference a line.
    package var changes: [String] = []
    /// The plan about which a mail was written; nil for none.
    package var mailed: String?
    /// Whether that mail was certainly sent.
    package var isMailSent = false

    package init(
        _ subject: ApprovalStatement.Subject, by approvers: [String]?, count: Int = 1, since: Date, expires: Date,
        plan: Value? = nil
    ) {
        (self.subject, self.approvers, self.count, self.since) = (subject, approvers, count, since)
        (self.expires, self.plan) = (expires, plan)
        id = Self.id(of: subject)
    }

    /// The run that asks the question; nil for a plan.
    package var run: String? {
        guard case .question(let run, _, _, _) = subject else { return nil }
        return run
    }

    /// What names this request among all of its run; it needs no quotes in a shell.
    package var reference: String { String(id.prefix(12)) }

    /// A plan can be replaced by a new one; a question cannot.
    private static func id(of subject: ApprovalStatement.Subject) -> String {
        guard case .question(let run, let task, let text, let data) = subject else { return plan }
        let members: Value = [.string(run), .string(task), .string(text), data]
        return String(SHA256.hex(of: Data(members.canonicalJSON)).prefix(32))
    }

    package var value: Value {
        var members: Object =
            switch subject {
            case .plan(let digest): ["digest": .string(digest)]
            case .question(let run, let task, let text, let data):
                ["run": .string(run), "task": .string(task), "text": .string(text), "data": data]
            }
        members["name"] = name.map(Value.string)
        members["approvers"] = approvers.map { .array($0.map(Value.string)) }
        members["count"] = .integer(count)
        members["since"] = .string(since.iso8601)
        members["expires"] = .string(expires.iso8601)
        members["plan"] = plan
        if !changes.isEmpty { members["changes"] = .array(changes.map(Value.string)) }
        members["mailed"] = mailed.map(Value.string)
        if isMailSent { members["mailSent"] = true }
        return .object(members)
    }

    init?(_ value: Value) {
        let subject: ApprovalStatement.Subject
        if let digest = value["digest"]?.string {
            subject = .plan(digest: digest)
        } else if let run = value["run"]?.string, let task = value["task"]?.string, let text = value["text"]?.string {
            subject = .question(run: run, task: task, text: text, data: value["data"] ?? .null)
        } else {
            return nil
        }
        guard let since = value["since"]?.string.flatMap({ Date(iso8601: $0) }),
            let expires = value["expires"]?.string.flatMap({ Date(iso8601: $0) })
        else { return nil }
        self.init(
            subject, by: value["approvers"]?.array?.compactMap(\.string), count: value["count"]?.integer ?? 1,
            since: since, expires: expires, plan: value["plan"])
        name = value["name"]?.string
        changes = (value["changes"]?.array ?? []).compactMap(\.string)
        mailed = value["mailed"]?.string
        isMailSent = value["mailSent"] == true
    }
}
