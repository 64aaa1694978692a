public import Foundation

/// What a person is told while signing in.
public enum SignInPrompt: Sendable {
    /// To open an address, on any device, and to enter the code there before it ends.
    case enterCode(String, at: URL, within: Duration)
    /// To sign in in the browser of this machine, at that address, which was opened where there is something to open it.
    case openBrowser(URL, isOpened: Bool)
    /// Something to know that changes nothing, such as that the clock is wrong.
    case notice(String)

    /// The prompt as a person reads it.
    public var text: String {
        switch self {
        case .enterCode(let code, let url, let time):
            "To sign in, open \(url.absoluteString) in a browser and enter the code \(code) "
                + "(within \(max(1, time.components.seconds / 60)) minutes)."
        case .openBrowser(let url, true):
            "A browser was opened to sign in. Where none appears, open this address on this machine:\n\(url.absoluteString)"
        case .openBrowser(let url, false):
            "To sign in, open this address in a browser on this machine:\n\(url.absoluteString)"
        case .notice(let text): text
        }
    }
}
