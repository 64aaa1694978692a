/// One line of the table: work done with promises, and the same with Swift's tasks and with bare closures where there is such.
struct Case {
    let name: String
    /// What is to be reached, in nanoseconds per operation, or in bytes.
    let reach: Double
    let promises: () -> Double
    var tasks: (() -> Double)?
    var closures: (() -> Double)?

    func line() -> String {
        let cells = [name, Case.text(reach), Case.text(promises()), Case.text(tasks?()), Case.text(closures?())]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func text(_ number: Double?) -> String {
        guard let number else { return "–" }
        return String(Int(number.rounded()))
    }
}
