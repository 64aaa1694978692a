import Essentials
import Workflows

/// How `graphflow run --dry-run` writes the plan.
enum PlanFormat: String, CaseIterable {
    /// For people.
    case text
    /// For programs, in the form of the plan schema.
    case json
    /// For the shell: one curl command per request.
    case curl
    /// For a browser's developer tools: an HTTP archive.
    case har

    /// Prints a plan.
    /// - Parameter base: The address of the service.
    func print(_ plan: Plan, base: URL, on console: Console) {
        switch self {
        case .text: console.print(painted: PlanText(plan, hasColour: console.outputHasColour).text)
        case .json: console.print(plan.value)
        case .curl: console.print(CurlScript(plan, base: base).text)
        case .har: console.print(HTTPArchive(plan).value)
        }
    }
}
