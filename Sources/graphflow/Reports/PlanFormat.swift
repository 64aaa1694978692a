enum PlanFormat: String, CaseIterable {
    case text
    /// JSON, in the form of the plan's schema.
    case json
    case html
    /// For a pull request or a message.
    case markdown
    /// For the shell: one curl command per request.
    case curl
    /// An HTTP archive, for a browser's developer tools.
    case har

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
