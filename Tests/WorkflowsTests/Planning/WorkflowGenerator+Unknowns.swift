import Foundation
import TestSupport
import Workflows

extension WorkflowGenerator {
    /// The text of a workflow with data at every place that may hold an expression that only a run knows, in JSON.
    mutating func workflowOfUnknowns() -> String {
        let data: Value = ["as": "${ $context + { data: . } }"]
        let ask: Value = [
            "call": "http", "with": ["method": "get", "endpoint": "https://api.contoso.com/data"], "export": data,
        ]
        var tasks: [Value] = [[name(): ask]]
        if chance(3) {
            let shell: Value = ["shell": ["command": "echo \"a b\""]]
            tasks.append([name(): ["run": shell, "export": ["as": "${ $context + { printed: split(\" \") } }"]]])
        }
        tasks += unknownTasks(count: 1...3, depth: 2, locals: [])
        let extensions: Value = [
            [
                "log": [
                    "extend": "call", "when": "${ $context.data.flag == true }",
                    "before": [["logged": .object(unknownCall(locals: []))]],
                ]
            ]
        ]
        let recursive: Value = [
            "do": [
                ["inner": .object(unknownCall(locals: []))],
                [
                    "again": [
                        "if": "${ .deeper == true }", "call": "recurse", "with": ["deeper": "${ $context.data.flag }"],
                    ]
                ],
            ]
        ]
        let inform: Value = [
            "input": ["from": "${ .words }"],
            "do": [["post": .object(unknownCall(locals: []))], ["run": .object(program(locals: []))]],
        ]
        var use: Object = ["functions": ["recurse": recursive, "inform": inform], "secrets": ["key", "login"]]
        if chance(10) { use["extensions"] = extensions }
        var document: Object = [
            "document": ["dsl": "1.0.3", "namespace": "tests", "name": "unknowns", "version": "1.0.0"],
            "use": .object(use), "do": .array(tasks),
        ]
        if chance(5) { document["timeout"] = ["after": ["minutes": 1]] }
        return Value.object(document).json()
    }

    private mutating func unknownTasks(count: ClosedRange<Int>, depth: Int, locals: [String]) -> [Value] {
        (0..<Int.random(in: count, using: &random)).flatMap { _ in unknownTask(depth: depth, locals: locals) }
    }

    /// An expression of data that only a run knows.
    private mutating func unknown(locals: [String]) -> String {
        if let local = locals.randomElement(using: &random), chance(50) { return local }
        if chance(5) { return pick(["$secrets.key", "($secrets.login.user + $context.data.text)"]) }
        let member = pick(["text", "user", "number", "flag", "missing", "list", "object", "path", "choice"])
        return pick(["$context.data.\(member)", "$context.data.\(member)", "($context.data.\(member) | tostring)", "."])
    }

    private mutating func maybe(_ known: Value, percent: Int = 50, locals: [String]) -> Value {
        chance(percent) ? .string("${ \(unknown(locals: locals)) }") : known
    }

    private mutating func content(_ locals: [String]) -> Value {
        let text = "${ \(unknown(locals: locals)) }"
        return pick([
            "plain", .string(text), .string("Text: \(text)"), ["file": .string(text)], ["base64": .string(text)],
            ["file": "greet.yaml"],
        ])
    }

