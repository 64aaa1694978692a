public import Foundation

extension Sandbox {
    /// A device that asked for a code.
    public struct DeviceSignIn: Sendable, Hashable {
        /// What became of it.
        public enum Status: String, Sendable, Hashable {
            /// Nobody decided yet.
            case pending
            /// Somebody approved; the device did not fetch its tokens yet.
            case approved
            /// Somebody declined.
            case declined
            /// The device has its tokens.
            case redeemed
        }

        /// The code that a person enters.
        public var userCode: String
        /// The client id of the application.
        public var application: String
        /// The permissions that it asks for, by their short names in order.
        public var permissions: [String]
        /// When the code ends.
        public var expires: Date
        /// What became of it.
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
