extension SandboxUser {
    static let settableFields = Set(fieldNames).subtracting(["assignedLicenses"])

    /// A user known only by address: `ada.vance@contoso.com` is Ada Vance.
    init(named name: String) {
        let words = name.prefix { $0 != "@" }.split { ".-_".contains($0) }.map {
            $0.prefix(1).uppercased() + $0.dropFirst()
        }
        self.init(
            id: Self.id(of: name.lowercased()), displayName: words.isEmpty ? name : words.joined(separator: " "),
            givenName: words.first, surname: words.count > 1 ? words.last : nil, mail: name, userPrincipalName: name)
    }

    /// The same id for the same name.
    static func id(of name: String) -> String {
        SandboxState.guid(of: Array(SHA256.hash(of: Data(name.utf8)).prefix(16)))
    }

    mutating func describe(_ name: String, as value: Value) -> String? {
        switch (name, value) {
        case ("manager", .null): givenManager = .some(nil)
        case ("manager", .string(let text)): givenManager = .some(text)
        case ("id", .string(let text)): id = text.lowercased()
        case ("displayName", .string(let text)): displayName = text
        case ("userPrincipalName", .string(let text)): userPrincipalName = text
        case ("mail", .null): mail = nil
        case ("mail", .string(let text)): mail = text
        case ("id", _), ("displayName", _), ("userPrincipalName", _), ("mail", _), ("manager", _):
            return "'\(name)' must be a string"
        default: return describe(field: name, as: value)
        }
        return nil
    }

    private mutating func describe(field name: String, as value: Value) -> String? {
        if name.hasSuffix("DateTime") || name.hasSuffix("Date"), !value.isNull {
            guard let date = value.string.flatMap(Self.date) else {
                return "'\(name)' must be a date: 2026-01-05 or 2026-01-05T09:00:00Z"
            }
            changes[name] = .string(SandboxClock.timestamp(date))
            return nil
        }
        let isRight =
            switch Self.workFields[name] ?? (name == "businessPhones" ? [] : .null) {
            case .bool: value.bool != nil
            case .array: value.array?.allSatisfy { $0.string != nil } ?? false
            default: value.isNull || value.string != nil || (name == "onPremisesSyncEnabled" && value.bool != nil)
            }
        guard isRight else {
            return Self.workFields[name]?.bool != nil
                ? "'\(name)' must be true or false"
                : Self.workFields[name]?.array != nil
                    ? "'\(name)' must be a list of strings" : "'\(name)' must be a string"
        }
        changes[name] = value
        return nil
    }

    static func date(_ text: String) -> Date? {
        Date(rfc3339: text.contains("T") ? text : "\(text)T00:00:00Z")
    }
}
