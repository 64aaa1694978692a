/// Texts that count instead of the files on disk, because somebody is editing them.
package struct OpenTexts: Sendable {
    private var texts: [String: Data]

    /// - Parameter texts: By absolute path.
    package init(_ texts: [String: Data] = [:]) {
        self.texts = texts.reduce(into: [:]) { $0[Self.path(URL(fileURLWithPath: $1.key))] = $1.value }
    }

    package subscript(url: URL) -> Data? { texts.isEmpty ? nil : texts[Self.path(url)] }

    package func adding(_ text: Data, at path: String) -> OpenTexts {
        var all = self
        all.texts[Self.path(URL(fileURLWithPath: path))] = text
        return all
    }

    /// Reads a file, or its open text.
    package func document(at url: URL) throws(ReadingError) -> Document {
        guard let data = self[url] else { return try Document(contentsOf: url) }
        return try Document(data: data, name: url.relativePath)
    }

    private static func path(_ url: URL) -> String {
        url.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
    }
}
