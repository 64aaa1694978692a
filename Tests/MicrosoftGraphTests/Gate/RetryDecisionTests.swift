import Foundation
import Testing
import MicrosoftGraph

struct RetryDecisionTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private func decide(
        _ outcome: RetryDecision.Outcome, _ effect: Idempotency, attempt: Int = 1, jitter: Double = 1
    ) -> RetryDecision {
        RetryDecision(after: outcome, effect: effect, attempt: attempt, jitter: jitter, now: Self.now)
    }

    private func failed(_ phase: HTTPFailure.Phase, _ reason: HTTPFailure.Reason) -> RetryDecision.Outcome {
        .failed(HTTPFailure(phase: phase, reason: reason, detail: ""))
    }

    private func isRetry(_ decision: RetryDecision) -> Bool {
        if case .retry = decision { true } else { false }
    }

    @Test(arguments: [200, 201, 202, 204, 299], Idempotency.allCases)
    func `a success is never repeated, whatever Retry-After says`(status: Int, effect: Idempotency) {
        #expect(decide(.answered(status, retryAfter: "5"), effect) == .settled)
    }

    @Test(arguments: Idempotency.allCases)
    func `429 is repeated for every effect`(effect: Idempotency) {
        #expect(
            decide(.answered(429, retryAfter: "7"), effect)
                == .retry(after: .seconds(7), reason: "429 Too Many Requests, Retry-After 7 s"))
        #expect(decide(.answered(429), effect) == .retry(after: .seconds(1), reason: "429 Too Many Requests"))
    }

    @Test(arguments: Idempotency.allCases)
    func `a locked file is asked for again, because nothing was done`(effect: Idempotency) {
        #expect(decide(.answered(423), effect) == .retry(after: .seconds(1), reason: "423 Locked"))
    }

    @Test(arguments: Idempotency.allCases)
    func `503 with Retry-After is repeated for every effect`(effect: Idempotency) {
        #expect(
            decide(.answered(503, retryAfter: "2"), effect)
                == .retry(after: .seconds(2), reason: "503 Service Unavailable, Retry-After 2 s"))
    }

    @Test(arguments: [408, 500, 502, 503, 504, 509])
    func `an ambiguous status is repeated only where that makes no difference`(status: Int) {
        #expect(isRetry(decide(.answered(status), .read)))
        #expect(isRetry(decide(.answered(status), .idempotent)))
        #expect(decide(.answered(status), .once) == .unknownOutcome)
    }

    @Test func `503 with a Retry-After that says nothing is no proof that nothing was done`() {
        #expect(decide(.answered(503, retryAfter: "soon"), .once) == .unknownOutcome)
    }

    @Test(arguments: [400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 422, 501, 505, 507], Idempotency.allCases)
    func `a refusal is final`(status: Int, effect: Idempotency) {
        #expect(decide(.answered(status), effect) == .giveUp)
    }

    @Test(arguments: [506, 520, 599])
    func `a server error without a meaning leaves open whether it was done`(status: Int) {
        #expect(decide(.answered(status), .once) == .unknownOutcome)
        #expect(decide(.answered(status), .read) == .giveUp)
    }

    @Test(arguments: [HTTPFailure.Reason.connectionLost, .timedOut, .badResponse, .tooLarge, .untrustedCertificate])
    func `what must not happen twice is unknown once bytes have left`(reason: HTTPFailure.Reason) {
        #expect(decide(failed(.sent, reason), .once) == .unknownOutcome)
        #expect(decide(failed(.notSent, reason), .once) == .giveUp)
    }

    @Test(arguments: [HTTPFailure.Reason.cannotConnect, .connectionLost, .timedOut])
    func `a lost connection is repeated where that makes no difference`(reason: HTTPFailure.Reason) {
        for phase in [HTTPFailure.Phase.notSent, .sent] {
            #expect(isRetry(decide(failed(phase, reason), .read)))
            #expect(isRetry(decide(failed(phase, reason), .idempotent)))
        }
    }

    @Test(arguments: [HTTPFailure.Reason.untrustedCertificate, .tooLarge, .badResponse, .cancelled, .fileUnusable])
    func `what will not get better is not repeated`(reason: HTTPFailure.Reason) {
        #expect(decide(failed(.sent, reason), .read) == .giveUp)
    }

    @Test func `there are three retries, each after up to twice the time`() {
        let delays = (1...4).map { attempt -> Duration? in
            guard case .retry(let delay, _) = decide(.answered(500), .read, attempt: attempt) else { return nil }
            return delay
        }
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), nil])
        #expect(decide(.answered(429, retryAfter: "1"), .once, attempt: 4) == .giveUp)
        #expect(decide(.answered(503), .once, attempt: 4) == .unknownOutcome)
    }

    @Test func `jitter takes any part of the delay, but never of Retry-After`() {
        #expect(
            decide(.answered(500), .read, attempt: 3, jitter: 0.25)
                == .retry(after: .seconds(1), reason: "500 Internal Server Error"))
        #expect(
            decide(.answered(500), .read, jitter: 0) == .retry(after: .zero, reason: "500 Internal Server Error"))
        guard case .retry(let delay, _) = decide(.answered(429, retryAfter: "2.128"), .read, jitter: 0) else {
            Issue.record("429 was not repeated")
            return
        }
        #expect(delay == .seconds(3))
    }

    @Test func `nobody is waited for longer than a day`() {
        #expect(isRetry(decide(.answered(429, retryAfter: "86400"), .read)))
        #expect(decide(.answered(429, retryAfter: "86401"), .read) == .giveUp)
        #expect(decide(.answered(429, retryAfter: "99999999999999999999999999"), .read) == .giveUp)
    }
}
