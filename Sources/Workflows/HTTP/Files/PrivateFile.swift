package struct PrivateFile: Sendable {
    let folder: PrivateFolder
    let name: String

    var path: String { folder.path(of: name) }

    package init(path: String) {
        let url = URL(fileURLWithPath: path)
        folder = PrivateFolder(path: url.deletingLastPathComponent().path)
        name = url.lastPathComponent
    }

    /// - Returns: Nil if the file does not exist.
    /// - Throws: ``SystemError`` if others can read or change it, or if it exceeds the limit.
    package func read(limit: Int) throws(SystemError) -> Data? {
        guard let file = try OpenFile.existing(path) else { return nil }
        try folder.check()
        let bytes = try file.read(from: 0, count: min(try file.size, limit + 1))
        guard bytes.count <= limit else { throw SystemError("it is larger than \(limit / 1_000_000) MB") }
        return Data(bytes)
    }

    /// Replaces the content atomically and durably.
    package func write(_ data: Data) throws(SystemError) {
        try folder.replace(name) { file throws(SystemError) in try file.write(data) }
        try folder.synchronize()
    }

    func setAside() throws(SystemError) -> String {
        let stamp = Int(Date().timeIntervalSince1970)
        for number in 0..<100 {
            let other = "\(path).unusable-\(stamp)\(number == 0 ? "" : "-\(number)")"
            guard unsafe access(other, F_OK) != 0 else { continue }
            guard unsafe rename(path, other) == 0 else { throw .last }
            return other
        }
        throw SystemError(code: EEXIST)
    }
}
