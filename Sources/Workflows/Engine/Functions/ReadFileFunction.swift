private struct ReadFileParameters: FunctionParameters {
    @Parameter("A file next to the workflow, in UTF-8, of at most 10 MB.") var file: String
    @Parameter("The format; by default that of the name's ending: .csv, .tsv, .json, .jsonl, .yaml or .txt.")
    var format: DataFormat?
}

extension Function {
    static let readFile = Function(
        "readFile", summary: "Reads the data of a file next to the workflow: a table, JSON, YAML or text.",
        input: ReadFileParameters.self,
        output: [
            "description":
                "The data: an array of objects of strings for csv and tsv, named by the first row; an array for jsonl."
        ],
        effect: .read,
        check: { with, files in
            guard let file = with["file"]?.literal else { return [] }
            do throws(FileFault) {
                guard with["format"]?.isComputed != true else {
                    try FileFault.of { () throws(FunctionError) in try files.locate(file, upTo: Document.sizeLimit) }
                    return []
                }
                _ = try data(of: file, with["format"]?.string.flatMap(DataFormat.init(rawValue:)), files)
                return []
            } catch {
                return error.errors.map { Finding(error.id, at: ["file"], $0.message, hint: $0.hint) }
            }
        },
        body: { with, context in
            if let plan = context.graph.plan, UnknownTokens.isIn(with.file) {
                // A run may read any file, so no file may change after the plan.
                context.files.noteAll()
                let unknown = plan.unknowns.unknown("readFile", with.format == .text ? .text : .any)
                return .value(.string(plan.unknowns.token(for: unknown)))
            }
            do throws(FileFault) {
                return .value(try data(of: with.file, with.format, context.files))
            } catch {
                throw error.first
            }
        })

    private static func data(
        of file: String, _ format: DataFormat?, _ files: WorkflowFiles
    ) throws(FileFault) -> Value {
        let shown = PlainText.exact(file, limit: 200)
        guard let format = format ?? DataFormat(nameOf: file) else {
            throw FileFault(
                "The name '\(shown)' does not show the file's format", hint: "add 'format', such as 'format: text'")
        }
        let bytes = try FileFault.of { () throws(FunctionError) in
            try files.locate(file, upTo: Document.sizeLimit)
            return format == .text ? Array(try files.text(of: file).utf8) : Array(try files.contents(of: file))
        }
        do throws(ReadingError) {
            switch format {
            case .csv: return .array(try SeparatedReader.rows(of: bytes, name: file, separator: .comma))
            case .tsv: return .array(try SeparatedReader.rows(of: bytes, name: file, separator: .tab))
            case .jsonl: return .array(try JSONLinesReader.values(of: bytes, name: file))
            case .json: return try Value(json: Data(bytes), name: file)
            case .yaml: return try Document(data: Data(bytes), name: file).value
            case .text: return .string(String(decoding: bytes, as: UTF8.self))
            }
        } catch {
            throw FileFault(error, in: shown)
        }
    }
}

/// Why a file cannot be read: it is missing, or all errors in it.
private struct FileFault: Error {
    var id = "missing-file"
    var errors: [FunctionError]

    init(_ message: String, hint: String? = nil) {
        id = "file-format"
        errors = [FunctionError(message, at: JSONPointer(["file"]), hint: hint)]
    }

    init(_ error: ReadingError, in file: String) {
        id = "file-data"
        errors = error.diagnostics.map { diagnostic in
            let place = diagnostic.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
            return FunctionError(
                "\(file)\(place): \(diagnostic.message)", at: JSONPointer(["file"]), hint: diagnostic.hint)
        }
    }

    private init(_ error: FunctionError) { errors = [error.at(JSONPointer(["file"]))] }

    /// The first error, with the number of all errors.
    var first: FunctionError {
        var first = errors[0]
        if errors.count > 1 { first.message += "; and \(errors.count - 1) more" }
        return first
    }

    /// Returns the closure's result; rethrows its error as a fault.
    @discardableResult
    static func of<Result>(_ body: () throws(FunctionError) -> Result) throws(FileFault) -> Result {
        do throws(FunctionError) {
            return try body()
        } catch {
            throw FileFault(error)
        }
    }
}
