import Foundation
import Workflows

/// Where a script gets the values of a plan's unknowns, and the names of their variables.
struct CurlSymbols {
    /// Where an unknown's value comes from.
    enum Source {
        /// The answer to the request at that position, at a jq path.
        case answer(Int, path: String)
        /// The whole answer to a request, as bytes.
        case bytes(Int)
        /// The whole answer to a request, as text.
        case text(Int)
        /// The media type of an answer.
        case contentType(Int)
        /// The number of bytes of an answer.
        case size(Int)
        /// An expression over other data.
        case derived(PlannedDerivation)
        /// A variable that the user of the script sets.
        case environment
    }

    private var sources: [String: Source] = [:]
    private var names: [String: String] = [:]
    private var taken: Set<String> = ["TOKEN", "folder", "graph", "PATH", "HOME", "IFS"]
    private let derivations: [String: PlannedDerivation]
    /// The unknowns that have a value at this point of the script.
    var defined: Set<String> = []

    init(_ plan: Plan, requests: [PlannedRequest]) {
        derivations = plan.derivations
        for (position, request) in requests.enumerated() { note(request.operation.example, at: position) }
    }

    func source(of symbol: String) -> Source {
        sources[symbol] ?? derivations[symbol].map { .derived($0) } ?? .environment
    }

    /// The name of the unknown's variable.
    mutating func variable(_ symbol: String) -> String {
        if let name = names[symbol] { return name }
        let word = symbol.dropFirst().dropLast().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let start = word.first.map { $0.isNumber || $0 == "_" } ?? true ? "value_" : ""
        var name = start + String(word)
        while !taken.insert(name).inserted { name += "_" }
        names[symbol] = name
        return name
    }

    /// These unknowns, and all that they are derived from.
    func closure(_ symbols: some Sequence<String>) -> Set<String> {
        var open = Array(symbols)
        var all: Set<String> = []
        while let symbol = open.popLast() {
            guard all.insert(symbol).inserted, case .derived(let derivation) = source(of: symbol) else { continue }
            open += derivation.input.symbols + derivation.variables.values.flatMap(\.symbols)
        }
        return all
    }

    /// The unknowns whose values are in the answer to that request.
    func answered(by position: Int, of symbols: Set<String>) -> [String] {
        symbols.filter { symbol in
            switch source(of: symbol) {
            case .answer(position, _), .bytes(position), .text(position), .contentType(position), .size(position): true
            default: false
            }
        }.sorted()
    }

    private mutating func note(_ example: HTTPResponse, at position: Int) {
        if let symbol = ExampleBytes.symbol(of: example.body) {
            note(symbol, .bytes(position))
            let name = symbol.dropFirst().dropLast()
            note("‹\(name).contentType›", .contentType(position))
            note("‹\(name).size›", .size(position))
        } else if let value = try? Value(json: example.body) {
            note(value, at: position, path: "")
        } else if let symbol = SymbolicText(String(decoding: example.body, as: UTF8.self)).onlySymbol {
            note(symbol, .text(position))
        }
    }

    private mutating func note(_ value: Value, at position: Int, path: String) {
        switch value {
        case .string(let text):
            // An upload session's unknown URL has a host in a plan, so that it is a URL.
            let symbol = text.hasPrefix(CurlScript.session) ? text.dropFirst(CurlScript.session.count) : Substring(text)
            let name = String(symbol).removingPercentEncoding ?? text
            guard SymbolicText(name).onlySymbol != nil else { return }
            note(name, .answer(position, path: path.isEmpty ? "." : path))
        case .array(let elements):
            for (index, element) in elements.enumerated() { note(element, at: position, path: "\(path)[\(index)]") }
        case .object(let members):
            for (name, member) in members {
                let isPlain = name.utf8.allSatisfy { $0 == 0x5F || Character(Unicode.Scalar($0)).isLetter }
                let step =
                    isPlain && !name.isEmpty ? ".\(name)" : "\(path.isEmpty ? "." : "")[\(Value.string(name).json())]"
                note(member, at: position, path: path + step)
            }
        case .null, .bool, .integer, .double, .marked: break
        }
    }

    private mutating func note(_ symbol: String, _ source: Source) {
        // An example also repeats values of its request, which are known already.
        if sources[symbol] == nil, derivations[symbol] == nil { sources[symbol] = source }
    }
}
