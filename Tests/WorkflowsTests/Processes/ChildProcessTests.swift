import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Programs in their own processes.
@Suite struct ChildProcessTests {
    private let processes = ChildProcesses()

    private func program(_ command: String, input: String? = nil, limit: Int = 1_000_000) -> ChildProgram {
        ChildProgram(
            path: "/bin/sh", arguments: ["sh", "-c", command], environment: ["PATH": "/usr/bin:/bin", "GIVEN": "yes"],
            folder: "/", standardInput: input.map { Data($0.utf8) }, shown: [], givenVariables: [],
            kept: ChildProgram.Kept(output: .all(upTo: limit), error: .all(upTo: limit)))
    }

    private func run(_ command: String, input: String? = nil, limit: Int = 1_000_000) async throws -> ProcessEnd {
        try await processes.run(program(command, input: input, limit: limit), clock: .patient).value
    }

    @Test func `gives what a program writes to both streams, and its exit code`() async throws {
        let end = try await run("echo out; echo err >&2; exit 3")
        #expect(String(decoding: end.output, as: UTF8.self) == "out\n")
        #expect(String(decoding: end.error, as: UTF8.self) == "err\n")
        #expect(end.code == 3)
        #expect(end.signal == nil)
    }

    @Test func `tells the signal that ended a program`() async throws {
        let end = try await run("kill -9 $$")
        #expect(end.signal == SIGKILL)
        #expect(end.code == 137)
    }

    @Test func `a program inherits no file, no signal that is ignored, no terminal and no variable`() async throws {
        #if os(Linux)
            let files = try await run("ls /proc/self/fd | wc -l").output
            // The three streams, and the listed folder.
            #expect(String(decoding: files, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) == "4")
            let ignored = try await run("grep SigIgn /proc/self/status").output
            let signals = String(decoding: ignored, as: UTF8.self).split(whereSeparator: \.isWhitespace).last ?? ""
            // Beyond POSIX's thirty-one signals, the system's library reserves some for itself.
            #expect(try #require(Int(signals, radix: 16)) & 0x7FFF_FFFF == 0)
        #endif
        #expect(try await run("echo > /dev/tty").code != 0)
        let variables = try await run("env").output
        let names = String(decoding: variables, as: UTF8.self).split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(Set(names).subtracting(["GIVEN", "PATH", "PWD", "SHLVL", "OLDPWD", "_"]) == [])
        #expect(try await run("pwd").output == Data("/\n".utf8))
    }

    @Test func `reads a long input, or none, without waiting`() async throws {
        let text = String(repeating: "0123456789", count: 100_000)
        #expect(try await run("cat", input: text, limit: 2_000_000).output == Data(text.utf8))
        #expect(try await run("cat").output.isEmpty)
        #expect(try await run("true", input: text).code == 0)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program that floods a stream is ended, and no more is kept than allowed`() async throws {
        let end = try await run("yes 'more and more' >&2", limit: 100_000)
        #expect(end.flooded == .error)
        #expect(end.error.count == 100_000)
        #expect(end.signal == SIGKILL)
        #expect(processes.identifiers == [])
    }

    @Test func `what is not wanted is read to its end, and only the last of it is kept`() async throws {
        var program = program("seq 1 200000; echo last >&2")
        program.kept = ChildProgram.Kept(output: .last(8), error: .last(100))
        let end = try await processes.run(program, clock: .patient).value
        #expect(end.output == Data("\n200000\n".utf8))
        #expect(end.error == Data("last\n".utf8))
    }

    @Test func `a program that cannot be started is an error, and leaves no file open`() async throws {
        var program = program("true")
        program.path = "/nowhere/to/be/found"
        let error = await #expect(throws: SystemError.self) {
            try await processes.run(program, clock: .patient).value
        }
        #expect(error?.code == ENOENT)
        program.path = "/bin/sh"
        program.folder = "/nowhere"
        await #expect(throws: SystemError.self) {
            try await processes.run(program, clock: .patient).value
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `what a program leaves in the background ends with it`() async throws {
        // The group has the number of the program.
        let end = try await run("sleep 1000 & echo $$")
        let text = String(decoding: end.output, as: UTF8.self)
        let group = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program that is cancelled ends with its children, also when they ignore SIGTERM`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "started").path
        let stubborn = "trap '' TERM; (trap '' TERM; echo x >> \(file); while :; do sleep 1; done) & wait; sleep 1000"
        let clock = ManualClock()
        let run = processes.run(program(stubborn), clock: clock)
        while !FileManager.default.fileExists(atPath: file) { await pause() }
        let group = try #require(processes.identifiers.first)
        run.cancel()
        while clock.waitCount < 1 { await pause() }
        // The program ignored the request to end.
        #expect(ProcessGroup.isAtWork(group))
        clock.advance(by: .seconds(2))
        try await processes.allEnded.value
        #expect(processes.identifiers == [])
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `there is something to do until who waits for a program knows its end`() async throws {
        let seen = Locked<Bool?>(nil)
        _ = try processes.start(program("true"), clock: ManualClock()) { [processes] _ in
            seen.withLock { $0 = processes.isQuiet }
        }
        while seen.withLock({ $0 }) == nil { await pause() }
        #expect(seen.withLock { $0 } == false)
        try await processes.allEnded.value
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program that obeys is not waited for longer than it needs`() async throws {
        let clock = ManualClock()
        let run = processes.run(program("sleep 1000"), clock: clock)
        let group = try #require(processes.identifiers.first)
        run.cancel()
        try await processes.allEnded.value
        await clock.allEnded()
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `waiting for the last program lasts while it runs`() async throws {
        let run = processes.run(program("sleep 1000"), clock: ManualClock())
        let noneLeft = processes.noneLeft
        #expect(noneLeft.isPending)
        run.cancel()
        try await noneLeft.value
        #expect(processes.identifiers == [])
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program that is being started while all are killed does not survive that`() async throws {
        for round in 0..<100 {
            let processes = ChildProcesses()
            let program = program("sleep 1000")
            let (started, resolver) = Promise<Promise<ProcessEnd>>.pending()
            Thread.detachNewThread { resolver.fulfill(processes.run(program, clock: .patient)) }
            // Real time: it varies to meet every moment of the start, and each must hold.
            let end = ContinuousClock.now + .microseconds(round * 20)
            while ContinuousClock.now < end {}
            processes.kill()
            let run = try await started.value
            try await processes.noneLeft.value
            #expect(processes.identifiers == [])
            // A program that was killed has no result: its run must not record one.
            if let result = run.result {
                let error = #expect(throws: SystemError.self) { try result.get() }
                #expect(error?.code == ECANCELED)
            }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a thousand short programs, fifty at a time, leave no process and no file open`() async {
        // In a process without other tests, which open and close hundreds of files.
        await #expect(processExitsWith: .success) { try await ChildProcessTests().runAThousand() }
    }

    private func runAThousand() async throws {
        func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        _ = try await run("true")
        let before = try openFiles()
        for _ in 0..<20 {
            let ends = try await when(
                fulfilled: (0..<50).map { processes.run(program("echo \($0)"), clock: .patient) }
            ).value
            #expect(ends.map { String(decoding: $0.output, as: UTF8.self) } == (0..<50).map { "\($0)\n" })
        }
        #expect(processes.identifiers == [])
        #expect(try openFiles() <= before + 5)
    }
}
