extension [Event] {
    /// Whether each event still counts after the run is resumed.
    ///
    /// Once something is performed again, its own events and those of what followed no longer count. That includes
    /// later tasks and rounds, and the ends of the tasks around it. Events of concurrent branches and runs still count.
    /// The end of the run itself counts until ``RunState`` undoes it.
    func counting(of run: String, resumedAs resumption: Event.Resumption) -> [Bool] {
        var counting = [Bool](repeating: true, count: count)
        for (index, event) in enumerated() {
            guard case .workflowResumed(let resumption) = event.kind else { continue }
            forget(resumption, of: run, before: index, &counting)
        }
        forget(resumption, of: run, before: count, &counting)
        return counting
    }

    private func forget(
        _ resumption: Event.Resumption, of run: String, before end: Int, _ counting: inout [Bool]
    ) {
        guard resumption.from != nil || !resumption.anew.isEmpty else { return }
        for place in resumption.anew {
            let lineage = ExecutionLineage(self[..<end], counting, of: run)
            for cut in lineage.cuts(at: place) { lineage.forget(from: cut, in: self[..<end], &counting) }
        }
        guard let from = resumption.from else { return }
        let lineage = ExecutionLineage(self[..<end], counting, of: run)
        if let cut = lineage.cut(from) { lineage.forget(from: cut, in: self[..<end], &counting) }
    }
}

/// The executions of a run and its inner runs, with those around each.
struct ExecutionLineage {
    /// A moment in the journal from which a run is performed again.
    struct Cut {
        /// The index of the first event that no longer counts.
        var index: Int
        /// The execution that is performed again, and those around it.
        var line: [Event.Parent]
        /// The executions that are continued.
        var around: Set<Event.Parent>
        var runs: Set<String>

        /// Creates a cut; unless `isWhole`, only the end of the first execution is performed again.
        init(index: Int, line: [Event.Parent], isWhole: Bool) {
            self.index = index
            self.line = line
            around = Set(isWhole ? line.dropFirst() : line[...])
            runs = Set(line.map(\.run))
        }
    }

    private let run: String
    /// Every execution that counts, by run.
    private var all: [String: RunState] = [:]
    /// What is remembered of the outermost run at the end.
    private var state = RunState(remembering: .ends)
    /// The places of the inner runs, and the indices of their first events.
    private(set) var inner: [String: (parent: Event.Parent, index: Int)] = [:]
    private(set) var ranges: [Event.Parent: ClosedRange<Int>] = [:]
    /// The executions in the order in which they began.
    private(set) var executions: [Event.Parent] = []

    init(_ events: ArraySlice<Event>, _ counting: [Bool], of run: String) {
        self.run = run
        for (index, event) in zip(events.indices, events) where counting[index] {
            if let parent = event.parent, inner[event.run] == nil { inner[event.run] = (parent, index) }
            all[event.run, default: RunState(remembering: .everything)].apply(event)
            if event.run == run { state.apply(event) }
            guard let place = event.executionPlace else { continue }
            if ranges[place] == nil { executions.append(place) }
            ranges[place] = (ranges[place]?.lowerBound ?? index)...index
        }
    }

    /// An execution and those around it, from the innermost outwards, in the runs around it as well.
    func line(of place: Event.Parent) -> [Event.Parent] {
        var line: [Event.Parent] = []
        var next: Event.Parent? = place
        while let place = next {
            line.append(place)
            let around = all[place.run]?.around(TaskExecution(place.task, place.occurrence))
            next =
                if let around, around != .run {
                    Event.Parent(run: place.run, task: around.task, occurrence: around.occurrence)
                } else { inner[place.run]?.parent }
        }
        return line
    }

    func cut(_ place: Event.Parent) -> Cut? {
        ranges[place].map { Cut(index: $0.lowerBound, line: line(of: place), isWhole: true) }
    }

    /// Where the executions of a changed place begin, or end if only what follows has changed.
    ///
    /// A loop that has not ended keeps its completed rounds.
    func cuts(at place: JSONPointer) -> [Cut] {
        let whole = executions.filter { $0.run == run && $0.task == place }
        guard whole.isEmpty else { return whole.filter(counts).compactMap(cut) }
        // The place is a member of a task, or a task that was added to it.
        let around = executions.filter { $0.run == run && place.tokens.starts(with: $0.task.tokens) }
        guard let depth = around.map(\.task.tokens.count).max() else { return [] }
        return around.filter { $0.task.tokens.count == depth && counts($0) }.compactMap { owner in
            let frame = state.frame(of: TaskExecution(owner.task, owner.occurrence))
            guard let range = ranges[owner], frame == nil || frame?.end != nil else { return nil }
            return Cut(index: range.upperBound, line: line(of: owner), isWhole: false)
        }
    }

    /// Whether an execution is not in a completed round of an unfinished loop.
    private func counts(_ place: Event.Parent) -> Bool {
        for (depth, place) in line(of: place).enumerated() {
            guard let frame = state.frame(of: TaskExecution(place.task, place.occurrence)) else { continue }
            switch frame.end {
            case .completed?, .skipped?: return true
            case .failed?, nil: return depth == 0
            }
        }
        return false
    }

    func forget(from cut: Cut, in events: ArraySlice<Event>, _ counting: inout [Bool]) {
        for index in cut.index..<events.endIndex where counting[index] {
            if follows(events[index], cut) { counting[index] = false }
        }
    }

    private func follows(_ event: Event, _ cut: Cut) -> Bool {
        switch event.kind {
        case .eventReceived, .workflowResumed, .workflowSuspended: return false
        default: break
        }
        guard !isBeside(event.run, cut), let place = event.executionPlace ?? event.parent else { return false }
        let line = line(of: place)
        for (index, place) in line.enumerated() {
            guard !isBeside(place.run, cut) else { return false }
            // Another branch of a fork around it, or another item of a `forEach`.
            let execution = TaskExecution(place.task, place.occurrence)
            if execution.isBranch || execution.aroundItem != nil, line.indices.contains(index + 1),
                cut.around.contains(line[index + 1]),
                !cut.line.contains(place)
            {
                return false
            }
        }
        return true
    }

    /// Whether an inner run was running at the same time.
    private func isBeside(_ run: String, _ cut: Cut) -> Bool {
        !cut.runs.contains(run) && (inner[run]?.index ?? .max) < cut.index
    }
}

extension Event {
    /// The execution that the event is about; nil for events of a whole run.
    var executionPlace: Parent? { task.map { Parent(run: run, task: $0, occurrence: occurrence) } }
}
