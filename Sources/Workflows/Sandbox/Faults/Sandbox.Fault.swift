extension Sandbox {
    /// A failure that the sandbox simulates for the next matching requests.
    ///
    /// As text: ``syntax``, such as `GET /me/photo/* 500 x2`, or `POST */token AADSTS50076 grant=refresh_token` for the
    /// identity platform.
    public struct Fault: Sendable, Hashable {
        /// The answer that replaces the real one.
        public enum Answer: Sendable, Hashable {
            /// This status with Graph's error body; a success is the real answer with another status.
            case status(Int)
            /// Nothing: the connection is closed.
            case drop
            /// An error of the identity platform: a number such as `AADSTS50076`, or a word such as `slow_down`.
            ///
            /// Graph answers 401 with a claims challenge for it.
            case signInError(String)
            /// The real answer, cut off in the middle of its body.
            case truncate
            /// The real answer with half of its body, as if it were complete.
            case malformed
            /// Nothing: the connection is reset when the request begins to arrive, so it has no effect.
            case reset
            /// Nothing, for ten minutes.
            case silence
            /// A defect in what tells of changes.
            case change(Change)
        }

        /// The method of the notifications that the sandbox sends.
        static let notifying = "NOTIFY"

        /// The method in upper case; `*` matches every method, and `NOTIFY` a notification of a subscribed resource.
        public var method: String
        /// The path without `/v1.0`; `*` matches any characters.
        public var path: String
        /// The answer.
        public var answer: Answer
        /// How many matching requests get this answer.
        public var times: Int
        /// The value of the Retry-After header in seconds; nil for none.
        public var retryAfter: Int?
        /// Whether the request still has its effect, as if only the answer were lost.
        public var isProcessed: Bool
        /// The grant type of matching token requests, such as `refresh_token`; nil for every request.
        public var grant: String?
        /// How many matching requests succeed first.
        public var skipped: Int = 0
        /// The seconds before the answer is sent; nil for none.
        public var delay: Int?
        /// Whether the error is an HTML page, like a proxy's.
        public var isHTML = false

        /// Creates a fault.
        public init(
            method: String, path: String, answer: Answer, times: Int = 1, retryAfter: Int? = nil,
            isProcessed: Bool = false, grant: String? = nil
        ) {
            self.method = method
            self.path = path.hasPrefix("/v1.0/") ? String(path.dropFirst("/v1.0".count)) : path
            self.answer = answer
            self.times = times
            self.retryAfter = retryAfter
            self.isProcessed = isProcessed
            self.grant = grant
        }

        func matches(method: String, path: String, grant: String?) -> Bool {
            (self.method == "*" && method != Self.notifying || self.method == method)
                && (self.grant == nil || self.grant == grant
                    || self.grant == "device_code" && grant == SandboxState.deviceGrant)
                && Self.matches(pattern: Array(self.path.lowercased()), text: Array(path.lowercased()))
        }

        /// Backtracks only to the last `*`, so it takes at most length × length steps.
        private static func matches(pattern: [Character], text: [Character]) -> Bool {
            var (inPattern, inText) = (0, 0)
            var star: (pattern: Int, text: Int)?
            while inText < text.count {
                if inPattern < pattern.count, pattern[inPattern] == "*" {
                    star = (inPattern, inText)
                    inPattern += 1
                } else if inPattern < pattern.count, pattern[inPattern] == text[inText] {
                    inPattern += 1
                    inText += 1
                } else if let last = star {
                    star = (last.pattern, last.text + 1)
                    inPattern = last.pattern + 1
                    inText = last.text + 1
                } else {
                    return false
                }
            }
            return pattern[inPattern...].allSatisfy { $0 == "*" }
        }
    }
}
