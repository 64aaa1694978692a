/// A system library, loaded by name when first needed: programs start faster, and its headers need not be installed.
@safe struct SharedLibrary: Sendable {
    let file: String
    private let address: Int

    init(_ files: [String]) throws(SystemError) {
        var reasons: [String] = []
        for file in files {
            if let library = unsafe dlopen(file, RTLD_LAZY) {
                (self.file, address) = (file, Int(bitPattern: library))
                return
            }
            reasons.append(unsafe dlerror().map { unsafe String(cString: $0) } ?? file)
        }
        throw SystemError(reasons.first ?? "it has no name")
    }

    /// The function under the first name that the library has; newer versions renamed some.
    func function<Function>(_ names: String...) throws(SystemError) -> Function {
        let library = unsafe UnsafeMutableRawPointer(bitPattern: address)
        for name in names {
            if let symbol = unsafe dlsym(library, name) { return unsafe unsafeBitCast(symbol, to: Function.self) }
        }
        throw SystemError("\(file) has no function \(names.joined(separator: " or "))")
    }
}
