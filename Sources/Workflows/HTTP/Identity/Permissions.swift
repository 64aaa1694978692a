/// The least-privileged Microsoft Graph permissions that an operation needs.
public struct Permissions: Sendable, Hashable {
    /// The permissions to request for a signed-in user.
    public var delegated: [String]
    /// The permissions that an administrator grants to a program without a user.
    public var application: [String]

    /// Creates permissions.
    public init(delegated: [String] = [], application: [String] = []) {
        self.delegated = delegated
        self.application = application
    }
}
