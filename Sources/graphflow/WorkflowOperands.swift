import Essentials
import GraphflowTesting
import Workflows

/// The workflow files that operands name: each file, and those directly in each folder.
struct WorkflowOperands: Sendable {
    let operands: [String]

    /// The files that are there now, each once, those of a folder in order of their names.
    var files: [String] {
        var seen: Set<String> = []
        return operands.flatMap { Self.isFolder($0) ? Self.workflows(in: $0) : [$0] }.filter {
            seen.insert($0).inserted
        }
    }

    static func isFolder(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeDirectory
    }

    /// The name of an entry, from where the program is.
    static func path(of name: String, in folder: String) -> String {
        folder == "." ? name : "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(name)"
    }

    private static func workflows(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        return names.filter { !$0.hasPrefix(".") && !TestFile.isNamed($0) }.compactMap { name in
            let url = URL(fileURLWithPath: path(of: name, in: folder))
            guard ["yaml", "yml", "json"].contains(url.pathExtension),
                let size = try? SystemCall.sizeOfFile(url.path(percentEncoded: false)), size <= Document.sizeLimit,
                (try? Document(contentsOf: url))?.value["document"]?["dsl"] != nil
            else { return nil }
            return path(of: name, in: folder)
        }
    }
}
