import Essentials

/// The key that signs the sandbox's tokens (RS256 of RFC 7518), so that programs that check signatures can be tried.
///
/// It is the same everywhere and known to everybody: what it signs is proof of nothing outside a sandbox.
enum SandboxSigningKey {
    /// The key's thumbprint (RFC 7638).
    static let id = "ojtuuoEM_BcEY1XzaUYpphtOrQ5kMPAohg7nGQoXKpI"

    /// The key as clients read it (RFC 7517).
    static let publicKey: Value = [
        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(id), "e": "AQAB",
        "n": .string(Base64URL.encode(bytes(of: product(first.modulus.limbs, second.modulus.limbs)))),
    ]

    /// A token with these claims (RFC 7515, in its compact form).
    static func token(_ claims: Object) -> String {
        let header: Value = ["typ": "JWT", "alg": "RS256", "kid": .string(id)]
        let text = [header, .object(claims)].map { Base64URL.encode($0.jsonData()) }.joined(separator: ".")
        return "\(text).\(Base64URL.encode(signature(of: Data(text.utf8))))"
    }

    /// The signature of RFC 8017, section 8.2.1: 256 bytes.
    static func signature(of message: Data) -> [UInt8] {
        let hash = SHA256.hash(of: message)
        let padding = [UInt8](repeating: 0xFF, count: 2 * Modulus.size - hash.count - hashName.count - 3)
        let padded = limbs(of: [0x00, 0x01] + padding + [0x00] + hashName + hash)
        // The Chinese remainder theorem, section 5.1.2: one power for each prime is faster than one for their product.
        let one = first.modulus.power(of: padded, first.exponent)
        let other = second.modulus.power(of: padded, second.exponent)
        let difference = first.modulus.difference(one, first.modulus.rest(of: other + zeros))
        return bytes(
            of: sum(other + zeros, product(first.modulus.product(difference, coefficient), second.modulus.limbs)))
    }

    private struct Prime {
        let modulus: Modulus
        let exponent: [UInt64]

        init(_ prime: String, exponent: String) {
            modulus = Modulus(limbs(of: prime))
            self.exponent = limbs(of: exponent)
        }
    }

    private static let first = Prime(
        "e1d83b6a7bd1f983268254ce8431cf442ecd460c20d129b4ac04af243baac272266ae485a58e35a6f2bab044d48bec6e"
            + "1f058fc1d0094e02db41da402045b862858ffe93e502d8c87a8ef1effbec2a39f23f2d92ee0069167dea8d1803b38632"
            + "42316ed3bb92ae3dff75d63d83824832372ca76581ab91aa1b9a455f60d25335",
        exponent: "1aadeea6efa5a87223d475ac47d592849d7ac6719c56d9346cb5c8f2e0d19552e2d2f1d80fecb2cddc12cdcbf3c7ebd0"
            + "3e7debb39b9dddc75c9b74eaea651219216a174ae55ce6bb182f56c960db4f49b5225d81e3f7cc7249c1b1954aaaa489"
            + "bf64139193b10a406cb340f1d75d46a617fa8073ef53934ba323205ada173e99")
    private static let second = Prime(
        "c27ba66831c734ea27c42f70dc0dcac80dec87b18808ac1941c15431f6a1d12655c8cb075a8df8313301b63457d2e587"
            + "3aedd7247feca1aec7a78df0febe0a1a831c7300e75d5c11cb5456e43403ffb4af3384e700681d6c06cca4d2b2799822"
            + "98f8653dda79896e9b7e8b4897e841f431c9a447eee7637b0a3c2b93c4fe1d0b",
        exponent: "9a8ecff19055c31caf9bbf240f0dbaf0fff7d0e2eabc11a144db92c0de433d471cf7a53a63e1ddb3a3d8a167b9bff5ff"
            + "617ab0f6e5df35a3043289a053a2cdbec221b2d7ae0748eb2f4f087af547944890cffdb7e35fdaba06314e6fcfbcc885"
            + "fe51b18bd57baf17c2e56f65b2abb6f68d36b5a3211eacb594adbae805aef97f")
    /// The inverse of the second prime, in the first one's form of Montgomery.
    private static let coefficient = first.modulus.montgomery(
        limbs(
            of: "9af1baa409f3a53cfab83759503faded7aa1b4f304c2b4ffa41906d08ce7502533a9e92c4f5a7cfcc5aa9b53d0dcbe78"
                + "b24f2125ecf3ae31fd498ad71f1236e47d39b9cf7aaa70830d4d23d692c1cf7a840f83dde936544d0a6458e0a7554b56"
                + "a202c62d86d8e8830103c7c6eb42386e271110a585bafb7d73c835b798c9b677"))
    private static let zeros = [UInt64](repeating: 0, count: Modulus.count)
    /// The beginning of a hash of SHA-256 in ASN.1 (section 9.2).
    private static let hashName: [UInt8] = [
        0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ]

