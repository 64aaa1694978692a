import Dispatch
import Foundation
@testable import Promises
import Testing

/// Threads that do random things to the same promises, and then nothing is left.
///
/// `PROMISES_SECONDS` sets for how long, and `PROMISES_SEED` where it begins; what fails names its seed.
struct RandomOperationsTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// In a process of its own, because its mistakes are reported to the one log handler.
    @Test(.disabled(if: number("PROMISES_SECONDS") != nil), .timeLimit(.minutes(60)))
    func `threads do random things to the same promises, and all of it is released`() async {
        await #expect(processExitsWith: .success) {
            conf.logHandler = { _ in }
            for seed in 1...10 { await Self.round(UInt64(seed)) }
        }
    }

    @Test(.enabled(if: number("PROMISES_SECONDS") != nil))
    func `threads do random things for a long time`() async {
        conf.logHandler = { _ in }
        // Real time: it says how much is tried.
        let end = ContinuousClock.now + .seconds(Double(Self.number("PROMISES_SECONDS") ?? 0))
        let first = Self.number("PROMISES_SEED") ?? UInt64.random(in: 1..<1_000_000)
        print("The first seed is \(first).")
        var seed = first
        while ContinuousClock.now < end {
            await Self.round(seed)
            seed += 1
        }
        print("\(seed - first) rounds of \(4 * RandomPlayer.operations) operations, the last seed \(seed - 1).")
    }

    /// Ends only if every task that awaits does.
    private static func round(_ seed: UInt64) async {
        let (made, released) = (Counter(), Counter())
        let pool = RandomPool(made: made, released: released)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    var player = RandomPlayer(pool: pool, seed: seed &* 4 &+ UInt64(thread))
                    player.play()
                }
                continuation.resume()
            }
        }
        await pool.end()
        while released.count != made.count || pool.aliveCount > 0 { await settle() }
    }
}

/// What the threads share.
private final class RandomPool: Sendable {
    struct Entry: Sendable {
        var promise: Promise<Int>
        var resolver: Resolver<Int>?
    }
    private struct Made { weak var state: State? }
    private let entries = Locked<[Entry]>([])
    /// Every second promise; a weak reference changes how references are counted.
    private let promises = Locked<[Made]>([])
    private let tasks = Locked<[Task<Void, Never>]>([])
    /// Those of promises that are settled in the end; others are abandoned.
    private let resolvers = Locked<[Resolver<Int>]>([])
    private let made: Counter
    private let released: Counter

    init(made: Counter, released: Counter) {
        self.made = made
        self.released = released
    }

    /// To be captured by a handler, which has to be released in the end.
    func token() -> Token {
        made.next()
        return Token(released)
    }

    func pick(_ number: Int) -> Entry? {
        entries.withLock { $0.isEmpty ? nil : $0[number % $0.count] }
    }

    func put(_ entry: Entry, at number: Int) {
        if number % 2 == 0 { promises.withLock { $0.append(Made(state: entry.promise.state)) } }
        let old: Entry? = entries.withLock { entries in
            if entries.count < 24 {
                entries.append(entry)
                return nil
            }
            let old = entries[number % entries.count]
            entries[number % entries.count] = entry
            return old
        }
        withExtendedLifetime(old) {}
    }

    var aliveCount: Int { promises.withLock { $0.filter { $0.state != nil }.count } }

    func keep(_ resolver: Resolver<Int>) { resolvers.withLock { $0.append(resolver) } }

