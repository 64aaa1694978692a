import Dispatch
import Promises

enum PromiseCases {
    static let many = 1_000_000

    static func mapOnceInline() -> Double {
        median(operations: many) {
            time { for number in 0..<many { keep(Promise.value(number).map(on: nil) { $0 + 1 }) } }
        }
    }

    /// Registered by a handler, so that nothing hops.
    static func mapOnce() -> Double {
        let links = 1_000
        let rounds = 1_000
        return median(operations: links * rounds) {
            time {
                let gate = Gate()
                mapOnce(links, rounds: rounds, gate)
                gate.wait()
            }
        }
    }

    /// Each round is begun by a handler that was registered in the round before: a thread wakes up only for the first.
    private static func mapOnce(_ links: Int, rounds: Int, _ gate: Gate) {
        guard rounds > 0 else { return gate.open() }
        Guarantee.value(()).done {
            for number in 0..<links { keep(Promise.value(number).map { $0 + 1 }) }
            mapOnce(links, rounds: rounds - 1, gate)
        }
    }

    /// Registered by another thread than that on which the handlers run meanwhile.
    static func mapOnceAcross() -> Double {
        median(operations: many) {
            time {
                let gate = Gate()
                for number in 1..<many { keep(Promise.value(number).map { $0 + 1 }) }
                Promise.value(0).map { $0 + 1 }.done { _ in gate.open() }.cauterize()
                gate.wait()
            }
        }
    }

    static func longChain() -> Double {
        median(operations: many) {
            time {
                let gate = Gate()
                let (first, resolver) = Promise<Int>.pending()
                var last = first
                for _ in 0..<many { last = last.map { $0 + 1 } }
                last.done(on: nil) { _ in gate.open() }.cauterize()
                resolver.fulfill(0)
                gate.wait()
            }
        }
    }

    static func releasedChain() -> Double {
        median(operations: many) {
            var (first, resolver): (Promise<Int>?, Resolver<Int>?) = (nil, nil)
            (first, resolver) = Promise<Int>.pending()
            var last = first
            for _ in 0..<many { last = last?.map { $0 + 1 } }
            last = nil
            first = nil
            return time {
                keep(resolver)
                resolver = nil
            }
        }
    }

    static func returnedPromises() -> Double {
        let links = 1_000
        let rounds = 100
        return median(operations: links * rounds) {
            time {
                for _ in 0..<rounds {
                    let gate = Gate()
                    let (first, resolver) = Promise<Int>.pending()
                    var last = first
                    for _ in 0..<links { last = last.then { Promise.value($0 + 1) } }
                    last.done(on: nil) { _ in gate.open() }.cauterize()
                    resolver.fulfill(0)
                    gate.wait()
                }
            }
        }
    }

    static func whenResolved() -> Double {
        let count = 100_000
        let promises = (0..<count).map { Promise.value($0) }
        return median(operations: count) {
            time { keep(when(fulfilled: promises)) }
        }
    }

    static func whenPending() -> Double {
        let count = 100_000
        return median(operations: count) {
            let pairs = (0..<count).map { _ in Promise<Int>.pending() }
            return time {
                let gate = Gate()
                when(fulfilled: pairs.map(\.promise)).done(on: nil) { _ in gate.open() }.cauterize()
                for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
                gate.wait()
            }
        }
    }

    struct Failure: Error {}

    static func rejection() -> Double {
        let links = 1_000
        let rounds = 100
        return median(operations: links * rounds) {
            time {
                for _ in 0..<rounds {
                    let gate = Gate()
                    let (first, resolver) = Promise<Int>.pending()
                    var last = first
                    for _ in 0..<links { last = last.map { $0 + 1 } }
                    last.catch(on: nil) { _ in gate.open() }
                    resolver.reject(Failure())
                    gate.wait()
                }
            }
        }
    }

    /// Two threads, each with promises of its own, or both with handlers on the same promises.
    static func twoThreads(shared: Bool) -> Double {
        let count = 100_000
        return median(operations: 2 * count) {
            let pairs = (0..<2).map { _ in (0..<count).map { _ in Promise<Int>.pending() } }
            return time {
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if shared {
                        let both = pairs[0]
                        for index in 0..<count {
                            keep(both[index].promise.map(on: nil) { $0 + 1 })
                            keep(pairs[1][index].promise.map(on: nil) { $0 + 1 })
                            pairs[thread][index].resolver.fulfill(index)
                        }
                    } else {
                        for pair in pairs[thread] {
                            keep(pair.promise.map(on: nil) { $0 + 1 })
                            pair.resolver.fulfill(1)
                        }
                    }
                }
            }
        }
    }

    static func hops() -> Double {
        let count = 10_000
        let queue = DispatchQueue.global()
        return median(operations: count) {
            time {
                let gate = Gate()
                let (first, resolver) = Promise<Int>.pending()
                var last = first
                for _ in 0..<count { last = last.map(on: queue) { $0 + 1 } }
                last.done(on: nil) { _ in gate.open() }.cauterize()
                resolver.fulfill(0)
                gate.wait()
            }
        }
    }

    static func awaitResolved() -> Double {
        median(operations: many) {
            blocking {
                let promise = Promise.value(1)
                let start = ContinuousClock.now
                for _ in 0..<many { keep(try? await promise.value) }
                return start.duration(to: .now)
            }
        }
    }

    /// Two tasks that wait for each other in turn.
    static func awaitPending() -> Double {
        let count = 50_000
        return median(operations: 2 * count) {
            let ping = (0..<count).map { _ in Promise<Int>.pending() }
            let pong = (0..<count).map { _ in Promise<Int>.pending() }
            return blocking {
                let start = ContinuousClock.now
                let other = Task {
                    for index in 0..<count {
                        keep(try? await ping[index].promise.value)
                        pong[index].resolver.fulfill(index)
                    }
                }
                for index in 0..<count {
                    ping[index].resolver.fulfill(index)
                    keep(try? await pong[index].promise.value)
                }
                await other.value
                return start.duration(to: .now)
            }
        }
    }
}
