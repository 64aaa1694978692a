/// A broken-down time, as returned by `gmtime` and accepted by `mktime`.
struct BrokenDownTime {
    var year = 1900
    /// From 0.
    var month = 0
    var day = 0
    var hour = 0
    var minute = 0
    var second = 0.0
    /// 0 for Sunday; 8 if unknown.
    var weekday = 8
    /// From 0; 367 if unknown.
    var yearDay = 367

    init() {}

    init(secondsSince1970 seconds: Double) throws(Signal) {
        guard abs(seconds) < 1e15 else {
            throw .failure("error converting number of seconds since epoch to datetime")
        }
        // As in jq, whole seconds are truncated toward 1970, but the fraction is relative to the next lower second.
        self.init(secondsSince1970: Int(seconds.rounded(.towardZero)), fraction: seconds - seconds.rounded(.down))
    }

    private init(secondsSince1970 total: Int, fraction: Double) {
        let (days, rest) = total.floored(by: 86_400)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = Double(rest % 60) + fraction
        setDate(dayNumber: days)
    }

    /// Parts beyond their ranges carry over; the weekday and the day of the year follow from the date, as in C's `timegm`.
    init(_ value: Value, for function: String) throws(Signal) {
        guard case .array(let parts) = value else { throw .failure("\(function) requires array inputs") }
        var numbers: [Double] = []
        for part in parts.prefix(8) {
            guard let number = part.double, abs(number) < 1e9 else { break }
            numbers.append(number)
        }
        guard numbers.count == min(parts.count, 8), !numbers.isEmpty else {
            throw .failure("\(function) requires parsed datetime inputs")
        }
        while numbers.count < 6 { numbers.append(0) }
        let whole = numbers.map { Int($0.rounded(.towardZero)) }
        self.init()
        (year, month, day, hour, minute) = (whole[0], whole[1], whole[2], whole[3], whole[4])
        second = numbers[5]
        self = BrokenDownTime(secondsSince1970: secondsSince1970, fraction: second - second.rounded(.towardZero))
    }

    var value: Value {
        [
            .integer(year), .integer(month), .integer(day), .integer(hour), .integer(minute), .number(second),
            .integer(weekday), .integer(yearDay),
        ]
    }

    /// Parts may exceed their usual ranges; the time is in UTC.
    var secondsSince1970: Int {
        let (years, monthOfYear) = month.floored(by: 12)
        let days = Self.days(year: year + years, month: monthOfYear, day: day)
        return days * 86_400 + hour * 3_600 + minute * 60 + Int(second.rounded(.towardZero))
    }

    /// - Parameter number: Days since 1970-01-01.
    mutating func setDate(dayNumber number: Int) {
        let date = CivilDate.date(ofDay: number)
        year = date.year
        month = date.month - 1
        day = date.day
        weekday = CivilDate.weekday(ofDay: number)
        yearDay = number - Self.days(year: year, month: 0, day: 1)
    }

    static func days(year: Int, month: Int, day: Int) -> Int { CivilDate.day(year: year, month: month + 1, day: day) }
}
