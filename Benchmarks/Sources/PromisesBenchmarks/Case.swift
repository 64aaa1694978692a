/// One line of the table: the same work done with promises, with Swift's tasks and with bare closures.
struct Case {
    let name: String
    /// What is to be reached, in nanoseconds per operation.
    let reach: String
    let promises: [() -> Double]
    var task: (() -> Double)?
    var closures: (() -> Double)?
}
