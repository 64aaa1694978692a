import Foundation
import Workflows

/// How `graphflow run --dry-run` writes the plan.
enum PlanFormat: String, CaseIterable {
    /// For people.
    case text
    /// For programs, as the schema of plans describes it.
    case json
    /// For the shell: a command of curl for each request.
    case curl
    /// For the developer tools of browsers: an HTTP archive.
    case har

    /// Prints a plan.
    /// - Parameter base: The address of the service.
    func print(_ plan: Plan, base: URL, on console: Console) {
        switch self {
        case .text: console.print(PlanText(plan, hasColour: console.outputHasColour).text)
        case .json: console.print(plan.value)
        case .curl: console.print(CurlScript(plan, base: base).text)
        case .har: console.print(HTTPArchive(plan).value)
        }
    }
}
