/// A part of a file, read only when its bytes are needed; reading fails if the file has changed meanwhile.
package struct FilePart: Sendable, Hashable {
    private enum Place: Hashable {
        case path(String)
        case unnamed(UnnamedFile)
    }

    private let place: Place
    private let range: Range<Int>
    /// The file's state when the part was made; nil if the file never changes.
    private let version: FileVersion?

    package var size: Int { range.count }

    /// Nil for a file without a name.
    package var path: String? { if case .path(let path) = place { path } else { nil } }

    /// A whole regular file in its current state; links are followed.
    package init(path: String) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError(code: errno) }
        // Other kinds of files may be endless.
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("it is not a file") }
        (place, range, version) = (.path(path), 0..<Int(status.st_size), FileVersion(status))
    }

    package init(unchanging path: String, size: Int) {
        (place, range, version) = (.path(path), 0..<size, nil)
    }

    /// The first bytes of a file that no other code can reach.
    package init(_ file: UnnamedFile, size: Int) {
        (place, range, version) = (.unnamed(file), 0..<size, nil)
    }

    private init(_ place: Place, _ range: Range<Int>, _ version: FileVersion?) {
        (self.place, self.range, self.version) = (place, range, version)
    }

    package var canChange: Bool { version != nil }

    package func part(_ inner: Range<Int>) -> FilePart {
        let start = range.lowerBound + min(inner.lowerBound, size)
        return FilePart(place, start..<min(range.lowerBound + inner.upperBound, range.upperBound), version)
    }

    package func open() throws(SystemError) -> Reader { try Reader(self) }

    package func bytes() throws(SystemError) -> Data {
        var bytes = Data(count: size)
        let reader = try open()
        var result = Result<Void, SystemError>.success(())
        unsafe bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(SystemError) in try unsafe reader.read(from: 0, into: buffer) }
        }
        try result.get()
        return bytes
    }

    package func sha256() throws(SystemError) -> String {
        let reader = try open()
        var hash = SHA256()
        var offset = 0
        while offset < size {
            let piece = try reader.piece(from: offset)
            hash.update(piece)
            offset += piece.count
        }
        return hash.finalize().hex
    }

    package final class Reader: Sendable {
        private static let pieceSize = 1 << 18

        package let part: FilePart
        private let descriptor: Int32

        fileprivate init(_ part: FilePart) throws(SystemError) {
            self.part = part
            descriptor =
                switch part.place {
                case .path(let path): try SystemCall.open(reading: path)
                case .unnamed(let file): file.descriptor
                }
            try checkVersion()
        }

        deinit { if case .path = part.place { SystemCall.close(descriptor) } }

        package func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
            let count = try unsafe SystemCall.read(descriptor, at: part.range.lowerBound + offset, into: buffer)
            guard count == buffer.count else { throw SystemError("it has become shorter") }
            try checkVersion()
        }

        package func piece(from offset: Int) throws(SystemError) -> [UInt8] {
            var failure: SystemError?
            let count = min(Self.pieceSize, part.size - offset)
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
                do throws(SystemError) {
                    try unsafe read(from: offset, into: UnsafeMutableRawBufferPointer(buffer))
                    done = count
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return bytes
        }

        private func checkVersion() throws(SystemError) {
            guard let version = part.version else { return }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
            guard FileVersion(status) == version else { throw SystemError("it has changed in the meantime") }
        }
    }
}

/// Changes with a file's content: the file's identity, size and times.
private struct FileVersion: Hashable {
    private let numbers: [Int]

    init(_ status: stat) {
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        numbers =
            [Int(status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size)]
            + times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
    }
}
