extension CronExpression {
    /// The number of days to search: every combination of day and weekday occurs within 40 years.
    private static let farthest = 366 * 41

    /// The next time after a moment in a time zone; nil if there is none within 40 years.
    ///
    /// A time that is skipped when clocks go forward occurs right after the gap. A time that occurs twice when they go
    /// back counts once. An hourly schedule follows elapsed time instead.
    package func next(after moment: Date, in zone: SystemTimeZone) -> Date? {
        let start = Int(moment.timeIntervalSince1970.rounded(.down))
        let local = start + zone.secondsFromUTC(at: moment)
        // Clocks never change by more than a day; most days they do not change at all.
        let isSet = [-90_000, 90_000].contains { distance in
            zone.secondsFromUTC(at: Self.date(start + distance)) != local - start
        }
        let slack = isSet ? 90_000 : 0
        let today = local.floored(by: 86_400).quotient
        // When clocks go back over midnight, yesterday's times occur again.
        for day in (today - 1)...(today + Self.farthest) where matches(day: day) {
            var earliest: Int?
            for hour in hours {
                for minute in minutes {
                    let wall = day * 86_400 + hour * 3_600 + minute * 60
                    // Earlier times are past, whatever the clocks did.
                    guard wall > local - slack else { continue }
                    for instant in instants(of: wall, in: zone) where instant > start {
                        earliest = min(earliest ?? instant, instant)
                    }
                }
                // Later hours of this day are later.
                if let earliest, day * 86_400 + hour * 3_600 > local + slack { return Self.date(earliest) }
            }
            if let earliest { return Self.date(earliest) }
        }
        return nil
    }

    private static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

    private func matches(day: Int) -> Bool {
        let date = CivilDate.date(ofDay: day)
        guard months.contains(date.month) else { return false }
        let isDay = daysOfMonth.contains(date.day)
        let isWeekday = daysOfWeek.contains(CivilDate.weekday(ofDay: day))
        return isEitherDay ? isDay || isWeekday : isDay && isWeekday
    }

    /// The moments at which clocks show a time, usually one.
    private func instants(of wall: Int, in zone: SystemTimeZone) -> [Int] {
        func offset(at instant: Int) -> Int { zone.secondsFromUTC(at: Self.date(instant)) }
        let offsets = Set([offset(at: wall - 86_400), offset(at: wall + 86_400)])
        let shown = zone.moments(showing: wall)
        guard shown.isEmpty else { return isEveryHour ? shown : [shown[0]] }
        guard !isEveryHour, let least = offsets.min(), let most = offsets.max() else { return [] }
        // In the gap: clocks jump between these two moments.
        var (before, after) = (wall - most, wall - least)
        let later = offset(at: after)
        while after - before > 1 {
            let middle = (before + after) / 2
            if offset(at: middle) == later { after = middle } else { before = middle }
        }
        return [after]
    }
}
