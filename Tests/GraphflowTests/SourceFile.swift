import Foundation

/// A file of the sources, for tests that look for what may not be written in one.
struct SourceFile {
    /// The file's name, which stays when the file moves into another folder.
    let name: String
    /// The lines, in which comments are empty.
    let lines: [String]

    var code: String { lines.joined(separator: "\n") }

    init(name: String, _ text: String) {
        self.name = name
        lines = text.components(separatedBy: "\n").map { line in
            line.drop { $0 == " " }.hasPrefix("//") ? "" : line
        }
    }

    /// All files of the sources, by their names.
    static let all: [SourceFile] = {
        let folder = Repository.folder.appendingPathComponent("Sources")
        let paths = (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".swift") }
        return paths.compactMap { path in
            let text = try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            return text.map { SourceFile(name: String(path.split(separator: "/").last ?? ""), $0) }
        }.sorted { $0.name < $1.name }
    }()

    /// A type or an extension with what it conforms to and its stored properties.
    struct Declaration: Equatable {
        /// The name with those of the types around it.
        var name: String
        var conformances: [String]
        /// The names of stored properties that are texts.
        var texts: [String] = []
    }

    /// The types and extensions, of which a nested one is indented.
    var declarations: [Declaration] {
        var all: [Declaration] = []
        var open: [(indentation: Int, index: Int)] = []
        for (number, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            if Self.words.contains(where: line.contains), let match = line.firstMatch(of: Self.declaration) {
                // What it conforms to may be on the next lines.
                var head = String(match.output.2)
                var next = number + 1
                while !head.contains("{"), next < lines.count {
                    head += lines[next]
                    next += 1
                }
                while let last = open.last, last.indentation >= indentation { open.removeLast() }
                let around = open.last.map { all[$0.index].name + "." } ?? ""
                let list = head.prefix { $0 != "{" }.drop { $0 != ":" }.dropFirst()
                let names = list.split { ",& ".contains($0) }.prefix { $0 != "where" }.map(String.init)
                open.append((indentation, all.count))
                all.append(Declaration(name: around + match.output.1, conformances: names))
            } else if line.contains(": String"), let match = line.firstMatch(of: Self.text) {
                // A type inside is over.
                while let last = open.last, last.indentation + 4 > indentation { open.removeLast() }
                guard let last = open.last, last.indentation + 4 == indentation else { continue }
                all[last.index].texts.append(String(match.output.1))
            }
        }
        return all
    }

    private static let words = ["struct ", "enum ", "class ", "actor ", "extension ", "protocol "]
    private static var declaration: Regex<(Substring, Substring, Substring)> {
        #/^ *(?:@\w+ |(?:public|package|private|fileprivate|final|indirect) )*(?:struct|enum|class|actor|extension|protocol) ([A-Z][\w.]*)(.*)$/#
    }
    private static var text: Regex<(Substring, Substring)> {
        #/^ *(?:(?:public|package|private|fileprivate)(?:\(set\))? )*(?:let|var) (\w+): String\??(?: = [^{]*)?$/#
    }
}
