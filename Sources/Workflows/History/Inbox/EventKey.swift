import Essentials

/// Identifies an event across deliveries: the first half of a hash of its source and id.
package struct EventKey: Sendable, Hashable {
    static let size = 16

    private let high: UInt64
    private let low: UInt64

    package init(_ event: CloudEvent) {
        // The length separates texts that would otherwise be equal when joined.
        let text = "\(event.source.utf8.count) \(event.source) \(event.id)"
        self.init(SHA256.hash(of: Data(text.utf8))[...])
    }

    init(_ bytes: ArraySlice<UInt8>) {
        (high, low) = bytes.prefix(Self.size).enumerated().reduce(into: (0, 0)) { key, byte in
            if byte.offset < 8 { key.0 = key.0 << 8 | UInt64(byte.element) }
            if byte.offset >= 8 { key.1 = key.1 << 8 | UInt64(byte.element) }
        }
    }

    var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).reversed().map { UInt8(truncatingIfNeeded: half >> (8 * UInt64($0))) } }
    }
}
