/// The place of the handler that made this value, or the default place outside of handlers.
package struct HandlerPlace: Sendable {
    private let number = PlaceNumber.current

    package init() {}

    /// Calls a body at once if the caller runs there, or if it is the default place, and otherwise there.
    package func performHereOrThere(_ body: @escaping @Sendable () -> Void) {
        if number == PlaceNumber.standard || number == PlaceNumber.current { body() } else { perform(body) }
    }

    /// Calls a body there; never inside this call.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let turn = State(fulfilled: (), origin: Origin(#fileID, #line))
        _ = turn.attach(.map({ (_: Void) in body() }, .place(number), turn.origin))
    }
}
