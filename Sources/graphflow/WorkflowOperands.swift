/// The workflow files that operands name: the files themselves, and the workflows directly in each folder.
struct WorkflowOperands: Sendable {
    let operands: [String]

    /// The files that exist now, each once; the files of a folder in the order of their names.
    var files: [String] {
        var seen: Set<String> = []
        return operands.flatMap { Self.isFolder($0) ? Self.workflows(in: $0) : [$0] }.filter {
            seen.insert($0).inserted
        }
    }

    static func isFolder(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeDirectory
    }

    /// The path of an entry in a folder, relative to the current folder if the folder's path is.
    static func path(of name: String, in folder: String) -> String {
        folder == "." ? name : "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(name)"
    }

    private static func workflows(in folder: String) -> [String] {
        WorkflowLibrary.candidates(in: URL(fileURLWithPath: folder)).filter { file in
            let name = file.lastPathComponent
            return !name.hasPrefix(".") && !TestFile.isNamed(name)
                && (try? Document(contentsOf: file))?.value["document"]?["dsl"] != nil
        }.map { path(of: $0.lastPathComponent, in: folder) }
    }
}
