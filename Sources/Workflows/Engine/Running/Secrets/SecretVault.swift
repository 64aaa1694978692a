import Essentials

/// The secrets of one run: what its expressions read as `$secrets`.
final class SecretVault: Sendable {
    /// What expressions read as `$secrets`: real texts and numbers that are secret, or unknowns in a plan.
    let data: Value
    /// The secrets of this run, of the runs around it and of those inside it.
    let known: KnownSecrets
    private let names: [String]

    /// Takes the secrets that a workflow names from a store.
    /// - Parameters:
    ///   - isPlanning: Whether this is a dry run, in which secrets are unknown and may be missing.
    ///   - known: What the run shares with the runs around it.
    init(for workflow: Workflow, from store: SecretStore, isPlanning: Bool, sharing known: KnownSecrets) {
        names = workflow.components.secrets
        self.known = known
        var data = Object()
        for name in names {
            guard let secret = store[name]?.revealed else { continue }
            data[name] = isPlanning ? known.unknown(secret, of: name, at: "secrets.\(name)") : secret.secret(of: [name])
            if !isPlanning { known.add(secret, of: [name]) }
        }
        if isPlanning {
            for read in SecretsValidator.uses(of: WorkflowOutline(workflow)) {
                guard let name = read.keys.first else { continue }
                data.addUnknown(at: read.keys[...], of: name, as: "secrets", known)
            }
        }
        self.data = .object(data)
    }

    /// Fails if one of these secrets is missing.
    ///
    /// Specification: dsl.md, "Secret".
    func demand(_ wanted: some Sequence<String>, in task: JSONPointer?) throws(WorkflowError) {
        for name in wanted where names.contains(name) && data[name] == nil {
            throw WorkflowError(missing: name, in: task)
        }
    }

    /// Whether data of the run can have secrets in them.
    var areInUse: Bool { known.areInUse }

    /// The data as others see them, without secrets.
    func conceal(_ data: Value) -> Value { known.conceal(data) }

    /// The error as others see it, without secrets.
    func conceal(_ error: WorkflowError) -> WorkflowError { known.conceal(error) }
}

extension WorkflowError {
    /// The error of a secret that is missing.
    init(missing name: String, in task: JSONPointer?) {
        self.init(
            .authorization,
            detail: "there is no secret '\(name)': set \(SecretStore.variable(for: name)), or give a file of secrets",
            instance: task)
    }
}

extension Value {
    /// The data with their texts and numbers secret.
    fileprivate func secret(of names: [String]) -> Value {
        switch self {
        case .null, .bool, .marked: return self
        case .string, .integer, .double: return .secret(self, of: names)
        case .array(let elements): return .array(elements.map { $0.secret(of: names) })
        case .object(let members):
            var secret = Object()
            for (name, member) in members { secret[name] = member.secret(of: names) }
            return .object(secret)
        }
    }
}

extension KnownSecrets {
    /// The data of a secret in a plan, which knows only its structure.
    fileprivate func unknown(_ data: Value, of name: String, at path: String) -> Value {
        switch data {
        case .null, .bool, .marked: return data
        case .integer, .double: return unknown(path, .number, of: name)
        case .string: return unknown(path, .text, of: name)
        case .array(let elements):
            return .array(elements.enumerated().map { unknown($1, of: name, at: "\(path).\($0)") })
        case .object(let members):
            var unknown = Object()
            for (key, member) in members { unknown[key] = self.unknown(member, of: name, at: "\(path).\(key)") }
            return .object(unknown)
        }
    }
}

extension Object {
    /// Sets the unknown for a missing secret, at the path at which an expression reads it.
    fileprivate mutating func addUnknown(
        at keys: ArraySlice<String>, of secret: String, as path: String, _ known: KnownSecrets
    ) {
        guard let name = keys.first else { return }
        let rest = keys.dropFirst()
        let inside = "\(path).\(name)"
        switch (self[name], rest.isEmpty) {
        case (nil, true): self[name] = known.unknown(inside, .text, of: secret)
        case (nil, false), (.marked, false):
            var inner = Object()
            inner.addUnknown(at: rest, of: secret, as: inside, known)
            self[name] = .object(inner)
        case (.object(var inner), false):
            inner.addUnknown(at: rest, of: secret, as: inside, known)
            self[name] = .object(inner)
        default: break
        }
    }
}
