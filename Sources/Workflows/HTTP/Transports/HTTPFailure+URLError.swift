import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPFailure {
    /// What a `URLSession` says, as far as can be told; in doubt the request may have had its effect.
    init(_ error: (any Error)?, hasAnswerBegun: Bool) {
        let detail = error.map(\.localizedDescription) ?? "there was no answer"
        guard !hasAnswerBegun, let code = (error as? URLError)?.code else {
            self.init(phase: .sent, reason: .connectionLost, detail: detail)
            return
        }
        switch code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet:
            self.init(phase: .notSent, reason: .cannotConnect, detail: detail)
        // The address was found good before; libcurl's complaint is about an answer in no version of HTTP.
        case .unsupportedURL: self.init(phase: .sent, reason: .badResponse, detail: detail)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(phase: .notSent, reason: .untrustedCertificate, detail: detail)
        // On Linux libcurl's failures before the request, in setting up TLS, come without a code of their own.
        case .unknown where detail.contains("SSL certificate") || detail.contains("certificate subject name"):
            self.init(phase: .notSent, reason: .untrustedCertificate, detail: detail)
        case .unknown where detail.contains("SSL_connect"):
            self.init(phase: .notSent, reason: .cannotConnect, detail: detail)
        case .timedOut: self.init(phase: .sent, reason: .timedOut, detail: detail)
        case .cancelled: self.init(phase: .sent, reason: .cancelled, detail: detail)
        case .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            self.init(phase: .sent, reason: .badResponse, detail: detail)
        default: self.init(phase: .sent, reason: .connectionLost, detail: detail)
        }
    }
}
