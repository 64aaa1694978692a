/// An address after the service's base, built from segments that cannot escape their place.
package struct GraphPath: Sendable, Hashable, CustomStringConvertible {
    private static let kept = "@!"
    private static let forbidden = Set("\"*:<>?/\\|")
    private static let longestPath = 400

    package private(set) var description: String
    package private(set) var query = ""

    /// The signed-in user's resources, or another user's.
    ///
    /// - Parameter user: An id or user principal name; nil for the signed-in user.
    package init(user: String?) throws(GraphError) {
        guard let user else {
            description = "me"
            return
        }
        if let reason = PlainText.invisible(in: user) { throw GraphError(invisible: reason) }
        if user.hasPrefix("$") {
            description = "users('\(user.replacing("'", with: "''").percentEncoded(keeping: Self.kept))')"
        } else {
            description = "users/\(try Self.segment(user, what: "user"))"
        }
    }

    package init(literal: StaticString) { description = "\(literal)" }

    package func adding(_ literal: StaticString) -> GraphPath {
        var path = self
        path.description += "\(literal)"
        return path
    }

    package func adding(id: String, what: String) throws(GraphError) -> GraphPath {
        var path = self
        path.description += "/\(try Self.segment(id, what: what))"
        return path
    }

    /// Adds a file's path below the drive's root: `/drive/root:/Pictures/me.jpg:`.
    package func adding(file: String) throws(GraphError) -> GraphPath {
        let file = file.hasPrefix("/") ? String(file.dropFirst()) : file
        guard file.utf16.count <= Self.longestPath else {
            throw GraphError(.invalidInput, message: "The path is longer than \(Self.longestPath) characters.")
        }
        let names = file.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        for name in names { try Self.check(name: name, of: file) }
        var path = self
        path.description +=
            "/drive/root:/\(names.map { $0.percentEncoded(keeping: Self.kept) }.joined(separator: "/")):"
        return path
    }

    /// The item's path without the final colon: `/drive/root:/Pictures/me.jpg`.
    var droppingColon: GraphPath {
        var path = self
        if path.description.hasSuffix(":") { path.description.removeLast() }
        return path
    }

    package func adding(query name: StaticString, _ value: String) -> GraphPath {
        var path = self
        path.query += "\(query.isEmpty ? "" : "&")\(name)=\(value.percentEncoded(keeping: Self.kept + ","))"
        return path
    }

    private static func segment(_ text: String, what: String) throws(GraphError) -> String {
        guard !text.isEmpty, text != ".", text != ".." else {
            throw GraphError(.invalidInput, message: "The \(what) \(quoted(text)) is invalid.")
        }
        return text.percentEncoded(keeping: kept)
    }

    private static func check(name: String, of file: String) throws(GraphError) {
        guard !name.isEmpty, name != ".", name != ".." else {
            throw GraphError(
                .invalidInput, message: "The path \(quoted(file)) is not a file's path.",
                hint: "Write folders and the file's name, separated by single slashes: Pictures/me.jpg.")
        }
        if let character = name.first(where: { forbidden.contains($0) || $0.isControl }) {
            throw GraphError(
                .invalidInput,
                message: "The path \(quoted(file)) contains \(quoted(String(character))), which OneDrive forbids.")
        }
        if name.hasSuffix(".") || name.hasPrefix(" ") || name.hasSuffix(" ") {
            throw GraphError(
                .invalidInput,
                message: "The name \(quoted(name)) begins or ends with a space or ends with a full stop, "
                    + "which OneDrive does not allow.")
        }
    }

    private static func quoted(_ text: String) -> String { "'\(PlainText.exact(text, limit: 100))'" }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
