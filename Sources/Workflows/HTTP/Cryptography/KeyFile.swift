/// A random 256-bit key in a private file, made once, for all of the owner's processes that know its path.
package struct KeyFile: Sendable, Hashable {
    private static let size = AES256GCM.keySize

    package let path: String

    package init(path: String) { self.path = path }

    /// - Returns: Nil if there is no file.
    /// - Throws: ``SystemError`` if the file is damaged, or if others can read or change it.
    package func read() throws(SystemError) -> Data? {
        guard let file = try OpenFile.existing(path) else { return nil }
        let size = try file.size
        guard size == Self.size else { throw SystemError("it has \(size) bytes, and a key has \(Self.size)") }
        let key = Data(try file.read(from: 0, count: Self.size))
        // Some file systems leave zeros after a power failure.
        guard key.count == Self.size, key.contains(where: { $0 != 0 }) else {
            throw SystemError("it has nothing but zeros in it")
        }
        return key
    }

    /// The key, which is made if there is none; concurrent processes all get the same one.
    package func readOrMake() throws(SystemError) -> Data {
        if let key = try read() { return key }
        let url = URL(fileURLWithPath: path)
        let folder = PrivateFolder(path: url.deletingLastPathComponent().path)
        if unsafe access(folder.path, F_OK) != 0 { try folder.makeWithParents() }
        try folder.make(url.lastPathComponent) { file throws(SystemError) in try file.write(Data.random(Self.size)) }
        try folder.synchronize()
        guard let key = try read() else { throw SystemError(code: ENOENT) }
        return key
    }
}
