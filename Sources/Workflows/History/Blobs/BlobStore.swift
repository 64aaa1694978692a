/// The bytes of a run, by their hash; the same bytes are kept once.
///
/// A run with a ``Journal`` keeps them in its folder for a resumption.
public struct BlobStore: Sendable {
    private let blobs = Locked<[String: ByteSource]>([:])
    /// Where bytes are found.
    private let folder: BlobFolder?
    /// Where bytes are written; nil to keep them in memory.
    private let written: BlobFolder?

    /// Creates an empty store in memory; its copies share their bytes.
    public init() { (folder, written) = (nil, nil) }

    init(folder: BlobFolder) { (self.folder, written) = (folder, folder) }

    /// Creates a store with the bytes of another one, for a plan: it writes nothing.
    package init(reading store: BlobStore) {
        (folder, written) = (store.folder, nil)
        let known = store.blobs.withLock { $0 }
        blobs.withLock { $0 = known }
    }

    /// Keeps the bytes.
    ///
    /// Without a folder, bytes in a file stay there; with one they are copied. If that fails, the run's journal reports
    /// it when it is next written.
    /// - Returns: The value that represents them in the data.
    @discardableResult public func keep(_ blob: Blob) -> Value {
        guard !blobs.withLock({ $0[blob.hash] != nil }) else { return blob.value }
        let source = written?.keep(blob) ?? blob.source
        blobs.withLock { $0[blob.hash] = source }
        return blob.value
    }

    package var place: String? { written?.path }

    /// Why bytes are not in the folder; nil if all are.
    package var failure: SystemError? { folder?.failure }

    func synchronize() throws(SystemError) { try folder?.synchronize() }

    func settle() { folder?.settle() }

    /// Finds the bytes that a value represents.
    /// - Parameter value: The value that ``keep(_:)`` returned.
    /// - Returns: The bytes with the type in the value, or else their own type.
    public func blob(_ value: Value) throws(FunctionError) -> Blob { try blob(value, in: nil) }

    /// Finds the bytes that a value represents, including those that only a run gets.
    package func blob(_ value: Value, in plan: PlanningTransport?) throws(FunctionError) -> Blob {
        guard let hash = value["blob"]?.string else {
            throw FunctionError("This is not a blob: \(value.typeName) without a 'blob'")
        }
        var kept = blobs.withLock { $0[hash] }
        if let plan, let unknown = plan.unknowns.unknown(of: hash) {
            var blob = Blob.unknown(unknown, in: plan, example: ExamplePhoto.bytes(hash))
            if let type = value["contentType"]?.string { blob = blob.with(contentType: type) }
            if let size = value["size"]?.string { blob = blob.with(exampleSize: size) }
            return blob
        }
        if kept == nil { kept = try folder?.source(of: hash) }
        guard let source = kept else {
            throw FunctionError("The run has no bytes with the hash \(PlainText.line(hash, limit: 100))")
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
    package init(_ error: GraphError) {
        self.init(error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message, hint: error.hint)
    }
}
