/// Joins the lines of one or several ledgers: how each item ended, in a few bytes per item.
///
/// A later line of a ledger replaces an earlier one of the same item, but a completed item stays completed. Such items
/// are not performed again, so the other line comes from another machine. If two ledgers have an item, the one in which
/// it came further counts.
package struct BatchFold: Sendable {
    private struct Known {
        var state: BatchEntry.State
        var line: UInt32
        var ledger: UInt16
        var isShared = false
    }

    package private(set) var counts = BatchCounts(total: 0)
    /// The number of items that more than one ledger has.
    package private(set) var sharedCount = 0
    /// Whether each item had only one line: then each line counts.
    package private(set) var isPlain = true
    private var items: [UInt64: Known] = [:]

    package init() {}

    /// Takes an item's line, with the numbers of the line and of its ledger.
    package mutating func take(_ entry: BatchEntry, line: Int, ledger: Int) {
        let new = Known(
            state: entry.state, line: UInt32(truncatingIfNeeded: line), ledger: UInt16(truncatingIfNeeded: ledger))
        let number = entry.number
        guard var old = items[number] else {
            items[number] = new
            counts[entry.state] += 1
            return
        }
        isPlain = false
        if old.ledger != new.ledger, !old.isShared {
            old.isShared = true
            sharedCount += 1
        }
        if old.ledger == new.ledger && old.state != .completed || entry.state.rank >= old.state.rank {
            counts[old.state] -= 1
            counts[entry.state] += 1
            (old.state, old.line, old.ledger) = (new.state, new.line, new.ledger)
        }
        items[number] = old
    }

    /// Forgets an item that is no longer in the batch.
    package mutating func drop(_ item: String) {
        guard let old = items.removeValue(forKey: BatchEntry.number(of: item)) else { return }
        isPlain = false
        counts[old.state] -= 1
    }

    /// For each ledger, the number of items whose line in it counts.
    package func itemCounts(ofLedgers count: Int) -> [Int] {
        items.values.reduce(into: Array(repeating: 0, count: count)) { $0[Int($1.ledger)] += 1 }
    }

    /// Whether a line is the one that counts for its item, once all lines were taken.
    package func isFinal(_ entry: BatchEntry, line: Int, ledger: Int) -> Bool {
        items[entry.number].map {
            $0.line == UInt32(truncatingIfNeeded: line) && $0.ledger == UInt16(truncatingIfNeeded: ledger)
        } ?? false
    }
}

extension BatchEntry.State {
    /// How far an item came.
    fileprivate var rank: Int {
        switch self {
        case .faulted: 0
        case .unknown: 1
        case .completed: 2
        }
    }
}

extension BatchEntry {
    fileprivate var number: UInt64 { Self.number(of: item) }

    /// A number for an item's name: the first 64 bits of its hash, another one for each further item with the same key.
    fileprivate static func number(of item: String) -> UInt64 {
        var (hash, copy, isCopy) = (UInt64(0), UInt64(0), false)
        for (index, byte) in item.utf8.enumerated() {
            if isCopy {
                copy = copy &* 10 &+ UInt64(byte &- 48)
            } else if byte == UInt8(ascii: "-") {
                isCopy = true
            } else if index < 16 {
                hash = hash << 4 | UInt64(byte < 58 ? byte &- 48 : byte &- 87) & 15
            }
        }
        return hash ^ copy &* 0x9E37_79B9_7F4A_7C15
    }
}
