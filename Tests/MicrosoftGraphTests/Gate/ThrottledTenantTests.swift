import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

/// Thousands of users in a tenant that throttles hard, with time that passes only when nothing is running.
struct ThrottledTenantTests {
    /// A clock that a test moves to the next deadline.
    private final class EventClock: PromiseClock {
        private struct State {
            var now = Duration.zero
            var count = 0
            var waiting: [(time: Duration, number: Int, work: @Sendable () -> Void)] = []
        }

        private let state = Locked(State())

        var now: Duration { state.withLock { $0.now } }

        func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
            let number = state.withLock { state in
                state.count += 1
                let entry = (state.now + delay, state.count, work)
                let place = state.waiting.firstIndex { ($0.time, $0.number) > (entry.0, entry.1) }
                state.waiting.insert(entry, at: place ?? state.waiting.endIndex)
                return state.count
            }
            return ScheduledWork { self.state.withLock { $0.waiting.removeAll { $0.number == number } } }
        }

        /// Moves to the next deadline; false if there is none.
        func step() -> Bool {
            let work = state.withLock { state -> (@Sendable () -> Void)? in
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.now = max(state.now, next.time)
                return next.work
            }
            work?()
            return work != nil
        }
    }

    /// Admits as many requests a second as a bucket refills, and counts those that arrive too early.
    private final class Bucket: HTTPTransport {
        private struct State {
            var tokens: [String: (left: Double, at: Duration)] = [:]
            var closedUntil: [String: Duration] = [:]
            var refused = 0
            var early: [String] = []
        }

        private static let rate = 20.0
        private static let size = 40.0
        private let inner: any HTTPTransport
        private let clock: any PromiseClock
        private let state = Locked(State())

        init(_ inner: any HTTPTransport, clock: any PromiseClock) {
            self.inner = inner
            self.clock = clock
        }

        var refused: Int { state.withLock { $0.refused } }
        var early: [String] { state.withLock { $0.early } }

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            let now = clock.now
            let path = request.url.path()
            let service =
                path.contains("/drive/") ? "files" : String(path.split(separator: "/").prefix(3).joined(separator: "/"))
            let retryAfter = state.withLock { state -> Int? in
                if let until = state.closedUntil[service], now < until {
                    state.early.append("\(request.method) \(path)")
                }
                var (left, at) = state.tokens[service] ?? (Self.size, .zero)
                left = min(Self.size, left + (now - at).seconds * Self.rate)
                at = now
                defer { state.tokens[service] = (left, at) }
                guard left >= 1 else {
                    state.refused += 1
                    return 2
                }
                left -= 1
                return nil
            }
            // An answer takes time.
            return after(.milliseconds(40), clock: clock).then(on: nil) {
                [inner, clock, state] () -> Promise<HTTPResponse> in
                guard let retryAfter else { return inner.send(request, for: operation) }
                let until = clock.now + .seconds(retryAfter)
                state.withLock { $0.closedUntil[service] = until }
                return .value(HTTPResponse(status: 429, headers: ["Retry-After": String(retryAfter)]))
            }
        }
    }

    @Test func `thousands of users come through, and nobody asks while a Retry-After is running`() throws {
        var settings = Sandbox.Settings()
        let count = Extent.of(2_000, or: 400)
        settings.userCount = count
        let clock = EventClock()
        let sandbox = Sandbox(
            settings: settings, now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
        let bucket = Bucket(sandbox.transport, clock: clock)
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: bucket, clock: clock,
            environment: [:])
        let done = Locked(0)
        let all = graph.users(all: true).then(on: nil) { users in
            when(
                fulfilled: users.map { user in
                    graph.photo(user: user.id).recover(on: nil) { error -> Promise<Blob> in
                        guard GraphError(error)?.code == .notFound else { throw error }
                        return .value(.defaultPhoto)
                    }.then(on: nil) { photo in
                        graph.upload(photo, to: "me.png", user: user.id)
                    }.then(on: nil) { item in
                        graph.createLink(to: item, user: user.id)
                    }.then(on: nil) { link in
                        graph.sendMail(to: "adelev@contoso.com", subject: user.id, text: link.webURL, user: user.id)
                    }.map(on: nil) { _ in done.withLock { $0 += 1 } }
                })
        }
        while all.isPending, clock.step() {}
        _ = try #require(all.result).get()
        #expect(done.withLock { $0 } == count)
        #expect(sandbox.outbox.count == count)
        #expect(Set(sandbox.outbox.map(\.subject)).count == count)
        #expect(bucket.refused > 10)
        #expect(bucket.early.isEmpty, "\(bucket.early.prefix(5))")
    }

    /// The seconds of a batch in which each person's photo is uploaded, shared and mailed from the own mailbox, in a
    /// tenant that keeps to its documented limits.
    private func seconds(people: Int, files: Sandbox.Limits.Bucket) throws -> Double {
        let clock = EventClock()
        var settings = Sandbox.Settings()
        settings.userCount = people
        settings.limits = .documented
        settings.limits.files = files
        settings.latency = .milliseconds(200)
        let sandbox = Sandbox(
            settings: settings, now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) }, clock: clock)
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: sandbox.transport, clock: clock,
            now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) }, environment: [:],
            gate: RequestGate())
        let all = graph.users(all: true).then(on: nil) { users in
            when(
                fulfilled: users.map { user in
                    graph.upload(.defaultPhoto, to: "me.png", user: user.id).then(on: nil) { item in
                        graph.createLink(to: item, user: user.id)
                    }.then(on: nil) { link in
                        graph.sendMail(to: "adelev@contoso.com", subject: user.id, text: link.webURL, user: user.id)
                    }
                })
        }
        while all.isPending, clock.step() {}
        _ = try #require(all.result).get()
        #expect(sandbox.outbox.count == people)
        return clock.now.seconds
    }

    @Test func `a tenant takes as long as its limits say, and not much longer`() throws {
        // An upload costs 2 units and a link 5.
        let units = Sandbox.Limits.Bucket(units: 1_200, seconds: 60)
        let counts = [400, Extent.of(4_000, or: 800)]
        let times = try counts.map { try seconds(people: $0, files: units) }
        for (count, time) in zip(counts, times) {
            // The service lets the units of a full bucket through at once, which the gate uses with care.
            let (least, most) = (Double(7 * count - units.units) / 20, Double(7 * count) / 20)
            #expect(
                time >= least && time <= most * 1.02, "\(count) people: \(time) s, by the limits \(least)–\(most) s")
        }
    }
}
