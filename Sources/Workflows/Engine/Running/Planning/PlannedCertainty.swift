/// Whether a part of a plan is certain to happen, or depends on a value that is only known at run time.
package enum PlannedCertainty: Sendable, Hashable {
    /// It happens whenever the part around it happens.
    case certain
    /// It happens if an expression holds.
    case condition(String)
    /// It happens if a case is taken: its name, and its condition or nil for the default case.
    case `case`(String, String?)
    /// It happens once for each element of a collection; the number is nil if only a run knows it.
    case each(String, Int? = nil)
    /// It is repeated while an expression holds.
    case loop(String)
    /// It happens after an error, described in words.
    case failure(String)
    /// It happens until another branch wins.
    case race
}

extension PlannedCertainty {
    /// How often it happens; nil if only a run knows it.
    var repetitions: Int? {
        switch self {
        case .certain: 1
        case .each(_, let count): count
        default: nil
        }
    }
}

extension Int {
    /// How often something happens in all, that happens so often this many times; nil for numbers beyond all means.
    func times(_ other: Int) -> Int? {
        let (product, isTooLarge) = multipliedReportingOverflow(by: other)
        return isTooLarge || product > 1_000_000_000_000 ? nil : product
    }
}

extension PlannedCertainty: CustomStringConvertible {
    /// The condition in words; empty if there is none.
    package var description: String {
        switch self {
        case .certain: ""
        case .condition(let expression): "if \(expression)"
        case .case(let name, let expression?): "when \(name): \(expression)"
        case .case(let name, nil): "when \(name): otherwise"
        case .each(let collection, let count): "for each of \(collection)" + (count.map { " (\($0))" } ?? "")
        case .loop(let expression): "while \(expression)"
        case .failure(let words): "on \(words)"
        case .race: "unless another branch is faster"
        }
    }

    var word: String {
        switch self {
        case .certain: "certain"
        case .condition: "if"
        case .case: "case"
        case .each: "each"
        case .loop: "while"
        case .failure: "catch"
        case .race: "race"
        }
    }
}
