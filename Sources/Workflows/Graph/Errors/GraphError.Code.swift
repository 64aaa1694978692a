extension GraphError {
    /// The kind of failure; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind: String {
            case invalidInput, signInRequired, unauthorized, forbidden, notFound, conflict, preconditionFailed
            case invalidRequest, locked, tooLarge, throttled, quotaExceeded, service, network, timedOut, cancelled
            case badAnswer, unknownOutcome
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The input is invalid; nothing was sent.
        public static let invalidInput = Code(.invalidInput)
        /// There is no token.
        public static let signInRequired = Code(.signInRequired)
        /// The token was refused, even after a refresh (401).
        public static let unauthorized = Code(.unauthorized)
        /// A permission is missing, or an administrator forbids the request (403).
        public static let forbidden = Code(.forbidden)
        /// The requested resource does not exist (404, 410, and 501 for a photo).
        public static let notFound = Code(.notFound)
        /// The resource already exists or is in another state (409).
        public static let conflict = Code(.conflict)
        /// The resource was changed meanwhile (412).
        public static let preconditionFailed = Code(.preconditionFailed)
        /// The service rejects the request (400 and other statuses from 402 to 499).
        public static let invalidRequest = Code(.invalidRequest)
        /// The resource is locked (423).
        public static let locked = Code(.locked)
        /// The request is larger than the service accepts (413).
        public static let tooLarge = Code(.tooLarge)
        /// The service throttles the client (429), even after all retries.
        public static let throttled = Code(.throttled)
        /// The storage is full (507).
        public static let quotaExceeded = Code(.quotaExceeded)
        /// The service failed (5xx).
        public static let service = Code(.service)
        /// There was no answer.
        public static let network = Code(.network)
        /// There was no answer in time (also 408 and 504).
        public static let timedOut = Code(.timedOut)
        /// The client cancelled the request.
        public static let cancelled = Code(.cancelled)
        /// The answer is not one of Graph's.
        public static let badAnswer = Code(.badAnswer)
        /// The effect may have happened; a repetition could make it happen twice.
        public static let unknownOutcome = Code(.unknownOutcome)

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

        init(reason: HTTPFailure.Reason) {
            switch reason {
            case .cannotConnect, .connectionLost, .untrustedCertificate: self = .network
            case .timedOut: self = .timedOut
            case .tooLarge, .badResponse: self = .badAnswer
            case .cancelled: self = .cancelled
            case .fileUnusable: self = .invalidInput
            }
        }
    }
}

extension GraphError.Code: CustomStringConvertible {
    /// The kind's name.
    public var description: String { kind.rawValue }
}
