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
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .unsupportedURL, .badURL:
            // libcurl's complaint about an answer that is not HTTP arrives as an unsupported address.
            let isAnswer = code == .unsupportedURL && detail.contains("HTTP/0.9")
            self.init(
                phase: isAnswer ? .sent : .notSent, reason: isAnswer ? .badResponse : .cannotConnect, detail: detail)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(phase: .notSent, reason: .untrustedCertificate, detail: detail)
        case .timedOut: self.init(phase: .sent, reason: .timedOut, detail: detail)
        case .cancelled: self.init(phase: .sent, reason: .cancelled, detail: detail)
        case .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            self.init(phase: .sent, reason: .badResponse, detail: detail)
        default: self.init(phase: .sent, reason: .connectionLost, detail: detail)
        }
    }
}
