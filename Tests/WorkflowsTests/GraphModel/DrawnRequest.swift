import Foundation
import GraphModel
import TestSupport
import Workflows

/// A request that the model allows, drawn along its members: a way, options of a query and a body.
struct DrawnRequest {
    var method = "GET"
    var segments: [String] = []
    var query: [String: String] = [:]
    var body: Value?
    /// The type at the end of the way, without its list.
    private(set) var definition = GraphModel.root
    /// The names that stand where each of the request's words stands.
    private(set) var operation: GraphOperation?

    /// Texts that people have in names, and machines in ids.
    static let texts = [
        "Ada", "Jürgen Groß", "a b", "🙂", "o'Neil", "100%", "‹a›", "", String(repeating: "x", count: 10_000), "a/b",
        "\"", "#1",
    ]

    init(_ generator: inout SeededGenerator) {
        while true {
            draw(&generator)
            guard let address = try? GraphAddress(segments.joined(separator: "/")) else { continue }
            let methods = ["GET", "GET", "POST", "PATCH", "DELETE"].shuffled(using: &generator)
            for method in methods {
                guard let operation = try? GraphOperation(method, address) else { continue }
                (self.method, self.operation) = (method, operation)
                drawOptions(&generator)
                drawBody(&generator)
                return
            }
        }
    }

