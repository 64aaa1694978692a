struct SandboxBuffer {
    private static let fileThreshold = 8 << 20

    private enum Storage {
        case memory(Data)
        case file(UnnamedFile)
    }

    private(set) var count = 0
    private var storage: Storage

    init(total: Int) throws(SandboxError) {
        guard total > Self.fileThreshold else {
            storage = .memory(Data())
            return
        }
        do {
            storage = .file(try UnnamedFile())
        } catch {
            throw .noSpace(error)
        }
    }

    mutating func append(_ data: Data) throws(SandboxError) {
        switch storage {
        case .memory(var bytes):
            storage = .memory(Data())
            bytes.append(data)
            storage = .memory(bytes)
        case .file(let file):
            do {
                try file.write(data, at: count)
            } catch {
                throw .noSpace(error)
            }
        }
        count += data.count
    }

    /// All bytes so far; those of a file are read on access.
    func content() throws(SandboxError) -> Data {
        switch storage {
        case .memory(let data): return data
        case .file(let file):
            do {
                return try file.mapped(count)
            } catch {
                throw .noSpace(error)
            }
        }
    }
}

extension SandboxError {
    fileprivate static func noSpace(_ error: SystemError) -> SandboxError {
        SandboxError(
            status: 507, code: "quotaLimitReached", message: "The sandbox cannot keep a large file: \(error).")
    }
}
