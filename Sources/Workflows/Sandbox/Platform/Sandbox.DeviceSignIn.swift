extension Sandbox {
    /// The sign-in of a device that requested a code.
    public struct DeviceSignIn: Sendable, Hashable {
        /// The status of a sign-in.
        public enum Status: String, Sendable, Hashable {
            /// Not decided yet.
            case pending
            /// Approved; the device has not fetched its tokens yet.
            case approved
            /// Declined.
            case declined
            /// The device has its tokens.
            case redeemed
        }

        /// The code that a person enters.
        public var userCode: String
        /// The client id of the application.
        public var application: String
        /// The short names of the permissions that it requests, in order.
        public var permissions: [String]
        /// When the code expires.
        public var expires: Date
        /// The status.
        public var status: Status
    }
}

extension Sandbox.DeviceSignIn {
    init(_ device: SandboxSignIn.Device) {
        let status: Status =
            switch device.decision {
            case .pending: .pending
            case .approved: .approved
            case .declined: .declined
            case .redeemed: .redeemed
            }
        self.init(
            userCode: device.userCode, application: device.application,
            permissions: device.scopes.permissions.sorted(), expires: device.expires, status: status)
    }

    var value: Value {
        [
            "userCode": .string(userCode), "application": .string(application),
            "permissions": .array(permissions.map(Value.string)), "status": .string(status.rawValue),
            "expires": .string(SandboxClock.timestamp(expires)),
        ]
    }
}
