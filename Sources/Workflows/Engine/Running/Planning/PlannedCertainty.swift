/// Whether something in a plan is done for certain, or depends on what is known only when the workflow runs.
public enum PlannedCertainty: Sendable, Hashable {
    /// It is done wherever what it is inside of is done.
    case certain
    /// It is done where an expression holds.
    case condition(String)
    /// It is done where a case is taken: its name, and its condition or nil for the one that is left.
    case `case`(String, String?)
    /// It is done once for each element of something that is not known yet.
    case each(String)
    /// It is done again and again as long as an expression holds.
    case loop(String)
    /// It is done when something fails, in these words.
    case failure(String)
    /// It is done until another branch has won.
    case race
}

extension PlannedCertainty: CustomStringConvertible {
    /// The condition as people read it; empty where there is none.
    public var description: String {
        switch self {
        case .certain: ""
        case .condition(let expression): "if \(expression)"
        case .case(let name, let expression?): "when \(name): \(expression)"
        case .case(let name, nil): "when \(name): otherwise"
        case .each(let collection): "for each of \(collection)"
        case .loop(let expression): "while \(expression)"
        case .failure(let words): "on \(words)"
        case .race: "unless another branch is faster"
        }
    }

    /// The word that the plan in JSON has for it.
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
