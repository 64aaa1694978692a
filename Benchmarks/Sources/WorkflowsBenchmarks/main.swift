import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "eval", arguments.count == 3 {
    try ExpressionLines.evaluate(arguments[1], over: arguments[2])
    exit(0)
}

// A folder of many runs, for `GRAPHFLOW_HOME=FOLDER graphflow runs`: `WorkflowsBenchmarks make-runs FOLDER 10000`.
if arguments.first == "make-runs", arguments.count == 3, let count = Int(arguments[2]) {
    try JournalLines.makeRuns(count, in: URL(fileURLWithPath: arguments[1], isDirectory: true))
    exit(0)
}

// For a profiler, under which the table takes too long: `WorkflowsBenchmarks loop 5000`.
if arguments.first == "loop", arguments.count == 2, let count = Int(arguments[1]) {
    try RunningLines.loop(count)
    exit(0)
}

// Arguments choose parts: `WorkflowsBenchmarks reading`.
let folder = FileManager.default.temporaryDirectory.appending(path: "graphflow-benchmarks-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
Line.showHead()
if arguments.isEmpty || arguments.contains("startup") { try StartupLines.show() }
if arguments.isEmpty || arguments.contains("reading") { try ReadingLines.show(in: folder) }
if arguments.isEmpty || arguments.contains("expressions") { try ExpressionLines.show(in: folder) }
if arguments.isEmpty || arguments.contains("encodings") { try EncodingLines.show() }
if arguments.isEmpty || arguments.contains("running") { try RunningLines.show(in: folder) }
if arguments.isEmpty || arguments.contains("planning") { try PlanningLines.show() }
if arguments.isEmpty || arguments.contains("journal") { try JournalLines.show(in: folder) }
