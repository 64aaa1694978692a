/// How the bytes of a file with data are read.
package enum DataFormat: String, CaseIterable, ParameterValue {
    case csv, tsv, json, jsonl, yaml, text

    /// The format by the end of a file's name; nil if it says none.
    package init?(nameOf file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        let ending = file[file.index(after: dot)...].lowercased()
        switch ending {
        case "ndjson": self = .jsonl
        case "yml": self = .yaml
        case "txt": self = .text
        default:
            guard let format = DataFormat(rawValue: ending), format != .text else { return nil }
            self = format
        }
    }
}
