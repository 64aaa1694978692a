#if canImport(Darwin)
    import Essentials

    extension HTTPFailure {
        /// Converts an error of `URLSession`; if in doubt, the request may have taken effect.
        init(_ error: (any Error)?, hasAnswerBegun: Bool) {
            let detail = error.map(\.localizedDescription) ?? "there was no response"
            guard !hasAnswerBegun, let code = (error as? URLError)?.code else {
                self.init(phase: .sent, reason: .connectionLost, detail: detail)
                return
            }
            switch code {
            case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet:
                self.init(phase: .notSent, reason: .cannotConnect, detail: detail)
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
#endif
