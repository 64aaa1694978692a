import Foundation
import TestSupport
import Workflows

/// Writes workflows for a sandbox, with data that is known before the run and data that only the service knows.
struct WorkflowGenerator {
    /// The type of a name's value in the context.
    private enum Kind {
        case text, number, user, photo, item, link, people, answer
    }

    private struct Name {
        var name: String
        var kind: Kind
    }

    var random: SeededGenerator
    private var count = 0
    private var users = ["megan@contoso.com", "adelev@contoso.com", "alexw@contoso.com"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The text of a workflow, in JSON.
    mutating func workflow() -> String {
        let tasks = list(length: 3...8, depth: 2, known: [])
        let document: Value = [
            "document": ["dsl": "1.0.3", "namespace": "tests", "name": "generated", "version": "1.0.0"],
            "do": .array(tasks),
        ]
        return document.json()
    }

    /// An input that the workflow reads.
    mutating func input() -> Value {
        ["n": .integer(Int.random(in: 0...9, using: &random)), "name": .string(pick(["a", "b b", "c/ü", "<d>"]))]
    }

    mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func name(_ prefix: String = "t") -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    private mutating func list(
        length: ClosedRange<Int>, depth: Int, known: [Name], exports: Bool = true, locals: [String] = []
    ) -> [Value] {
        var known = known
        var tasks: [(name: String, task: Object)] = []
        let total = Int.random(in: length, using: &random)
        let turn = chance(35) && total > 2 ? Int.random(in: 0..<total - 1, using: &random) : nil
        var switches: [Int] = []
        for index in 0..<total {
            let name = name()
            if index == turn {
                tasks.append((name, [:]))
                switches.append(index)
                continue
            }
            var (task, kind) = self.task(depth: depth, known: known, exports: exports, locals: locals)
            if chance(20) {
                task["if"] = .string("${ \(condition(known)) }")
                kind = nil
            }
            if let kind, exports {
                let variable = self.name("v")
                if task["export"] == nil { task["export"] = ["as": .string("${ $context + { \(variable): . } }")] }
                // After a switch a task may have been skipped.
                if switches.isEmpty { known.append(Name(name: variable, kind: kind)) }
            }
            tasks.append((name, task))
        }
        for index in switches {
            tasks[index].task = choice(tasks[(index + 1)...].map(\.name), known)
        }
        return tasks.map { [$0.name: .object($0.task)] }
    }

    private mutating func choice(_ later: [String], _ known: [Name]) -> Object {
        var cases: [Value] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let target = chance(15) ? pick(["end", "exit", "continue"]) : pick(later)
            cases.append([name("c"): ["when": .string("${ \(condition(known)) }"), "then": .string(target)]])
        }
        if chance(50) { cases.append([name("c"): ["then": .string(pick(later))]]) }
        return ["switch": .array(cases)]
    }

    /// A condition without errors on any data.
    private mutating func condition(_ known: [Name]) -> String {
        let unknown = known.filter { $0.kind != .text && $0.kind != .number }
        guard let one = unknown.isEmpty ? nil : pick(unknown), chance(60) else {
            return pick([
                "$workflow.input.n > 4", "$workflow.input.name == \"a\"", "$workflow.input.n % 2 == 0", "true",
                "($workflow.input.name | length) > 1",
            ])
        }
        let value = "$context.\(one.name)"
        switch one.kind {
        case .user: return pick(["\(value).displayName | startswith(\"M\")", "(\(value).id | length) > 40"])
        case .photo: return pick(["\(value).contentType == \"image/png\"", "\(value).size > 1000"])
        case .item: return pick(["\(value).name == \"a.txt\"", "(\(value).id | length) > 3", "\(value).size > 3"])
        case .link: return pick(["\(value).webUrl | startswith(\"https\")", "\(value).roles[0] == \"write\""])
        case .people: return pick(["(\(value) | length) > 1", "\(value)[0].displayName == \"Adele Vance\""])
        case .text, .number, .answer: return pick(["\(value) == 200", "(\(value) | tostring | length) > 5"])
        }
    }

    /// An expression that returns a text.
    private mutating func text(_ known: [Name], locals: [String]) -> String {
        if let local = locals.randomElement(using: &random), chance(60) { return local }
        guard !known.isEmpty, chance(70) else {
            return pick(["\"fixed\"", "$workflow.input.name", "\"n\\($workflow.input.n)\""])
        }
        let one = pick(known)
        let value = "$context.\(one.name)"
        switch one.kind {
        case .text: return value
        case .number: return "\"\\(\(value))\""
        case .user: return pick(["\(value).displayName", "\(value).id", "\"Hi \\(\(value).displayName)!\""])
        case .photo:
            return pick(["\(value).contentType", "if \(value).contentType == \"image/png\" then \"p\" else \"q\" end"])
        case .item:
            return pick(["\(value).id", "\(value).name", "\"\\(\(value).size) bytes\"", "\(value).id | ascii_downcase"])
        case .link: return pick(["\(value).webUrl", "\"see \\(\(value).webUrl) now\""])
        case .people: return pick(["\"\\(\(value) | length) people\"", "\(value) | map(.displayName) | join(\"+\")"])
        case .answer: return "\(value) | tostring"
        }
    }

