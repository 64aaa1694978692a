import Foundation

extension Sandbox.Fault {
    /// A fault's text that does not follow the syntax.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong and what is expected.
        public var description: String
    }

    /// The syntax in one line.
    public static let syntax = "METHOD PATH STATUS [xN] [retry-after=SECONDS] [processed] [grant=TYPE]"

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "*"]

    /// Reads a fault such as `POST /me/sendMail 503 x2 retry-after=1`.
    ///
    /// - METHOD is a method of HTTP or `*`.
    /// - PATH begins with `/me/…`, `/users/…` and the like, or `/v1.0/…`; `*` in it stands for any run of characters.
    /// - STATUS is a status from 200 to 599, `drop` (the connection is closed), `truncate` (half of the answer), or an error
    ///   of the identity platform such as `AADSTS53003`, `slow_down` or `insufficient_claims`.
    /// - `xN` answers the next N matching requests so; without it one.
    /// - `retry-after=SECONDS` adds that header.
    /// - `processed` lets the request have its effect before it is answered so.
    /// - `grant=TYPE` means only requests for tokens with that grant type, such as `grant=refresh_token`.
    /// - Parameter text: The words, separated by spaces.
    /// - Throws: What is wrong with the text, in words for people.
    public init(parsing text: String) throws(SyntaxError) {
        func wrong(_ message: String) -> SyntaxError {
            SyntaxError(description: "fault '\(text)': \(message); expected \(Self.syntax)")
        }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count >= 3 else {
            throw wrong(words.isEmpty ? "it is empty" : "the \(words.count == 1 ? "path" : "status") is missing")
        }
        let method = words[0].uppercased()
        guard Self.methods.contains(method) else { throw wrong("'\(words[0])' is not a method") }
        guard words[1].hasPrefix("/") || words[1].hasPrefix("*") else {
            throw wrong("the path '\(words[1])' does not begin with '/'")
        }
        let answer: Answer
        switch words[2].lowercased() {
        case "drop": answer = .drop
        case "truncate": answer = .truncate
        case let word where SandboxSignInError.words.contains(word): answer = .signInError(word)
        case let word where word.wholeMatch(of: /aadsts[0-9]{4,8}/) != nil: answer = .signInError(word.uppercased())
        default:
            guard let status = Int(words[2]), (200...599).contains(status) else {
                throw wrong("'\(words[2])' is not a status from 200 to 599, 'drop', 'truncate' or a sign-in error")
            }
            answer = .status(status)
        }
        self.init(method: method, path: words[1], answer: answer)
        for word in words[3...] {
            let lowercased = word.lowercased()
            if lowercased == "processed" {
                isProcessed = true
            } else if lowercased.hasPrefix("grant="), lowercased.count > "grant=".count {
                grant = String(lowercased.dropFirst("grant=".count))
            } else if lowercased.hasPrefix("retry-after=") {
                guard let seconds = Int(lowercased.dropFirst("retry-after=".count)), (0...86_400).contains(seconds)
                else {
                    throw wrong("'\(word)' needs whole seconds from 0 to 86400")
                }
                retryAfter = seconds
            } else if lowercased.hasPrefix("x"), let times = Int(lowercased.dropFirst()) {
                guard (1...1_000_000).contains(times) else { throw wrong("'\(word)' needs a number from 1 to 1000000") }
                self.times = times
            } else {
                throw wrong("'\(word)' is not understood")
            }
        }
    }
}

extension Sandbox.Fault: CustomStringConvertible {
    /// The fault as ``init(parsing:)`` reads it.
    public var description: String {
        let status =
            switch answer {
            case .status(let status): String(status)
            case .drop: "drop"
            case .truncate: "truncate"
            case .signInError(let name): name
            }
        var words = [method, path, status]
        if times != 1 { words.append("x\(times)") }
        if let retryAfter { words.append("retry-after=\(retryAfter)") }
        if isProcessed { words.append("processed") }
        if let grant { words.append("grant=\(grant)") }
        return words.joined(separator: " ")
    }
}
