/// The names in a text: what they name, and where else that is named.
struct Names {
    /// What a name stands for.
    enum Target: Hashable {
        /// A task, by its list; any task of the workflow without one, as in tests.
        case task(list: JSONPointer?, String)
        /// An entry of `use`, by its kind.
        case use(String, String)
        /// A variable of a task.
        case variable(task: JSONPointer, String)
        /// A name that tasks export to the context.
        case context(String)
        case workflow(namespace: String, String)
        /// A file, relative to the folder of the text.
        case file(String)
        /// A case of tests.
        case test(String)

        var name: String {
            switch self {
            case .task(_, let name), .use(_, let name), .variable(_, let name), .context(let name),
                .workflow(_, let name), .file(let name), .test(let name):
                name
            }
        }
    }

    struct Occurrence: Hashable {
        let target: Target
        let bytes: Range<Int>
        let isDeclaration: Bool
        /// Whether it is a part of an expression, and not a scalar.
        var isInExpression = false
    }

    let analysis: Analysis
    /// In the order of the text.
    let all: [Occurrence]

    init(_ analysis: Analysis) {
        self.analysis = analysis
        var search = NameSearch(analysis)
        search.look(at: analysis.document.value, .root)
        all = search.found.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
    }

    /// The names that a scalar at a place can be.
    func candidates(at pointer: JSONPointer) -> [String] {
        switch NameSearch.target(of: "", at: pointer, in: analysis) {
        case .task(let list?, _): analysis.document.value[list].map(NameSearch.taskNames) ?? []
        case .task(nil, _): Set(tasksOfTested.map(\.target.name)).sorted()
        case .use(let kind, _): NameSearch.definitions(kind, in: analysis.document.value)
        case .workflow: others.compactMap { $0.document.value["document"]?["name"]?.string }
        case .variable, .context, .file, .test, nil: []
        }
    }

    func at(_ offset: Int) -> Occurrence? { all.first { $0.bytes.lowerBound...$0.bytes.upperBound ~= offset } }

    // MARK: Answers

    func definition(at offset: Int) -> Value {
        guard let target = at(offset)?.target else { return .null }
        switch target {
        case .file(let name):
            let start: Value = ["line": 0, "character": 0]
            return [
                "uri": .string(EditedText.uri(of: analysis.path(of: name))), "range": ["start": start, "end": start],
            ]
        default: return .array(declarations(of: target).map { $0.analysis.location($0.occurrence.bytes) })
        }
    }

    func references(at offset: Int, withDeclaration: Bool) -> Value {
        guard let target = at(offset)?.target else { return .null }
        return .array(
            everywhere(target).filter { withDeclaration || !$0.occurrence.isDeclaration }
                .map { $0.analysis.location($0.occurrence.bytes) })
    }

    func highlights(at offset: Int) -> Value {
        guard let target = at(offset)?.target else { return .null }
        return .array(
            all.filter { Self.same($0.target, target) }.map { found in
                ["range": analysis.text.range(found.bytes), "kind": found.isDeclaration ? 3 : 2]
            })
    }

    /// - Parameter renamesFiles: Whether the editor can rename a file.
    func renamed(at offset: Int, renamesFiles: Bool = false) -> Value {
        guard let found = at(offset), canRename(found.target, renamesFiles) else { return .null }
        return ["range": analysis.text.range(found.bytes), "placeholder": .string(found.target.name)]
    }

    /// The edits that give something another name, everywhere.
    /// - Parameter renamesFiles: Whether the editor can rename a file.
    /// - Throws: ``RPCError`` if the files were no longer as valid as before.
    func rename(at offset: Int, to name: String, renamesFiles: Bool = false) throws(RPCError) -> Value {
        guard let target = at(offset)?.target, canRename(target, renamesFiles) else {
            throw RPCError(.requestFailed, "nothing here can be renamed")
        }
        if case .file(let former) = target { return try renameFile(former, to: name) }
        let places = everywhere(target)
        let isWord = name.isVariableName
        guard !name.isEmpty, !name.contains(where: \.isNewline),
            isWord || !places.contains(where: \.occurrence.isInExpression)
        else { throw RPCError(.requestFailed, "'\(PlainText.exact(name, limit: 100))' cannot be a name here") }
        if case .task = target, ["continue", "exit", "end"].contains(name) {
            throw RPCError(.requestFailed, "'\(name)' is a directive of the standard")
        }
        let edits = Self.edits(of: places, to: name, among: analysis.open)
        guard let edits else {
            throw RPCError(.requestFailed, "'\(PlainText.exact(name, limit: 100))' cannot be a name here")
        }
        return ["changes": .object(Object(edits.map { ($0.uri, $0.edits) }))]
    }

