import Foundation
import Workflows

/// The box of `{"key": …, "nonce": …, "plain": …, "label": …}`, in hexadecimal digits as all of these.
@Sendable func seal(_ question: Value) throws -> Value {
    let box = try cipher(of: question).seal(
        bytes(question["plain"]), label: bytes(question["label"]), nonce: bytes(question["nonce"]))
    return .string(box.hex)
}

/// What is in the box of `{"key": …, "box": …, "label": …}`, in hexadecimal digits; null if it does not open.
@Sendable func open(_ question: Value) throws -> Value {
    let plain = try cipher(of: question).open(bytes(question["box"]), label: bytes(question["label"]))
    return plain.map { .string($0.hex) } ?? .null
}

private func cipher(of question: Value) throws -> AES256GCM {
    AES256GCM(key: bytes(question["key"]), try CryptoLibrary.system.get())
}

/// The bytes of a text of hexadecimal digits.
private func bytes(_ text: Value?) -> Data {
    let digits = (text?.string ?? "").compactMap(\.hexDigitValue)
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
}
