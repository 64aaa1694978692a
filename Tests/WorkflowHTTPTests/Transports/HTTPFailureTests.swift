import Foundation
import Testing

@testable import WorkflowHTTP

#if canImport(Darwin)
    /// Errors of `URLSession` as failures of a transport; only a request that was certainly not sent counts as unsent.
    @Suite struct HTTPFailureTests {
        @Test(
            arguments: [
                (.cannotFindHost, "", .notSent, .cannotConnect), (.cannotConnectToHost, "", .notSent, .cannotConnect),
                (.dnsLookupFailed, "", .notSent, .cannotConnect),
                (.notConnectedToInternet, "", .notSent, .cannotConnect),
                (.serverCertificateUntrusted, "", .notSent, .untrustedCertificate),
                (.networkConnectionLost, "", .sent, .connectionLost), (.badServerResponse, "", .sent, .connectionLost),
                (.timedOut, "", .sent, .timedOut), (.cancelled, "", .sent, .cancelled),
                (.cannotParseResponse, "", .sent, .badResponse),
            ] as [(URLError.Code, String, HTTPFailure.Phase, HTTPFailure.Reason)])
        func `says how far the request had come`(
            code: URLError.Code, detail: String, phase: HTTPFailure.Phase, reason: HTTPFailure.Reason
        ) {
            let error = URLError(code, userInfo: detail.isEmpty ? [:] : [NSLocalizedDescriptionKey: detail])
            let failure = HTTPFailure(error, hasAnswerBegun: false)
            #expect(failure.phase == phase)
            #expect(failure.reason == reason)
        }

        @Test func `once an answer had begun the request was sent, whatever the error`() {
            let failure = HTTPFailure(URLError(.cannotConnectToHost), hasAnswerBegun: true)
            #expect(failure.phase == .sent)
            #expect(failure.reason == .connectionLost)
        }
    }
#endif
