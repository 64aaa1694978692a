import Essentials

/// Finds invalid hosts in `document.metadata.allowHttp`, and unencrypted endpoints that it does not allow.
///
/// The standard has no property for this, and leaves metadata to implementations.
struct PlainHTTPValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let (document, place) = (workflow.document, Workflow.plainHostsPlace)
        let unusable: [Diagnostic]
        switch document.value[place] {
        case nil: unusable = []
        case .array(let hosts)?:
            unusable = hosts.enumerated().filter { $1.string.map(PlainHosts.isHost) != true }.map { number, _ in
                document.diagnostic(
                    id: "plain-http", "a host must be a name or an address",
                    hint: "write it without http:// and without a port", at: place.appending(number))
            }
        default:
            unusable = [
                document.diagnostic(
                    id: "plain-http", "'allowHttp' must be a list of hosts", hint: "write [prices.svc]", at: place)
            ]
        }
        return unusable
            + workflow.workflow.plainEndpoints(besides: .none).map { place, origin in
                document.diagnostic(
                    .warning, id: "plain-http",
                    "plain http is not encrypted: a run needs '--allow-http \(origin.host)' for it",
                    hint: "use https, or name the host in 'document.metadata.allowHttp'", at: place)
            }
    }
}

extension Workflow {
    fileprivate static var plainHostsPlace: JSONPointer { JSONPointer(["document", "metadata", "allowHttp"]) }

    /// The hosts that the file allows to be reached without encryption; none for a function that was read from the
    /// network.
    package var plainHosts: PlainHosts {
        guard file != nil else { return .none }
        return PlainHosts((document.value[Self.plainHostsPlace]?.array ?? []).compactMap(\.string))
    }

    /// The endpoints on other machines that are known to be reached without encryption.
    /// - Parameter allowed: The permitted hosts in addition to those that the file names.
    package func plainEndpoints(besides allowed: PlainHosts) -> [(place: JSONPointer, origin: Origin)] {
        let allowed = allowed.union(plainHosts)
        let endpoints = ownSchemas.compactMap(\.resource?.endpoint) + allTasks.flatMap(\.endpoints)
        return endpoints.compactMap { endpoint in
            // A host that only a run knows is checked there.
            guard let text = endpoint.literal?.prefix(while: { $0 != "{" && $0 != "?" && $0 != "#" }),
                text.split(separator: "/").count > 2 || text == endpoint.literal?[...],
                let origin = URL(string: String(text)).flatMap({ Origin($0) }), !allowed.allow(origin)
            else { return nil }
            return (endpoint.pointer, origin)
        }
    }
}
