/// The handlers at all places but the main queue.
package enum Handlers {
    package static var areIdle: Bool { SerialPlace.areIdle }
}

/// The time in which a handler computes alongside others.
///
/// At the default place handlers run one after another, so a long computation delays all others unless it gives way.
/// Until it ends its absence, it may only access its own data.
@safe
package struct Absence: Sendable {
    private let place: SerialPlace
    private nonisolated(unsafe) let list: UnsafeMutablePointer<WorkList>

    /// Begins the absence of the calling handler; nil outside of places and on the main queue, or if too many are absent.
    package init?() {
        guard let place = SerialPlace.current, place !== SerialPlace.main, let list = unsafe place.giveWay() else {
            return nil
        }
        self.place = place
        unsafe self.list = list
    }

    /// Waits until the handler can run alone again; to be called once, by the handler.
    package func end() { unsafe place.comeBack(to: list) }
}
