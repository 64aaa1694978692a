import Foundation
import Testing
import WorkflowData

/// The clauses of the YAML 1.2.2 specification, each proved by a text like its examples.
@Suite struct `The YAML specification` {
    struct Clause: Sendable, CustomTestStringConvertible {
        let number: String
        let text: String
        /// The value as JSON, or the id of the error.
        let result: String

        init(_ number: String, _ text: String, _ result: String) {
            (self.number, self.text, self.result) = (number, text, result)
        }

        var testDescription: String { number }
    }

    @Test(arguments: [
        Clause("2.1 scalars in a sequence", "- one\n- two words\n- three\n", #"["one","two words","three"]"#),
        Clause("2.1 mapping of scalars", "hr:  65    # count\navg: 0.278\n", #"{"hr":65,"avg":0.278}"#),
        Clause("2.1 mapping of sequences", "a:\n- x\n- y\nb:\n  - z\n", #"{"a":["x","y"],"b":["z"]}"#),
        Clause(
            "2.1 sequence of mappings", "-\n  name: a\n  hr: 1\n-\n  name: b\n  hr: 2\n",
            #"[{"name":"a","hr":1},{"name":"b","hr":2}]"#),
        Clause("2.1 sequence of flow sequences", "- [name, hr]\n- [a , 65]\n", #"[["name","hr"],["a",65]]"#),
        Clause(
            "2.1 flow mapping over lines", "a: {hr: 65, avg: 0.278}\nb: {\n    hr: 63,\n    avg: 0.288,\n }\n",
            #"{"a":{"hr":65,"avg":0.278},"b":{"hr":63,"avg":0.288}}"#),
        Clause("2.2 two documents", "---\n- a\n---\n- b\n", "several-documents"),
        Clause("2.2 documents that end", "---\na: 1\n...\n---\na: 2\n...\n", "several-documents"),
        Clause(
            "2.2 a node that appears twice", "hr:\n  - A\n  # follows\n  - &SS B\nrbi:\n  - *SS # again\n  - C\n",
            #"{"hr":["A","B"],"rbi":["B","C"]}"#),
        Clause("2.2 complex keys", "? - a\n  - b\n: - 2001-07-23\n", "key-type"),
        Clause(
            "2.2 compact nested mapping", "- item: a\n  quantity: 1\n- item: b\n  quantity: 4\n",
            #"[{"item":"a","quantity":1},{"item":"b","quantity":4}]"#),
        Clause(
            "2.3 literal keeps line breaks", "# art\n--- |\n  \\//||\\/||\n  // ||  ||__\n",
            #""\\//||\\/||\n// ||  ||__\n""#),
        Clause("2.3 folded turns line breaks into spaces", "--- >\n  One\n  two\n  three\n", #""One two three\n""#),
        Clause(
            "2.3 folded keeps more-indented lines",
            "--- >\n A year\n of\n\n   63 Home Runs\n   0.288 Average\n\n What\n",
            #""A year of\n\n  63 Home Runs\n  0.288 Average\n\nWhat\n""#),
        Clause(
            "2.3 indentation decides where a text ends", "name: A\nabout: >\n  It\n  was\nstats: |\n  65\n  0.278\n",
            #"{"name":"A","about":"It was\n","stats":"65\n0.278\n"}"#),
        Clause(
            "2.3 quoted scalars",
            "a: \"Sosa did fine.\\u263A\"\nb: \"\\b1998\\t1999\\t2000\\n\"\nc: \"\\x0d\\x0a is \\r\\n\"\nd: '\"Howdy!\" he cried.'\ne: ' # Not a ''comment''.'\nf: '|\\-*-/|'\n",
            "{\"a\":\"Sosa did fine.☺\",\"b\":\"\\b1998\\t1999\\t2000\\n\",\"c\":\"\\r\\n is \\r\\n\",\"d\":\"\\\"Howdy!\\\" he cried.\",\"e\":\" # Not a 'comment'.\",\"f\":\"|\\\\-*-/|\"}"
        ),
        Clause(
            "2.3 multi-line flow scalars",
            "plain:\n  This unquoted scalar\n  spans many lines.\n\nquoted: \"So does this\n  quoted scalar.\\n\"\n",
            #"{"plain":"This unquoted scalar spans many lines.","quoted":"So does this quoted scalar.\n"}"#),
        Clause("2.4 integers", "a: 12345\nb: +12345\nc: 0o14\nd: 0xC\n", #"{"a":12345,"b":12345,"c":12,"d":12}"#),
        Clause(
            "2.4 floats", "a: 1.23015e+3\nb: 12.3015e+02\nc: 1230.15\nd: -.inf\ne: .nan\n",
            #"{"a":1230.15,"b":1230.15,"c":1230.15,"d":-1.7976931348623157e+308,"e":null}"#),
        Clause(
            "2.4 others", "null:\nbooleans: [ true, false ]\nstring: '012345'\n",
            #"{"null":null,"booleans":[true,false],"string":"012345"}"#),
        Clause("2.4 tags that are not known", "a: !!binary |\n R0lGODlh\n", "unknown-tag"),
        Clause(
            "5.3 indicators of structure", "sequence:\n- one\n- two\nmapping:\n  ? sky\n  : blue\n  sea : green\n",
            #"{"sequence":["one","two"],"mapping":{"sky":"blue","sea":"green"}}"#),
        Clause(
            "5.3 an anchor and a tag", "anchored: !!str &anchor value\nalias: *anchor\n",
            #"{"anchored":"value","alias":"value"}"#),
        Clause("5.3 reserved indicators", "a: `text", "unexpected-text"),
        Clause(
            "5.4 line breaks are normalised", "a: |\r\n  x\r\n  y\r\nb: \"z\r\n  w\"\r\n", #"{"a":"x\ny\n","b":"z w"}"#),
        Clause("5.4 a carriage return alone breaks a line", "a: 1\rb: 2\r", #"{"a":1,"b":2}"#),
        Clause(
            "5.5 tabs and spaces", "quoted: \"Quoted \t\"\nblock:\t|\n  void main() {\n  \tprintf();\n  }\n",
            #"{"quoted":"Quoted \t","block":"void main() {\n\tprintf();\n}\n"}"#),
        Clause(
            "5.7 escaped characters",
            "- \"Fun with \\\\\"\n- \"\\\" \\a \\b \\e \\f\"\n- \"\\n \\r \\t \\v \\0\"\n- \"\\  \\_ \\N \\L \\P \\\n  \\x41 \\u0041 \\U00000041\"\n",
            "[\"Fun with \\\\\",\"\\\" \\u0007 \\b \\u001b \\f\",\"\\n \\r \\t \\u000b \\u0000\",\"  \u{A0} \u{85} \u{2028} \u{2029} A A A\"]"
        ),
        Clause("5.7 escapes that are none", "bad: \"\\c\"\n", "unknown-escape"),
        Clause("5.7 hexadecimal digits that are none", "bad: \"\\xq-\"\n", "unknown-escape"),
        Clause(
            "6.1 indentation spaces",
            "  # Leading comment line spaces are\n  # neither content nor indentation.\n\nNot indented:\n By one space: |\n    By four\n      spaces\n Flow style: [    # Leading spaces\n   By two,        # in flow style\n  Also by two,    # are neither\n  \tStill by two   # content nor\n    ]             # indentation.\n",
            #"{"Not indented":{"By one space":"By four\n  spaces\n","Flow style":["By two","Also by two","Still by two"]}}"#
        ),
        Clause("6.1 indentation indicators", "? a\n: -\tb\n  -  -\tc\n     - d\n", #"{"a":["b",["c","d"]]}"#),
        Clause("6.2 separation spaces", "- foo:\t bar\n- - baz\n  -\tbaz\n", #"[{"foo":"bar"},["baz","baz"]]"#),
        Clause(
            "6.3 line prefixes", "plain: text\n  lines\nquoted: \"text\n  \tlines\"\nblock: |\n  text\n   \tlines\n",
            #"{"plain":"text lines","quoted":"text lines","block":"text\n \tlines\n"}"#),
        Clause(
            "6.4 empty lines",
            "Folding:\n  \"Empty line\n   \t\n  as a line feed\"\nClipped empty lines: |\n  a line feed\n\n",
            #"{"Folding":"Empty line\nas a line feed","Clipped empty lines":"a line feed\n"}"#),
        Clause("6.5 line folding", ">-\n  trimmed\n  \n \n\n  as\n  space\n", #""trimmed\n\n\nas space""#),
        Clause("6.5 block folding", ">\n  foo \n \n  \t bar\n\n  baz\n", #""foo \n\n\t bar\n\nbaz\n""#),
        Clause("6.5 flow folding", "\"\n  foo \n \n  \t bar\n\n  baz\n\"", #"" foo\nbar\nbaz ""#),
        Clause("6.6 comments", "key:    # Comment\n        # lines\n  value\n\n", #"{"key":"value"}"#),
        Clause("6.7 separation lines", "{ first: A, last: B }:\n  hr: 65\n", "key-type"),
        Clause("6.8 reserved directives", "%FOO  bar baz # ignored\n--- \"foo\"\n", #""foo""#),
        Clause("6.8 a newer minor version", "%YAML 1.3 # warned of\n---\n\"foo\"\n", #""foo""#),
        Clause("6.8 a directive given twice", "%TAG ! !foo\n%TAG ! !foo\n---\nbar\n", "directive"),
        Clause("6.8 the secondary tag handle", "%TAG !! tag:example.com,2000:app/\n---\n!!int 1 - 3\n", "unknown-tag"),
        Clause("6.8 a named handle", "%TAG !e! tag:yaml.org,2002:\n---\n!e!str 1\n", #""1""#),
        Clause(
            "6.9 node properties", "!!str &a1 \"foo\":\n  !!str bar\n&a2 baz : *a1\n", #"{"foo":"bar","baz":"foo"}"#),
        Clause("6.9 verbatim tags", "!<tag:yaml.org,2002:str> foo :\n  !<tag:yaml.org,2002:int> 7\n", #"{"foo":7}"#),
        Clause("6.9 undeclared handles", "- !h!bar baz\n", "unknown-tag"),
        Clause("6.9 the tag '!'", "- \"12\"\n- 12\n- ! 12\n", #"["12",12,"12"]"#),
        Clause(
            "7.1 aliases take the latest anchor", "a: &anchor Foo\nb: *anchor\nc: &anchor Bar\nd: *anchor\n",
            #"{"a":"Foo","b":"Foo","c":"Bar","d":"Bar"}"#),
        Clause("7.2 empty content", "{\n  foo : !!str,\n  !!str : bar,\n}\n", #"{"foo":"","":"bar"}"#),
        Clause("7.2 completely empty nodes", "{\n  ? foo :,\n  : bar,\n}\n", #"{"foo":null,"":"bar"}"#),
        Clause(
            "7.3 double-quoted keys", "\"implicit block key\" : [\n  \"implicit flow key\" : value,\n ]\n",
            #"{"implicit block key":[{"implicit flow key":"value"}]}"#),
        Clause(
            "7.3 double-quoted line breaks",
            "\"folded \n to a space,\t\n \n to a line feed, or \t\\\n \\ \tnon-content\"",
            #""folded to a space,\nto a line feed, or \t \tnon-content""#),
        Clause(
            "7.3 double-quoted lines", "\" 1st non-empty\n\n 2nd non-empty \n\t3rd non-empty \"",
            #"" 1st non-empty\n2nd non-empty 3rd non-empty ""#),
        Clause(
            "7.3 single-quoted lines", "' 1st non-empty\n\n 2nd non-empty \n\t3rd non-empty '",
            #"" 1st non-empty\n2nd non-empty 3rd non-empty ""#),
        Clause(
            "7.3 plain characters",
            "- ::vector\n- \": - ()\"\n- Up, up, and away!\n- -123\n- http://example.com/foo#bar\n- [ ::vector,\n  \": - ()\",\n  \"Up, up and away!\",\n  -123,\n  http://example.com/foo#bar ]\n",
            #"["::vector",": - ()","Up, up, and away!",-123,"http://example.com/foo#bar",["::vector",": - ()","Up, up and away!",-123,"http://example.com/foo#bar"]]"#
        ),
        Clause(
            "7.3 plain lines", "1st non-empty\n\n 2nd non-empty \n\t3rd non-empty\n",
            #""1st non-empty\n2nd non-empty 3rd non-empty""#),
        Clause("7.4 flow sequences", "- [ one, two, ]\n- [three ,four]\n", #"[["one","two"],["three","four"]]"#),
        Clause(
            "7.4 flow sequence entries",
            "[\n\"double\n quoted\", 'single\n           quoted',\nplain\n text, [ nested ],\nsingle: pair,\n]\n",
            #"["double quoted","single quoted","plain text",["nested"],{"single":"pair"}]"#),
        Clause(
            "7.4 flow mappings", "- { one : two , three: four , }\n- {five: six,seven : eight}\n",
            #"[{"one":"two","three":"four"},{"five":"six","seven":"eight"}]"#),
        Clause(
            "7.4 flow mapping entries", "{\n? explicit: entry,\nimplicit: entry,\n?\n}\n",
            #"{"explicit":"entry","implicit":"entry","":null}"#),
        Clause(
            "7.4 separate values", "{\nunquoted : \"separate\",\nhttp://foo.com,\nomitted value:,\n: omitted key,\n}\n",
            #"{"unquoted":"separate","http://foo.com":null,"omitted value":null,"":"omitted key"}"#),
        Clause(
            "7.4 adjacent values", "{\n\"adjacent\":value,\n\"readable\": value,\n\"empty\":\n}\n",
            #"{"adjacent":"value","readable":"value","empty":null}"#),
        Clause("7.4 single pairs", "[\nfoo: bar,\n? foo\n bar : baz\n]\n", #"[{"foo":"bar"},{"foo bar":"baz"}]"#),
        Clause("7.4 a single pair's key on two lines", "[ foo\n bar: invalid,\n]\n", "unexpected-text"),
        Clause(
            "7.5 flow content", "- [ a, b ]\n- { a: b }\n- \"a\"\n- 'b'\n- c\n", #"[["a","b"],{"a":"b"},"a","b","c"]"#),
        Clause(
            "8.1 block scalar headers",
            "- | # Empty header\n literal\n- >1 # Indentation indicator\n  folded\n- |+ # Chomping indicator\n keep\n\n- >1- # Both indicators\n  strip\n",
            #"["literal\n"," folded\n","keep\n\n"," strip"]"#),
        Clause(
            "8.1 indentation indicator",
            "- |\n detected\n- >\n \n  \n  # detected\n- |1\n  explicit\n- >\n \t\n detected\n",
            #"["detected\n","\n\n# detected\n"," explicit\n","\t\ndetected\n"]"#),
        Clause("8.1 a leading empty line with more spaces", "- |\n  \n text\n", "indentation"),
        Clause("8.1 a text that is not indented enough", "- |2\n text\n", "indentation"),
        Clause(
            "8.1 chomping the final line break", "strip: |-\n  text\nclip: |\n  text\nkeep: |+\n  text\n",
            #"{"strip":"text","clip":"text\n","keep":"text\n"}"#),
        Clause(
            "8.1 chomping trailing lines",
            " # Strip\n  # Comments:\nstrip: |-\n  # text\n  \n # Clip\n  # comments:\n\nclip: |\n  # text\n \n # Keep\n  # comments:\n\nkeep: |+\n  # text\n\n # Trail\n  # comments.\n",
            "{\"strip\":\"# text\",\"clip\":\"# text\\n\",\"keep\":\"# text\\n\\n\"}"),
        Clause("8.1 empty texts", "strip: >-\n\nclip: >\n\nkeep: |+\n\n", #"{"strip":"","clip":"","keep":"\n"}"#),
        Clause(
            "8.1 literal content", "|\n \n  \n  literal\n   \n  \n  text\n\n # Comment\n",
            #""\n\nliteral\n \n\ntext\n""#),
        Clause(
            "8.1 folded lines",
            ">\n\n folded\n line\n\n next\n line\n   * bullet\n\n   * list\n   * lines\n\n last\n line\n\n# Comment\n",
            #""\nfolded line\nnext line\n  * bullet\n\n  * list\n  * lines\n\nlast line\n""#),
        Clause(
            "8.2 block sequences", "block sequence:\n  - one\n  - two : three\n",
            #"{"block sequence":["one",{"two":"three"}]}"#),
        Clause(
            "8.2 block sequence entries",
            "- # Empty\n- |\n block node\n- - one # Compact\n  - two # sequence\n- one: two # Compact mapping\n",
            #"[null,"block node\n",["one","two"],{"one":"two"}]"#),
        Clause(
            "8.2 explicit block mapping entries",
            "? explicit key # Empty value\n? |\n  block key\n: - one # Explicit compact\n  - two # block value\n",
            #"{"explicit key":null,"block key\n":["one","two"]}"#),
        Clause(
            "8.2 implicit block mapping entries",
            "plain key: in-line value\n: # Both empty\n\"quoted key\":\n- entry\n",
            #"{"plain key":"in-line value","":null,"quoted key":["entry"]}"#),
        Clause(
            "8.2 compact block mappings", "- sun: yellow\n- ? earth\n  : color: blue\n",
            #"[{"sun":"yellow"},{"earth":{"color":"blue"}}]"#),
        Clause(
            "8.2 block node types",
            "-\n  \"flow in block\"\n- >\n Block scalar\n- !!map # Block collection\n  foo : bar\n",
            #"["flow in block","Block scalar\n",{"foo":"bar"}]"#),
        Clause(
            "8.2 properties of block scalars", "literal: |2\n  value\nfolded:\n   !!str\n  >1\n value\n",
            #"{"literal":"value\n","folded":"value\n"}"#),
        Clause(
            "8.2 properties of block collections",
            "sequence: !!seq\n- entry\n- !!seq\n - nested\nmapping: !!map\n foo: bar\n",
            #"{"sequence":["entry",["nested"]],"mapping":{"foo":"bar"}}"#),
        Clause(
            "9.1 byte order mark and comments before a document", "\u{FEFF}# Comment\n# lines\nDocument\n",
            #""Document""#),
        Clause("9.1 document markers", "%YAML 1.2\n---\nDocument\n... # Suffix\n", #""Document""#),
        Clause(
            "9.1 a bare document that starts with a percent sign", "--- |\n%!PS-Adobe-2.0\n...\n",
            "\"%!PS-Adobe-2.0\\n\""),
        Clause("9.1 an explicit document in braces", "---\n{ matches\n% : 20 }\n...\n", #"{"matches %":20}"#),
        Clause(
            "10.3 the core schema",
            "A null: null\nBooleans: [ true, True, false, FALSE ]\nIntegers: [ 0, 0o7, 0x3A, -19 ]\nFloats: [\n  0., -0.0, .5, +12e03, -2E+05 ]\nAlso floats: [\n  .inf, -.Inf, +.INF, .NAN ]\n",
            #"{"A null":null,"Booleans":[true,true,false,false],"Integers":[0,7,58,-19],"Floats":[0,-0.0,0.5,1.2E+4,-2E+5],"Also floats":[1.7976931348623157e+308,-1.7976931348623157e+308,1.7976931348623157e+308,null]}"#
        ),
    ])
    func `is followed`(_ clause: Clause) throws {
        do {
            let document = try Document(text: clause.text, name: "a.yaml")
            #expect(document.value.json() == clause.result)
        } catch {
            let id = error.diagnostics.first?.id ?? ""
            #expect(id == clause.result, "\(error)")
        }
    }
}
