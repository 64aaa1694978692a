/// Converts between Gregorian dates and day numbers, without a time zone; months start at 1.
///
/// Years start in March and are grouped into eras of 400, so leap days come last (Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms").
package enum CivilDate {
    package static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    package static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    package static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (number + 719_468).floored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }

    package static func day(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// 0 for Sunday; 1970-01-01 was a Thursday.
    package static func weekday(ofDay number: Int) -> Int { (number + 4).floored(by: 7).remainder }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    package static func days(inMonth month: Int, of year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}

extension Int {
    /// The quotient rounded down, even for negative numbers, and the non-negative remainder.
    package func floored(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
