import Foundation
import Promises

/// The bytes of a run, by their hash; the same bytes are kept once.
///
/// A run with a ``Journal`` has them in its folder, so that they are there when it is resumed.
public struct BlobStore: Sendable {
    private let blobs = Locked<[String: ByteSource]>([:])
    private let folder: BlobFolder?

    /// Creates an empty store in memory; its copies share what is kept.
    public init() { folder = nil }

    /// Creates a store of what is in a folder and comes into it.
    init(folder: BlobFolder) { self.folder = folder }

    /// Keeps the bytes.
    ///
    /// Without a folder, those that lie in a file stay there; with one they are copied. Where that fails, the journal of
    /// the run says so when it is written next.
    /// - Returns: What stands for them in the data.
    @discardableResult public func keep(_ blob: Blob) -> Value {
        guard !blobs.withLock({ $0[blob.hash] != nil }) else { return blob.value }
        let source = folder?.keep(blob) ?? blob.source
        blobs.withLock { $0[blob.hash] = source }
        return blob.value
    }

    /// Why bytes are not in the folder; nil where all of them are.
    var failure: SystemError? { folder?.failure }

    /// Waits until all bytes are safe from a loss of power.
    func synchronize() throws(SystemError) { try folder?.synchronize() }

    /// Takes note that the folder has its own name now.
    func settle() { folder?.settle() }

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
        var kept = blobs.withLock { $0[hash] }
        if kept == nil, !(allowsSymbols && hash.isSymbol) { kept = try folder?.source(of: hash) }
        guard let source = kept else {
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
