import Essentials
import Promises

/// A certificate with its key, and the program that signs with it.
struct ClientCertificate: Sendable {
    private static let patience = Duration.seconds(30)
    /// How long an assertion is valid, in seconds, as in MSAL.
    private static let life = 600
    private static let passwordVariable = "GRAPHFLOW_CERTIFICATE_PASSWORD"

    /// The certificates as DER, the application's own first.
    private let certificates: [Data]
    private let key: Secret
    private let password: Secret?
    private let openssl: ExternalProgram
    private let clock: any PromiseClock

    /// Reads a file in either format.
    static func load(
        _ file: URL, password: Secret?, _ environment: [String: String], clock: any PromiseClock
    ) -> Promise<ClientCertificate> {
        let shown = PlainText.line(file.path, limit: 300)
        guard let found = ExternalProgram.find("openssl", environment) else {
            return Promise(
                error: CredentialError(
                    .misconfigured,
                    "A client certificate needs the program 'openssl', which is not installed here or not in PATH. "
                        + "Install it, or use AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE."))
        }
        guard let data = try? Data(contentsOf: file) else {
            return Promise(
                error: CredentialError(
                    .misconfigured,
                    "The certificate '\(shown)' cannot be read: check AZURE_CLIENT_CERTIFICATE_PATH."))
        }
        let openssl = ExternalProgram(file: found, environment: ["PATH": environment["PATH"] ?? ""])
        let text = String(decoding: data, as: UTF8.self)
        if text.contains("-----BEGIN ") {
            return Promise { resolver in
                resolver.fulfill(try ClientCertificate(Secret(text), shown, password, openssl, clock))
            }
        }
        // The key in PKCS #12 is extracted into memory, never into a file.
        let arguments = [
            "pkcs12", "-in", file.path, "-nodes", "-passin", "env:\(passwordVariable)",
        ]
        return openssl.run(
            arguments, secrets: [passwordVariable: password ?? Secret("")], patience: patience, clock: clock
        ).map(on: nil) { outcome in
            guard outcome.status == 0 else {
                throw CredentialError(
                    .misconfigured,
                    "The certificate '\(shown)' is neither PEM nor PKCS #12, or AZURE_CLIENT_CERTIFICATE_PASSWORD is "
                        + "wrong. openssl says: \(PlainText.line(outcome.error, limit: 300))")
            }
            return try ClientCertificate(outcome.output, shown, nil, openssl, clock)
        }.recover(on: nil) { error -> Promise<ClientCertificate> in throw Self.translate(error) }
    }

    private init(
        _ pem: Secret, _ shown: String, _ password: Secret?, _ openssl: ExternalProgram, _ clock: any PromiseClock
    ) throws(CredentialError) {
        let blocks = Self.blocks(of: pem.revealed)
        certificates = blocks.filter { $0.label == "CERTIFICATE" }.compactMap { $0.bytes }
        guard !certificates.isEmpty else {
            throw CredentialError(.misconfigured, "The file '\(shown)' contains no certificate.")
        }
        guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw CredentialError(
                .misconfigured, "The file '\(shown)' contains no private key: add it after the certificate.")
        }
        key = Secret(block.text)
        self.password = password
        self.openssl = openssl
        self.clock = clock
    }

    /// Signs the assertion that authenticates the application.
    func statement(
        of clientID: String, for endpoint: URL, at now: Date, id: [UInt8], sendsChain: Bool
    ) -> Promise<Secret> {
        let time = Int(now.timeIntervalSince1970)
        var head: Object = [
            "alg": "PS256", "typ": "JWT",
            "x5t#S256": .string(Base64URL.encode(SHA256.hash(of: certificates.first ?? Data()))),
        ]
        if sendsChain { head["x5c"] = .array(certificates.map { .string($0.base64EncodedString()) }) }
        let claims: Value = [
            "aud": .string(endpoint.absoluteString), "iss": .string(clientID), "sub": .string(clientID),
            "jti": .string(Base64URL.encode(id)), "nbf": .integer(time), "iat": .integer(time),
            "exp": .integer(time + Self.life),
        ]
        let parts = [Value.object(head), claims].map { Base64URL.encode($0.jsonData()) }.joined(separator: ".")
        return sign(Data(parts.utf8)).map(on: nil) { Secret("\(parts).\(Base64URL.encode($0))") }
    }

    private func sign(_ data: Data) -> Promise<Data> {
        // The signed text is not secret; the key is passed through the program's standard input.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graphflow-\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: data, attributes: [.posixPermissions: 0o600])
        else {
            return Promise(error: CredentialError(.misconfigured, "There is no space for a temporary file."))
        }
        let arguments = [
            "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest",
            "-passin", "env:\(Self.passwordVariable)", "-sign", "/dev/stdin", "-hex", file.path,
        ]
        return openssl.run(
            arguments, secrets: [Self.passwordVariable: password ?? Secret("")], input: key,
            patience: Self.patience, clock: clock
        ).ensure(on: nil) {
            try? FileManager.default.removeItem(at: file)
        }.map(on: nil) { outcome in
            // `RSA-PSS…(file)= 3a4f…`
            let digits = outcome.output.revealed.split(separator: "=").last.map {
                $0.trimming(\.isWhitespace)
            }
            guard outcome.status == 0, let digits, let signature = Data(hexadecimal: digits), !signature.isEmpty else {
                throw CredentialError(
                    .misconfigured,
                    "openssl cannot sign with the certificate's key: is it an RSA key, and is "
                        + "AZURE_CLIENT_CERTIFICATE_PASSWORD right? openssl says: "
                        + PlainText.line(outcome.error, limit: 300))
            }
            return signature
        }.recover(on: nil) { error -> Promise<Data> in throw Self.translate(error) }
    }

    private static func translate(_ error: any Error) -> any Error {
        switch error {
        case ExternalProgram.Failure.notStarted(let why):
            CredentialError(.misconfigured, "The program 'openssl' cannot be started: \(PlainText.line(why)).")
        case ExternalProgram.Failure.timedOut:
            CredentialError(.misconfigured, "The program 'openssl' did not end within 30 seconds.")
        default: error
        }
    }

    /// The blocks of a PEM file (RFC 7468): the label, the whole text, and the bytes if they can be decoded.
    private static func blocks(of pem: String) -> [(label: String, text: String, bytes: Data?)] {
        var result: [(String, String, Data?)] = []
        var label: String?
        var lines: [Substring] = []
        for line in pem.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                label = String(line.dropFirst(11).dropLast(5))
                lines = [line]
            } else if let open = label {
                lines.append(line)
                guard line == "-----END \(open)-----" else { continue }
                let base64 = lines.dropFirst().dropLast().joined()
                result.append((open, lines.joined(separator: "\n") + "\n", Data(base64Encoded: base64)))
                label = nil
            }
        }
        return result
    }
}

extension Data {
    /// The bytes in hexadecimal digits; nil if the text is anything else.
    fileprivate init?(hexadecimal text: String) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
