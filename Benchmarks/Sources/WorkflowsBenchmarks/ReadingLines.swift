import Foundation
import Workflows

/// How fast workflow files and data are read.
enum ReadingLines {
    static func show(in folder: URL) throws {
        try workflows(in: folder)
        try data()
    }

    private static func workflows(in folder: URL) throws {
        for (tasks, reach) in [(1_000, "–"), (10_000, "150 ms"), (100_000, "12 times as long")] {
            let text = Samples.workflow(tasks: tasks)
            let file = folder.appending(path: "\(tasks).yaml")
            try Data(text.utf8).write(to: file)
            let runs = tasks > 10_000 ? 3 : 9
            let reading = try median(runs: runs) { keep(try Document(text: text, name: "generated.yaml")) }
            let decoding = try median(runs: runs) { keep(try Workflow(text: text)) }
            let whole = try median(runs: runs) {
                let diagnostics = try Workflow(text: text).validate()
                precondition(diagnostics.allSatisfy { $0.severity != .error })
            }
            let size = String(format: "%.1f MB", Double(text.utf8.count) / 1e6)
            let parts = "\(Line.time(reading)) reading, \(Line.time(decoding)) with decoding"
            Line(
                name: "a workflow of \(tasks) tasks, \(size): read, decoded and validated", reach: reach,
                figure: "\(Line.time(whole)) (\(parts))", beside: pyYAML(file, runs: runs).map { "PyYAML \($0)" }
            ).show()
        }
    }

    private static func data() throws {
        let bytes = Data(Samples.data(objects: objects).utf8)
        let size = Double(bytes.count) / 1e6
        let seconds = try median(runs: 5) { keep(try Value(json: bytes)) }
        Line(
            name: String(format: "JSON data, %.0f MB", size), reach: "100 MB/s",
            figure: String(format: "%.0f MB/s", size / seconds)
        ).show()
    }

    /// The time that PyYAML's C loader takes for a file, in words; nil where there is none.
    private static func pyYAML(_ file: URL, runs: Int) -> String? {
        let script = """
            import sys, time, yaml
            text = open(sys.argv[1], encoding="utf-8").read()
            times = []
            for _ in range(\(min(runs, 5))):
                start = time.perf_counter()
                yaml.load(text, yaml.CSafeLoader)
                times.append(time.perf_counter() - start)
            print(sorted(times)[len(times) // 2])
            """
        let process = Process()
        let output = Pipe()
        let environment = URL(fileURLWithPath: ".build/conformance/bin/python")
        let hasEnvironment = FileManager.default.isExecutableFile(atPath: environment.path)
        process.executableURL = hasEnvironment ? environment : program(named: "python3")
        process.arguments = ["-c", script, file.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard process.executableURL != nil, (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)).map(Line.time)
    }
}

/// How many objects make 20 MB.
let objects = 143_000
