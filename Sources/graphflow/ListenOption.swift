import Foundation
import Workflows

/// `--listen`: where events are taken over HTTP.
enum ListenOption {
    /// The option.
    /// - Parameter purpose: What the events are for.
    static func option(_ purpose: String) -> Option {
        Option(
            name: "listen", argument: .required("127.0.0.1:PORT"), help: "Take CloudEvents over HTTP there, \(purpose)."
        )
    }

    /// The port that is given; nil where none is.
    static func port(_ arguments: ParsedArguments) throws(UsageError) -> UInt16? {
        guard let address = arguments.value("listen") else { return nil }
        return try port(address)
    }

    /// Takes events at a port, and says where.
    static func serve(_ bus: EventBus, at port: UInt16, _ console: Console) throws -> EventServer {
        let server = EventServer(bus)
        console.complain("listening for events at http://127.0.0.1:\(try server.start(port: port))")
        return server
    }

    /// The port of an address that only this machine reaches.
    private static func port(_ address: String) throws(UsageError) -> UInt16 {
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard let port = UInt16(parts.last ?? ""), parts.count <= 2 else {
            throw UsageError("'\(address)' is not an address to listen at", hint: "write 127.0.0.1:8080")
        }
        guard parts.count == 1 || HostName(parts[0]).isServed else {
            throw UsageError(
                "events are taken from this machine alone, and not at '\(address)'", hint: "write 127.0.0.1:\(port)")
        }
        return port
    }
}
