extension Sandbox.Fault {
    /// A syntax error in a fault's text.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong and what is expected.
        public var description: String
    }

    /// The syntax in one line.
    public static let syntax =
        "METHOD PATH STATUS [xN] [after=N] [retry-after=SECONDS] [delay=SECONDS] [html] [processed] [grant=TYPE]"

    private static let words: [(word: String, answer: Answer)] = [
        ("drop", .drop), ("truncate", .truncate), ("malformed", .malformed), ("reset", .reset),
        ("silence", .silence),
    ]

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", notifying, "*"]

    /// Reads a fault such as `POST /me/sendMail 503 x2 retry-after=1`.
    ///
    /// - METHOD is an HTTP method or `*`, or `NOTIFY` for the notifications of a subscription, whose PATH is its resource.
    /// - PATH begins with `/me/…`, `/users/…` and the like, or `/v1.0/…`; `*` in it matches any characters.
    /// - STATUS is a status from 200 to 599, `drop` (the connection is closed), `truncate` (it is closed after half of
    ///   the answer), `malformed` (half of the JSON), `reset` (cut off before the body arrived), `silence`, a defect of
    ///   delta queries or notifications (``Change``), or an error of the identity platform such as `AADSTS53003`,
    ///   `slow_down` or `insufficient_claims`.
    /// - `xN` applies the fault to the next N matching requests; the default is one.
    /// - `after=N` lets N matching requests through first.
    /// - `retry-after=SECONDS` adds this header.
    /// - `delay=SECONDS` delays the answer.
    /// - `html` answers with a page instead of Graph's error.
    /// - `processed` lets the request have its effect first.
    /// - `grant=TYPE` matches only token requests with this grant type, such as `grant=refresh_token`.
    /// - Parameter text: The words, separated by spaces.
    /// - Throws: A description of the error in the text.
    public init(parsing text: String) throws(SyntaxError) {
        func wrong(_ message: String) -> SyntaxError {
            SyntaxError(description: "fault '\(text)': \(message); expected \(Self.syntax)")
        }
        func number(of word: String, _ range: ClosedRange<Int>, _ kind: String) throws(SyntaxError) -> Int {
            guard let number = word.split(separator: "=").dropFirst().first.flatMap({ Int($0) }),
                range.contains(number)
            else { throw wrong("'\(word)' needs \(kind) from \(range.lowerBound) to \(range.upperBound)") }
            return number
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
        let named = words[2].lowercased()
        if let known = Self.words.first(where: { $0.word == named }) {
            answer = known.answer
        } else if SandboxSignInError.words.contains(named) {
            answer = .signInError(named)
        } else if named.wholeMatch(of: /aadsts[0-9]{4,8}/) != nil {
            answer = .signInError(named.uppercased())
        } else if let change = Change.allCases.first(where: { $0.rawValue.lowercased() == named }) {
            answer = .change(change)
        } else {
            guard let status = Int(words[2]), (200...599).contains(status) else {
                throw wrong(
                    "'\(words[2])' is not a status from 200 to 599, "
                        + (Self.words.map(\.word) + Change.allCases.map(\.rawValue)).map { "'\($0)'" }
                        .joined(separator: ", ") + " or a sign-in error")
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
            } else if lowercased == "html" {
                isHTML = true
            } else if lowercased.hasPrefix("retry-after=") {
                retryAfter = try number(of: lowercased, 0...86_400, "whole seconds")
            } else if lowercased.hasPrefix("delay=") {
                delay = try number(of: lowercased, 0...600, "whole seconds")
            } else if lowercased.hasPrefix("after=") {
                skipped = try number(of: lowercased, 0...1_000_000, "a number")
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
            case .signInError(let name): name
            case .change(let change): change.rawValue
            default: Self.words.first { $0.answer == answer }?.word ?? ""
            }
        var words = [method, path, status]
        if times != 1 { words.append("x\(times)") }
        if skipped != 0 { words.append("after=\(skipped)") }
        if let retryAfter { words.append("retry-after=\(retryAfter)") }
        if let delay { words.append("delay=\(delay)") }
        if isHTML { words.append("html") }
        if isProcessed { words.append("processed") }
        if let grant { words.append("grant=\(grant)") }
        return words.joined(separator: " ")
    }
}
