/// Opens URLs for the user.
public struct Browser: Sendable {
    private let start: @Sendable (URL) -> Bool
    /// Whether there is a way to open a URL.
    public let isAvailable: Bool

    /// Creates a browser from a closure that opens a URL and returns whether it did.
    public init(_ start: @escaping @Sendable (URL) -> Bool) {
        self.start = start
        isAvailable = true
    }

    private init(commands: [[String]], environment: [String: String]) {
        isAvailable = !commands.isEmpty
        start = { url in
            commands.contains { Self.run($0, url.absoluteString, environment) }
        }
    }

    /// No browser: the user opens the URL.
    public static let none = Browser(commands: [], environment: [:])

    /// The local user's browser: the one in `BROWSER`, else the desktop's.
    public static func system(environment: [String: String]) -> Browser {
        var commands = (environment["BROWSER"] ?? "").split(separator: ":").map {
            $0.split(separator: " ").map(String.init)
        }.filter { !$0.isEmpty }
        #if os(macOS)
            commands.append(["open"])
        #else
            // Without a display, xdg-open would start a browser in the terminal.
            let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
            if hasDisplay { commands.append(["xdg-open"]) }
        #endif
        let there = commands.filter { ExternalProgram.find($0[0], environment) != nil }
        return Browser(commands: there, environment: environment)
    }

    /// False if nothing could be started.
    package func open(_ url: URL) -> Bool { start(url) }

    private static func run(_ command: [String], _ address: String, _ environment: [String: String]) -> Bool {
        guard let program = ExternalProgram.find(command[0], environment) else { return false }
        var arguments = command.dropFirst().map { $0.replacing("%s", with: address) }
        if !command.dropFirst().contains(where: { $0.contains("%s") }) { arguments.append(address) }
        guard
            let process = try? SystemCall.spawn(program.path, [program.path] + arguments, environment: environment)
        else { return false }
        // The process stays in the system's list until its end is awaited.
        SystemThread.start { _ = SystemCall.awaitEnd(of: process) }
        return true
    }
}
