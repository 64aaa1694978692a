package import Foundation

/// A file that only its owner can read, in a folder that only its owner can enter.
package struct PrivateFile: Sendable {
    /// Why the file is not used, in a sentence.
    package struct Refusal: Error {
        package let words: String
    }

    /// More than this is no file of secrets.
    private static let largest = 50_000_000

    package let path: String

    package init(path: String) { self.path = path }

    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// The file's bytes; nil where there is none.
    /// - Throws: ``Refusal`` where others could read or change it.
    func read() throws(Refusal) -> Data? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            let why = errno == ELOOP ? "it is a symbolic link" : SystemText.last
            throw Refusal(words: "The file \(path) cannot be read: \(why).")
        }
        defer { SystemCall.close(descriptor) }
        try checkFolder()
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal(words: "\(path) is no regular file.")
        }
        guard status.st_uid == geteuid() else { throw Refusal(words: "The file \(path) belongs to somebody else.") }
        guard status.st_mode & 0o077 == 0 else {
            throw Refusal(
                words: "Others can read \(path), which holds tokens. Sign out and in again, after: chmod 600 \(path)")
        }
        var data = Data()
        while data.count <= Self.largest {
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                var got: Int
                repeat { got = unsafe Self.read(descriptor, buffer) } while got < 0 && errno == EINTR
                count = max(0, got)
            }
            guard !bytes.isEmpty else { return data }
            data.append(contentsOf: bytes)
        }
        throw Refusal(words: "The file \(path) is larger than any token cache.")
    }

    /// Puts new bytes in the place of the old ones, all at once and safe from a loss of power.
    package func write(_ data: Data) throws(Refusal) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp"
        func fail() -> Refusal {
            let why = SystemText.last
            _ = unsafe unlink(temporary)
            return Refusal(words: "The file \(path) cannot be written: \(why).")
        }
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fail() }
        let isWritten = unsafe data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = unsafe Self.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        guard isWritten, fsync(descriptor) == 0 else {
            let refusal = fail()
            SystemCall.close(descriptor)
            throw refusal
        }
        SystemCall.close(descriptor)
        guard unsafe rename(temporary, path) == 0 else { throw fail() }
        // The new name is safe only when its folder is.
        let opened = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        if opened >= 0 {
            _ = fsync(opened)
            SystemCall.close(opened)
        }
    }

    /// Gives the file another name beside it, so that its content is not lost; the new path.
    func setAside() throws(Refusal) -> String {
        let stamp = Int(Date().timeIntervalSince1970)
        for number in 0..<100 {
            let other = "\(path).unusable-\(stamp)\(number == 0 ? "" : "-\(number)")"
            guard unsafe access(other, F_OK) != 0 else { continue }
            guard unsafe rename(path, other) == 0 else { break }
            return other
        }
        throw Refusal(words: "The file \(path) is unusable and cannot be set aside: \(SystemText.last).")
    }

    /// Makes the folder where there is none.
    func prepareFolder() throws(Refusal) {
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw Refusal(words: "The folder \(folder) cannot be made: \(SystemText.last).")
        }
        try checkFolder()
    }

    private func checkFolder() throws(Refusal) {
        var status = stat()
        guard unsafe lstat(folder, &status) == 0 else {
            throw Refusal(words: "The folder \(folder) cannot be read: \(SystemText.last).")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw Refusal(words: "\(folder) is no folder of yours.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Refusal(words: "Others can enter \(folder), which holds tokens. Close it first: chmod 700 \(folder)")
        }
    }

    #if canImport(Darwin)
        private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        }
        private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Darwin.write(descriptor, bytes, count)
        }
    #elseif canImport(Glibc)
        private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Glibc.write(descriptor, bytes, count)
        }
    #elseif canImport(Musl)
        private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
        }
        private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Musl.write(descriptor, bytes, count)
        }
    #endif
}
