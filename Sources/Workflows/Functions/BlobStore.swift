import Foundation
import Promises

/// The bytes of a run, by their hash; the same bytes are kept once.
public struct BlobStore: Sendable {
    private let blobs = Locked<[String: ByteSource]>([:])

    /// Creates an empty store; its copies share what is kept.
    public init() {}

    /// Keeps the bytes; those that lie in a file stay there.
    ///
    /// - Returns: What stands for them in the data.
    @discardableResult public func keep(_ blob: Blob) -> Value {
        blobs.withLock { $0[blob.hash] = $0[blob.hash] ?? blob.source }
        return blob.value
    }

    /// Finds the bytes that a value stands for.
    ///
    /// - Parameter value: What ``keep(_:)`` returned, also when it came a long way through the data.
    /// - Returns: The bytes with the type that the value names, else the type that they have.
    public func blob(_ value: Value) throws(FunctionError) -> Blob { try blob(value, allowsSymbols: false) }

    /// Finds the bytes that a value stands for, also those that nobody knows before the run.
    func blob(_ value: Value, allowsSymbols: Bool) throws(FunctionError) -> Blob {
        guard let hash = value["blob"]?.string else {
            throw FunctionError("This is no blob: \(value.typeName) without a 'blob'")
        }
        guard let source = blobs.withLock({ $0[hash] }) else {
            if allowsSymbols, hash.isSymbol {
                return .unknown(hash.symbolName, example: ExampleBytes.marked(Data(), as: hash))
            }
            throw FunctionError("The run keeps no bytes under \(PlainText.line(hash, limit: 100))")
        }
        if let type = value["contentType"]?.string { return Blob(source, hash: hash, contentType: type) }
        do throws(GraphError) {
            return Blob(source, hash: hash, contentType: try source.contentType())
        } catch {
            throw FunctionError(error)
        }
    }
}

extension FunctionError {
    /// An error of a request that was not sent.
    init(_ error: GraphError) {
        self.init(error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message, hint: error.hint)
    }
}
