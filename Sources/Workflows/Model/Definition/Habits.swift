/// What users of other tools type, and its equivalent here.
enum Habits {
    /// What to write instead of an unknown property of a part of a file; nil without a suggestion.
    /// - Parameters:
    ///   - what: The part, as messages name it.
    ///   - known: The properties that it has.
    static func hint(insteadOf name: String, in what: String, _ known: [String]) -> String? {
        let word = name.spelling
        if what == "'for'", ["concurrency", "parallel", "maxparallel"].contains(word) {
            return "a 'for' runs its rounds one after the other: use 'call: forEach' with 'concurrency'"
        }
        if known.contains("then"), let hint = hint(insteadOfTaskProperty: name, hasCatch: known.contains("catch")) {
            return hint
        }
        return properties.first { $0.value.contains(word) && known.contains($0.key) }.map {
            "did you mean '\($0.key)'?"
        }
    }

    /// What to write instead of a property that tasks have in other tools; nil without a suggestion.
    /// - Parameter hasCatch: Whether the task handles errors.
    static func hint(insteadOfTaskProperty name: String, hasCatch: Bool = false) -> String? {
        switch name.spelling {
        case "retry", "retries", "onerror", "catch":
            hasCatch
                ? "write it in 'catch': catch: { retry: { limit: { attempt: { count: 3 } } } }"
                : "a separate task retries others: try: [ … ], catch: { retry: { limit: { attempt: { count: 3 } } } }"
        case "foreach": tasks["foreach"]
        case "needs", "dependson", "runafter": "tasks run in the order of the file: leave it out"
        default: nil
        }
    }

    /// The kind of task for a key that other tools use; nil without a suggestion.
    static func hint(insteadOfTask keys: [String]) -> String? {
        keys.lazy.compactMap { tasks[$0.spelling] }.first
    }

    private static let tasks: [String: String] = [
        "parallel": "write fork: { branches: [ … ] }", "foreach": "write for: { each: item, in: '${ … }' }, do: [ … ]",
        "loop": "write for: { each: item, in: '${ … }' }, do: [ … ]", "script": "write run: { shell: { command: … } }",
        "shell": "write run: { shell: { command: … } }", "command": "write run: { shell: { command: … } }",
        "http": "write call: http, with: { method: get, endpoint: https://… }",
        "request": "write call: http, with: { method: get, endpoint: https://… }",
        "uses": "write call: with the name of a function: 'graphflow functions' lists them",
        "function": "write call: with the name of a function: 'graphflow functions' lists them",
        "sleep": "write wait: PT5S", "delay": "write wait: PT5S", "pause": "write wait: PT5S",
        "when": "write if: '${ … }' in the task that depends on it",
        "if": "'if' is a property of the task that depends on it", "throw": "write raise: { error: { … } }",
        "fail": "write raise: { error: { … } }", "catch": "write try: [ … ], catch: { do: [ … ] }",
        "workflow": "write run: { workflow: { namespace: …, name: …, version: … } }", "assign": "write set: { … }",
        "vars": "write set: { … }", "steps": "write do: [ … ]", "tasks": "write do: [ … ]",
        "case": "write switch: [ … ]", "match": "write switch: [ … ]",
    ]

    private static let properties: [String: Set<String>] = [
        "if": ["when", "condition", "unless"], "with": ["args", "arguments", "params", "parameters", "inputs"],
        "output": ["outputs", "register"], "do": ["steps", "tasks", "actions"],
    ]

    /// The parameters that other tools name differently, by their names there.
    private static let parameters: [String: [String]] = [
        "recipient": ["to"], "recipients": ["to"], "email": ["to", "user"], "address": ["to"],
        "message": ["body"], "text": ["body", "content"], "html": ["body"], "title": ["subject", "name"],
        "attachment": ["attachments"], "files": ["attachments"], "from": ["user"], "mailbox": ["user"],
        "account": ["user"], "file": ["content", "path"], "filename": ["path", "name"], "destination": ["path"],
        "data": ["content", "body"], "folder": ["in", "path"], "parent": ["in"], "id": ["itemId", "user"],
        "item": ["itemId"], "fileid": ["itemId"], "query": ["search", "filter"], "limit": ["top"], "count": ["top"],
        "members": ["user"], "member": ["user"], "items": ["in"], "parallelism": ["concurrency"],
        "begin": ["start"], "startdatetime": ["start"], "enddatetime": ["end"], "invitees": ["attendees"],
    ]

    static func parameter(_ name: String, among known: [String]) -> String? {
        parameters[name.spelling]?.first { known.contains($0) }
    }

    /// How to keep the result of a task, which other tools keep by themselves.
    /// - Parameter task: The task's name; nil if it is not known.
    static func keeping(_ task: String?) -> String {
        let name = task.map { PlainText.line($0, limit: 60) } ?? "name"
        let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        let member = isWord ? name : "\"\(name)\""
        let path = isWord ? ".\(name)" : "[\"\(name)\"]"
        return "export it from the task: export: { as: '$context + { \(member): . }' }; then read $context\(path)"
    }

    /// The names under which other tools have the results of all tasks.
    static let results: Set<String> = ["tasks", "steps", "outputs", "jobs", "nodes", "needs", "activities"]

    /// What to write instead of an invalid expression that reads results as other tools do.
    static func hint(insteadOf expression: String) -> String? {
        for word in results {
            for opening in ["\(word).", "\(word)('", "\(word)(\"", "\(word)['", "\(word)[\""] {
                guard let found = expression.firstRange(of: opening) else { continue }
                let before = expression[..<found.lowerBound].unicodeScalars.last
                guard before.map({ !$0.properties.isAlphabetic && $0 != "." && $0 != "_" }) ?? true else { continue }
                let name = expression[found.upperBound...].prefix { $0.isLetter || $0.isNumber || "_- ".contains($0) }
                return keeping(name.isEmpty ? nil : String(name).trimmingBlanks)
            }
        }
        return nil
    }
}

extension String {
    /// A name as people remember it: without case and signs.
    var spelling: String { lowercased().filter { !"_-.".contains($0) && !$0.isWhitespace } }

    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