    private mutating func task(
        depth: Int, known: [Name], exports: Bool, locals: [String]
    ) -> (Object, Kind?) {
        let text = text(known, locals: locals)
        let roll = Int.random(in: 0..<100, using: &random)
        switch roll {
        case 0..<12: return (set(text), .text)
        case 12..<20: return (call("me", chance(50) ? [:] : ["user": .string(pick(users))]), .user)
        case 20..<26: return (call("users", ["startsWith": .string(pick(["A", "M", "Z"])), "top": 5]), .people)
        case 26..<42: return (upload(text, known), .item)
        case 42..<50:
            guard let item = known.last(where: { $0.kind == .item }) else { return (photo(known), .photo) }
            return (call("createLink", ["itemId": .string("${ $context.\(item.name).id }"), "type": "view"]), .link)
        case 50..<58: return (mail(text, known), nil)
        case 58..<66: return (photo(known), .photo)
        case 66..<70: return (http(text, known), .answer)
        case 70..<74: return (["wait": ["seconds": .integer(Int.random(in: 1...90, using: &random))]], nil)
        case 74..<77 where exports:
            let process: Value = [
                "workflow": [
                    "namespace": "samples", "name": "greet", "version": "1.0.0",
                    "input": ["user": .string(pick(users)), "words": .string("${ \(text) }")],
                ]
            ]
            return (["run": process], nil)
        case 77..<84 where depth > 0:
            return (loop(depth, known, exports: exports, locals), nil)
        case 84..<89 where depth > 0 && exports && locals.isEmpty:
            let branches = (0..<2).map { _ -> Value in
                let inner = list(length: 1...3, depth: 0, known: known, exports: false)
                return [name("b"): ["do": .array(inner)]]
            }
            return (["fork": ["branches": .array(branches)]], nil)
        case 89..<97 where depth > 0:
            return (attempt(depth, known, exports: exports, locals), nil)
        case 97..<100 where depth > 0:
            return (
                ["do": .array(list(length: 1...3, depth: depth - 1, known: known, exports: exports, locals: locals))],
                nil
            )
        default: return (set(text), .text)
        }
    }

    func call(_ function: String, _ with: Value) -> Object { ["call": .string(function), "with": with] }

    private func set(_ text: String) -> Object { ["set": .string("${ \(text) }")] }

    private mutating func upload(_ text: String, _ known: [Name]) -> Object {
        let photo = known.last { $0.kind == .photo }
        let content = photo.map { "${ $context.\($0.name) }" }
        let path =
            chance(30)
            ? "${ \"\\(\(text) | gsub(\"[^a-zA-Z0-9]\"; \"_\") | .[0:40])x.txt\" }"
            : pick(["a.txt", "folder/b ü.txt", "c.bin"])
        return call(
            "upload",
            [
                "path": .string(path),
                "content": .string(chance(40) ? content ?? "plain" : "Text: ${ \(text) }"),
                "conflictBehavior": .string(pick(["replace", "rename"])),
            ])
    }

    private mutating func photo(_ known: [Name]) -> Object {
        let with: Value = chance(50) ? [:] : ["user": .string(pick(users))]
        let handler: Value = [name(): ["call": "defaultPhoto"]]
        return [
            "try": [[name(): .object(call("photo", with))]],
            "catch": ["errors": ["with": ["status": 404]], "do": [handler]],
        ]
    }

    private mutating func mail(_ text: String, _ known: [Name]) -> Object {
        let user = known.last { $0.kind == .user }
        var with: Object = [
            "to": .string(
                chance(40) ? user.map { "${ $context.\($0.name).email }" } ?? "megan@contoso.com" : pick(users)),
            "subject": .string("About ${ \(text) }"), "body": .string("${ \(text) }"),
        ]
        if let photo = known.last(where: { $0.kind == .photo }), chance(50) {
            with["attachments"] = [["name": "p.bin", "content": .string("${ $context.\(photo.name) }")]]
        }
        if chance(30) { with["delivery"] = "direct" }
        return call("sendMail", .object(with))
    }

    private mutating func http(_ text: String, _ known: [Name]) -> Object {
        let link = known.last { $0.kind == .link }
        let endpoint = link.map { "${ $context.\($0.name).webUrl }" } ?? "https://api.contoso.com/things"
        var with: Object = [
            "method": .string(pick(["get", "post"])), "endpoint": .string(endpoint),
            "query": ["q": .string("${ \(text) }")],
        ]
        if with["method"] == "post" { with["body"] = ["value": .string("${ \(text) }")] }
        let handler: Value = [name(): ["set": ["status": "${ $error.status }"]]]
        return ["try": [[name(): .object(call("http", .object(with)))]], "catch": ["do": [handler]]]
    }

    private mutating func loop(_ depth: Int, _ known: [Name], exports: Bool, _ locals: [String]) -> Object {
        let item = name("i")
        let people = known.last { $0.kind == .people }
        let isOpen = people != nil && chance(60)
        let collection =
            isOpen ? people.map { "$context.\($0.name)" } ?? "[]" : pick(["[1, 2]", "[\"x\", \"y\", \"z\"]", "[]"])
        let local = isOpen ? "$\(item).displayName" : "\"\\($\(item))\""
        let body = list(length: 1...2, depth: depth - 1, known: known, exports: exports, locals: locals + [local])
        var task: Object = ["for": ["each": .string(item), "in": .string("${ \(collection) }")], "do": .array(body)]
        if chance(30) { task["while"] = .string("${ \(condition(known)) }") }
        return task
    }

    private mutating func attempt(_ depth: Int, _ known: [Name], exports: Bool, _ locals: [String]) -> Object {
        var body = list(length: 1...3, depth: depth - 1, known: known, exports: exports, locals: locals)
        if chance(40) {
            body.append([
                name(): [
                    "if": .string("${ \(condition(known)) }"),
                    "raise": ["error": ["type": "https://contoso.com/errors/odd", "status": 418, "title": "Odd"]],
                ]
            ])
        }
        let handler = list(
            length: 1...2, depth: 0, known: known, exports: exports, locals: locals + ["\"\\($error.status)\""])
        return ["try": .array(body), "catch": ["do": .array(handler)]]
    }
}
