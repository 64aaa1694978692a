/// The key of an item of a batch: any value, the same on every machine.
package struct ItemKey: Sendable {
    /// The first 80 bits of the hash of a key.
    package struct Digest: Sendable, Hashable {
        /// The first 8 bytes as a number, the most significant one first.
        package let first: UInt64
        let next: UInt16
    }

    package let value: Value
    /// The first bytes of the SHA-256 of the key as RFC 8785 JSON.
    package let digest: Digest

    package init(_ value: Value) {
        self.value = value
        digest = Self.digest(of: value.canonicalJSON)
    }

    /// The digest of the key in lower case.
    package var inLowerCase: Digest {
        let text = String(decoding: value.canonicalJSON, as: UTF8.self)
        let small = text.lowercased()
        return small == text ? digest : Self.digest(of: Array(small.utf8))
    }

    private static func digest(of json: [UInt8]) -> Digest {
        var hash = SHA256()
        hash.update(json)
        let bytes = hash.finalize()
        return Digest(
            first: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, next: UInt16(bytes[8]) << 8 | UInt16(bytes[9]))
    }

    /// The item's name in the batch's folder: 20 hexadecimal digits.
    package var name: String {
        func digits(_ number: some FixedWidthInteger, _ count: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        return digits(digest.first, 16) + digits(digest.next, 4)
    }

    /// A number for each key: 16 bytes per key, so millions fit into memory.
    package struct Table {
        /// The first bytes of a key's digest, then the next ones with the key's number, 0 for none.
        private var slots: [(first: UInt64, rest: UInt64)] = []
        private var used = 0

        package init() {}

        static let largest = 1 << 48 - 1

        /// The number of a key, from 1; 0 if it has none.
        package subscript(digest: Digest) -> Int {
            get { slots.isEmpty ? 0 : Int(slots[slot(of: digest)].rest & UInt64(Self.largest)) }
            set {
                if used * 4 >= slots.count * 3 { grow() }
                let slot = slot(of: digest)
                if slots[slot].rest == 0 { used += 1 }
                slots[slot] = (digest.first, UInt64(digest.next) << 48 | UInt64(min(max(newValue, 1), Self.largest)))
            }
        }

        private func slot(of digest: Digest) -> Int {
            // SHA-256 is evenly distributed in all its bits, and no one can choose it.
            var slot = Int(truncatingIfNeeded: digest.first) & (slots.count - 1)
            while slots[slot].rest != 0 {
                if slots[slot].first == digest.first, slots[slot].rest >> 48 == digest.next { break }
                slot = (slot + 1) & (slots.count - 1)
            }
            return slot
        }

        private mutating func grow() {
            let old = slots
            slots = Array(repeating: (0, 0), count: max(1024, old.count * 2))
            for entry in old where entry.rest != 0 {
                let digest = Digest(first: entry.first, next: UInt16(entry.rest >> 48))
                slots[slot(of: digest)] = entry
            }
        }
    }
}
