/// How the bytes of a data file are read.
package enum DataFormat: String, CaseIterable, ParameterValue {
    case csv, tsv, json, jsonl, yaml, text

    /// The format for a file name's extension; nil if it says none.
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