    private mutating func unknownCall(locals: [String]) -> Object {
        switch Int.random(in: 0..<15, using: &random) {
        case 8...10: return openAPI(locals)
        case 11...13: return graph(locals)
        case 0:
            return call(
                "me", ["user": maybe("megan@contoso.com", locals: locals), "select": maybe(["id"], locals: locals)])
        case 1:
            return call(
                "photo",
                ["user": maybe("megan@contoso.com", locals: locals), "size": maybe(48, percent: 20, locals: locals)])
        case 2:
            let user = maybe("megan@contoso.com", percent: 20, locals: locals)
            return call(
                "upload",
                [
                    "path": maybe("a.txt", locals: locals), "content": content(locals),
                    "conflictBehavior": maybe("rename", percent: 30, locals: locals), "user": user,
                ])
        case 3:
            var with: Object = [
                "to": maybe("megan@contoso.com", locals: locals), "subject": maybe("s", locals: locals),
                "body": maybe("b", locals: locals),
            ]
            if chance(30) { with["delivery"] = maybe("direct", locals: locals) }
            if chance(20) { with["saveToSentItems"] = maybe(true, locals: locals) }
            if chance(20) { with["importance"] = maybe("high", locals: locals) }
            if chance(20) { with["cc"] = maybe(["alexw@contoso.com"], locals: locals) }
            if chance(40) {
                with["attachments"] = maybe(
                    [["name": maybe("a", locals: locals), "content": content(locals)]], percent: 30, locals: locals)
            }
            return call("sendMail", .object(with))
        case 4:
            var with: Object = [pick(["startsWith", "search", "filter"]): maybe("A", locals: locals)]
            if chance(40) { with["top"] = maybe(2, locals: locals) }
            if chance(40) { with["all"] = maybe(true, locals: locals) }
            if chance(30) { with["select"] = maybe(["id", "jobTitle"], locals: locals) }
            return call("users", .object(with))
        case 5:
            return call(
                "createLink",
                ["itemId": maybe("1", percent: 90, locals: locals), "type": maybe("view", locals: locals)])
        case 6:
            var endpoint = maybe("https://api.contoso.com/things", percent: 30, locals: locals)
            if chance(20) {
                let token = maybe("${ $secrets.key }", locals: locals)
                endpoint = ["uri": endpoint, "authentication": ["bearer": ["token": token]]]
            }
            return call(
                "http",
                [
                    "method": maybe("post", locals: locals), "endpoint": endpoint,
                    "query": maybe(["q": maybe("x", locals: locals)], percent: 20, locals: locals),
                    "headers": maybe(["X-A": maybe("x", locals: locals)], percent: 20, locals: locals),
                    "body": maybe("b", locals: locals),
                ])
        default: return call("notify", ["to": maybe("x", locals: locals)])
        }
    }

    private mutating func graph(_ locals: [String]) -> Object {
        let text = unknown(locals: locals)
        var with: Object = [
            "path": pick([
                "/me/messages", .string("/users/${ \(text) }/messages"), .string("/me/messages/m ${ \(text) }"),
                .string("${ \"/users/\" + (\(text) | tostring) }"), "/users?$top=3",
            ])
        ]
        if chance(50) {
            with["method"] = maybe("POST", percent: 20, locals: locals)
            with["body"] = maybe(["subject": maybe("s", locals: locals)], percent: 30, locals: locals)
            if chance(30) { with["effect"] = "idempotent" }
        } else {
            if chance(40) {
                with["select"] = maybe(["id", maybe("mail", locals: locals)], percent: 20, locals: locals)
            }
            if chance(40) { with["query"] = maybe(["$top": maybe(2, locals: locals)], percent: 20, locals: locals) }
            if chance(30) { with["all"] = true }
        }
        return call("graph", .object(with))
    }

    private mutating func openAPI(_ locals: [String]) -> Object {
        let tag = maybe("t", locals: locals)
        let known: [String: Value] = [
            "getPet": ["id": maybe("a b", locals: locals), "tag": tag, "x-trace": tag],
            "putPet": ["id": 1, "name": tag], "addPets": ["a b": tag],
            "findPets": ["csv": [tag, "b"], "filter": tag, "session": tag], "addNote": ["body": tag],
        ]
        let operation = pick(known.keys.sorted())
        return call(
            "openapi",
            [
                "document": ["endpoint": "file://pets.json"],
                "operationId": chance(40) ? "${ $context.data.operation }" : .string(operation),
                "parameters": chance(40) ? "${ $context.data.parameters }" : known[operation] ?? [:],
            ])
    }

    private mutating func program(locals: [String]) -> Object {
        // Only a known text begins a command, so that a service's answer starts no program.
        var surroundings: Object = [:]
        if chance(30) { surroundings["stdin"] = maybe("in", locals: locals) }
        if chance(30) { surroundings["arguments"] = [maybe("a", locals: locals)] }
        if chance(30) {
            surroundings["environment"] = ["A": maybe("a", locals: locals)]
        }
        let text = "${ \(unknown(locals: locals)) }"
        if chance(80) {
            surroundings["command"] = pick(["echo a b", .string("echo '\(text)'")])
            return ["run": ["shell": .object(surroundings), "return": pick(["stdout", "code", "all"])]]
        }
        surroundings["language"] = "python"
        if chance(50) {
            surroundings["source"] = ["endpoint": pick(["file://hello.py", .string(text)])]
        } else {
            surroundings["code"] = pick(["print('a b')", .string("# \(text)")])
        }
        return ["run": ["script": .object(surroundings)]]
    }

