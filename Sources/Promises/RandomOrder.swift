internal import Synchronization

/// Makes places run ready links in a random order, for tests that look for code that depends on the order.
///
/// Links that wait for the same promise still run in the order of attachment, which is guaranteed.
package enum RandomOrder {
    private static let isDrawn = Atomic<Bool>(false)
    private static let state = Atomic<UInt64>(0)

    /// How far ahead in a list an entry can be drawn.
    static let reach = 64

    /// Starts drawing the order; the same seed draws the same order.
    package static func begin(seed: UInt64) {
        state.store(seed, ordering: .relaxed)
        isDrawn.store(true, ordering: .releasing)
    }

    package static func end() { isDrawn.store(false, ordering: .releasing) }

    package static var isOn: Bool { isDrawn.load(ordering: .relaxed) }

    /// A number from 0 to below the limit.
    ///
    /// Source: SplitMix64 by Sebastiano Vigna.
    package static func draw(below limit: Int) -> Int {
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(limit))
    }
}
