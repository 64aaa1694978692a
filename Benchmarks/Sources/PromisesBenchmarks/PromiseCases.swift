import Dispatch
import Promises

enum PromiseCases {
    static let many = 1_000_000

    static func mapOnce(inline: Bool) -> Double {
        median(operations: many) {
            time {
                if inline {
                    for number in 0..<many { keep(Promise.value(number).map(on: nil) { $0 + 1 }) }
                } else {
                    let gate = Gate()
                    for number in 0..<many {
                        let mapped = Promise.value(number).map { $0 + 1 }
                        if number == many - 1 { mapped.done(on: nil) { _ in gate.open() }.cauterize() }
                    }
                    gate.wait()
                }
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

    static func awaitPending() -> Double {
        let count = 100_000
        return median(operations: count) {
            let pairs = (0..<count).map { _ in Promise<Int>.pending() }
            return blocking {
                let start = ContinuousClock.now
                let waiting = Task { for pair in pairs { keep(try? await pair.promise.value) } }
                for pair in pairs { pair.resolver.fulfill(1) }
                await waiting.value
                return start.duration(to: .now)
            }
        }
    }
}
