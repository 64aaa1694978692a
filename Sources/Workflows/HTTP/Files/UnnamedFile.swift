/// A temporary file without a name: it disappears with its last reference, even if the program is killed.
package final class UnnamedFile: Sendable {
    /// Closed with this object; child processes do not inherit it.
    package let descriptor: Int32

    /// - Parameter folder: Where it is stored; nil for the folder of temporary files.
    package init(in folder: String? = nil) throws(SystemError) {
        let place = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let path = place.appending(path: "graphflow-\(UUID().uuidString)").path(percentEncoded: false)
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last }
        _ = unsafe unlink(path)
    }

    deinit { SystemCall.close(descriptor) }

    package var size: Int { Int(max(0, lseek(descriptor, 0, SEEK_END))) }

    package func write(_ data: Data, at offset: Int) throws(SystemError) {
        let isWritten = unsafe data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = unsafe pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(offset + written))
                if count > 0 {
                    written += count
                } else if count == 0 || errno != EINTR {
                    return false
                }
            }
            return true
        }
        guard isWritten else { throw .last }
    }

    /// The file's first bytes, loaded on access; they outlive this object.
    package func mapped(_ count: Int) throws(SystemError) -> Data {
        let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { throw .last }
        return unsafe Data(bytesNoCopy: address, count: count, deallocator: .unmap)
    }
}

extension UnnamedFile: Hashable {
    package static func == (left: UnnamedFile, right: UnnamedFile) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
