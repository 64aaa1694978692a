/// The hash of RFC 1321, which digest authentication still requires; it is insecure for any other use.
public struct MD5: Sendable {
    private var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)

    /// The hash of these bytes: 16 bytes.
    public static func hash(of data: Data) -> [UInt8] {
        var bytes = Array(data)
        let length = UInt64(bytes.count) &* 8
        bytes.append(0x80)
        while bytes.count % 64 != 56 { bytes.append(0) }
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        var hash = MD5()
        for start in stride(from: 0, to: bytes.count, by: 64) { hash.compress(bytes[start..<start + 64]) }
        return [hash.state.0, hash.state.1, hash.state.2, hash.state.3].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (UInt32($0) * 8)) }
        }
    }

    /// The hash of these bytes as 32 lower-case hexadecimal digits.
    public static func hex(of data: Data) -> String { hash(of: data).hex }

    private mutating func compress(_ block: ArraySlice<UInt8>) {
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + index * 4 + $1]) << (UInt32($1) * 8) }
        }
        var (a, b, c, d) = state
        for step in 0..<64 {
            let mixed: UInt32
            let index: Int
            switch step / 16 {
            case 0: (mixed, index) = (b & c | ~b & d, step)
            case 1: (mixed, index) = (d & b | ~d & c, (5 * step + 1) % 16)
            case 2: (mixed, index) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, index) = (c ^ (b | ~d), (7 * step) % 16)
            }
            let sum = a &+ mixed &+ Self.sines[step] &+ words[index]
            let turn = Self.turns[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
    }

    /// The integer part of 2^32 times the sine of each step's number, from 1.
    private static let sines: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// The rotations of each round's steps in bits, in groups of four.
    private static let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
}
