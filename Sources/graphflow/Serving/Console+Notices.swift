extension Console {
    /// Tells of what happens in a service, after the error that led to it.
    func tell(_ notice: RunNotice) {
        switch notice {
        case .notRead(_, let error): _ = report(error)
        case .needsStart(let file, .receiveEvents):
            _ = report(UsageError("\(file) now waits for events: start the service again to receive them"))
        case .needsStart(let file, .followChanges):
            _ = report(UsageError("\(file) now follows changes: start the service again to follow them"))
        case .failed(let error):
            _ = report(error)
            return
        case .ended(let run, let error):
            return complain("the run \(run) ended: \(Failure(error).text(colour: false))")
        default: break
        }
        complain(notice.text)
    }
}
