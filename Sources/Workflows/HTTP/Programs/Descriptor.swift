/// An open file that child processes do not inherit; its owner must close it.
package struct Descriptor: Sendable, Hashable {
    package let number: Int32

    /// Takes over an open file, and moves it away from the standard streams' numbers.
    private init(taking number: Int32) {
        guard number <= 2 else {
            self.number = number
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            return
        }
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        SystemCall.close(number)
    }

    package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        let result = unsafe SystemCall.pipe(&ends)
        guard result == 0 else { throw .last }
        return (Descriptor(taking: ends[0]), Descriptor(taking: ends[1]))
    }

    /// An unnamed file with these bytes; a pipe would need a writer while the other side reads.
    package static func holding(_ data: Data) throws(SystemError) -> Descriptor {
        let file = try UnnamedFile()
        try file.write(data, at: 0)
        return try sharing(file)
    }

    package static func sharing(_ file: UnnamedFile) throws(SystemError) -> Descriptor {
        let number = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw .last }
        return Descriptor(taking: number)
    }

    /// Lets reads and writes return at once instead of waiting.
    package func setNonblocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    package enum Chunk {
        case bytes(Data)
        case nothingYet
        case end
    }

    /// At most 64 KB.
    package func read() -> Chunk {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, length in
            repeat {
                count = unsafe SystemCall.read(number, buffer.baseAddress, 65_536)
            } while count < 0 && errno == EINTR
            length = max(0, count)
        }
        if count > 0 { return .bytes(Data(bytes)) }
        return count < 0 && errno == EAGAIN ? .nothingYet : .end
    }

    package func write(_ byte: UInt8) {
        var byte = byte
        _ = unsafe SystemCall.write(number, &byte, 1)
    }

    package func close() { SystemCall.close(number) }
}