    private static func limbs(of hexadecimal: String) -> [UInt64] {
        let digits = Array(hexadecimal)
        return stride(from: digits.count, to: 0, by: -16).map { end in
            UInt64(String(digits[(end - 16)..<end]), radix: 16) ?? 0
        }
    }

    /// The number whose bytes these are, the most significant one first, in parts of 64 bits, the least significant first.
    private static func limbs(of bytes: [UInt8]) -> [UInt64] {
        stride(from: bytes.count, to: 0, by: -8).map { end in
            bytes[(end - 8)..<end].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private static func bytes(of limbs: [UInt64]) -> [UInt8] {
        limbs.reversed().flatMap { limb in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: limb >> (8 * UInt64($0))) }
        }
    }

    private static func sum(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        var carry: UInt64 = 0
        return zip(one, other).map { left, right in
            let (half, first) = left.addingReportingOverflow(right)
            let (sum, second) = half.addingReportingOverflow(carry)
            carry = first || second ? 1 : 0
            return sum
        }
    }

    private static func product(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: one.count + other.count)
        for (place, factor) in other.enumerated() {
            var carry: UInt64 = 0
            for (index, limb) in one.enumerated() {
                let step = UInt128(limb) * UInt128(factor) + UInt128(result[place + index]) + UInt128(carry)
                result[place + index] = UInt64(truncatingIfNeeded: step)
                carry = UInt64(step >> 64)
            }
            result[place + one.count] = carry
        }
        return result
    }
}

