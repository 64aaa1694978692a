/// The settings file of the original tutorials: `AuthSettings.plist` or `AuthSettings.json`.
struct AuthSettings: Sendable {
    let applicationID: String?
    let scopes: [String]

    init(contentsOf path: String) throws {
        let members = try Self.members(of: path)
        let name = members["AppId"] ?? .null
        guard name.isNull || name.string?.isEmpty == false else {
            throw ReadingError(settings: path, "'AppId' must be the application's id, a string")
        }
        let list = members["GraphScopes"] ?? .null
        let scopes = list.array?.compactMap(\.string)
        guard list.isNull || scopes?.count == list.array?.count else {
            throw ReadingError(settings: path, "'GraphScopes' must be a list of strings such as 'User.Read'")
        }
        guard !name.isNull || !list.isNull else {
            throw ReadingError(settings: path, "the file has neither 'AppId' nor 'GraphScopes'")
        }
        applicationID = name.string
        self.scopes = scopes ?? []
    }

    private static func members(of path: String) throws -> Value {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ReadingError(settings: path, "the file cannot be read: check that it exists and that you may read it")
        }
        let isList =
            path.lowercased().hasSuffix(".plist") || data.starts(with: Data("<?xml".utf8))
            || data.starts(with: Data("bplist".utf8))
        guard isList else { return try Value(json: data, name: path) }
        guard let list = try? PropertyListDecoder().decode([String: Setting].self, from: data) else {
            throw ReadingError(settings: path, "the file is not a property list with a dictionary")
        }
        var members = Object()
        for name in ["AppId", "GraphScopes"] { members[name] = list[name]?.value }
        return .object(members)
    }

    /// A usable member of a property list: a string or a list of strings; otherwise false.
    private struct Setting: Decodable {
        let value: Value

        init(from decoder: any Decoder) {
            if let text = try? String(from: decoder) {
                value = .string(text)
            } else if let list = try? [Setting](from: decoder) {
                value = .array(list.map(\.value))
            } else {
                value = .bool(false)
            }
        }
    }
}

extension ReadingError {
    fileprivate init(settings path: String, _ why: String) {
        let start = SourceRange.Position(line: 1, column: 1)
        self.init(diagnostics: [
            Diagnostic(
                id: "settings", why, hint: "it looks like { \"AppId\": \"…\", \"GraphScopes\": [\"User.Read\"] }",
                file: path, range: SourceRange(start: start, end: start))
        ])
    }
}
