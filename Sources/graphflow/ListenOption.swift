/// `--listen`: the address that receives events over HTTP.
struct ListenOption: OptionGroup {
    @Option("listen", "127.0.0.1:PORT", "Receive CloudEvents over HTTP, for tasks that listen.", as: Conversion(served))
    var port: UInt16?

    /// Opens the port for events, and prints the address.
    /// - Returns: The port.
    @discardableResult
    static func open(_ server: EventServer, at reception: Reception, _ console: Console) throws -> UInt16 {
        let port = try server.open(at: reception)
        console.complain("listening for events at http://\(reception.address.at(port: port))")
        return port
    }

    /// The port of a loopback address.
    private static func served(_ address: String, _ name: String) throws -> UInt16 {
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard let port = UInt16(parts.last ?? ""), parts.count <= 2 else {
            throw UsageError("'\(address)' is not an address to listen at", hint: "write 127.0.0.1:8080")
        }
        guard parts.count == 1 || HostName(parts[0]).isServed else {
            throw UsageError(
                "events are only received from this machine, not at '\(address)'", hint: "write 127.0.0.1:\(port)")
        }
        return port
    }
}
