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

    private static func bytes(_ make: (Int) -> Promise<Int>) -> Double {
        // Filled beforehand, so that the array's own pages are there already.
        var kept = Array(repeating: Promise.value(0), count: count)
        let before = resident
        for number in 0..<count { kept[number] = make(number) }
        let after = resident
        keep(kept)
        return Double(after - before) / Double(count)
    }

    static func resolved() -> Double { bytes { .value($0) } }

    /// The promises whose resolvers are kept, each with one map.
    static func pendingWithMap() -> Double {
        var resolvers = Array(repeating: Promise<Int>.pending().resolver, count: count)
        let result = bytes { number in
            let (promise, resolver) = Promise<Int>.pending()
            resolvers[number] = resolver
            return promise.map { $0 + 1 }
        }
        for resolver in resolvers { resolver.fulfill(0) }
        return result
    }
}
