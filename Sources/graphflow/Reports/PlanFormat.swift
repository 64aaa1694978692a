import Essentials
import Workflows

/// How `graphflow run --dry-run` writes the plan.
enum PlanFormat: String, CaseIterable {
    /// For people.
    case text
    /// For programs, in the form of the plan schema.
    case json
    /// For people, as one page.
    case html
    /// For people, in a pull request or a message.
    case markdown
    /// For the shell: one curl command per request.
    case curl
    /// For a browser's developer tools: an HTTP archive.
    case har

    /// Prints a plan.
    /// - Parameters:
    ///   - base: The address of the service.
    ///   - showsRequests: Whether the text has every request.
    func print(_ plan: Plan, base: URL, showsRequests: Bool, on console: Console) {
        switch self {
        case .text:
            let text = PlanText(plan, showsRequests: showsRequests, hasColour: console.outputHasColour).text
            console.print(painted: text)
        case .json: console.print(plan.value)
        case .html:
            console.print(Data(PlanPage(view: PlanView(plan.value), workflow: plan.workflow).html.utf8))
        case .markdown: console.print(PlanMarkdown(view: PlanView(plan.value)).text)
        case .curl: console.print(CurlScript(plan, base: base).text)
        case .har: console.print(HTTPArchive(plan).value)
        }
    }
}
