extension Sandbox {
    /// How the sandbox behaves towards a correct client.
    public enum Profile: String, Sendable, Hashable, CaseIterable {
        /// Everything works at the first attempt.
        case `default` = "default"
        /// The signed-in user has no profile photo.
        case noPhoto = "no-photo"
        /// The first sending of every distinct request is answered 429 with Retry-After 1.
        case throttled
        /// The first sendings of every distinct request fail: 503, dropped connections, truncated bodies.
        ///
        /// No mail is lost or doubled by it: `sendMail` only ever gets a 503 with Retry-After before it was looked at.
        case flaky
        /// Each service refuses with 429 and Retry-After whoever asks more than a few times in a few seconds.
        case metered

        /// One line that says what the profile does.
        public var summary: String {
            switch self {
            case .default: "everything works at the first attempt"
            case .noPhoto: "the signed-in user has no profile photo"
            case .throttled: "every request is first answered 429 with Retry-After 1"
            case .metered: "every service answers 429 beyond a few requests in a few seconds"
            case .flaky: "503, dropped connections and truncated bodies before every request succeeds"
            }
        }
    }
}
