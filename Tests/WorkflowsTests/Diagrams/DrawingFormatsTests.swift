import Foundation
import TestSupport
import Testing
import Workflows

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Every format shows any text of a file as text.
@Suite struct DrawingFormatsTests {
    /// Names and texts with a special meaning in one of the formats, or hard to show.
    private static let hostile = [
        "\"]; x -->|\"y\"| z; click x \"javascript:alert(1)\"", "<script>alert(1)</script>&amp;<b>",
        "`**bold**` _x_ # %%{init: {}}%%",
        "1. first", "- second", "end", "a\\\"b\\N\\G", "line\none\r\nline two\u{2028}three\u{0}\u{1B}[31m",
        "\u{202E}evil\u{2066}",
        "مرحبا بالعالم שלום", "]]>--><!--", "日本語のタスク名👩‍👩‍👧‍👦", String(repeating: "long ", count: 200),
        String(repeating: "W", count: 1_000), "subgraph end", "{{{(((>>>", "style n1 fill:red", "'\u{7F}\u{FFFE}",
    ]

    private static func graph(_ text: String) throws -> WorkflowDrawing {
        let tasks: Value = [
            .object([text: ["set": .object([text: 1]), "if": .string(".x == \(Value.string(text).json())")]]),
            .object([
                "choose": ["switch": [.object([text: ["when": .string(Value.string(text).json()), "then": "end"]])]]
            ]),
            .object([
                "t \(text)": [
                    "try": [["x": ["call": "photo"]]],
                    "catch": ["errors": ["with": ["title": .string(text)]], "do": [["y": ["call": "me"]]]],
                ]
            ]),
        ]
        return WorkflowDrawing(
            try Workflow(
                text: Value.object([
                    "document": [
                        "dsl": "1.0.3", "namespace": "samples", "name": "hostile", "version": "1.0.0",
                        "title": .string(text),
                    ],
                    "do": tasks,
                ]).json()))
    }

    private static func graphs() throws -> [WorkflowDrawing] {
        try hostile.map { try graph($0) }
            + SampleWorkflow.files.map {
                WorkflowDrawing(try Workflow(contentsOf: SampleWorkflow.folder.appending(path: $0)))
            }
    }

    @Test func `every line of Mermaid is one that we mean to write`() throws {
        let text = #"(?:[\p{L}\p{M}\p{N} ,/!?:=$·…×↻○■▲.\-]|#\d+;|<br/>)*"#
        let lines = [
            "---", #"title: "(?:[^"\\]|\\.)*""#, "flowchart TD", "direction TB", "end",
            #"n\d+(?:\(\["\#(text)"\]\)|\(\(\("\#(text)"\)\)\)|\("\#(text)"\)|\{\{"\#(text)"\}\}|>"\#(text)"\]|\[/"\#(text)"/\]|\[\["\#(text)"\]\]|\["\#(text)"\])"#,
            #"subgraph n\d+ \["\#(text)"\]"#, #"n\d+ (?:-->|-\.->)(?:\|"\#(text)"\|)? n\d+"#,
            #"classDef [a-z]+ [a-z0-9#:,\- ]+"#, #"class n\d+(?:,n\d+)* [a-z]+"#,
        ]
        let grammar = try Regex("[ ]*(?:\(lines.joined(separator: "|")))")
        for graph in try Self.graphs() {
            for line in graph.mermaid.components(separatedBy: "\n") {
                #expect(try grammar.wholeMatch(in: line) != nil, "\(line)")
            }
            // A Markdown list would be shown as "Unsupported markdown".
            let picture = graph.mermaid.components(separatedBy: "flowchart TD").last ?? ""
            #expect(!picture.contains(#/(?:"|<br\/>)(?:\d+\.|-) /#))
        }
    }

    @Test func `quotes of DOT hold what is in them`() throws {
        let statement =
            #/ *(?:digraph "(?:[^"\\\n]|\\.)*" \{|\}|(?:graph|node|edge|n\d+|n\d+ -> n\d+)(?: \[[^"\n]*(?:"(?:[^"\\\n]|\\["\\n])*"[^"\n]*)*\])?;|subgraph cluster_\d+ \{|(?:[a-z]+=(?:"(?:[^"\\\n]|\\["\\n])*"|\d+);? ?)+)/#
        for graph in try Self.graphs() {
            for line in graph.dot.components(separatedBy: "\n") {
                #expect(try statement.wholeMatch(in: line) != nil, "\(line)")
            }
        }
    }

    @Test func `SVG is well-formed, runs nothing and loads nothing`() throws {
        for graph in try Self.graphs() {
            let reader = ElementReader()
            let parser = XMLParser(data: Data(graph.svg.utf8))
            parser.delegate = reader
            #expect(parser.parse(), "\(graph.title): \(String(describing: parser.parserError))")
            #expect(reader.elements.isSubset(of: Self.elements), "\(reader.elements)")
            #expect(reader.attributes.isSubset(of: Self.attributes), "\(reader.attributes)")
        }
    }

    @Test func `what is cut is there in full as a tooltip`() throws {
        let name = String(repeating: "long ", count: 200).trimmingCharacters(in: .whitespaces)
        let svg = try Self.graph(name).svg
        #expect(svg.contains("<title>\(name)\n"))
        #expect(!svg.contains(">\(name)</text>"))
        #expect(svg.contains(#/>long long [long ]+…<\/text>/#))
    }

    @Test func `effects and fallbacks are told without colours`() throws {
        let workflow = try Workflow(contentsOf: SampleWorkflow.folder.appending(path: "share-profile-photo.yaml"))
        let graph = WorkflowDrawing(workflow)
        for text in [graph.mermaid, graph.dot] {
            for sign in ["○ read", "■ idempotent", "▲ once", "↻ 3×", "status 404"] { #expect(text.contains(sign)) }
        }
        for sign in ["class=\"sign ring\"", ">idempotent</text>", "↻ 3×", "stroke-dasharray", ">status 404</text>"] {
            #expect(graph.svg.contains(sign), "\(sign)")
        }
        #expect(graph.mermaid.contains("-.->|\"status 404\"|"))
        #expect(graph.dot.contains("style=dashed"))
        #expect(graph.svg.contains("prefers-color-scheme:dark"))
    }

    private static let elements: Set<String> = [
        "svg", "title", "style", "rect", "g", "text", "tspan", "path", "circle", "polygon",
    ]
    private static let attributes: Set<String> = [
        "xmlns", "viewBox", "width", "height", "role", "class", "x", "y", "rx", "dx", "d", "cx", "cy", "r", "points",
    ]
}

/// Collects the parts of an XML document.
private final class ElementReader: NSObject, XMLParserDelegate {
    var elements: Set<String> = []
    var attributes: Set<String> = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes given: [String: String]
    ) {
        elements.insert(name)
        attributes.formUnion(given.keys)
    }
}
