/// Gives a file that texts name another name: a template, a list, a workflow that tests are about.
extension Names {
    /// Whether the file that is named at a place can be renamed.
    func canRenameFile(_ name: String) -> Bool {
        Self.isBelow(name) && (try? analysis.files.locate(name)) != nil
    }

    /// The edits, the last of which renames the file.
    /// - Throws: ``RPCError`` if the texts were no longer as valid as before, or another file would be replaced.
    func renameFile(_ former: String, to name: String) throws(RPCError) -> Value {
        let (path, next) = (analysis.path(of: former), analysis.path(of: name))
        let refusal = RPCError(
            .requestFailed, "'\(PlainText.exact(name, limit: 100))' cannot be the name of a file here")
        guard Self.isBelow(name), !name.hasSuffix("/"), !name.contains(where: \.isNewline), next != path,
            !FileManager.default.fileExists(atPath: next)
        else { throw refusal }
        guard let content = try? analysis.files.contents(of: former) else {
            throw RPCError(.requestFailed, "nothing here can be renamed")
        }
        let places = readers.flatMap { file in
            Names(file).all.filter { found in
                if case .file(let text) = found.target { file.path(of: text) == path } else { false }
            }.map { (analysis: file, occurrence: $0) }
        }
        guard let edits = Self.edits(of: places, to: name, among: analysis.open.adding(content, at: next)) else {
            throw refusal
        }
        let changes = edits.map { uri, edits -> Value in
            ["textDocument": ["uri": .string(uri), "version": .null], "edits": edits]
        }
        let renaming: Value = [
            "kind": "rename", "oldUri": .string(EditedText.uri(of: path)), "newUri": .string(EditedText.uri(of: next)),
        ]
        return ["documentChanges": .array(changes + [renaming])]
    }

    /// Whether a file is in the folder of the text or below it.
    private static func isBelow(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("/") && !name.split(separator: "/").contains("..")
    }

    /// The texts that can name a file of the folder: this one, the other workflows there, and the tests of each.
    private var readers: [Analysis] {
        var all: [String: Analysis] = [:]
        for file in [analysis] + [analysis.tested].compactMap(\.self) + others {
            for reader in [file, file.tests].compactMap(\.self) where all[reader.text.path] == nil {
                all[reader.text.path] = reader
            }
        }
        return all.values.sorted { $0.text.path < $1.text.path }
    }
}
