internal import Synchronization

/// Serial places that run at the same time, as many as the machine has cores.
///
/// A handler without a place runs in the lane of the handler that attaches it. Everything that a body begins is
/// therefore serial, while another body's handlers may run at the same time.
@usableFromInline
package enum Lane {
    private static let turn = Atomic<Int>(0)

    static var areUsed: Bool { turn.load(ordering: .relaxed) > 0 }

    /// Calls a body in the next lane, and continues with the promise that it returns.
    package static func perform<U: Thenable>(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> U
    ) -> Promise<U.T> {
        let lanes = SerialPlace.lanes.count
        conf.beginLanes()
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        let place = Place.lanes + UInt8(UInt(bitPattern: number) % UInt(lanes))
        let origin = Origin(file, line)
        let begin = State(fulfilled: (), origin: origin)
        return Promise<U.T>(state: begin.attach(.then({ (_: Void) in try body() }, .place(place), origin)))
    }

    /// The lane of the calling handler, or the standard place.
    @usableFromInline static var current: UInt8 {
        let lane = Thread.lane
        return lane == 0 ? Place.standard : lane
    }
}
