extension SandboxCall {
    private static let sizeLimit = 4 * 1024 * 1024

    /// Whether the client wants immutable ids: `Prefer: IdType="ImmutableId"`.
    var wantsImmutableIDs: Bool { preferences.contains("idtype=\"immutableid\"") }

    /// The values of `Prefer` in lower case, without spaces.
    var preferences: [String] {
        request.headers.values(of: "Prefer").flatMap { value in
            value.lowercased().replacing(" ", with: "").split(separator: ",").map(String.init)
        }
    }

    func checkMailSize() throws(SandboxError) {
        guard (request.body?.count ?? 0) <= Self.sizeLimit else { throw .tooLargeForMailbox }
    }

    func link(replacing option: String, by value: String) throws(SandboxError) -> String {
        guard var components = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else {
            throw .badRequest("The URL is not valid.")
        }
        var options = (components.queryItems ?? []).filter { $0.name.lowercased() != option.lowercased() }
        options.append(URLQueryItem(name: option, value: value))
        components.queryItems = options
        return components.string ?? ""
    }
}
