internal import GraphModel

/// The checks of a body that Graph makes for every type.
enum SandboxBody {
    static func check(_ body: Object, as type: GraphDefinition) throws(SandboxError) {
        guard !type.isDictionary, type.name != "openTypeExtension" else { return }
        for (name, value) in body where !name.contains("@") && !name.hasPrefix("extension_") {
            guard let member = type.member(name) else {
                throw .badRequest(
                    "Invalid property '\(PlainText.exact(name, limit: 100))'.", code: "Request_BadRequest")
            }
            try check(value, as: member.type, name)
        }
    }

    private static func check(_ value: Value, as type: GraphType, _ name: String) throws(SandboxError) {
        if type.isList, let all = value.array {
            for element in all { try check(element, as: type.element, name) }
            return
        }
        let fits: Bool
        switch (value, type.kind) {
        case (.null, _): fits = true
        case (_, _) where type.isList: fits = false
        case (.object(let members), .defined):
            if let definition = type.definition, definition.kind != .enumeration {
                let named = GraphModel.plainName(members["@odata.type"]).flatMap { GraphModel.definition(named: $0) }
                return try check(members, as: named ?? definition)
            }
            fits = false
        case (_, .defined): fits = type.definition?.kind == .enumeration && value.string != nil
        case (.bool, .primitive(.bool)), (.integer, .primitive(.int)), (.integer, .primitive(.double)),
            (.double, .primitive(.double)), (_, .primitive(.any)):
            fits = true
        case (_, .primitive(.bool)), (_, .primitive(.int)), (_, .primitive(.double)): fits = false
        default: fits = value.string != nil
        }
        guard fits else {
            throw .badRequest(
                "Cannot convert the value of '\(name)' to the expected type '\(type)'.", code: "Request_BadRequest")
        }
    }
}
