import Foundation

/// A plan that somebody looked at and approved, with the digests of all that it was made from.
///
/// `graphflow run --dry-run --plan-out FILE` writes one, and `graphflow run --plan FILE` does what it says and nothing else.
public struct ApprovedPlan: Sendable {
    /// The version of the form in which an approved plan is written.
    public static let formatVersion = "1.0"

    /// The SHA-256 of the workflow file, in hexadecimal digits.
    public var file: String
    /// The SHA-256 of each file that the workflow names, by its path from the workflow's folder.
    public var references: [String: String]
    /// The workflow's input.
    public var input: Value
    /// How the plan was made.
    public var mode: Plan.Mode
    /// The plan as ``Plan/value`` has it.
    public var plan: Value

    /// Takes a plan for approval.
    public init(_ plan: Plan) {
        file = Self.digest(of: plan.workflow)
        references = Self.references(of: plan.workflow)
        input = plan.input
        mode = plan.mode
        self.plan = plan.value
    }

    /// Reads an approved plan.
    /// - Throws: ``PlanMismatch`` where the data is no approved plan, or one that was changed.
    public init(_ value: Value) throws(PlanMismatch) {
        guard let version = value["approvedPlan"]?.string else {
            throw PlanMismatch(["the file is no plan that 'graphflow run --dry-run --plan-out FILE' wrote"])
        }
        guard version == Self.formatVersion else {
            throw PlanMismatch(["the plan is of version \(version), and this graphflow knows \(Self.formatVersion)"])
        }
        let digests = value["digests"]
        guard let plan = value["plan"], let file = digests?["workflow"]?.string, let input = plan["input"],
            let mode = plan["mode"]?.string.flatMap({ Plan.Mode(rawValue: $0) }),
            let references = digests?["references"]?.object, let digest = digests?["input"]?.string
        else { throw PlanMismatch(["the plan lacks a part: make it anew with '--plan-out'"]) }
        guard digest == Self.digest(of: input), digests?["plan"]?.string == Self.digest(of: plan) else {
            throw PlanMismatch(["the plan itself was changed after it was made"])
        }
        self.file = file
        self.references = Object(references.compactMap { name, value in value.string.map { (name, .string($0)) } })
            .reduce(into: [:]) { $0[$1.key] = $1.value.string }
        self.input = input
        self.mode = mode
        self.plan = plan
    }

    /// The approved plan as JSON.
    public var value: Value {
        [
            "approvedPlan": .string(Self.formatVersion),
            "digests": [
                "workflow": .string(file),
                "references": .object(
                    Object(references.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
                "input": .string(Self.digest(of: input)), "plan": .string(Self.digest(of: plan)),
            ],
            "plan": plan,
        ]
    }

    static func digest(of workflow: Workflow) -> String { SHA256.hex(of: workflow.document.text) }

    /// The digests of all files that the workflow, and those that it runs, name in so many words.
    static func references(of workflow: Workflow) -> [String: String] {
        var references: [String: String] = [:]
        let files = WorkflowFiles(folder: workflow.folder)
        for other in [workflow] + workflow.referencedWorkflows {
            if other.metadata.name != workflow.metadata.name || other.metadata.version != workflow.metadata.version {
                let metadata = other.metadata
                references["\(metadata.namespace)/\(metadata.name):\(metadata.version)"] = digest(of: other)
            }
            for path in other.document.value.fileNames where references[path] == nil {
                guard let contents = try? files.contents(of: path) else { continue }
                references[path] = SHA256.hex(of: contents)
            }
        }
        return references
    }

    private static func digest(of value: Value) -> String { SHA256.hex(of: Data(value.json().utf8)) }
}

extension Value {
    /// Every text that can be the name of a file beside the workflow.
    fileprivate var fileNames: [String] {
        switch self {
        case .string(let text):
            let path = text.hasPrefix("file://") ? String(text.dropFirst(7)) : text
            let isName = path.utf8.count < 1_000 && !path.contains { $0.isNewline } && !path.contains("${")
            return isName && !path.isEmpty ? [path] : []
        case .array(let elements): return elements.flatMap(\.fileNames)
        case .object(let members): return members.flatMap { $0.value.fileNames }
        case .null, .bool, .integer, .double: return []
        }
    }
}
