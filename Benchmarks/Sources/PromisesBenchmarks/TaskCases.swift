import Dispatch

/// The same work, done with Swift's tasks.
enum TaskCases {
    static func mapOnce() -> Double {
        let count = 100_000
        return median(operations: count) {
            blocking {
                let start = ContinuousClock.now
                for number in 0..<count {
                    let task = Task { number }
                    keep(await Task { await task.value + 1 }.value)
                }
                return start.duration(to: .now)
            }
        }
    }

    static func chain() -> Double {
        let count = 10_000
        return median(operations: count) {
            blocking {
                let start = ContinuousClock.now
                var last = Task { 0 }
                for _ in 0..<count {
                    let former = last
                    last = Task { await former.value + 1 }
                }
                keep(await last.value)
                return start.duration(to: .now)
            }
        }
    }

    static func group() -> Double {
        let count = 10_000
        return median(operations: count) {
            blocking {
                let start = ContinuousClock.now
                let sum = await withTaskGroup(of: Int.self) { group in
                    for number in 0..<count { group.addTask { number } }
                    var sum = 0
                    for await number in group { sum += number }
                    return sum
                }
                keep(sum)
                return start.duration(to: .now)
            }
        }
    }

    static func awaitFinished() -> Double {
        let count = 100_000
        return median(operations: count) {
            blocking {
                let task = Task { 1 }
                keep(await task.value)
                let start = ContinuousClock.now
                for _ in 0..<count { keep(await task.value) }
                return start.duration(to: .now)
            }
        }
    }

    static func awaitRunning() -> Double {
        let count = 100_000
        return median(operations: count) {
            blocking {
                let start = ContinuousClock.now
                for number in 0..<count { keep(await Task { number }.value) }
                return start.duration(to: .now)
            }
        }
    }
}
