import Foundation
import Testing

@testable import WorkflowHTTP

struct UnnamedFileTests {
    @Test func `bytes are where they were written`() throws {
        let file = try UnnamedFile()
        try file.write(Data("world".utf8), at: 5)
        try file.write(Data("hello".utf8), at: 0)
        #expect(try file.mapped(10) == Data("helloworld".utf8))
    }

    #if os(Linux)
        @Test func `bytes that fit only in part are an error`() throws {
            // No file of this process grows beyond a gigabyte meanwhile, nor does one of another test need to.
            let size = 1 << 30
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let former = limit
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(size))
            let action = signal(SIGXFSZ, SIG_IGN)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            defer {
                var former = former
                _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &former)
                _ = signal(SIGXFSZ, action)
            }
            let file = try UnnamedFile()
            try file.write(Data("hello".utf8), at: size - 5)
            #expect(throws: SystemError.self) { try file.write(Data("hello".utf8), at: size - 3) }
        }
    #endif
}
