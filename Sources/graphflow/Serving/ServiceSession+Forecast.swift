extension ServiceSession {
    /// Prints when each workflow runs, and what its sources cost.
    func forecast(on console: Console) throws -> ExitStatus {
        let moment = now()
        for (file, workflow) in zip(files, try check(files, on: console)) {
            guard let schedule = workflow.schedule else { continue }
            let forecast = ScheduleForecast(schedule: schedule, timeZone: timeZone(workflow), moment: moment)
            let lines = forecast.lines + workflow.changes.map(\.forecast)
            console.print("\(file): \(lines.joined(separator: "\n"))")
        }
        return .success
    }

    func describe(_ workflow: Workflow, after moment: Date) -> String {
        guard let schedule = workflow.schedule else { return "has no schedule" }
        let timeZone = timeZone(workflow)
        let words = schedule.words(in: timeZone)
        guard case .cron(let expression) = schedule else { return words }
        return expression.next(after: moment, in: timeZone).map { "\(words), next at \(timeZone.text(of: $0))" }
            ?? "never runs: there is no such time within 40 years"
    }
}
