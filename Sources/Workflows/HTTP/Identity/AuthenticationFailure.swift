package struct AuthenticationFailure: Error, Sendable, Hashable {
    enum Kind: Sendable { case configuration, authentication, communication }

    let kind: Kind
    let message: String

    package static func configuration(_ message: String) -> AuthenticationFailure {
        AuthenticationFailure(kind: .configuration, message: message)
    }

    static func refused(_ message: String) -> AuthenticationFailure {
        AuthenticationFailure(kind: .authentication, message: message)
    }

    static func unreachable(_ message: String) -> AuthenticationFailure {
        AuthenticationFailure(kind: .communication, message: message)
    }
}

extension AuthenticationFailure: ProblemConvertible {
    /// The standard's error: configuration (400), authentication (401) or communication (500).
    package var problem: Object {
        let (type, status, title) =
            switch kind {
            case .configuration: ("configuration", 400, "Configuration error")
            case .authentication: ("authentication", 401, "Not signed in")
            case .communication: ("communication", 500, "Communication error")
            }
        return [
            "type": .string("https://serverlessworkflow.io/spec/1.0.0/errors/\(type)"), "status": .integer(status),
            "title": .string(title), "detail": .string(message),
        ]
    }
}
