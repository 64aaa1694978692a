import Foundation
import Promises

/// A folder of files whose names are the hashes of what they hold.
final class BlobFolder: Sendable {
    private struct State {
        var folder: PrivateFolder
        /// Whether there are names that a loss of power might take.
        var isUnsafe = false
        /// Why bytes were not written, the first time.
        var failure: SystemError?
        /// The hashes of the files that were found to hold what they are named for.
        var verified: Set<String> = []
    }

    private static let pieceSize = 1 << 20

    private let state: Locked<State>
    /// What the folder is called when it is complete.
    private let settled: PrivateFolder

    /// Names a folder, which need not be there yet.
    /// - Parameters:
    ///   - folder: Where it is.
    ///   - settled: Where it is going to be; nil for the same place.
    init(_ folder: PrivateFolder, named settled: PrivateFolder? = nil) {
        state = Locked(State(folder: folder))
        self.settled = settled ?? folder
    }

    /// Why bytes are not kept; nil where all of them are.
    var failure: SystemError? { state.withLock { $0.failure } }

    /// Takes note that the folder has its own name now.
    func settle() { state.withLock { $0.folder = settled } }

    /// Waits until the names in the folder are safe from a loss of power; what they stand for is.
    func synchronize() throws(SystemError) {
        let folder = state.withLock { state -> PrivateFolder? in
            defer { state.isUnsafe = false }
            return state.isUnsafe ? state.folder : nil
        }
        try folder?.synchronize()
    }

    /// Writes bytes into the folder.
    /// - Returns: The file that holds them; nil where they could not be written, which ``failure`` says from then on.
    func keep(_ blob: Blob) -> ByteSource? {
        guard let name = Self.name(of: blob.hash) else { return nil }
        let folder = state.withLock { $0.folder }
        do throws(SystemError) {
            try write(blob, as: name, in: folder)
            state.withLock { state in
                state.isUnsafe = true
                state.verified.insert(blob.hash)
            }
            return .file(URL(fileURLWithPath: settled.path(of: name)), size: blob.size)
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            return nil
        }
    }

    /// The file of that hash; nil where there is none.
    /// - Throws: ``FunctionError`` where the file holds something else.
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
        let source = ByteSource.file(URL(fileURLWithPath: path), size: size)
        guard !state.withLock({ $0.verified.contains(hash) }) else { return source }
        do throws(GraphError) {
            guard try "sha256:\(source.sha256())" == hash else {
                throw GraphError(.invalidInput, message: "The file \(path) is damaged: it is not what was kept.")
            }
        } catch {
            throw FunctionError(error)
        }
        state.withLock { _ = $0.verified.insert(hash) }
        return source
    }

    /// The file's name: the digits of the hash; nil for what is none, such as the path of another file.
    private static func name(of hash: String) -> String? {
        let digits = hash.dropFirst("sha256:".count)
        guard hash.hasPrefix("sha256:"), digits.utf8.count == 64,
            digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { return nil }
        return String(digits)
    }

    private func write(_ blob: Blob, as name: String, in folder: PrivateFolder) throws(SystemError) {
        try folder.replace(name) { file throws(SystemError) in
            var hash = SHA256()
            var offset = 0
            while offset < blob.size {
                let piece: Data
                do throws(GraphError) {
                    piece = try blob.source.bytes(in: offset..<min(offset + Self.pieceSize, blob.size))
                } catch {
                    throw SystemError(error.message)
                }
                if case .file = blob.source { hash.update(piece) }
                try file.write(piece)
                offset += piece.count
            }
            if case .file(let url, _) = blob.source, "sha256:\(hash.finalize().hex)" != blob.hash {
                throw SystemError("the file '\(PlainText.line(url.path, limit: 200))' has changed meanwhile")
            }
        }
    }
}