    func add(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

    /// Settles or lets go everything, and ends who awaits it.
    func end() async {
        let (old, kept) = (
            entries.withLock { entries in
                defer { entries = [] }
                return entries
            },
            resolvers.withLock { resolvers in
                defer { resolvers = [] }
                return resolvers
            }
        )
        for resolver in kept { resolver.fulfill(0) }
        withExtendedLifetime(old) {}
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// An iterator that does not keep what it has returned.
private struct Popping: IteratorProtocol, Sendable {
    var rest: [Promise<Int>]
    mutating func next() -> Promise<Int>? { rest.popLast() }
}

/// What one thread does.
private struct RandomPlayer {
    static let operations = 400
    private static let queue = DispatchQueue(label: "random operations", attributes: .concurrent)
    /// What is attached there without a queue stays there, too.
    private static let places = (0..<3).map { _ in Place() }
    let pool: RandomPool
    var random: RandomGraphTests.Generator

    init(pool: RandomPool, seed: UInt64) {
        self.pool = pool
        random = RandomGraphTests.Generator(state: seed)
    }

    mutating func play() {
        for _ in 0..<Self.operations { step() }
    }

    private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func promise() -> Promise<Int> {
        pool.pick(draw(1_000))?.promise ?? .value(0)
    }

    private mutating func put(_ promise: Promise<Int>, _ resolver: Resolver<Int>? = nil) {
        pool.put(RandomPool.Entry(promise: promise, resolver: resolver), at: draw(1_000))
    }

    private mutating func place() -> DispatchQueue? {
        switch draw(7) {
        case 0: nil
        case 1: Self.queue
        case 2: conf.Q.map
        case 3, 4: Self.places[draw(Self.places.count)].queue
        default: unspecified
        }
    }

    private mutating func step() {
        switch draw(8) {
        case 0: make()
        case 1: settle()
        case 2: end()
        case 3: combine()
        default: chain()
        }
    }

    private mutating func make() {
        let token = pool.token()
        switch draw(6) {
        case 0: put(.value(draw(10)))
        case 1: put(Promise(error: Failure()))
        case 2: put(Promise { withExtendedLifetime(token) { 1 } })
        default:
            let (promise, resolver) = Promise<Int>.pending()
            if draw(2) == 0 { resolver.onCancel { withExtendedLifetime(token) {} } }
            if draw(4) != 0 { pool.keep(resolver) }
            put(promise, resolver)
        }
    }

    private mutating func settle() {
        guard let resolver = pool.pick(draw(1_000))?.resolver else { return }
        if draw(4) == 0 { resolver.reject(Failure()) } else { resolver.fulfill(draw(10)) }
    }

    /// Cancels, awaits, or lets go.
    private mutating func end() {
        let promise = promise()
        switch draw(4) {
        case 0, 1: promise.cancel()
        case 2:
            let task = Task { _ = try? await promise.value }
            pool.add(task)
            if draw(2) == 0 { task.cancel() }
        default: put(.value(0))
        }
    }

    /// For a handler that returns it: one that is not abandoned, because a handler must not keep what it waits for.
    private mutating func returned() -> Promise<Int> {
        let (promise, resolver) = Promise<Int>.pending()
        pool.keep(resolver)
        put(promise, resolver)
        return promise
    }

    private mutating func chain() {
        let (source, other, token, place) = (promise(), returned(), pool.token(), place())
        switch draw(9) {
        case 0: put(source.map(on: place) { value in withExtendedLifetime(token) { value &+ 1 } })
        case 1: put(source.then(on: place) { _ in withExtendedLifetime(token) { other } })
        case 2: put(source.recover(on: place) { _ in withExtendedLifetime(token) { other } })
        case 3: put(source.ensure(on: place) { withExtendedLifetime(token) {} })
        case 4: source.catch(on: place, policy: .allErrors) { _ in withExtendedLifetime(token) {} }
        case 5:
            put(source.map(on: place) { _ in withExtendedLifetime(token) { () } }.map(on: place) { throw Failure() })
        case 6: source.pipe { _ in withExtendedLifetime(token) {} }
        case 7:
            let (promise, resolver) = Promise<Int>.pending()
            pool.keep(resolver)
            put(promise, resolver)
            put(
                source.map(on: place) { value in
                    let absence = Absence()
                    resolver.fulfill(value)
                    absence?.end()
                    return withExtendedLifetime(token) { value }
                })
        default:
            let depth = draw(40)
            @Sendable func round(_ rest: Int) -> Promise<Int> {
                guard rest > 0 else { return other }
                return Promise.value(rest - 1).then(on: place) { rest in withExtendedLifetime(token) { round(rest) } }
            }
            put(source.then(on: place) { _ in round(depth) })
        }
    }

    private mutating func combine() {
        let promises = (0...draw(4)).map { _ in promise() }
        let token = pool.token()
        switch draw(6) {
        case 0: put(when(fulfilled: promises).map { values in withExtendedLifetime(token) { values.count } })
        case 1: put(when(resolved: promises).asPromise().map { values in withExtendedLifetime(token) { values.count } })
        case 2: put(race(promises))
        case 3: put(race(fulfilled: promises))
        case 4: put(promises[0].timeout(.milliseconds(draw(3))))
        default: put(when(fulfilled: Popping(rest: promises), concurrently: 5).map { $0.count })
        }
    }
}
