import Foundation

/// A folder of this user that nobody else may enter.
package struct PrivateFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The path of something in it.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Makes the folder, which must not be there yet.
    package func make() throws(SystemError) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw .last }
    }

    /// Makes the folder and those around it, where they are missing.
    package func makeWithParents() throws(SystemError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return try check() }
        try? FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
        try check()
    }

    /// Fails where this is no folder, or one that others can enter.
    package func check() throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw status.st_mode & S_IFMT == S_IFLNK
                ? SystemError("it is a symbolic link", code: ELOOP) : SystemError("it is no folder")
        }
        guard status.st_uid == geteuid() else { throw SystemError("the folder belongs to somebody else") }
        guard status.st_mode & 0o077 == 0 else {
            throw SystemError("others can enter the folder; close it first: chmod 700 \(PlainText.line(path))")
        }
    }

    /// The names of what is in it, in no order.
    package func names() throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee))
                {
                    unsafe String(cString: $0)
                }
            }
            names.append(name)
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Waits until the names in it are safe from a loss of power.
    package func synchronize() throws(SystemError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw .last }
        defer { SystemCall.close(descriptor) }
        // Some file systems know nothing of it for folders, and need nothing of it.
        guard SystemCall.synchronize(descriptor) || errno == EINVAL else { throw .last }
    }

    /// Puts a file in the place of one of that name; it appears when it is whole and safe from a loss of power.
    ///
    /// Its name is safe after ``synchronize()``.
    package func replace(
        _ name: String, with write: (OpenFile) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = path(of: ".\(name).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp")
        do throws(SystemError) {
            let file = try OpenFile(temporary, for: .making)
            try write(file)
            try file.synchronize()
            guard unsafe rename(temporary, path(of: name)) == 0 else { throw .last }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Gives the folder another path.
    package func move(to other: PrivateFolder) throws(SystemError) {
        guard unsafe rename(path, other.path) == 0 else { throw .last }
    }
}
