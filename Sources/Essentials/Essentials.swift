// What every target needs of Foundation. On Linux, this is the part that loads neither ICU nor libraries for the network,
// which take most of a program's start.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
    @_exported public import Glibc
#else
    @_exported public import Foundation
#endif
