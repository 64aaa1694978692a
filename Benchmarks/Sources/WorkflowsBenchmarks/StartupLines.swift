import Foundation

/// How much processor time a command takes that hardly does anything.
enum StartupLines {
    private static let cases = [
        (["--version"], "8 ms"), (["eval", "1"], "9 ms"),
        (["validate", "workflows/share-profile-photo.yaml"], "12 ms"),
    ]

    /// Measures the program of `swift build -c release`, beside the smallest commands of two others.
    static func show() throws {
        let graphflow = URL(fileURLWithPath: ".build/release/graphflow")
        let others = [("jq", ["--version"]), ("python3", ["-c", ""])]
        let beside = try others.compactMap { name, arguments in
            try program(named: name).flatMap { try leastCPU(of: $0, arguments) }.map { "\(name) \(Line.time($0))" }
        }
        for (arguments, reach) in cases {
            let figure = try leastCPU(of: graphflow, arguments)
            Line(
                name: "processor time of `graphflow \(arguments.joined(separator: " "))`", reach: reach,
                figure: figure.map(Line.time) ?? "failed", beside: beside.joined(separator: ", ")
            ).show()
        }
    }

    /// The least processor time of 30 runs in seconds, which other programs' load disturbs least.
    private static func leastCPU(of program: URL, _ arguments: [String]) throws -> Double? {
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
        var least = Double.infinity
        for _ in 0..<30 {
            let before = children
            guard try run(program, arguments) else { return nil }
            least = min(least, children - before)
        }
        return least
    }

    /// The processor time of all processes that this one has waited for, in seconds.
    private static var children: Double {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        #else
            getrusage(RUSAGE_CHILDREN, &usage)
        #endif
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
