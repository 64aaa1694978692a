import Foundation

extension LoopbackSocket {
    /// Makes closing cut the connection off, so that the other side is told of a reset and not of an end.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, Int32(SO_LINGER), &option, socklen_t(MemoryLayout<linger>.size))
    }
}
