internal import GraphModel

/// What an object is like, compared with what the run left of it.
extension UndoCall {
    /// Compares the object with what the run left of it.
    func found(_ inverse: Inverse) throws -> Promise<Finding> {
        guard !isForced else { return .value(.asLeft) }
        switch inverse.check {
        case .nothing: return .value(.asLeft)
        // The service compares it itself.
        case .version where inverse.isInDrive: return .value(.asLeft)
        case .version: return try version(of: inverse).then(on: nil) { try compared($0, to: inverse) }
        case .emptyFolder(let name):
            return try read(inverse.objectPath, Self.driveProperties) { folder in
                if folder["name"]?.string != name { return "it was renamed" }
                return folder["folder"]?["childCount"]?.integer == 0 ? nil : "there is something in it"
            }
        case .values(let values, let parts):
            return try read(inverse.objectPath, values.keys + inverse.names.filter { values[$0] == nil }) { object in
                let other = values.first { name, given in
                    !(given.array ?? []).contains { Self.isSame(object[name], $0, name) }
                }
                return other.map { "its \($0.key) was changed" }
            }.then(on: nil) { finding -> Promise<Finding> in
                try parts.reduce(compared(finding, to: inverse)) { finding, part in
                    finding.then(on: nil) { try empty(part, of: inverse, $0) }
                }
            }
        }
    }

    private func empty(_ part: String, of inverse: Inverse, _ finding: Finding) throws -> Promise<Finding> {
        guard case .asLeft = finding else { return .value(finding) }
        return try read("\(inverse.objectPath)/\(part)", ["id"], over: graph.when(Self.condition, isExtra: true)) {
            $0["value"]?.array?.isEmpty == false ? "it has \(part)" : nil
        }
    }

    /// Whether the object has a version that the run or its undo left.
    func version(of inverse: Inverse, over graph: GraphClient? = nil) throws -> Promise<Finding> {
        let type = effect.objectChange?.what.flatMap { GraphModel.definition(named: $0) }
        let hasTime = type?.ownMember("lastModifiedDateTime") != nil || type == nil
        let names = inverse.isInDrive ? Self.driveProperties : ["id"] + (hasTime ? ["lastModifiedDateTime"] : [])
        return try read(inverse.objectPath, names + inverse.names, over: graph) { object in
            let found = ObjectVersion.etag(of: object)
            version.withLock { $0 = found }
            return found.map(own.contains) ?? false ? nil : "it was changed"
        }
    }

    /// What became of an object of which the service has another version.
    func conflict(_ inverse: Inverse) throws -> Promise<Finding> {
        try version(of: inverse, over: graph.when(Self.conflictCondition, isExtra: true))
            .then(on: nil) { try compared($0, to: inverse) }
    }

    /// Whether an object that is not among the deleted ones is there: an undo that was interrupted has restored it.
    func lookForRestored(_ inverse: Inverse) throws -> Promise<Value?> {
        let id = inverse.path.split(separator: "/").dropLast().last ?? ""
        let path = "\(effect.objectChange?.what ?? "")s/\(id)"
        return try read(path, ["id"], over: graph.when("if it is not among the deleted objects", isExtra: true)) { _ in
            nil
        }.map(on: nil) { finding in
            guard case .isGone = finding else { return nil }
            return result(.impossible, "it is not among the deleted objects", "make it again by hand")
        }
    }

    static let conflictCondition = "if it was changed since"

    /// Whether what was changed since is as it was before the effect.
    private func compared(_ finding: Finding, to inverse: Inverse) throws -> Promise<Finding> {
        if case .changed(_, let object) = finding, inverse.method == "PATCH", let body = inverse.body?.object {
            return .value(object.covers(.object(body)) ? .asBefore : finding)
        }
        guard let content = inverse.content, graph.plan != nil || finding.isChanged else { return .value(finding) }
        let request = try request(.read, "GET", inverse.path)
        return graph.when(Self.conflictCondition, isExtra: true).response(to: request).map(on: nil) { answer in
            answer.body == content && finding.isChanged ? .asBefore : finding
        }.recover(on: nil) { error -> Promise<Finding> in
            guard GraphError(error)?.code == .badAnswer else { throw error }
            // It is too large to be the former one.
            return .value(finding)
        }
    }

    static let driveProperties = [
        "id", "name", "eTag", "folder", "lastModifiedBy", "lastModifiedDateTime",
    ]

    /// Whether a property has the value that was set; the service writes addresses in its own case.
    private static func isSame(_ there: Value?, _ given: Value, _ name: String) -> Bool {
        guard ["userPrincipalName", "mail"].contains(name) else { return (there ?? .null).covers(given) }
        return there?.string?.lowercased() == given.string?.lowercased()
    }

    static let condition = "unless somebody has changed it since"

    func read(
        _ path: String, _ names: [String], over graph: GraphClient? = nil,
        _ difference: @escaping @Sendable (Value) -> String?
    ) throws -> Promise<Finding> {
        let names = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        let query = names.isEmpty ? "" : "?$select=\(names.map { $0.percentEncoded() }.joined(separator: ","))"
        let request = try request(.read, "GET", path + query)
        return (graph ?? self.graph).answer(to: request).map(on: nil) { answer -> Finding in
            guard self.graph.plan == nil, case .data(let object) = answer else { return .asLeft }
            return difference(object).map { .changed($0, object) } ?? .asLeft
        }.recover(on: nil) { error -> Promise<Finding> in
            guard GraphError(error)?.code == .notFound else { throw error }
            return .value(.isGone)
        }
    }
}
