/// The tokens that a service accepts as proof that a client may use it.
///
/// Specification: RFC 6750, section 2.1.
package struct BearerTokens: Sendable {
    /// Shorter tokens can be guessed.
    private static let shortest = 16
    private static let largestFile = 1 << 20

    /// Hashes rather than tokens, so all have one length.
    private let digests: [[UInt8]]

    /// Reads a file of tokens, one a line; empty lines are skipped.
    /// - Throws: ``SystemError`` if there is none, if others may read the file, or if a token could be guessed.
    package init(file path: String) throws(SystemError) {
        let descriptor = try SystemCall.open(reading: path)
        defer { SystemCall.close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(code: errno) }
        // Its group may read it: systemd hands credentials to a service like that.
        guard status.st_mode & 0o037 == 0 || status.st_mode & S_IFMT == S_IFIFO else {
            throw SystemError("others may read or change it; restrict it first: chmod 600 \(PlainText.line(path))")
        }
        let text = String(
            decoding: try SystemCall.read(descriptor, upTo: Self.largestFile), as: UTF8.self)
        let tokens = text.split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { !$0.isEmpty }
        guard !tokens.isEmpty else { throw SystemError("it has no token") }
        for (index, token) in tokens.enumerated() {
            guard token.utf8.count >= Self.shortest, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw SystemError(
                    "token \(index + 1) is not \(Self.shortest) or more visible ASCII characters, as from "
                        + "'openssl rand -hex 32'")
            }
        }
        digests = tokens.map { Array(SHA256.hash(of: Data($0.utf8))) }
    }

    /// Whether a request has one of the tokens; every token is compared in full, so the time reveals nothing.
    package func admit(_ request: HTTPRequest) -> Bool {
        let fields = request.headers.values(of: "Authorization")
        guard fields.count == 1, let field = fields.first else { return false }
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        let given = Array(SHA256.hash(of: Data(words[1].utf8)))
        var isAny = false
        for digest in digests {
            isAny = digest.isEqualInConstantTime(to: given) || isAny
        }
        return isAny
    }
}
