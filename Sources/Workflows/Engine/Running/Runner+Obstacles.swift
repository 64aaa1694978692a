extension Runner {
    func obstacles(to workflow: Workflow, _ library: WorkflowLibrary) -> [Diagnostic] {
        workflow.obstacles(environment, access, library, startsPrograms: world.startsPrograms)
    }
}

extension Workflow {
    /// What the workflow, or one that it runs, needs and cannot have here.
    package func obstacles(_ environment: [String: String], _ access: Runner.Access) -> [Diagnostic] {
        obstacles(environment, access, WorkflowLibrary(of: self), startsPrograms: true)
    }

    fileprivate func obstacles(
        _ environment: [String: String], _ access: Runner.Access, _ library: WorkflowLibrary, startsPrograms: Bool
    ) -> [Diagnostic] {
        (startsPrograms ? containerFindings(environment, library) : [])
            + ([self] + library.workflows(reachableFrom: self)).flatMap { workflow in
                workflow.plainEndpoints(besides: PlainHosts(access.plainHosts)).map { place, origin in
                    workflow.document.diagnostic(
                        id: "plain-http", "plain http is not encrypted, and is not allowed to \(origin)",
                        hint: "use https, or allow it: --allow-http \(origin.host)", at: place)
                }
            }
    }
}
