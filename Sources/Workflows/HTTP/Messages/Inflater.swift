import Essentials

/// Decompresses bytes with zlib.
@safe final class Inflater {
    @safe private struct Library: Sendable {
        let begin: @convention(c) @Sendable (Int, Int32, UnsafePointer<CChar>, Int32) -> Int32
        let inflate: @convention(c) @Sendable (Int, Int32) -> Int32
        let reset: @convention(c) @Sendable (Int) -> Int32
        let end: @convention(c) @Sendable (Int) -> Int32

        init?() {
            #if canImport(Darwin)
                let name = "libz.1.dylib"
            #else
                let name = "libz.so.1"
            #endif
            guard let library = unsafe dlopen(name, RTLD_LAZY),
                let begin = unsafe dlsym(library, "inflateInit2_"),
                let inflate = unsafe dlsym(library, "inflate"), let reset = unsafe dlsym(library, "inflateReset"),
                let end = unsafe dlsym(library, "inflateEnd")
            else { return nil }
            unsafe self.begin = unsafe unsafeBitCast(
                begin, to: (@convention(c) @Sendable (Int, Int32, UnsafePointer<CChar>, Int32) -> Int32).self)
            self.inflate = unsafe unsafeBitCast(
                inflate, to: (@convention(c) @Sendable (Int, Int32) -> Int32).self)
            self.reset = unsafe unsafeBitCast(reset, to: (@convention(c) @Sendable (Int) -> Int32).self)
            self.end = unsafe unsafeBitCast(end, to: (@convention(c) @Sendable (Int) -> Int32).self)
        }
    }

    private enum Progress {
        case nothing, begun, ended
    }

    private static let library = Library()
    /// The size of `z_stream` in `zlib.h`: the next input, its count and total, the same for the output, and more.
    private static let streamSize = 112
    private static let outputSize = 1 << 16

    static var isAvailable: Bool { library != nil }

    private let library: Library
    private let isGzip: Bool
    private let stream = UnsafeMutableRawPointer.allocate(byteCount: streamSize, alignment: 16)
    private let output = UnsafeMutableRawPointer.allocate(byteCount: outputSize, alignment: 16)
    private var progress = Progress.nothing

    /// - Parameter coding: A content coding of RFC 9110, section 8.4.1; an unknown one returns nil.
    init?(_ coding: String) {
        guard let library = Self.library, ["gzip", "x-gzip", "deflate"].contains(coding) else { return nil }
        self.library = library
        isGzip = coding != "deflate"
    }

    deinit {
        if progress != .nothing { _ = library.end(unsafe Int(bitPattern: stream)) }
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Whether the stream has ended, or has not begun: a response may lack a body.
    var isWhole: Bool { progress != .begun }

    /// Decompresses the next bytes.
    /// - Parameter take: Takes the result; false ends it.
    /// - Returns: Whether the bytes are well-formed and all were taken.
    func append(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let first = unsafe bytes.first else { return true }
        if progress == .nothing, !begin(first) { return false }
        unsafe stream.storeBytes(of: Int(bitPattern: bytes.baseAddress), as: Int.self)
        unsafe stream.storeBytes(of: UInt32(bytes.count), toByteOffset: 8, as: UInt32.self)
        while true {
            let rest = unsafe stream.load(fromByteOffset: 8, as: UInt32.self)
            if progress == .ended {
                guard rest > 0 else { return true }
                // Another gzip stream may follow.
                guard isGzip, library.reset(unsafe Int(bitPattern: stream)) == 0 else { return false }
                progress = .begun
            }
            unsafe stream.storeBytes(of: Int(bitPattern: output), toByteOffset: 24, as: Int.self)
            unsafe stream.storeBytes(of: UInt32(Self.outputSize), toByteOffset: 32, as: UInt32.self)
            let code = library.inflate(unsafe Int(bitPattern: stream), 0)
            let free = unsafe Int(stream.load(fromByteOffset: 32, as: UInt32.self))
            let count = Self.outputSize - free
            if count > 0 {
                guard unsafe take(UnsafeRawBufferPointer(start: output, count: count)) else { return false }
            }
            switch code {
            // Z_OK, and Z_BUF_ERROR if more bytes are needed
            case 0, -5: if free > 0 { return true }
            // Z_STREAM_END
            case 1: progress = .ended
            default: return false
            }
        }
    }

    private func begin(_ first: UInt8) -> Bool {
        unsafe stream.initializeMemory(as: UInt8.self, repeating: 0, count: Self.streamSize)
        // 15 bits with a gzip or zlib header; some servers send deflate without one.
        let bits: Int32 = isGzip ? 31 : first & 0x0F == 8 ? 15 : -15
        guard unsafe library.begin(Int(bitPattern: stream), bits, "1", Int32(Self.streamSize)) == 0 else {
            return false
        }
        progress = .begun
        return true
    }
}
