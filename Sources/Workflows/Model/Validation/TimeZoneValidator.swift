/// Finds an unknown time zone in `document.metadata.timeZone` of a workflow with a schedule.
///
/// The standard has no property for the time zone of `cron`, and leaves metadata to implementations.
struct TimeZoneValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        guard case .cron? = workflow.schedule, let given = workflow.document.value[Workflow.timeZonePlace] else {
            return []
        }
        let finding: (String, String?)
        do throws(TimeZoneError) {
            guard let name = given.string else { throw TimeZoneError("a time zone must be a string") }
            _ = try SystemTimeZone(identifier: name)
            return []
        } catch {
            let nearest = given.string.flatMap { Diagnostic.didYouMean($0, among: SystemTimeZone.identifiers) }
            finding = (error.message, nearest ?? error.hint)
        }
        return [
            workflow.document.diagnostic(
                id: "time-zone", finding.0, hint: finding.1, at: Workflow.timeZonePlace)
        ]
    }
}

extension Workflow {
    fileprivate static var timeZonePlace: JSONPointer { JSONPointer(["document", "metadata", "timeZone"]) }

    /// The time zone of `cron` in the file's metadata; nil if it names none.
    package var timeZone: SystemTimeZone? {
        document.value[Self.timeZonePlace]?.string.flatMap { try? SystemTimeZone(identifier: $0) }
    }
}
