import Dispatch
import Synchronization
import Testing

@testable import Promises

/// Serial places that run at the same time.
struct LaneTests {
    /// The lane of the calling handler.
    private static var here: UInt8 { Lane.current }

    @Test func `what a body begins stays in its lane, wherever its promises are settled`() async throws {
        for _ in 0..<50 {
            let places = try await Lane.perform { () -> Promise<[UInt8]> in
                let first = Self.here
                let (promise, resolver) = Promise<Void>.pending()
                DispatchQueue.global().async { resolver.fulfill(()) }
                return promise.then { after(.milliseconds(1)).map { Self.here } }
                    .then { second in
                        Promise { try await Task.sleep(for: .microseconds(1)) }.map { [first, second, Self.here] }
                    }
                    .then(on: .global()) { Promise.value($0) }
                    .map { $0 + [Self.here] }
                    .recover { _ in .value([]) }
                    .get { #expect($0.count == 4 && $0.last == Self.here) }
            }.value
            #expect(Set(places).count == 1 && places[0] >= Place.lanes)
        }
        #expect(try await Promise.value(1).map { _ in Self.here }.value == Place.standard)
    }

    @Test func `handlers of a lane never run at the same time, and in the order in which they were attached`()
        async throws
    {
        let chains = try await when(
            fulfilled: (0..<32).map { _ in
                Lane.perform { () -> Promise<Bool> in
                    // Only the lane's handlers reach these, which is why they need no lock: the sanitizer would tell.
                    let (begun, ended) = (Unlocked([Int]()), Unlocked([Int]()))
                    let (promise, resolver) = Promise<Void>.pending()
                    let all = (0..<100).map { number in
                        promise.then { _ -> Promise<Void> in
                            begun.value.append(number)
                            return number % 3 == 0 ? after(.zero).asPromise() : Promise.value(())
                        }.map { ended.value.append(number) }
                    }
                    let last = promise.map { begun.value == Array(0..<100) }
                    DispatchQueue.global().async { resolver.fulfill(()) }
                    return when(fulfilled: all).then { last }.map { isLast in
                        let direct = ended.value.filter { $0 % 3 != 0 }
                        return isLast && direct == direct.sorted() && ended.value.count == 100
                    }
                }
            }
        ).value
        #expect(chains == [Bool](repeating: true, count: 32))
    }

    @Test(.enabled(if: SerialPlace.lanes.count > 1))
    func `lanes run at the same time`() async throws {
        // In a process of its own, because the lanes are for all: two bodies after each other are in different ones.
        await #expect(processExitsWith: .success) {
            let meeting = Atomic<Int>(0)
            @Sendable func meet() -> Bool {
                meeting.wrappingAdd(1, ordering: .relaxed)
                for _ in 0..<10_000 {
                    if meeting.load(ordering: .relaxed) >= 2 { return true }
                    SystemThread.sleep(seconds: 0.001)
                }
                return false
            }
            let both = when(fulfilled: Lane.perform { Promise.value(meet()) }, Lane.perform { Promise.value(meet()) })
            let met = try await both.value
            #expect(met.0 && met.1)
        }
    }

    @Test func `a handler in a lane can wait, and can compute while the others of its lane run`() async throws {
        let result = try await Lane.perform { () -> Promise<[Int]> in
            let other = after(.milliseconds(1)).map { 1 }
            let awaited = other.wait()
            let next = Promise.value(()).map { 2 }
            let absence = Absence()
            // Runs meanwhile, in the same lane.
            for _ in 0..<10_000 where next.isPending { SystemThread.sleep(seconds: 0.001) }
            let meanwhile = try? next.result?.get()
            absence?.end()
            #expect(Lane.current >= Place.lanes)
            return Promise.value(()).map { [awaited, meanwhile ?? 0, Lane.current >= Place.lanes ? 3 : 0] }
        }.value
        #expect(result == [1, 2, 3])
    }

    @Test func `a place that is named is kept, and the defaults read as before`() async throws {
        // In a process of its own, because the defaults are for all.
        await #expect(processExitsWith: .success) {
            _ = try await Lane.perform { Promise.value(1) }.value
            #expect(conf.Q.map === SerialPlace.standard.queue && conf.Q.return === SerialPlace.standard.queue)
            conf.Q = (map: .main, return: nil)
            #expect(try await Lane.perform { Promise.value(1).map { _ in Lane.current } }.value == Place.standard)
            conf.Q = (map: SerialPlace.standard.queue, return: SerialPlace.standard.queue)
            #expect(try await Lane.perform { Promise.value(1).map { _ in Lane.current } }.value >= Place.lanes)
        }
    }
}

/// A value that one thread at a time reaches.
private final class Unlocked<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
