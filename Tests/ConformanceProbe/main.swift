import Foundation

// Answers questions on standard input, one JSON line each, so that this implementation can be compared with programs in
// other languages: `conformance-probe yaml < questions.jsonl > answers.jsonl`.
//
// Two modes are servers: `conformance-probe mcp-http` and `conformance-probe mcp-stdio`.
let name = CommandLine.arguments.dropFirst().first ?? ""
if let serve = servers[name] {
    try serve()
    exit(0)
}
guard let probe = probes[name] else {
    let known = (Array(probes.keys) + servers.keys).sorted().joined(separator: "|")
    FileHandle.standardError.write(Data("usage: conformance-probe \(known) < questions > answers\n".utf8))
    exit(64)
}
while let line = readLine(strippingNewline: true) {
    FileHandle.standardOutput.write(Data((answer(to: line, with: probe) + "\n").utf8))
}
