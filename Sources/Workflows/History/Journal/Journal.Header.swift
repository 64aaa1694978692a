extension Journal {
    /// The first line of a journal: the run, its workflow and its input.
    public struct Header: Sendable, Hashable {
        /// The run's id.
        public var run: String
        /// The workflow of the run.
        public var workflow: Workflow.Metadata
        /// The absolute path of the workflow's file; nil if it is not from a file.
        public var file: String?
        /// The SHA-256 of the file's text, as ``digest(of:)`` writes it.
        public var digest: String
        /// The workflow's input.
        public var input: Value
        /// When the run began, in whole milliseconds.
        public var startedAt: Date
        /// The URL of the Microsoft Graph that the run calls; nil for the default.
        public var graphURL: String?
        /// Whether the run calls a sandbox inside its process, which ends with it.
        public var isSandboxed: Bool
        /// Whether a service began the run, and continues it by itself.
        package var isServed = false
        /// Whether the run was planned, and may only begin when its plan is approved.
        package var needsApproval = false
        /// Whether an agent planned the run, and begins it.
        package var isOfAgent = false
        /// The hash of the blob with the approved plan that the run follows; nil for a run without one.
        package var plan: String?
        /// The approvals of the plan, as they were checked.
        package var approvals: [Value] = []
        /// What the run may use beyond the defaults; nil for nothing.
        package var access: RunAccess?
        /// The salt of the secrets' keys in a journal up to version 2; nil for a newer one.
        var formerKey: Data?
        /// The secrets in the input, which has drawings instead; nil without any.
        package var seals: [Seal]?
        package var version = Header.version
        /// Whether an older version wrote it, which did not search effects, and the workflow uses secrets.
        package var mayShowSecrets = false

        /// Creates a header.
        public init(
            run: String, workflow: Workflow.Metadata, file: String?, digest: String, input: Value, startedAt: Date,
            graphURL: String? = nil, isSandboxed: Bool = false
        ) {
            self.run = run
            self.workflow = workflow
            self.file = file
            self.digest = digest
            self.input = input
            self.startedAt = startedAt.inWholeMilliseconds
            self.graphURL = graphURL
            self.isSandboxed = isSandboxed
        }

        /// The hash of a text as `sha256:` and 64 hexadecimal digits.
        public static func digest(of text: Data) -> String { "sha256:\(SHA256.hex(of: text))" }
    }
}

extension Journal.Header {
    /// The version of the format that is written, and the newest that can be read.
    package static let version = 4
    private static let format = "graphflow-journal"

    /// The first line of a journal, without its number and checksum.
    var members: Object {
        var workflow: Object = [
            "dsl": .string(workflow.dsl), "namespace": .string(workflow.namespace), "name": .string(workflow.name),
            "version": .string(workflow.version),
        ]
        workflow["title"] = self.workflow.title.map(Value.string)
        workflow["summary"] = self.workflow.summary.map(Value.string)
        var members: Object = [
            "format": .string(Self.format), "version": .integer(version), "run": .string(run),
            "workflow": .object(workflow), "file": file.map(Value.string) ?? .null, "digest": .string(digest),
            "input": input, "startedAt": .string(startedAt.iso8601), "graphURL": graphURL.map(Value.string) ?? .null,
            "sandbox": .bool(isSandboxed),
        ]
        if isServed { members["service"] = true }
        if needsApproval { members["needsApproval"] = true }
        if isOfAgent { members["agent"] = true }
        members["plan"] = plan.map(Value.string)
        if !approvals.isEmpty { members["approvals"] = .array(approvals) }
        members["access"] = access?.value
        members["key"] = formerKey.map { .string($0.base64EncodedString()) }
        members[Seal.attribute] = seals.map { .string(Seal.text($0)) }
        return members
    }

    static func checkVersion(_ line: Value) throws(JournalError) {
        guard line["format"]?.string == format, let version = line["version"]?.integer, version > 0 else {
            throw JournalError(.damaged, "line 1 is not the first line of a journal", line: 1)
        }
        guard version <= Self.version else {
            throw JournalError(
                .newerVersion, "the journal has version \(version), and this graphflow reads up to \(Self.version)",
                hint: "use the version of graphflow that made the run, or a newer one")
        }
    }

    init(_ line: Object) throws(JournalError) {
        func text(_ name: String) throws(JournalError) -> String {
            guard let text = line[name]?.string else {
                throw JournalError(.damaged, "line 1 has no '\(name)'", line: 1)
            }
            return text
        }
        func word(_ name: String) throws(JournalError) -> String {
            guard let text = line["workflow"]?[name]?.string else {
                throw JournalError(.damaged, "line 1 has no '\(name)' of the workflow", line: 1)
            }
            return text
        }
        guard let startedAt = Date(iso8601: try text("startedAt")), let input = line["input"],
            let isSandboxed = line["sandbox"]?.bool
        else { throw JournalError(.damaged, "line 1 is not a complete header of a journal", line: 1) }
        self.init(
            run: try text("run"),
            workflow: Workflow.Metadata(
                dsl: try word("dsl"), namespace: try word("namespace"), name: try word("name"),
                version: try word("version"), title: line["workflow"]?["title"]?.string,
                summary: line["workflow"]?["summary"]?.string), file: line["file"]?.string, digest: try text("digest"),
            input: input, startedAt: startedAt, graphURL: line["graphURL"]?.string, isSandboxed: isSandboxed)
        version = line["version"]?.integer ?? 0
        if version < 3 {
            guard let key = Data(base64Encoded: try text("key")) else {
                throw JournalError(.damaged, "line 1 has no 'key' that can be read", line: 1)
            }
            formerKey = key
        }
        isServed = line["service"] == true
        needsApproval = line["needsApproval"] == true
        isOfAgent = line["agent"] == true
        plan = line["plan"]?.string
        approvals = line["approvals"]?.array ?? []
        access = RunAccess(line["access"])
        if let text = line[Seal.attribute]?.string {
            guard let seals = Seal.read(text) else {
                throw JournalError(.damaged, "the secrets in line 1 cannot be read", line: 1)
            }
            self.seals = seals
        }
    }
}