    /// The edits that give places another name, by their texts; nil if a text were no longer as valid as before.
    static func edits(
        of places: [Place], to name: String, among open: OpenTexts
    ) -> [(uri: String, edits: Value)]? {
        var (changes, open) = ([(uri: String, edits: Value)](), open)
        var edited: [(before: Analysis, after: Analysis)] = []
        for (_, group) in Dictionary(grouping: places, by: { $0.analysis.text.path }).sorted(by: { $0.key < $1.key }) {
            guard let file = group.first?.analysis else { continue }
            let edits = group.map { ($0.occurrence.bytes, file.replacement(of: $0.occurrence, by: name)) }
            let after = file.after(edits)
            edited.append((file, after))
            open = open.adding(Data(after.text.bytes), at: file.text.path)
            let list = edits.map { edit -> Value in ["range": file.text.range(edit.0), "newText": .string(edit.1)] }
            changes.append((file.text.uri, .array(list)))
        }
        return edited.allSatisfy { $0.after.renewed(open).errorCount <= $0.before.errorCount } ? changes : nil
    }

    // MARK: Places

    typealias Place = (analysis: Analysis, occurrence: Occurrence)

    private func canRename(_ target: Target, _ renamesFiles: Bool) -> Bool {
        switch target {
        case .task, .use, .variable, .workflow, .test: !declarations(of: target).isEmpty
        case .file(let name): renamesFiles && canRenameFile(name)
        case .context: false
        }
    }

    private static func same(_ left: Target, _ right: Target) -> Bool {
        switch (left, right) {
        case (.task(nil, let one), .task(_, let other)), (.task(_, let one), .task(nil, let other)): one == other
        default: left == right
        }
    }

    private func declarations(of target: Target) -> [Place] { everywhere(target).filter(\.occurrence.isDeclaration) }

    /// Every place of a name, in this text and in those that can name the same.
    private func everywhere(_ target: Target) -> [Place] {
        var places: [Place] = all.filter { Self.same($0.target, target) }.map { (analysis, $0) }
        func add(_ other: Analysis?) {
            guard let other else { return }
            places += Names(other).all.filter { Self.same($0.target, target) }.map { (other, $0) }
        }
        switch (target, analysis.kind) {
        case (.task, .tests): add(analysis.tested)
        case (.task, _), (.use("functions", _), _): places += expectations(of: target)
        case (.workflow, _): for other in others { add(other) }
        default: break
        }
        return places
    }

    /// Where tests name a task or a function, which they do by its name alone.
    private func expectations(of target: Target) -> [Place] {
        let meant = all.filter { found in
            guard found.isDeclaration, found.target.name == target.name else { return false }
            switch found.target {
            case .task, .use("functions", _): return true
            default: return false
            }
        }
        guard let tests = analysis.tests, meant.count == 1, meant[0].target == target else { return [] }
        return Names(tests).all.filter { $0.target == .task(list: nil, target.name) }.map { (tests, $0) }
    }

    private var tasksOfTested: [Occurrence] {
        analysis.tested.map { Names($0).all.filter { if case .task = $0.target { $0.isDeclaration } else { false } } }
            ?? []
    }

    /// The other workflows in the folder.
    var others: [Analysis] {
        WorkflowLibrary.candidates(in: URL(fileURLWithPath: analysis.folder, isDirectory: true)).compactMap { file in
            let other = Analysis.file(file, analysis.open)
            return other?.kind == .workflow && other?.text.path != analysis.text.path ? other : nil
        }
    }
}

extension Analysis {
    /// The path of a file that the text names.
    func path(of name: String) -> String {
        URL(fileURLWithPath: folder, isDirectory: true).appending(path: name).standardizedFileURL
            .path(percentEncoded: false)
    }

    var errorCount: Int { findings.count { $0.severity == .error } }

    /// The same text after edits that do not overlap.
    func after(_ edits: [(bytes: Range<Int>, text: String)]) -> Analysis {
        var bytes = text.bytes
        for edit in edits.sorted(by: { $0.bytes.lowerBound > $1.bytes.lowerBound }) {
            bytes.replaceSubrange(edit.bytes, with: Array(edit.text.utf8))
        }
        let edited = EditedText(text.uri, version: text.version, String(decoding: bytes, as: UTF8.self))
        return Analysis(edited, open.adding(Data(bytes), at: text.path))
    }

    /// A name as it is written in place of another one, in the style of that one.
    func replacement(of occurrence: Names.Occurrence, by name: String) -> String {
        if occurrence.isInExpression { return name }
        if text[occurrence.bytes].hasPrefix("\"") { return Value.string(name).json() }
        return name.contains { "[]{},".contains($0) } ? "'\(name.replacing("'", with: "''"))'" : name.asScalar
    }
}

extension String {
    /// The path of a workflow without its ending.
    var stem: String? {
        [".yaml", ".yml", ".json"].first { hasSuffix($0) }.map { String(prefix(utf8.count - $0.utf8.count)) }
    }
}
