import Dispatch
import Synchronization
import Testing

@testable import Promises

/// Serial places that run at the same time.
struct PlaceTests {
    /// The place of the calling handler.
    private static var here: UInt16 { PlaceNumber.current }

    @Test func `what a body begins stays at its place, wherever its promises are settled`() async throws {
        for _ in 0..<50 {
            let places = try await Place().perform { () -> Promise<[UInt16]> in
                let first = Self.here
                let (promise, resolver) = Promise<Void>.pending()
                DispatchQueue.global().async { resolver.fulfill(()) }
                let later = promise.then { after(.milliseconds(1)).map { Self.here } }
                let three = later.then { (second: UInt16) -> Promise<[UInt16]> in
                    // Real time: nothing depends on how long it is.
                    Promise { try await Task.sleep(for: .microseconds(1)) }.map { [first, second, Self.here] }
                }
                return three.then(on: .global()) { Promise.value($0) }
                    .map { $0 + [Self.here] }
                    .recover { _ in .value([]) }
                    .get { #expect($0.count == 4 && $0.last == Self.here) }
            }.value
            #expect(Set(places).count == 1 && places[0] >= PlaceNumber.first)
        }
        #expect(try await Promise.value(1).map { _ in Self.here }.value == PlaceNumber.standard)
    }

    @Test func `handlers of a place never run at the same time, and in the order in which they were attached`()
        async throws
    {
        let chains = try await when(
            fulfilled: (0..<32).map { _ in
                Place().perform { () -> Promise<Bool> in
                    // Only the place's handlers reach these, which is why they need no lock: the sanitizer would tell.
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

    @Test(.enabled(if: Thread.cores > 1), .timeLimit(.minutes(60)))
    func `places run at the same time`() async throws {
        // In its own process, because others need the threads as well.
        await #expect(processExitsWith: .success) {
            let meeting = Atomic<Int>(0)
            @Sendable func meet() -> Bool {
                meeting.wrappingAdd(1, ordering: .relaxed)
                while meeting.load(ordering: .relaxed) < 2 { SystemThread.sleep(seconds: 0.001) }
                return true
            }
            let both = when(
                fulfilled: Place().perform { Promise.value(meet()) }, Place().perform { Promise.value(meet()) })
            let met = try await both.value
            #expect(met.0 && met.1)
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a handler at a place can wait, and can compute while the others of its place run`() async throws {
        let result = try await Place().perform { () -> Promise<[Int]> in
            let other = after(.milliseconds(1)).map { 1 }
            let awaited = other.wait()
            let next = Promise.value(()).map { 2 }
            let absence = Absence()
            // Runs meanwhile, at the same place.
            while next.isPending { SystemThread.sleep(seconds: 0.001) }
            let meanwhile = try? next.result?.get()
            absence?.end()
            #expect(PlaceNumber.current >= PlaceNumber.first)
            return Promise.value(()).map {
                [awaited, meanwhile ?? 0, PlaceNumber.current >= PlaceNumber.first ? 3 : 0]
            }
        }.value
        #expect(result == [1, 2, 3])
    }

    @Test func `the queue of a place stands for it`() async throws {
        let place = Place()
        let (here, other) = try await place.perform { Promise.value((Self.here, Self.here)) }.value
        #expect(here == other)
        let places = try await Promise.value(()).map(on: place.queue) { Self.here }
            .then(on: place.queue, flags: .barrier) { first in Promise.value(()).map { [first, Self.here] } }
            .map(on: place.queue) { $0 + [Self.here] }.value
        #expect(places == [here, here, here])
        // What a program dispatches itself runs when no handler does.
        let isInside = Unlocked(false)
        let meetings = Atomic<Int>(0)
        @Sendable func enter() {
            if isInside.value { meetings.wrappingAdd(1, ordering: .relaxed) }
            isInside.value = true
            // Real time: nothing depends on how long it is.
            SystemThread.sleep(seconds: 0.0005)
            isInside.value = false
        }
        try await when(
            fulfilled: (0..<100).map { number in
                number % 2 == 0
                    ? place.queue.async(.promise) { enter() } : Promise.value(()).map(on: place.queue) { enter() }
            }
        ).value
        #expect(meetings.load(ordering: .relaxed) == 0)
    }

    @Test func `as many places run at a time as there are cores, and each gets its turn`() async throws {
        let running = Atomic<Int>(0)
        let most = Locked(0)
        let ends = try await when(
            fulfilled: (0..<40).map { number in
                Place().perform { () -> Promise<Int> in
                    @Sendable func round(_ rest: Int) -> Promise<Int> {
                        let now = running.wrappingAdd(1, ordering: .relaxed).newValue
                        most.withLock { $0 = max($0, now) }
                        // Real time: nothing depends on how long it is.
                        SystemThread.sleep(seconds: 0.0002)
                        running.wrappingSubtract(1, ordering: .relaxed)
                        return rest == 0 ? .value(number) : Promise.value(()).then { round(rest - 1) }
                    }
                    return round(20)
                }
            }
        ).value
        #expect(ends == Array(0..<40))
        // Other tests have places, too; none of these counts more than its own threads.
        #expect(most.withLock { $0 } <= Thread.cores + 1)
    }

    @Test func `a handler that computes for ever keeps neither its place nor others from running`() async throws {
        // In its own process, because other tests need the threads as well.
        await #expect(processExitsWith: .success) {
            let isOver = Atomic<Bool>(false)
            let endless = (0..<(2 * Thread.cores + 2)).map { _ in
                let place = Place()
                return (
                    place,
                    place.perform { () -> Promise<Void> in
                        let absence = Absence()
                        while !isOver.load(ordering: .relaxed) { SystemThread.sleep(seconds: 0.001) }
                        absence?.end()
                        return .value(())
                    }
                )
            }
            // The same places, and others.
            for (place, _) in endless {
                let same = try await place.perform { Promise.value(1) }.value
                let other = try await Place().perform { Promise.value(2) }.value
                #expect((same, other) == (1, 2))
            }
            isOver.store(true, ordering: .relaxed)
            for (_, end) in endless { try await end.value }
        }
    }

    @Test func `handlers that wait for each other's places all end`() async throws {
        await #expect(processExitsWith: .success) {
            conf.logHandler = { _ in }
            let waits = (0..<(3 * Thread.cores)).map { number in
                Place().perform { () -> Promise<Int> in
                    Promise.value(try Place().perform { after(.milliseconds(2)).map { number } }.wait())
                }
            }
            let numbers = try await when(fulfilled: waits).value
            #expect(numbers == Array(0..<(3 * Thread.cores)))
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a place with endless handlers does not keep the others waiting`() async throws {
        await #expect(processExitsWith: .success) {
            let isOver = Atomic<Bool>(false)
            @Sendable func round() {
                if !isOver.load(ordering: .relaxed) { Promise.value(()).done { round() }.cauterize() }
            }
            for _ in 0..<(2 * Thread.cores) { Place().perform { Guarantee.value(round()) }.cauterize() }
            for _ in 0..<20 { _ = try await Place().perform { Promise.value(1) }.value }
            isOver.store(true, ordering: .relaxed)
        }
    }

    @Test func `more places than numbers share them`() async throws {
        await #expect(processExitsWith: .success) {
            let places = (0..<20_000).map { _ in Place() }
            let sum = try await when(fulfilled: places.map { $0.perform { after(.zero).map { 1 } } }).value.reduce(0, +)
            #expect(sum == 20_000)
        }
    }

    @Test func `a place that is named is kept, and the defaults read as before`() async throws {
        // In its own process, because the defaults are for all.
        await #expect(processExitsWith: .success) {
            _ = try await Place().perform { Promise.value(1) }.value
            #expect(conf.Q.map === SerialPlace.standard.queue && conf.Q.return === SerialPlace.standard.queue)
            let place = Place()
            let number = try await place.perform { Promise.value(PlaceNumber.current) }.value
            conf.Q = (map: place.queue, return: place.queue)
            let chosen = Locked<[UInt16]>([])
            try await Promise.value(1).map { _ in PlaceNumber.current }
                .done { first in chosen.withLock { $0 = [first, PlaceNumber.current] } }.value
            #expect(chosen.withLock { $0 } == [number, number])
            #expect(conf.Q.map === place.queue && conf.Q.return === place.queue)
            conf.Q = (map: .main, return: nil)
            #expect(
                try await Place().perform { Promise.value(1).map { _ in PlaceNumber.current } }.value
                    == PlaceNumber.standard)
            conf.Q = (map: SerialPlace.standard.queue, return: SerialPlace.standard.queue)
            #expect(
                try await Place().perform { Promise.value(1).map { _ in PlaceNumber.current } }.value
                    >= PlaceNumber.first)
        }
    }
}

/// A value that one thread at a time reaches.
private final class Unlocked<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
