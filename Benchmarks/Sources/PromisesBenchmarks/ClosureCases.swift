import Dispatch

/// The same work, done with bare closures: no state, no errors, no second handler.
enum ClosureCases {
    @inline(never)
    private static func call(_ value: Int, _ completion: @escaping @Sendable (Int) -> Void) { completion(value) }

    static func mapOnce() -> Double {
        let count = 1_000_000
        return median(operations: count) {
            time { for number in 0..<count { call(number) { keep($0 + 1) } } }
        }
    }

    static func chain() -> Double {
        let count = 10_000
        return median(operations: count) {
            time {
                var last: @Sendable (Int) -> Void = { keep($0) }
                for _ in 0..<count {
                    let next = last
                    last = { next($0 + 1) }
                }
                last(0)
            }
        }
    }

    static func hop() -> Double {
        let count = 10_000
        let queue = DispatchQueue.global()
        return median(operations: count) {
            time {
                let gate = Gate()
                @Sendable func hop(_ rest: Int) {
                    queue.async { rest == 0 ? gate.open() : hop(rest - 1) }
                }
                hop(count)
                gate.wait()
            }
        }
    }
}
