extension Run {
    /// How the requests of a task keep what they are about to replace or change; nil if the run need not be undone.
    func keeping(_ task: ActiveTask, isPlanned: Bool) -> GraphClient.Keeping? {
        guard let time = runner.access.undoable else { return nil }
        guard !isPlanned else { return { _, read in read() } }
        guard let before else { return nil }
        let (place, rounds, path) = (task.reference, task.occurrence, path(to: task.occurrence))
        return { [id, outermost, now = runner.now] address, read in
            let name = BeforeImages.name(of: outermost, place, path, address)
            return firstly { () throws -> Promise<FormerObject?> in
                if let kept = try before.image(name) { return .value(kept.former) }
                return read().map(on: .global()) { former in
                    // That nothing was there is kept as well: after an interruption, what is there is the run's own.
                    let former = former ?? FormerObject(path: address, object: .null)
                    let moment = now()
                    try before.keep(
                        BeforeImages.Image(of: id, inside: outermost, place, rounds, at: moment, former), as: name,
                        until: moment.addingTimeInterval(time.seconds))
                    return former
                }
            }
        }
    }
}
