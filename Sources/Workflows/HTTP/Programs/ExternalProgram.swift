struct ExternalProgram: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: Secret
        let error: String
    }

    enum Failure: Error {
        case notStarted(String)
        case timedOut
    }

    /// Tokens and signatures are shorter than this.
    private static let largestOutput = 1_000_000

    let file: URL
    let environment: [String: String]

    /// Finds a program in the folders of `PATH`, or by its absolute path; nil if there is none.
    ///
    /// Relative folders are skipped, so no program in the working folder is asked for tokens.
    static func find(_ name: String, _ environment: [String: String]) -> URL? {
        let folders = name.contains("/") ? [""] : (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders where folder.hasPrefix("/") || name.hasPrefix("/") {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let kind =
                try? FileManager.default.attributesOfItem(
                    atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type] as? FileAttributeType
            if kind == .typeRegular, FileManager.default.isExecutableFile(atPath: path) {
                return URL(fileURLWithPath: path)
            }
        }
        return nil
    }

    /// - Parameters:
    ///   - arguments: The arguments; nothing secret, because every user of the machine can read them.
    ///   - secrets: Environment variables that only this program gets.
    ///   - input: The standard input.
    ///   - patience: How long it may take.
    ///   - clock: Measures the time.
    func run(
        _ arguments: [String], secrets: [String: Secret] = [:], input: Secret = Secret(""), patience: Duration,
        clock: any PromiseClock
    ) -> Promise<Outcome> {
        let (ended, resolver) = Promise<Int32>.pending()
        let process: pid_t
        var ends: [Descriptor] = []
        func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
            let pipe = try Descriptor.pipe()
            ends += [pipe.reading, pipe.writing]
            return pipe
        }
        let (output, errors): (Promise<Data>, Promise<Data>)
        do throws(SystemError) {
            let (inputs, outputs, complaints) = (try pipe(), try pipe(), try pipe())
            process = try SystemCall.spawn(
                file.path, [file.path] + arguments,
                environment: environment.merging(secrets.mapValues(\.revealed)) { $1 },
                input: inputs.reading, output: outputs.writing, error: complaints.writing)
            for end in [inputs.reading, outputs.writing, complaints.writing] { end.close() }
            (output, errors) = (Self.read(outputs.reading), Self.read(complaints.reading))
            Self.write(Array(input.revealed.utf8), to: inputs.writing)
        } catch {
            for end in ends { end.close() }
            return Promise(error: Failure.notStarted(error.description))
        }
        SystemThread.start { resolver.fulfill(SystemCall.awaitEnd(of: process)) }
        resolver.onCancel { SystemCall.kill(process, SIGKILL) }
        return when(fulfilled: ended, output, errors).timeout(patience, clock: clock).map(on: nil) {
            status, output, errors in
            Outcome(
                status: status, output: Secret(String(decoding: output, as: UTF8.self)),
                error: String(decoding: errors, as: UTF8.self))
        }.recover(on: nil) { error -> Promise<Outcome> in
            guard case PromiseError.timedOut = error else { throw error }
            SystemCall.kill(process, SIGKILL)
            throw Failure.timedOut
        }
    }

    private static func read(_ pipe: Descriptor) -> Promise<Data> {
        Promise { resolver in
            SystemThread.start {
                defer { pipe.close() }
                resolver.fulfill((try? SystemCall.read(pipe.number, upTo: largestOutput)) ?? Data())
            }
        }
    }

    /// Writes on a new thread: a program that does not read its input must not block this one.
    private static func write(_ bytes: [UInt8], to pipe: Descriptor) {
        SystemThread.start {
            defer { pipe.close() }
            // Otherwise a program that ends without reading would end this one too.
            SystemCall.blockBrokenPipes()
            try? SystemCall.write(pipe.number, all: bytes)
        }
    }
}
