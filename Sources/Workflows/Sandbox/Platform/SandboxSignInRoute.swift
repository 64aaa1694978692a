struct SandboxSignInRoute {
    enum Resource: Equatable {
        case configuration
        case keys
        case instances
        case authorize
        case token
        case deviceCode
        case device
        case decision
        case logout
        /// A managed identity's token address, on a virtual machine or App Service.
        case machine, appService
        /// The sandbox's own addresses, where scripts act as the person and the administrator.
        case control([String])
    }

    var tenant = "common"
    var resource: Resource

    init?(_ segments: [String]) {
        let words = segments.map { $0.lowercased() }
        switch words.count {
        case 1 where words == ["devicelogin"]: resource = .device
        case 2... where words[0] == "sandbox" && ["sign-in", "faults"].contains(words[1]):
            resource = .control(Array(segments.dropFirst()))
        case 2 where words == ["msi", "token"]: resource = .appService
        case 4 where words == ["metadata", "identity", "oauth2", "token"]: resource = .machine
        case 3 where words == ["common", "discovery", "instance"]: resource = .instances
        default:
            guard let first = segments.first, let found = Self.named[words.dropFirst().joined(separator: "/")] else {
                return nil
            }
            tenant = first
            resource = found
        }
    }

    private static let named: [String: Resource] = [
        "v2.0/.well-known/openid-configuration": .configuration, "discovery/v2.0/keys": .keys,
        "oauth2/v2.0/authorize": .authorize, "oauth2/v2.0/token": .token, "oauth2/v2.0/devicecode": .deviceCode,
        "oauth2/deviceauth": .device, "login": .decision, "oauth2/v2.0/logout": .logout,
    ]

    var methods: Set<String> {
        switch resource {
        case .configuration, .keys, .instances, .logout, .machine, .appService: ["GET"]
        case .authorize, .device: ["GET", "POST"]
        case .token, .deviceCode, .decision: ["POST"]
        case .control: ["GET", "POST", "PUT", "PATCH", "DELETE"]
        }
    }

    /// Whether a person sees the answers, so errors must be pages.
    var isForPeople: Bool {
        switch resource {
        case .authorize, .device, .decision, .logout: true
        default: false
        }
    }
}
