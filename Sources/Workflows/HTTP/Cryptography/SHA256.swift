/// The 256-bit hash of FIPS 180-4, which Foundation lacks on Linux.
package struct SHA256: Sendable {
    private static let blockSize = 64

    private var state: SIMD8<UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes of an incomplete block, in a vector because an array would be allocated.
    private var pending = SIMD64<UInt8>()
    private var pendingCount = 0
    private var length: UInt64 = 0

    package init() {}

    package static func hash(of data: Data) -> [UInt8] {
        var hash = SHA256()
        hash.update(data)
        return hash.finalize()
    }

    package static func hex(of data: Data) -> String { hash(of: data).hex }

    package mutating func update(_ bytes: some ContiguousBytes) {
        unsafe bytes.withUnsafeBytes { unsafe absorb($0) }
    }

    /// The hash of all bytes so far; more may be added afterwards.
    package func finalize() -> [UInt8] {
        let state = final
        var hash: [UInt8] = []
        hash.reserveCapacity(32)
        for index in 0..<8 { state[index].appendBytes(to: &hash) }
        return hash
    }

    /// The first 64 bits of the hash so far, without an allocation.
    package var first64Bits: UInt64 {
        let state = final
        return UInt64(state[0]) << 32 | UInt64(state[1])
    }

    /// The state after the padding: a bit, zeros, and the length in bits in the last 8 bytes of a block.
    private var final: SIMD8<UInt32> {
        var last = self
        let bits = (length &* 8).bigEndian
        unsafe withUnsafeMutableBytes(of: &last.pending) { pending in
            unsafe pending[pendingCount] = 0x80
            for index in (pendingCount + 1)..<Self.blockSize { unsafe pending[index] = 0 }
        }
        if pendingCount >= Self.blockSize - 8 {
            last.compressPending()
            last.pending = SIMD64()
        }
        unsafe withUnsafeMutableBytes(of: &last.pending) { pending in
            unsafe pending.storeBytes(of: bits, toByteOffset: Self.blockSize - 8, as: UInt64.self)
        }
        last.compressPending()
        return last.state
    }

    private mutating func compressPending() {
        let block = pending
        unsafe withUnsafeBytes(of: block) { unsafe compress($0) }
    }

    private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = unsafe bytes[...]
        if pendingCount > 0 {
            let count = unsafe min(Self.blockSize - pendingCount, rest.count)
            unsafe withUnsafeMutableBytes(of: &pending) { pending in
                unsafe UnsafeMutableRawBufferPointer(rebasing: pending[pendingCount...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            }
            pendingCount += count
            unsafe rest = unsafe rest.dropFirst(count)
            guard pendingCount == Self.blockSize else { return }
            compressPending()
            pendingCount = 0
        }
        let whole = unsafe rest.count / Self.blockSize * Self.blockSize
        if whole > 0 { unsafe compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole))) }
        let left = unsafe UnsafeRawBufferPointer(rebasing: rest.dropFirst(whole))
        unsafe withUnsafeMutableBytes(of: &pending) { unsafe $0.copyMemory(from: left) }
        pendingCount = left.count
    }

    /// The size from which libcrypto is faster, including the time to load it.
    private static let large = 64 << 10
    private static let libraryUpdate = (try? CryptoLibrary.system.get())?.updateSHA256

    private struct LibraryState {
        var state: SIMD8<UInt32>
        var length = SIMD2<UInt32>()
        var pending = SIMD16<UInt32>()
        var pendingCount: UInt32 = 0
        var hashCount: UInt32 = 32
    }

    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard blocks.count >= Self.large, let update = Self.libraryUpdate else { return unsafe compressHere(blocks) }
        var library = LibraryState(state: state)
        _ = unsafe withUnsafeMutablePointer(to: &library) { library in
            update(Int(bitPattern: library), Int(bitPattern: blocks.baseAddress), blocks.count)
        }
        state = library.state
    }

    /// FIPS 180-4, section 6.2.2, for whole blocks.
    ///
    /// It takes most of a journal's time, so nothing in it is checked or allocated.
    private mutating func compressHere(_ blocks: UnsafeRawBufferPointer) {
        unsafe Self.constants.withUnsafeBufferPointer { constants in
            unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
                for offset in stride(from: 0, to: blocks.count, by: Self.blockSize) {
                    for index in 0..<16 {
                        unsafe words[index] = UInt32(
                            bigEndian: blocks.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self))
                    }
                    for index in 16..<64 {
                        let early = unsafe words[index &- 15]
                        let late = unsafe words[index &- 2]
                        let sigma0 = early.rotated(by: 7) ^ early.rotated(by: 18) ^ (early &>> 3)
                        let sigma1 = late.rotated(by: 17) ^ late.rotated(by: 19) ^ (late &>> 10)
                        unsafe words[index] = words[index &- 16] &+ sigma0 &+ words[index &- 7] &+ sigma1
                    }
                    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
                    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
                    // The names rotate instead of the values.
                    for index in stride(from: 0, to: 64, by: 8) {
                        func sum(_ place: Int) -> UInt32 { unsafe constants[index &+ place] &+ words[index &+ place] }
                        Self.round(a, b, c, &d, e, f, g, &h, sum(0))
                        Self.round(h, a, b, &c, d, e, f, &g, sum(1))
                        Self.round(g, h, a, &b, c, d, e, &f, sum(2))
                        Self.round(f, g, h, &a, b, c, d, &e, sum(3))
                        Self.round(e, f, g, &h, a, b, c, &d, sum(4))
                        Self.round(d, e, f, &g, h, a, b, &c, sum(5))
                        Self.round(c, d, e, &f, g, h, a, &b, sum(6))
                        Self.round(b, c, d, &e, f, g, h, &a, sum(7))
                    }
                    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
                }
            }
        }
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ sum: UInt32
    ) {
        let choice = g ^ (e & (f ^ g))
        let first = h &+ sum &+ choice &+ (e.rotated(by: 6) ^ e.rotated(by: 11) ^ e.rotated(by: 25))
        let majority = (a & b) | (c & (a | b))
        d = d &+ first
        h = first &+ majority &+ (a.rotated(by: 2) ^ a.rotated(by: 13) ^ a.rotated(by: 22))
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension UInt32 {
    fileprivate func rotated(by count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}

extension FixedWidthInteger {
    /// Most significant byte first.
    fileprivate func appendBytes(to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}

extension Collection<UInt8> {
    package var hex: String {
        func digit(_ half: UInt8) -> UInt8 { half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") + half - 10 }
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in self {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension SHA256 {
    /// The keyed hash of RFC 2104 over SHA-256: 32 bytes.
    package static func authenticationCode(for message: Data, key: Data) -> [UInt8] {
        var block = key.count > 64 ? hash(of: key) : Array(key)
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = hash(of: Data(block.map { $0 ^ 0x36 }) + message)
        return hash(of: Data(block.map { $0 ^ 0x5C }) + Data(inner))
    }
}

extension [UInt8] {
    /// Whether a hash is the same as another one; all of it is compared, so the time reveals nothing.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
