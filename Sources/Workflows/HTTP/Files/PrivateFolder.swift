/// A folder that only this user can enter.
package struct PrivateFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Fails if the folder exists.
    package func make() throws(SystemError) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw .last }
    }

    package func makeWithParents() throws(SystemError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return try check() }
        try? FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
        try check()
    }

    /// Throws if this is not a folder, or if others can enter it.
    package func check() throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw status.st_mode & S_IFMT == S_IFLNK
                ? SystemError("it is a symbolic link", code: ELOOP) : SystemError("it is not a folder")
        }
        guard status.st_uid == geteuid() else { throw SystemError("the folder belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw SystemError("others can enter the folder; restrict it first: chmod 700 \(PlainText.line(path))")
        }
    }

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

    /// Waits until its entries survive a loss of power.
    package func synchronize() throws(SystemError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw .last }
        defer { SystemCall.close(descriptor) }
        // Some file systems neither support nor need it for folders.
        guard SystemCall.synchronize(descriptor) || errno == EINVAL else { throw .last }
    }

    /// Writes a file, replacing one with this name; it appears only when it is complete and on disk.
    ///
    /// Its name is durable after ``synchronize()``.
    package func replace(
        _ name: String, with write: (OpenFile) throws(SystemError) -> Void
    ) throws(SystemError) {
        try prepare(name, with: write) { temporary throws(SystemError) in
            guard unsafe rename(temporary, path(of: name)) == 0 else { throw .last }
        }
    }

    /// Like ``replace(_:with:)``, but keeps an existing file with this name.
    func make(_ name: String, with write: (OpenFile) throws(SystemError) -> Void) throws(SystemError) {
        try prepare(name, with: write) { temporary throws(SystemError) in
            guard unsafe link(temporary, path(of: name)) == 0 || errno == EEXIST else { throw .last }
            _ = unsafe unlink(temporary)
        }
    }

    private func prepare(
        _ name: String, with write: (OpenFile) throws(SystemError) -> Void,
        _ appear: (_ temporary: String) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = path(of: ".\(name).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp")
        do throws(SystemError) {
            let file = try OpenFile(temporary, for: .making)
            try write(file)
            try file.synchronize()
            try appear(temporary)
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Removes temporary files left by processes that were killed while writing this file.
    /// - Precondition: No process writes the file.
    package func removeLeftovers(of name: String) throws(SystemError) {
        for entry in try names() where entry.hasPrefix(".\(name).") && entry.hasSuffix(".tmp") {
            guard unsafe unlink(path(of: entry)) == 0 || errno == ENOENT else { throw .last }
        }
    }

    /// The time of its content since 1970; nil if there is no file.
    package func changed(_ name: String) -> Duration? {
        status(of: name).map { status in
            #if canImport(Darwin)
                Self.time(status.st_mtimespec)
            #else
                Self.time(status.st_mtim)
            #endif
        }
    }

    /// Whether a file, or who may read it, was changed so lately that its writer may not have finished.
    package func isBeingWritten(_ name: String) -> Bool {
        guard let status = status(of: name) else { return false }
        #if canImport(Darwin)
            let time = Self.time(status.st_ctimespec)
        #else
            let time = Self.time(status.st_ctim)
        #endif
        let age = Duration.seconds(Date().timeIntervalSince1970) - time
        return age >= .zero && age < .seconds(1)
    }

    private func status(of name: String) -> stat? {
        var status = stat()
        return unsafe lstat(path(of: name), &status) == 0 ? status : nil
    }

    private static func time(_ time: timespec) -> Duration { .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }

    package func move(to other: PrivateFolder) throws(SystemError) {
        guard unsafe rename(path, other.path) == 0 else { throw .last }
    }
}