extension SandboxSigningKey {
    /// Arithmetic modulo an odd number of 1,024 bits whose first bit is set, by Montgomery's multiplication.
    ///
    /// The form of Montgomery of a number is the number times 2¹⁰²⁴.
    fileprivate struct Modulus {
        /// The bytes of a number, and its parts of 64 bits.
        static let size = 128
        static let count = 16

        let limbs: [UInt64]
        /// What makes the last part of a sum zero: minus the inverse of the last part of the number.
        private let inverse: UInt64
        /// 2²⁰⁴⁸.
        private var square: [UInt64]

        init(_ limbs: [UInt64]) {
            self.limbs = limbs
            // Newton's method: each round doubles the number of right bits.
            let inverse = (0..<6).reduce(limbs[0]) { inverse, _ in inverse &* (2 &- limbs[0] &* inverse) }
            self.inverse = 0 &- inverse
            // 2¹⁰²⁴ is less than twice the number, and then it is doubled 1,024 times.
            square = Self.subtracting(limbs, from: zeros)
            for _ in 0..<(64 * Self.count) { square = sum(square, square) }
        }

        /// The product of two numbers, divided by 2¹⁰²⁴.
        func product(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
            var result = [UInt64](repeating: 0, count: Self.count + 1)
            unsafe result.withUnsafeMutableBufferPointer { result in
                unsafe one.withUnsafeBufferPointer { one in
                    unsafe limbs.withUnsafeBufferPointer { limbs in
                        // Plain pointers: a program that is not optimized signs in three fifths of the time.
                        guard let one = one.baseAddress, let limbs = limbs.baseAddress,
                            let result = result.baseAddress
                        else { return }
                        for factor in other {
                            let top = unsafe Self.add(one, times: factor, to: result)
                            let multiple = unsafe result[0] &* inverse
                            let carry = unsafe Self.add(limbs, times: multiple, to: result)
                            // The last part is zero now: the rest moves to its place.
                            unsafe result.update(from: result + 1, count: Self.count)
                            unsafe result[Self.count] = top &+ carry
                        }
                    }
                }
            }
            let isLarge = result[Self.count] != 0 || !Self.precedes(result, limbs)
            let rest = Array(result[..<Self.count])
            return isLarge ? Self.subtracting(limbs, from: rest) : rest
        }

        /// Adds a multiple of a number, and returns what is carried out of the result.
        private static func add(
            _ number: UnsafePointer<UInt64>, times factor: UInt64, to result: UnsafeMutablePointer<UInt64>
        ) -> UInt64 {
            var (index, carry): (Int, UInt64) = (0, 0)
            while index < count {
                let (high, low) = unsafe number[index].multipliedFullWidth(by: factor)
                let (half, first) = unsafe low.addingReportingOverflow(result[index])
                let (sum, second) = half.addingReportingOverflow(carry)
                unsafe result[index] = sum
                carry = high &+ (first ? 1 : 0) &+ (second ? 1 : 0)
                index &+= 1
            }
            let (sum, overflows) = unsafe result[count].addingReportingOverflow(carry)
            unsafe result[count] = sum
            return overflows ? 1 : 0
        }

        /// The form of Montgomery of a number.
        func montgomery(_ number: [UInt64]) -> [UInt64] { product(number, square) }

        /// A number of 2,048 bits modulo this one.
        func rest(of number: [UInt64]) -> [UInt64] {
            let low = Array(number[..<Self.count])
            let isLess = Self.precedes(low, limbs)
            return sum(
                isLess ? low : Self.subtracting(limbs, from: low), montgomery(Array(number[Self.count...])))
        }

        /// A power of a number of 2,048 bits.
        func power(of number: [UInt64], _ exponent: [UInt64]) -> [UInt64] {
            let one = [1] + [UInt64](repeating: 0, count: Self.count - 1)
            // Four bits of the exponent at a time.
            var powers = [montgomery(one), montgomery(rest(of: number))]
            for index in 2..<16 { powers.append(product(powers[index - 1], powers[1])) }
            var result = powers[0]
            for limb in exponent.reversed() {
                for shift in stride(from: 60, through: 0, by: -4) {
                    for _ in 0..<4 { result = product(result, result) }
                    result = product(result, powers[Int(limb >> UInt64(shift) & 15)])
                }
            }
            return product(result, one)
        }

        func sum(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
            let sum = SandboxSigningKey.sum(one + [0], other + [0])
            let rest = Array(sum[..<Self.count])
            return sum[Self.count] != 0 || !Self.precedes(rest, limbs) ? Self.subtracting(limbs, from: rest) : rest
        }

        func difference(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
            let difference = Self.subtracting(other, from: one)
            return Self.precedes(one, other) ? SandboxSigningKey.sum(difference, limbs) : difference
        }

        private static func precedes(_ one: [UInt64], _ other: [UInt64]) -> Bool {
            for index in (0..<count).reversed() where one[index] != other[index] { return one[index] < other[index] }
            return false
        }

        /// The difference modulo 2¹⁰²⁴.
        private static func subtracting(_ one: [UInt64], from other: [UInt64]) -> [UInt64] {
            var borrow: UInt64 = 0
            return (0..<count).map { index in
                let (half, first) = other[index].subtractingReportingOverflow(one[index])
                let (rest, second) = half.subtractingReportingOverflow(borrow)
                borrow = first || second ? 1 : 0
                return rest
            }
        }
    }
}
