#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's calls whose names a method here has too.
enum SystemCall {
    #if canImport(Darwin)
        static func accept(_ descriptor: Int32) -> Int32 { Darwin.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
        static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Darwin.pipe(ends) }
        static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            unsafe Darwin.read(descriptor, bytes, count)
        }
        static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Darwin.write(descriptor, bytes, count)
        }
        static func kill(_ process: pid_t, _ signal: Int32) { _ = Darwin.kill(process, signal) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Darwin.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Darwin.send(descriptor, bytes, count, flags)
        }
    #elseif canImport(Glibc)
        static func accept(_ descriptor: Int32) -> Int32 { Glibc.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
        static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Glibc.pipe(ends) }
        static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            unsafe Glibc.read(descriptor, bytes, count)
        }
        static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Glibc.write(descriptor, bytes, count)
        }
        static func kill(_ process: pid_t, _ signal: Int32) { _ = Glibc.kill(process, signal) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Glibc.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Glibc.send(descriptor, bytes, count, flags)
        }
    #elseif canImport(Musl)
        static func accept(_ descriptor: Int32) -> Int32 { Musl.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Musl.close(descriptor) }
        static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Musl.pipe(ends) }
        static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            unsafe Musl.read(descriptor, bytes, count)
        }
        static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            unsafe Musl.write(descriptor, bytes, count)
        }
        static func kill(_ process: pid_t, _ signal: Int32) { _ = Musl.kill(process, signal) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Musl.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Musl.send(descriptor, bytes, count, flags)
        }
    #endif
}
