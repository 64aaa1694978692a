/// A plan that was approved, with the digests of everything it was made from.
///
/// `graphflow run --dry-run --plan-out FILE` writes one, and `graphflow run --plan FILE` follows it.
public struct ApprovedPlan: Sendable {
    /// The version of the format of approved plans.
    public static let formatVersion = "1.0"

    /// The SHA-256 of the workflow file, in hexadecimal digits.
    public var file: String
    /// The SHA-256 of each file that the workflow names, by its path relative to the workflow's folder.
    public var references: [String: String]
    /// The workflow's input.
    public var input: Value
    /// How the plan was made.
    public var mode: Plan.Mode
    /// When the plan was made.
    public let plannedAt: Date
    /// The plan in the form of ``Plan/value``, without what depends on the token and not on the run.
    public var plan: Value
    /// The object id of the person who made it, as it says itself; nil for no one.
    package var planner: String? { plan["plannedBy"]?.string }
    /// What it would do.
    public var effects: [Effect] { (plan["effects"]?.array ?? []).compactMap { Effect($0) } }
    /// The environment variables that programs get in addition to the usual ones.
    var variables: VariableDigests

    /// Creates an approved plan from a plan.
    public init(_ plan: Plan) {
        file = Self.digest(of: plan.workflow)
        references = Self.references(of: plan.workflow, without: plan.ownFiles)
        input = plan.input
        mode = plan.mode
        plannedAt = plan.plannedAt
        self.plan = plan.pinnedValue
        variables = VariableDigests(plan.variables)
    }

    /// Reads an approved plan.
    /// - Throws: ``PlanMismatch`` if the data is not an approved plan, or was changed.
    public init(_ value: Value) throws(PlanMismatch) {
        guard let version = value["approvedPlan"]?.string else {
            throw PlanMismatch(["the file is not a plan written by 'graphflow run --dry-run --plan-out FILE'"])
        }
        guard version == Self.formatVersion else {
            throw PlanMismatch(["the plan has version \(version), and this graphflow reads \(Self.formatVersion)"])
        }
        let digests = value["digests"]
        guard let plan = value["plan"], let file = digests?["workflow"]?.string, let input = plan["input"],
            let mode = plan["mode"]?.string.flatMap({ Plan.Mode(rawValue: $0) }),
            let plannedAt = plan["plannedAt"]?.string.flatMap({ Date(iso8601: $0) }),
            let references = digests?["references"]?.object, let digest = digests?["input"]?.string,
            let variables = VariableDigests(digests?["variables"]),
            plan["plannedBy"].map({ $0.isNull || $0.string != nil }) ?? true
        else { throw PlanMismatch(["the plan is incomplete: make it again with '--plan-out'"]) }
        guard digest == Self.digest(of: input), digests?["plan"]?.string == Self.digest(of: plan) else {
            throw PlanMismatch(["the plan was changed after it was made"])
        }
        self.file = file
        self.references = Object(references.compactMap { name, value in value.string.map { (name, .string($0)) } })
            .reduce(into: [:]) { $0[$1.key] = $1.value.string }
        self.input = input
        self.mode = mode
        self.plannedAt = plannedAt
        self.plan = plan
        self.variables = variables
        // Refuses members that nothing is compared with.
        guard self.value == value else { throw PlanMismatch(["the plan has unknown members"]) }
    }

    /// The approved plan as JSON.
    public var value: Value {
        [
            "approvedPlan": .string(Self.formatVersion),
            "digests": .members([
                ("workflow", .string(file)),
                (
                    "references",
                    .object(Object(references.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
                ), ("variables", variables.value), ("input", .string(Self.digest(of: input))),
                ("plan", .string(Self.digest(of: plan))),
            ]),
            "plan": plan,
        ]
    }

    var notifications: [Effect] { effects.filter { $0.kind == .notification } }

    static func digest(of workflow: Workflow) -> String { SHA256.hex(of: workflow.document.text) }

    /// The digests of all files that the workflow and the workflows it runs name literally.
    static func references(of workflow: Workflow, without own: OwnFiles) -> [String: String] {
        var references: [String: String] = [:]
        let files = WorkflowFiles(folder: workflow.folder, without: own)
        for other in [workflow] + workflow.referencedWorkflows {
            if other.metadata.name != workflow.metadata.name || other.metadata.version != workflow.metadata.version {
                let metadata = other.metadata
                references["\(metadata.qualifiedName):\(metadata.version)"] = digest(of: other)
            }
            for path in other.document.value.fileNames where references[path] == nil {
                guard let contents = try? files.contents(of: path) else { continue }
                references[path] = SHA256.hex(of: contents)
            }
        }
        return references
    }

    package static func digest(of value: Value) -> String {
        var hash = SHA256()
        hash.update(value.canonicalJSON)
        return hash.finalize().hex
    }
}

extension Plan {
    /// The approved files that it reads; a run refuses to read any other.
    func pinnedFiles(of approved: Value) -> Object {
        Object(files.filter { approved["files"]?[$0.key] != nil }.map { ($0.key, .string($0.value)) })
    }

    /// The plan as an approved one keeps it, without the token's permissions.
    var pinnedValue: Value {
        var plan = self
        plan.grantedPermissions = nil
        return plan.value
    }
}

extension Value {
    /// The texts in it that can be names of files next to a workflow.
    package var fileNames: [String] {
        switch self {
        case .string(let text):
            let path = text.hasPrefix("file://") ? String(text.dropFirst(7)) : text
            let isName = path.utf8.count < 1_000 && !path.contains { $0.isNewline } && !path.contains("${")
            return isName && !path.isEmpty ? [path] : []
        case .array(let elements): return elements.flatMap(\.fileNames)
        case .object(let members): return members.flatMap { $0.value.fileNames }
        case .null, .bool, .integer, .double, .marked: return []
        }
    }
}
