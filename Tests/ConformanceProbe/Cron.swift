import Foundation
import Workflows

/// The next times of `{"expression": …, "after": …, "zone": …, "count": …}`, in seconds since 1970.
@Sendable func nextTimes(_ question: Value) throws -> Value {
    let expression = try CronExpression(question["expression"]?.string ?? "")
    let zone = try SystemTimeZone(identifier: question["zone"]?.string ?? "UTC")
    var moment = Date(timeIntervalSince1970: question["after"]?.double ?? 0)
    var times: [Value] = []
    for _ in 0..<(question["count"]?.integer ?? 1) {
        guard let next = expression.next(after: moment, in: zone) else { break }
        times.append(.integer(Int(next.timeIntervalSince1970)))
        moment = next
    }
    return .array(times)
}

/// How far clocks are ahead of UTC, and what the time is called, at each of the seconds since 1970 in
/// `{"zone": …, "times": …}`.
@Sendable func localTimes(_ question: Value) throws -> Value {
    let zone = try SystemTimeZone(identifier: question["zone"]?.string ?? "")
    let moments = (question["times"]?.array ?? []).map { Date(timeIntervalSince1970: $0.double ?? 0) }
    return .array(
        moments.map { [.integer(zone.secondsFromUTC(at: $0)), .string(zone.abbreviation(at: $0))] })
}
