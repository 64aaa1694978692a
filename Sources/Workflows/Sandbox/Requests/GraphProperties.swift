/// Properties in Microsoft's metadata that the sandbox may not simulate; it says so instead of denying that they exist.
enum GraphProperties {
    /// The properties of each type in lower case; a line of `graph-properties.txt` has a type and its properties.
    private static let all: [String: Set<String>] = {
        var all: [String: Set<String>] = [:]
        for line in String(decoding: PackageResources.graph_properties_txt, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            all[String(words[0])] = Set(words.dropFirst().map { $0.lowercased() })
        }
        return all
    }()

    static func unknown(_ name: some StringProtocol, on type: String, code: String = "BadRequest") -> SandboxError {
        all[type]?.contains(name.lowercased()) ?? false
            ? .notPlayed("the property \(name) of \(type)")
            : .badRequest("Could not find a property named '\(name)' on type '\(type)'.", code: code)
    }
}
