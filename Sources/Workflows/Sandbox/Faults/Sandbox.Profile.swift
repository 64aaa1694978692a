extension Sandbox {
    /// How the sandbox behaves towards a correct client.
    public enum Profile: String, Sendable, Hashable, CaseIterable {
        /// Everything works at the first attempt.
        case `default` = "default"
        /// The signed-in user has no profile photo.
        case noPhoto = "no-photo"
        /// Every distinct request is first answered 429 with Retry-After 1.
        case throttled
        /// Every distinct request fails at first: 503, dropped connections, truncated bodies.
        ///
        /// No mail is lost or duplicated: `sendMail` only gets a 503 with Retry-After before it has an effect.
        case flaky
        /// Each service answers 429 with Retry-After after more than a few requests in a few seconds.
        case metered

        /// The profile's behaviour in one line.
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
