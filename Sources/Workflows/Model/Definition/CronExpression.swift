/// The times of a schedule in cron's syntax: minute, hour, day of the month, month and day of the week.
///
/// Each field is `*`, a number, a range `1-5`, a list `1,15`, or any of them with a step, such as `*/10`. Months and
/// days of the week may have their English names; Sunday is 0 and 7. `@hourly`, `@daily`, `@weekly`, `@monthly` and
/// `@yearly` have their usual meaning. If both kinds of days are restricted, either is enough.
///
/// Specification: dsl-reference.md, "Schedule"; crontab(5) for the syntax.
package struct CronExpression: Sendable, Hashable {
    package let source: String

    let minutes: [Int]
    let hours: [Int]
    let daysOfMonth: Set<Int>
    let months: Set<Int>
    /// From 0, Sunday, to 6.
    let daysOfWeek: Set<Int>
    /// Whether one kind of day is enough, because both are restricted.
    let isEitherDay: Bool
    /// Whether every hour is included: such a schedule follows elapsed time, not what clocks show.
    let isEveryHour: Bool

    /// Reads an expression.
    /// - Throws: ``CronError`` with the problem.
    package init(_ source: String) throws(CronError) {
        self.source = source
        let written = source.split(whereSeparator: \.isWhitespace).map(String.init)
        let fields: [String]
        if let first = written.first, first.hasPrefix("@") {
            guard written.count == 1, let meaning = Self.nicknames[first.lowercased()] else {
                throw CronError(
                    "'\(PlainText.exact(source, limit: 100))' is not a cron expression",
                    hint: first.lowercased() == "@reboot"
                        ? "runs cannot be scheduled for the start of a machine; use 'after'"
                        : "use @hourly, @daily, @weekly, @monthly or @yearly")
            }
            fields = meaning.split(separator: " ").map(String.init)
        } else {
            fields = written
        }
        guard fields.count == 5 else {
            throw CronError(
                "a cron expression has five fields, but this has \(fields.count)",
                hint: "write minute, hour, day of the month, month and day of the week: '0 9 * * MON-FRI'")
        }
        minutes = try Field.minute.values(fields[0]).sorted()
        hours = try Field.hour.values(fields[1]).sorted()
        daysOfMonth = try Field.dayOfMonth.values(fields[2])
        months = try Field.month.values(fields[3])
        daysOfWeek = Set(try Field.dayOfWeek.values(fields[4]).map { $0 % 7 })
        isEitherDay = ![fields[2], fields[4]].contains { $0.hasPrefix("*") || $0 == "?" }
        isEveryHour = fields[1].hasPrefix("*")
        let longest = months.map { CivilDate.days(inMonth: $0, of: 2000) }.max() ?? 31
        guard isEitherDay || daysOfMonth.contains(where: { $0 <= longest }) else {
            throw CronError("no month of '\(fields[3])' has a day \(fields[2])", hint: "this would never run")
        }
    }

    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]
}

package struct CronError: Error, Sendable, Hashable {
    /// The problem, in one sentence without a full stop.
    package let message: String
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

private struct Field {
    var name: String
    var range: ClosedRange<Int>
    var names: [String] = []
    var firstName = 0

    static let minute = Field(name: "minute", range: 0...59)
    static let hour = Field(name: "hour", range: 0...23)
    static let dayOfMonth = Field(name: "day of the month", range: 1...31)
    static let month = Field(
        name: "month", range: 1...12,
        names: CivilDate.months.map { $0.prefix(3).uppercased() }, firstName: 1)
    static let dayOfWeek = Field(
        name: "day of the week", range: 0...7, names: CivilDate.weekdays.map { $0.prefix(3).uppercased() })

    func values(_ text: String) throws(CronError) -> Set<Int> {
        var values: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            values.formUnion(try self.part(String(part)))
        }
        return values
    }

    private func part(_ text: String) throws(CronError) -> [Int] {
        let pieces = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count <= 2, let first = pieces.first else { throw wrong(text) }
        var step = 1
        if pieces.count == 2 {
            guard let given = Int(pieces[1]), given > 0, pieces[1].allSatisfy(\.isNumber) else {
                throw CronError("'\(shown(text))' has a step that is not a number above 0")
            }
            step = given
        }
        let bounds: ClosedRange<Int>
        if first == "*" || first == "?" && (name.hasPrefix("day")) {
            bounds = range.lowerBound...(name == "day of the week" ? 6 : range.upperBound)
        } else {
            let ends = first.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard ends.count <= 2, let from = try number(ends[0], text) else { throw wrong(text) }
            var to = from
            if ends.count == 2 {
                guard let end = try number(ends[1], text) else { throw wrong(text) }
                // Sunday as the end of a range ends the week.
                to = name == "day of the week" && end == 0 && from > 0 ? 7 : end
            } else if pieces.count == 2 {
                to = name == "day of the week" ? max(6, from) : range.upperBound
            }
            guard from <= to else {
                throw CronError("the range '\(shown(first))' goes backwards", hint: "write it as a list of two ranges")
            }
            bounds = from...to
        }
        return Array(stride(from: bounds.lowerBound, through: bounds.upperBound, by: step))
    }

    private func number(_ text: String, _ part: String) throws(CronError) -> Int? {
        if let index = names.firstIndex(of: text.uppercased()) { return index + firstName }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw wrong(part)
        }
        guard let number = Int(text), range.contains(number) else {
            throw CronError(
                "the \(name) '\(shown(text))' is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func wrong(_ text: String) -> CronError {
        let known = names.isEmpty ? "" : ", or a name such as \(names[0])"
        return CronError(
            "'\(shown(text))' is not a valid \(name)",
            hint: "use a number from \(range.lowerBound) to \(range.upperBound)\(known), a range, a list or '*'")
    }

    private func shown(_ text: String) -> String { PlainText.exact(text, limit: 50) }
}
