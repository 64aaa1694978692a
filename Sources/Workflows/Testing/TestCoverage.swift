/// Which tasks and branches of a workflow its test cases reach.
package struct TestCoverage: Sendable {
    /// A place that a run can reach.
    package enum Place: Sendable, Hashable {
        /// A task.
        case task(JSONPointer)
        /// A task that is skipped because its condition is false.
        case skip(JSONPointer)
        /// A branch that leaves a task.
        case branch(JSONPointer, FlowDirective)
    }

    /// The places of the workflow and their descriptions, in the order of the file.
    private let places: [(place: Place, words: String)]
    private let reached: Set<Place>

    package init(of workflow: Workflow, _ reached: Set<Place>) {
        var places: [(Place, String)] = []
        for task in workflow.allTasks {
            places.append((.task(task.reference), "'\(task.name)'"))
            if task.condition != nil { places.append((.skip(task.reference), "'\(task.name)' when its 'if' is false")) }
            guard case .switch(let cases) = task.action else { continue }
            for branch in cases {
                // Branches to the same place cannot be distinguished.
                let place = Place.branch(task.reference, branch.then)
                if !places.contains(where: { $0.0 == place }) {
                    places.append((place, "'\(branch.name)' of '\(task.name)'"))
                }
            }
        }
        self.places = places
        self.reached = reached
    }

    package var count: Int { places.count }

    /// The places that no case reaches.
    package var missed: [(place: Place, words: String)] { places.filter { !reached.contains($0.place) } }

    /// The drawing of the workflow with the missed places marked.
    package func drawing(of workflow: Workflow) -> WorkflowDrawing {
        var words: [JSONPointer: [String]] = [:]
        for (place, text) in missed {
            switch place {
            case .task(let task): words[task, default: []].append("✗ in no test")
            case .skip(let task): words[task, default: []].append("✗ never skipped in a test")
            case .branch(let task, _): words[task, default: []].append("✗ in no test: \(text)")
            }
        }
        return WorkflowDrawing(workflow).marking(words)
    }
}
