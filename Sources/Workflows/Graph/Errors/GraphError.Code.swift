extension GraphError {
    /// The kind of a failure; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind: String {
            case invalidInput, signInRequired, unauthorized, forbidden, notFound, conflict, preconditionFailed
            case invalidRequest, locked, tooLarge, throttled, quotaExceeded, service, network, timedOut, cancelled
            case badAnswer, unknownOutcome
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Refused before anything was sent: what was asked for cannot be right.
        public static let invalidInput = Code(.invalidInput)
        /// There is no token to ask with.
        public static let signInRequired = Code(.signInRequired)
        /// The token was refused, also after it was refreshed (401).
        public static let unauthorized = Code(.unauthorized)
        /// A permission is missing, or an administrator forbids it (403).
        public static let forbidden = Code(.forbidden)
        /// What was asked for is not there (404, 410, and 501 for a photo).
        public static let notFound = Code(.notFound)
        /// It is there already, or in another state (409).
        public static let conflict = Code(.conflict)
        /// It was changed by somebody else in between (412).
        public static let preconditionFailed = Code(.preconditionFailed)
        /// The service does not accept the request as it is (400 and other statuses from 402 to 499).
        public static let invalidRequest = Code(.invalidRequest)
        /// Somebody else holds it (423).
        public static let locked = Code(.locked)
        /// The request is larger than the service takes (413).
        public static let tooLarge = Code(.tooLarge)
        /// The service asks to slow down (429), and still did after all retries.
        public static let throttled = Code(.throttled)
        /// There is no room left (507).
        public static let quotaExceeded = Code(.quotaExceeded)
        /// The service failed (5xx).
        public static let service = Code(.service)
        /// No answer came.
        public static let network = Code(.network)
        /// No answer came in time (also 408 and 504).
        public static let timedOut = Code(.timedOut)
        /// The request was cancelled from this side.
        public static let cancelled = Code(.cancelled)
        /// An answer came that is not what Graph answers.
        public static let badAnswer = Code(.badAnswer)
        /// It may have been done; doing it again could do it twice.
        public static let unknownOutcome = Code(.unknownOutcome)

        /// The kind for an answer's status that is not a success.
        init(status: Int) {
            switch status {
            case 300..<400: self = .badAnswer
            case 401: self = .unauthorized
            case 403: self = .forbidden
            case 404, 410: self = .notFound
            case 408, 504: self = .timedOut
            case 409: self = .conflict
            case 412: self = .preconditionFailed
            case 413: self = .tooLarge
            case 423: self = .locked
            case 429: self = .throttled
            case 507: self = .quotaExceeded
            case 400..<500: self = .invalidRequest
            case 500..<600: self = .service
            default: self = .badAnswer
            }
        }

        /// The kind for a request without an answer.
        init(reason: HTTPFailure.Reason) {
            switch reason {
            case .cannotConnect, .connectionLost, .untrustedCertificate: self = .network
            case .timedOut: self = .timedOut
            case .tooLarge, .badResponse: self = .badAnswer
            case .cancelled: self = .cancelled
            }
        }
    }
}

extension GraphError.Code: CustomStringConvertible {
    /// The kind's name.
    public var description: String { kind.rawValue }
}
