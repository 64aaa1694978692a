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
    ///   - workflow: The workflow, which is drawn in a page; nil if only the plan is known.
    ///   - showsRequests: Whether the text of a new plan has every request.
    func print(_ view: PlanView, of workflow: Workflow?, showsRequests: Bool = false, on console: Console) {
        switch self {
        case .text:
            let style = PlanStyle(hasColour: console.outputHasColour)
            console.print(painted: PlanText(view: view, style: style, showsRequests: showsRequests).text)
        case .json: console.print(view.source)
        case .html: console.print(Data(PlanPage(view: view, workflow: workflow).html.utf8))
        case .markdown: console.print(PlanMarkdown(view: view).text)
        case .curl: console.print(CurlScript(view).text)
        case .har: console.print(HTTPArchive(view).value)
        }
    }
}
