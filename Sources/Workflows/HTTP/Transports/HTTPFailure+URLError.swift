import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPFailure {
    /// Converts an error of `URLSession`; in doubt, the request may have had its effect.
    init(_ error: (any Error)?, hasAnswerBegun: Bool) {
        let detail = error.map(\.localizedDescription) ?? "there was no response"
        guard !hasAnswerBegun, let code = (error as? URLError)?.code else {
            self.init(phase: .sent, reason: .connectionLost, detail: detail)
            return
        }
        switch code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet:
            self.init(phase: .notSent, reason: .cannotConnect, detail: detail)
        // The URL is known to be valid; libcurl's error means that the response's HTTP version is unknown.
        case .unsupportedURL: self.init(phase: .sent, reason: .badResponse, detail: detail)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(phase: .notSent, reason: .untrustedCertificate, detail: detail)
        // On Linux, libcurl's failures during the TLS handshake have no code of their own.
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
