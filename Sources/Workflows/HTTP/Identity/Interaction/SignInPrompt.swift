/// An instruction to the user while signing in.
public enum SignInPrompt: Sendable {
    /// Open a URL on any device, and enter the code there before it expires.
    case enterCode(String, at: URL, within: Duration)
    /// Sign in with this machine's browser at that URL, which was opened if possible.
    case openBrowser(URL, isOpened: Bool)
    /// A notice that needs no action, such as that the clock is wrong.
    case notice(String)

    /// The prompt's text.
    public var text: String {
        switch self {
        case .enterCode(let code, let url, let time):
            "To sign in, open \(url.absoluteString) in a browser and enter the code \(code) "
                + "(within \(max(1, time.components.seconds / 60)) minutes)."
        case .openBrowser(let url, true):
            "A browser was opened to sign in. If none appears, open this address on this machine:\n"
                + url.absoluteString
        case .openBrowser(let url, false):
            "To sign in, open this address in a browser on this machine:\n\(url.absoluteString)"
        case .notice(let text): text
        }
    }
}
