import Foundation
import Workflows

/// The next times of `{"expression": …, "after": …, "zone": …, "count": …}`, in seconds since 1970.
@Sendable func nextTimes(_ question: Value) throws -> Value {
    let expression = try CronExpression(question["expression"]?.string ?? "")
    guard let zone = TimeZone(identifier: question["zone"]?.string ?? "UTC") else { return nil }
    var moment = Date(timeIntervalSince1970: question["after"]?.double ?? 0)
    var times: [Value] = []
    for _ in 0..<(question["count"]?.integer ?? 1) {
        guard let next = expression.next(after: moment, in: zone) else { break }
        times.append(.integer(Int(next.timeIntervalSince1970)))
        moment = next
    }
    return .array(times)
}
