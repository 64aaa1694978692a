extension SystemCall {
    /// Opens a file for reading; links are followed, and a pipe waits for its writer.
    package static func open(reading path: String) throws(SystemError) -> Int32 {
        let descriptor = unsafe Essentials.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        return descriptor
    }

    /// Follows links; nil for anything but a regular file.
    package static func sizeOfFile(_ path: String) throws(SystemError) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError(code: errno) }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Reads to the end, or until `limit` is reached or slightly exceeded.
    package static func read(_ descriptor: Int32, upTo limit: Int) throws(SystemError) -> Data {
        var data = Data()
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= limit {
            let count = try readSome(descriptor, into: &part)
            guard count > 0 else { break }
            data += part[..<count]
        }
        return data
    }

    /// Waits for bytes; zero at the end.
    package static func readSome(_ descriptor: Int32, into part: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(code: errno) }
            return count
        }
    }

    /// Makes this thread get an error instead of SIGPIPE when the reader of what it writes has ended.
    package static func blockBrokenPipes() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    package static func read(
        _ descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe pread(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(code: errno) }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    package static func read(
        _ descriptor: Int32, at offset: Int, into data: inout Data
    ) throws(SystemError) -> Int {
        var result = Result<Int, SystemError>.success(0)
        unsafe data.withUnsafeMutableBytes { buffer in
            result = Result { () throws(SystemError) in try unsafe read(descriptor, at: offset, into: buffer) }
        }
        return try result.get()
    }

    /// Writes bytes, in a single call if the system accepts them at once.
    package static func write(_ descriptor: Int32, all bytes: some ContiguousBytes) throws(SystemError) {
        let failure: SystemError? = unsafe bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = unsafe write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return SystemError(code: count < 0 ? errno : ENOSPC) }
                done += count
            }
            return nil
        }
        if let failure { throw failure }
    }
}
