import Foundation
import Promises

/// A run of another program on this machine.
struct ExternalProgram: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        let status: Int32
        let output: Secret
        let error: String
    }

    /// Why there is no result.
    enum Failure: Error {
        case notStarted(String)
        case timedOut
    }

    /// Neither a token nor a signature is longer than this.
    private static let largestOutput = 1_000_000

    let file: URL
    let environment: [String: String]

    /// Finds a program by its name in the folders of `PATH`, or by its absolute path; nil if there is none.
    ///
    /// Relative folders are skipped, so that no program in the working folder is asked for tokens.
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

    /// Runs the program.
    ///
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
        let process = Process()
        process.executableURL = file
        process.arguments = arguments
        process.environment = environment.merging(secrets.mapValues(\.revealed)) { $1 }
        let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
        for pipe in [inputPipe, outputPipe, errorPipe] {
            Self.keepFromOthers(pipe.fileHandleForReading.fileDescriptor)
            Self.keepFromOthers(pipe.fileHandleForWriting.fileDescriptor)
        }
        process.standardInput = inputPipe
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        let (ended, resolver) = Promise<Int32>.pending()
        process.terminationHandler = { @Sendable in resolver.fulfill($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            return Promise(error: Failure.notStarted("\(error.localizedDescription)"))
        }
        let identifier = process.processIdentifier
        resolver.onCancel { _ = kill(identifier, SIGKILL) }
        let output = Self.read(outputPipe)
        let errors = Self.read(errorPipe)
        Self.write(Data(input.revealed.utf8), to: inputPipe)
        return when(fulfilled: ended, output, errors).timeout(patience, clock: clock).map(on: nil) {
            status, output, errors in
            Outcome(
                status: status, output: Secret(String(decoding: output, as: UTF8.self)),
                error: String(decoding: errors, as: UTF8.self))
        }.recover(on: nil) { error -> Promise<Outcome> in
            guard case PromiseError.timedOut = error else { throw error }
            _ = kill(identifier, SIGKILL)
            throw Failure.timedOut
        }
    }

    /// Programs started at the same time must not inherit a descriptor: if one held the writing end of another one's
    /// input, that input would never end.
    private static func keepFromOthers(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    private static func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Reads a pipe to its end on a thread of its own.
    private static func read(_ pipe: Pipe) -> Promise<Data> {
        let descriptor = duplicate(pipe.fileHandleForReading.fileDescriptor)
        return Promise { resolver in
            Thread.detachNewThread {
                let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                var data = Data()
                while data.count <= largestOutput {
                    let part = handle.availableData
                    guard !part.isEmpty else { break }
                    data += part
                }
                resolver.fulfill(data)
            }
        }
    }

    private static func write(_ data: Data, to pipe: Pipe) {
        let descriptor = duplicate(pipe.fileHandleForWriting.fileDescriptor)
        try? pipe.fileHandleForWriting.close()
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // A program that does not read its input must not block this one.
        Thread.detachNewThread { try? handle.write(contentsOf: data) }
    }
}
