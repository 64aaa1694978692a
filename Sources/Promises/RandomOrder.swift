internal import Synchronization

/// Lets places run what is ready in a random order, for tests that look for what hangs on the order.
///
/// What waits for one and the same promise still runs in the order in which it was attached: that order is promised.
package enum RandomOrder {
    private static let isDrawn = Atomic<Bool>(false)
    private static let state = Atomic<UInt64>(0)

    /// How far ahead in a list an entry is drawn from.
    static let reach = 64

    /// Draws the order from now on; the same seed gives the same draws.
    package static func begin(seed: UInt64) {
        state.store(seed, ordering: .relaxed)
        isDrawn.store(true, ordering: .releasing)
    }

    /// Goes back to first come, first served.
    package static func end() { isDrawn.store(false, ordering: .releasing) }

    static var isOn: Bool { isDrawn.load(ordering: .relaxed) }

    /// A number from 0 up to a limit, without that.
    ///
    /// Source: SplitMix64 by Sebastiano Vigna.
    package static func draw(below limit: Int) -> Int {
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(limit))
    }
}
