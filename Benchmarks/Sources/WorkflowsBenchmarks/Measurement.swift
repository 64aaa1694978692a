import Foundation

/// Prevents the optimiser from dropping what is only measured.
@inline(never)
@_optimize(none)
func keep<T>(_ value: T) {}

/// The median of some runs, after one that does not count, in seconds.
func median(runs: Int = 9, _ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    try body()
    let times = try (0..<runs).map { _ in try clock.measure(body) }.sorted()
    return times[runs / 2] / .seconds(1)
}

/// The median of the processor's time that some runs take, in all threads, after one that does not count, in seconds.
func medianOfCPU(runs: Int, _ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    try body()
    let times = try (0..<runs).map { _ in
        let start = now()
        try body()
        return now() - start
    }
    return times.sorted()[runs / 2]
}

/// Runs a program to its end, its output thrown away, and says whether it succeeded.
func run(_ program: URL, _ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
}

/// The median time that a whole process takes, in seconds; nil where it does not succeed.
func medianOfProcess(_ program: URL?, _ arguments: [String]) throws -> Double? {
    guard let program, try run(program, arguments) else { return nil }
    return try median(runs: 5) { _ = try run(program, arguments) }
}

/// Where a program lies, as the shell would find it.
func program(named name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { URL(fileURLWithPath: "\($0)/\(name)") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