    private mutating func unknownTask(depth: Int, locals: [String]) -> [Value] {
        let name = name()
        let condition = "${ \(unknown(locals: locals)) == true }"
        guard depth > 0, chance(60) else {
            var task = chance(85) ? unknownCall(locals: locals) : ["set": ["x": maybe("x", locals: locals)]]
            if chance(10) { task = program(locals: locals) }
            if chance(15) { task["if"] = .string(condition) }
            if chance(5) { task["timeout"] = ["after": maybe("PT30S", locals: locals)] }
            if chance(30) {
                task["export"] = ["as": "${ $context + { earlier: ., data: ($context.earlier // $context.data) } }"]
            }
            // A run goes on after an error, to what follows.
            if chance(30) { return [[name: ["try": [[self.name(): .object(task)]], "catch": [:]]]] }
            return [[name: .object(task)]]
        }
        let inner = { (generator: inout Self, more: [String]) -> Value in
            .array(generator.unknownTasks(count: 1...2, depth: depth - 1, locals: locals + more))
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let item = self.name("i")
            var task: Object = [
                "for": [
                    "each": .string(item),
                    "in": .string(pick(["${ $context.data.list }", "${ [1, 2] }", "${ $context.printed // [1] }"])),
                ],
                "do": inner(&self, ["$\(item)"]),
            ]
            if chance(40) { task["while"] = .string(condition) }
            return [[name: .object(task)]]
        case 2:
            let after = unknownTasks(count: 1...2, depth: depth - 1, locals: locals)
            let target = after.first?.object?.keys.first ?? "end"
            let cases: Value = [
                ["a": ["when": .string(condition), "then": .string(pick([target, "end", "exit", "continue"]))]],
                ["b": ["when": "${ $context.data.number > 3 }", "then": "continue"]],
            ]
            return [[name: ["switch": cases]]] + after
        case 3:
            // Until the service says that it is enough.
            let ask: Value = [
                "call": "http", "with": ["method": "get", "endpoint": "https://api.contoso.com/again"],
                "export": ["as": "${ $context + { again: . } }"],
            ]
            let turn: Value = ["switch": [["more": ["when": "${ $context.again == true }", "then": .string(name)]]]]
            return [[name: ask]] + unknownTasks(count: 1...1, depth: 0, locals: locals) + [[self.name(): turn]]
        case 4:
            let raise: Value = [
                "error": ["type": "https://contoso.com/odd", "status": 418, "detail": maybe("d", locals: locals)]
            ]
            var tried = unknownTasks(count: 1...2, depth: depth - 1, locals: locals)
            if chance(40) { tried.append([self.name(): ["raise": raise]]) }
            var handler: Object = ["do": inner(&self, ["($error.status | tostring)"])]
            if chance(30) { handler["errors"] = ["with": ["status": pick([404, 400, 418])]] }
            if chance(30) { handler[pick(["when", "exceptWhen"])] = .string(condition) }
            if chance(30) { handler["retry"] = ["delay": ["seconds": 1], "limit": ["attempt": ["count": 2]]] }
            return [[name: ["try": .array(tried), "catch": .object(handler)]]]
        case 5:
            let branches: Value = [[self.name(): ["do": inner(&self, [])]], [self.name(): ["do": inner(&self, [])]]]
            return [[name: ["fork": ["branches": branches, "compete": .bool(chance(30))]]]]
        case 6:
            let argument = Value.string("${ \(unknown(locals: locals)) }")
            return [
                [
                    name: chance(50)
                        ? ["call": "recurse", "with": ["deeper": argument]]
                        : ["call": "inform", "with": ["words": argument]]
                ]
            ]
        case 7:
            let emit: Value = [
                "emit": [
                    "event": [
                        "with": ["source": "https://contoso.com", "type": "t", "data": maybe("x", locals: locals)]
                    ]
                ]
            ]
            var to: Value = ["one": ["with": ["type": "t"]]]
            var emits: [Value] = [[self.name(): emit]]
            if chance(40) {
                // It ends with the second event at the latest.
                emits.append([self.name(): emit])
                to = ["any": [["with": ["type": "t"]]], "until": "${ length > 1 or $context.data.flag == true }"]
            }
            let listen: Value = [
                "listen": ["to": to], "foreach": ["item": "event", "do": inner(&self, ["$event.data"])],
            ]
            return emits + [[name: listen]]
        default:
            let process: Value = [
                "workflow": [
                    "namespace": "samples", "name": "greet", "version": "1.0.0",
                    "input": ["user": maybe("megan@contoso.com", locals: locals), "words": maybe("w", locals: locals)],
                ], "await": .bool(chance(80)),
            ]
            return chance(50) ? [[name: ["run": process]]] : [[name: ["do": inner(&self, [])]]]
        }
    }
}
