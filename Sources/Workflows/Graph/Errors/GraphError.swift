/// Why a request to Microsoft Graph failed.
public struct GraphError: Error, Sendable, Hashable {
    /// The kind of failure.
    public var code: Code
    /// The answer's status; nil if there was no answer.
    public var status: Int?
    /// Graph's most specific code, such as `ImageNotFound`.
    public var serviceCode: String?
    /// What went wrong, in one or two sentences.
    public var message: String
    /// What to do about it; nil for no advice.
    public var hint: String?
    /// The service's id of the request, for Microsoft's support.
    public var requestID: String?
    /// This client's id of the request, the same for all attempts.
    public var clientRequestID: String?
    /// When the error happened, according to the service.
    public var date: String?
    /// When the request was answered: the answer's `Date`.
    public var answerDate: String?
    /// The name of the function that sent the request, such as `upload`.
    public var operation: String?
    /// The place in a workflow that causes the request; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// Whether a setting of the organisation forbids the request, and not a missing permission.
    package var isPolicy = false

    static let unknownOutcomePrefix = "It is unknown whether the request was carried out: "

    /// Creates an error.
    public init(_ code: Code, status: Int? = nil, message: String, hint: String? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// Converts any error, so that a chain can decide by its code.
    ///
    /// - Parameter error: A Graph error, an error of a ``Credential``, or a transport's ``HTTPFailure``.
    /// - Returns: nil for every other error.
    public init?(_ error: any Error) {
        switch error {
        case let error as GraphError: self = error
        case let error as CredentialError: self.init(credential: error)
        case let failure as HTTPFailure: self.init(failure: failure)
        default: return nil
        }
    }

    private init(credential error: CredentialError) {
        let code: Code =
            switch error.code {
            case .serviceUnavailable: .network
            case .badAnswer: .badAnswer
            default: .signInRequired
            }
        let details = error.details
        self.init(
            code, message: error.message, hint: details.isEmpty ? nil : details.joined(separator: "\n"))
    }

    /// The error of an address or a name with a character that is not seen.
    init(invisible reason: String) {
        self.init(.invalidInput, message: reason + ".", hint: PlainText.visibly.capitalizedFirst + ".")
    }

    init(failure: HTTPFailure, attempts: Int = 1) {
        let words = failure.reason.words + Self.after(attempts)
        let detail = PlainText.line(failure.detail)
        let message = (detail.isEmpty ? words : "\(words): \(detail)").capitalizedFirst
        self.init(Code(reason: failure.reason), message: PlainText.sentence(message))
    }

    init(_ response: HTTPResponse, attempts: Int = 1) {
        let said = ServiceError(response)
        let words = HTTPStatus.words(response.status) + Self.after(attempts)
        self.init(
            Code(status: response.status), status: response.status,
            message: PlainText.sentence(said.message.map { "\(words): \($0)" } ?? words))
        serviceCode = said.code
        if code == .locked { hint = "Someone has the file open. Close it there, then try again." }
        note(said)
    }

    mutating func note(_ said: ServiceError) {
        requestID = said.requestID
        date = said.date
        answerDate = said.answerDate
    }

    package var hintLines: [String] {
        (hint ?? "").split(separator: "\n").map { String($0).trimming(\.isWhitespace) }
    }

    static func after(_ attempts: Int) -> String { attempts > 1 ? " after \(attempts) attempts" : "" }
}

extension GraphError: CustomStringConvertible {
    /// The error in one paragraph: what failed, why, what to do, and the ids for support.
    public var description: String {
        var text = operation.map { "\($0): " } ?? ""
        text += message
        if let hint { text += " \(hint)" }
        let ids = [
            serviceCode.map { "code \($0)" }, requestID.map { "request-id \($0)" },
            clientRequestID.map { "client-request-id \($0)" }, date.map { "date \($0)" },
            answerDate.map { "answered \($0)" },
        ]
        let known = ids.compactMap(\.self)
        return known.isEmpty ? text : "\(text) (\(known.joined(separator: ", ")))"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension GraphError: CancellableError {
    /// Whether the client cancelled the request.
    public var isCancelled: Bool { code == .cancelled }
}
