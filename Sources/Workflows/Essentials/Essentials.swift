// What every target needs of the system: Foundation's values and files, the C library and queues.
//
// On Linux the rest of Foundation brings ICU, whose tables take longer to load than most commands take to run.
@_exported public import Dispatch

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#endif