    private mutating func draw(_ generator: inout SeededGenerator) {
        segments = []
        definition = GraphModel.root
        var type = GraphType(.defined(GraphModel.root.index))
        for step in 0..<Int.random(in: 1...4, using: &generator) {
            if type.isList {
                segments.append(Self.key(&generator))
                type = type.element
                continue
            }
            guard let current = type.definition else { break }
            let often = ["users", "me", "groups", "sites", "applications", "teams", "directoryRoles", "drives"]
            let members = current.allMembers.filter { member in
                step == 0 ? Bool.random(using: &generator) || often.contains(member.name) : member.kind != .property
            }
            guard let member = members.randomElement(using: &generator) else { break }
            segments.append(member.name)
            type = member.type
        }
        definition = type.definition ?? GraphModel.root
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return }
        let actions = GraphModel.lineage(of: definition.index).flatMap(\.operations).filter {
            $0.isAction && $0.isOfList == type.isList
        }
        if let action = actions.randomElement(using: &generator) { segments.append(action.name) }
    }

    private static func key(_ generator: inout SeededGenerator) -> String {
        let keys = [
            "5f1c", "${ .id }", "J%C3%BCrgen", "a%20b", "%F0%9F%99%82", "a@contoso.com", "contoso.com,1,2", "{id}",
        ]
        return keys.randomElement(using: &generator) ?? "x"
    }

    private var properties: [GraphDefinition.Member] {
        (operation?.response?.definition ?? definition).allMembers.filter { $0.kind == .property }
    }

    private mutating func drawOptions(_ generator: inout SeededGenerator) {
        query = [:]
        guard method == "GET", operation?.response?.definition?.kind == .entity else { return }
        let names = properties.map(\.name).shuffled(using: &generator)
        guard let first = names.first else { return }
        if Bool.random(using: &generator) { query["$select"] = names.prefix(3).joined(separator: ",") }
        guard operation?.response?.isList == true else { return }
        if Bool.random(using: &generator) { query["$orderby"] = "\(first) desc" }
        if Bool.random(using: &generator) {
            query["$filter"] = [
                "\(first) eq 'it''s \(names.last ?? "")' and not startswith(\(first),'a b')",
                "\(first)/any(c:c eq 'x')",
                "\(first) ge 2026-01-01T00:00:00Z or \(first) in ('1','2')", "\(first) ne null",
            ].randomElement(using: &generator)
        }
    }

    private mutating func drawBody(_ generator: inout SeededGenerator) {
        body = nil
        if let operation, operation.kind == .action {
            var members = Object()
            for (name, type) in operation.parameters.shuffled(using: &generator).prefix(4) {
                members[name.prefix(1).lowercased() + name.dropFirst()] = Self.value(of: type, 2, &generator)
            }
            body = .object(members)
        }
        guard let request = operation?.request, !request.isList, let definition = request.definition,
            definition.kind != .enumeration
        else { return }
        body = Self.object(definition, 2, &generator)
    }

    private static func object(
        _ definition: GraphDefinition, _ depth: Int, _ generator: inout SeededGenerator
    ) -> Value {
        let members = definition.allMembers.filter { $0.kind == .property }.shuffled(using: &generator).prefix(4)
        var object = Object()
        for member in members { object[member.name] = value(of: member.type, depth, &generator) }
        return .object(object)
    }

    private static func value(of type: GraphType, _ depth: Int, _ generator: inout SeededGenerator) -> Value {
        if type.isList { return depth == 0 ? [] : [value(of: type.element, depth - 1, &generator)] }
        if type.isNullable, Int.random(in: 0..<8, using: &generator) == 0 { return .null }
        switch type.kind {
        case .primitive(let primitive):
            switch primitive {
            case .int: return .integer(Int.random(in: 0..<9, using: &generator))
            case .bool: return .bool(Bool.random(using: &generator))
            case .double: return Bool.random(using: &generator) ? 1.5 : 2
            default: return .string(texts.randomElement(using: &generator) ?? "")
            }
        case .defined:
            guard let definition = type.definition else { return .null }
            if definition.kind == .enumeration { return definition.values.first.map { .string($0) } ?? .null }
            return depth == 0 ? [:] : object(definition, depth - 1, &generator)
        }
    }

    /// The arguments of `call: graph`.
    var with: Value {
        var with: Object = ["method": .string(method), "path": .string("/" + segments.joined(separator: "/"))]
        if !query.isEmpty {
            with["query"] = .object(Object(query.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        }
        if let body { with["body"] = body }
        return .object(with)
    }
}

extension DrawnRequest {
    enum Mistake: CaseIterable { case segment, method, select, filter, member, type }

    /// The request with a mistake, and the word that was meant; nil if it has no place for such a one.
    func with(_ mistake: Mistake, _ generator: inout SeededGenerator) -> (request: DrawnRequest, meant: String?)? {
        var request = self
        switch mistake {
        case .segment:
            let places = segments.indices.filter {
                segments[$0].allSatisfy(\.isLetter) && segments[$0].count > 4 && segments[$0] != "x"
            }
            guard let place = places.randomElement(using: &generator) else { return nil }
            // What follows a list is a key, whatever it is.
            if place > 0,
                (try? GraphAddress(segments[..<place].joined(separator: "/")))?.segments.last?.type?.isList == true
            {
                return nil
            }
            guard let word = Self.misspelled(segments[place], &generator) else { return nil }
            request.segments[place] = word
            return (request, segments[place])
        case .method:
            guard let address = operation?.address else { return nil }
            let wrong = ["GET", "POST", "PATCH", "PUT", "DELETE"].filter { (try? GraphOperation($0, address)) == nil }
            guard let method = wrong.randomElement(using: &generator) else { return nil }
            request.method = method
            (request.query, request.body) = ([:], nil)
            return (request, self.method)
        case .select:
            guard let names = query["$select"]?.split(separator: ","),
                let name = names.randomElement(using: &generator),
                let word = Self.misspelled(String(name), &generator)
            else { return nil }
            request.query["$select"] = names.map { $0 == name ? word : String($0) }.joined(separator: ",")
            return (request, String(name))
        case .filter:
            guard query["$filter"] != nil, let name = properties.map(\.name).randomElement(using: &generator),
                let word = Self.misspelled(name, &generator)
            else { return nil }
            request.query["$filter"] = "\(word) eq 'x'"
            return (request, name)
        case .member:
            guard let members = body?.object, let name = members.keys.randomElement(using: &generator),
                let word = Self.misspelled(name, &generator)
            else { return nil }
            request.body = .object(Object(members.map { ($0.key == name ? word : $0.key, $0.value) }))
            return (request, name)
        case .type:
            guard let definition = operation?.request?.definition else { return nil }
            let typed = definition.allMembers.filter { member in
                guard member.kind == .property, !member.type.isList, case .primitive(let primitive) = member.type.kind
                else { return false }
                return [.string, .bool, .int, .datetime].contains(primitive)
            }
            guard let member = typed.randomElement(using: &generator) else { return nil }
            let isText = [.primitive(.string), .primitive(.datetime)].contains(member.type.kind)
            request.body = .object([member.name: isText ? 5 : "neither"])
            return (request, nil)
        }
    }

    /// A word with one mistake of typing, which is no other name of the type.
    private static func misspelled(_ word: String, _ generator: inout SeededGenerator) -> String? {
        guard word.count > 4 else { return nil }
        var letters = Array(word)
        let place = Int.random(in: 1..<letters.count - 1, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: letters.remove(at: place)
        case 1: letters.insert("q", at: place)
        default: letters.swapAt(place, place + 1)
        }
        return String(letters).lowercased() == word.lowercased() ? nil : String(letters)
    }
}
