struct OwnProgram: Sendable {
    /// An error before the program began its work.
    struct Refusal: Error {
        var text: String
    }

    let environment: [String: String]
    var path = Self.running

    /// Starts the program in its own session, so that it continues when this one ends.
    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - hasBegun: Is asked until the program has begun its work or has ended.
    /// - Throws: ``Refusal`` if the program ends with an error before that.
    func start(_ arguments: [String], until hasBegun: () -> Bool) throws {
        let messages = try UnnamedFile()
        let error = try Descriptor.sharing(messages)
        defer { error.close() }
        let process = try SystemCall.spawn(
            path, ["graphflow"] + arguments, environment: environment, error: error)
        let status = Locked<Int32?>(nil)
        SystemThread.start {
            let ended = SystemCall.awaitEnd(of: process)
            status.withLock { $0 = ended }
        }
        while true {
            let ended = status.withLock { $0 }
            if ended == 0 || ended == nil && hasBegun() { return }
            guard ended == nil else {
                let text = (try? messages.mapped(messages.size)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                throw Refusal(text: text.isEmpty ? "it ended with status \(ended ?? 0)" : text)
            }
            SystemThread.sleep(seconds: 0.05)
        }
    }

    /// The path at which others find this program.
    static var installed: String {
        let path = running
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
    }

    private static var running: String {
        #if canImport(Darwin)
            CommandLine.arguments.first ?? "graphflow"
        #else
            "/proc/self/exe"
        #endif
    }
}
