/// The files that a command reads and writes, none of which is both.
///
/// The words of the command line name most of them before anything happens. What a workflow or a batch names is added
/// before the first output is opened.
final class CommandFiles: Sendable {
    private struct Files {
        var inputs: [String] = []
        var outputs: [String] = []
    }

    private let files = Locked(Files())

    /// Takes the files that a command line and the environment name.
    /// - Throws: ``UsageError`` if an output is one of the files that are read.
    func take(
        _ words: [String], of command: any Command.Type, _ environment: [String: String]
    ) throws(UsageError) {
        let options = command.options.filter(\.isOutput).map(\.dashed)
        var inputs = ["/dev/stdin"]
        var outputs: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if options.contains(word) {
                outputs += rest.popFirst().map { [$0] } ?? []
            } else if let option = options.first(where: { word.hasPrefix("\($0)=") }) {
                outputs.append(String(word.dropFirst(option.count + 1)))
            } else {
                // `FOLDER`, `@FILE`, `--input=@FILE` and `-p name=FILE`.
                inputs += WorkflowLibrary.candidates(in: URL(fileURLWithPath: word)).map(\.path)
                inputs += [word[...], word.drop { $0 != "=" }.dropFirst()].map { String($0.drop { $0 == "@" }) }
            }
        }
        inputs += environment.filter { $0.key.hasPrefix("AZURE_") || $0.key.hasPrefix("GRAPHFLOW_") }.map(\.value)
        inputs = inputs.filter(Self.isFile)
        files.withLock { [outputs] in $0.outputs = outputs }
        try add(inputs + GraphflowHome.paths(environment))
    }

    /// Notes a file that the command reads.
    /// - Throws: ``UsageError`` if it is an output as well.
    func read(_ path: String) throws(UsageError) { try add([path]) }

    /// Notes the files of a workflow: its own, those of the workflows that it runs, and all that texts name.
    /// - Throws: ``UsageError`` if one is an output as well.
    func read(_ workflow: Workflow, input: Value = .null) throws(UsageError) {
        guard files.withLock({ !$0.outputs.isEmpty }) else { return }
        var paths: [String] = []
        for workflow in [workflow] + workflow.referencedWorkflows {
            paths += workflow.file.map { [$0.path(percentEncoded: false)] } ?? []
            guard let folder = workflow.folder else { continue }
            let names = workflow.document.value.fileNames + input.fileNames
            paths += names.map { folder.appending(path: $0).path(percentEncoded: false) }.filter(Self.isFile)
        }
        try add(paths)
    }

    /// Checks that a file can be written without replacing one that the command reads.
    func demandWritable(_ path: String) throws(UsageError) { try Self.compare([path], files.withLock { $0.inputs }) }

    private func add(_ inputs: [String]) throws(UsageError) {
        let outputs = files.withLock { files in
            files.inputs += inputs
            return files.outputs
        }
        try Self.compare(outputs, inputs)
    }

    private static func compare(_ outputs: [String], _ inputs: [String]) throws(UsageError) {
        for output in outputs where output != "-" {
            // A link in another folder can lead into one of graphflow's own.
            let files = [URL(fileURLWithPath: output), URL(fileURLWithPath: output).resolvingSymlinksInPath()]
            guard let input = inputs.first(where: { files.contains(where: OwnFiles([$0]).contain) }) else { continue }
            let shown = PlainText.line(input, limit: 300)
            throw UsageError(
                "'\(PlainText.exact(output, limit: 300))' cannot be written: "
                    + (WorkflowOperands.isFolder(input)
                        ? "graphflow keeps its own files in '\(shown)'" : "the command reads this file as '\(shown)'"),
                hint: "name another file")
        }
    }

    private static func isFile(_ path: String) -> Bool { (try? SystemCall.sizeOfFile(path)) ?? nil != nil }
}
