import Foundation
import Promises

/// The bytes of a run, by their hash; the same bytes are kept once.
public struct BlobStore: Sendable {
    private let blobs = Locked<[String: Data]>([:])

    /// Creates an empty store; its copies share what is kept.
    public init() {}

    /// Keeps the bytes.
    ///
    /// - Returns: What stands for them in the data.
    @discardableResult public func keep(_ blob: Blob) -> Value {
        blobs.withLock { $0[blob.hash] = $0[blob.hash] ?? blob.bytes }
        return blob.value
    }

    /// Finds the bytes that a value stands for.
    ///
    /// - Parameter value: What ``keep(_:)`` returned, also when it came a long way through the data.
    /// - Returns: The bytes with the type that the value names, else the type that they have.
    public func blob(_ value: Value) throws(FunctionError) -> Blob {
        guard let hash = value["blob"]?.string else {
            throw FunctionError("This is no blob: \(value.typeName) without a 'blob'")
        }
        guard let bytes = blobs.withLock({ $0[hash] }) else {
            throw FunctionError("The run keeps no bytes under \(PlainText.line(hash, limit: 100))")
        }
        return Blob(bytes, hash: hash, contentType: value["contentType"]?.string)
    }
}
