import Foundation

/// Bytes that come piece by piece; those of a large whole lie in a file instead of in memory.
struct SandboxBuffer {
    /// From this size on the whole goes into a file.
    private static let fileThreshold = 8 << 20

    private enum Storage {
        case memory(Data)
        case file(UnnamedFile)
    }

    /// How many bytes have come.
    private(set) var count = 0
    private var storage: Storage

    /// - Parameter total: How many bytes there will be.
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

    /// All bytes that have come; those of a file are not read before they are used.
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
