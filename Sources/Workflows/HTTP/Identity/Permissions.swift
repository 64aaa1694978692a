/// The least-privileged permissions of Microsoft Graph that something needs, by their names.
public struct Permissions: Sendable, Hashable {
    /// The permissions to ask for on behalf of a signed-in user.
    public var delegated: [String]
    /// The permissions that an administrator gives to a program without a user.
    public var application: [String]

    /// Creates permissions.
    public init(delegated: [String] = [], application: [String] = []) {
        self.delegated = delegated
        self.application = application
    }
}
