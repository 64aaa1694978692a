import Foundation
import Promises

/// Bytes of resident memory for each of many promises that are kept.
enum Memory {
    private static let count = 1_000_000

    private static var resident: Int {
        guard let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return 0 }
        let fields = statistics.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }

    /// All are kept until the last measurement, so that none gets the memory of an earlier one.
    private static let measured: (resolved: Double, pending: Double) = {
        // Filled beforehand, so that the arrays' own pages are there already.
        var promises = Array(repeating: Promise.value(0), count: 2 * count)
        var resolvers = Array(repeating: Promise<Int>.pending().resolver, count: count)
        let start = resident
        for number in 0..<count { promises[number] = .value(number) }
        let middle = resident
        for number in 0..<count {
            let (promise, resolver) = Promise<Int>.pending()
            promises[count + number] = promise.map { $0 + 1 }
            resolvers[number] = resolver
        }
        let end = resident
        keep((promises, resolvers))
        return (Double(middle - start) / Double(count), Double(end - middle) / Double(count))
    }()

    static func resolved() -> Double { measured.resolved }

    /// A promise whose resolver is kept, and the map that waits for it.
    static func pendingWithMap() -> Double { measured.pending }

    /// What a loop holds when its last round is pending.
    static func round(isInline: Bool) -> Double {
        let start = resident
        let (last, resolver) = Promise<Int>.pending()
        let first = LeavingCases.round(count, isInline: isInline, last)
        let gate = Gate()
        last.done(on: nil) { _ in gate.open() }.cauterize()
        // Runs after the last round, which is ready before it.
        if !isInline { keep(try? Guarantee.value(0).map { $0 }.asPromise().wait()) }
        let end = resident
        resolver.fulfill(0)
        gate.wait()
        keep(first)
        return Double(end - start) / Double(count)
    }
}
