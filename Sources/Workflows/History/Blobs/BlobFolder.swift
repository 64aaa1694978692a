/// A folder of files whose names are the hashes of their contents.
final class BlobFolder: Sendable {
    private struct State {
        var folder: PrivateFolder
        /// Whether a power failure could lose names of files.
        var isUnsafe = false
        /// The first error of writing bytes.
        var failure: SystemError?
        /// The hashes of the files whose contents were verified.
        var verified: Set<String> = []
    }

    private let state: Locked<State>
    /// The folder's final place.
    private let settled: PrivateFolder

    /// Creates the view of a folder, which need not exist yet; `settled` is its final place if that differs.
    init(_ folder: PrivateFolder, named settled: PrivateFolder? = nil) {
        state = Locked(State(folder: folder))
        self.settled = settled ?? folder
    }

    /// Why bytes are not kept; nil if all are.
    var failure: SystemError? { state.withLock { $0.failure } }

    var path: String { state.withLock { $0.folder.path } }

    func settle() { state.withLock { $0.folder = settled } }

    /// Waits until the names in the folder are safe from a power failure; the contents are already.
    func synchronize() throws(SystemError) {
        let folder = state.withLock { state -> PrivateFolder? in
            defer { state.isUnsafe = false }
            return state.isUnsafe ? state.folder : nil
        }
        try folder?.synchronize()
    }

    /// Writes bytes into the folder.
    /// - Returns: The file that holds them; nil if they could not be written, for the reason in ``failure``.
    func keep(_ blob: Blob) -> ByteSource? {
        guard let name = Self.name(of: blob.hash) else { return nil }
        let folder = state.withLock { $0.folder }
        do throws(SystemError) {
            try write(blob, as: name, in: folder)
            state.withLock { state in
                state.isUnsafe = true
                state.verified.insert(blob.hash)
            }
            return .file(FilePart(unchanging: settled.path(of: name), size: blob.size))
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            return nil
        }
    }

    /// The file with the hash; nil if there is none.
    /// - Throws: ``FunctionError`` if the file holds something else.
    func source(of hash: String) throws(FunctionError) -> ByteSource? {
        guard let name = Self.name(of: hash) else { return nil }
        let path = state.withLock { $0.folder }.path(of: name)
        let size: Int
        do throws(SystemError) {
            size = try OpenFile(path, for: .reading).size
        } catch {
            guard !error.isMissing else { return nil }
            throw FunctionError("The bytes of \(hash) cannot be read: \(error)")
        }
        let source = ByteSource.file(FilePart(unchanging: path, size: size))
        guard !state.withLock({ $0.verified.contains(hash) }) else { return source }
        do throws(GraphError) {
            guard try "sha256:\(source.sha256())" == hash else {
                throw GraphError(.invalidInput, message: "The file \(path) is damaged: it does not match its hash.")
            }
        } catch {
            throw FunctionError(error)
        }
        state.withLock { _ = $0.verified.insert(hash) }
        return source
    }

    /// The digits of the hash; nil for anything else, such as the path of another file.
    private static func name(of hash: String) -> String? {
        let digits = hash.dropFirst("sha256:".count)
        guard hash.hasPrefix("sha256:"), digits.utf8.count == 64,
            digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { return nil }
        return String(digits)
    }

    private func write(_ blob: Blob, as name: String, in folder: PrivateFolder) throws(SystemError) {
        try folder.replace(name) { file throws(SystemError) in try blob.write(to: file) }
    }
}

extension Blob {
    private static let pieceSize = 1 << 20

    /// Writes the bytes to the end of a file.
    /// - Throws: ``SystemError``, including for bytes of a file that has changed.
    package func write(to file: OpenFile) throws(SystemError) {
        let canChange = if case .file(let part) = source { part.canChange } else { false }
        var hash = SHA256()
        var offset = 0
        while offset < size {
            let piece: Data
            do throws(GraphError) {
                piece = try source.bytes(in: offset..<min(offset + Self.pieceSize, size))
            } catch {
                throw SystemError(error.message)
            }
            if canChange { hash.update(piece) }
            try file.write(piece)
            offset += piece.count
        }
        if canChange, "sha256:\(hash.finalize().hex)" != self.hash {
            throw SystemError("the file has changed in the meantime")
        }
    }
}
