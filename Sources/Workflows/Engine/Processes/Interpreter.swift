struct Interpreter: Sendable {
    let language: Workflow.Process.Language
    let path: String

    init(of language: Workflow.Process.Language, on searchPath: String) throws(WorkflowError) {
        let name = language.program
        guard let path = ProcessEnvironment.path(of: name, on: searchPath) else {
            throw WorkflowError(
                .configuration,
                detail: "scripts in \(language.title) need '\(name)', which is not in PATH: install "
                    + language.installation)
        }
        self.language = language
        self.path = path
    }

    /// The arguments of the interpreter, its own name first.
    ///
    /// Inline code runs like a file next to the workflow: same imports, same place for arguments.
    func arguments(for script: Script, _ arguments: [String], variables: Object) -> [String] {
        switch language {
        case .javaScript: javaScript(script, variables) + arguments
        case .python: python(script, variables) + arguments
        }
    }

    /// The call as a user would write it.
    func shown(_ script: Script) -> [String] {
        switch (script, language) {
        case (.file(let path), _): [language.program, path]
        case (.code(let code), .javaScript): [language.program, "--eval", code]
        case (.code(let code), .python): [language.program, "-c", code]
        }
    }

    enum Script: Sendable {
        case code(String)
        case file(String)
    }

    private func javaScript(_ script: Script, _ variables: Object) -> [String] {
        var prelude: [String] = []
        if !variables.isEmpty { prelude.append("Object.assign(globalThis, \(Value.object(variables).json()));") }
        if case .code = script {
            // Code is a module with top-level 'await' and 'import'; 'require' is added.
            prelude.append("import { createRequire } from 'node:module';")
            prelude.append("globalThis.require = createRequire(process.cwd() + '/');")
            prelude.append("process.argv.splice(1, 0, 'script');")
        }
        let data = "data:text/javascript;base64," + Data(prelude.joined().utf8).base64EncodedString()
        let loading = prelude.isEmpty ? [] : ["--import", data]
        return switch script {
        case .code(let code): ["node"] + loading + ["--input-type=module", "--eval", code, "--"]
        case .file(let path): ["node"] + loading + [path]
        }
    }

    private func python(_ script: Script, _ variables: Object) -> [String] {
        guard !variables.isEmpty else {
            return switch script {
            case .code(let code): ["python3", "-c", code]
            case .file(let path): ["python3", path]
            }
        }
        let (call, text) =
            switch script {
            case .code(let code): ("exec(compile(text, 'script', 'exec'), {'__name__': '__main__', **names})", code)
            case .file(let path): ("runpy.run_path(text, init_globals=names, run_name='__main__')", path)
            }
        let data = Data(Value.array([.string(text), .object(variables)]).json().utf8).base64EncodedString()
        let loader = "import base64, json, runpy; text, names = json.loads(base64.b64decode('\(data)')); \(call)"
        return ["python3", "-c", loader]
    }
}

extension Workflow.Process.Language {
    var title: String {
        switch self {
        case .javaScript: "JavaScript"
        case .python: "Python"
        }
    }

    fileprivate var program: String {
        switch self {
        case .javaScript: "node"
        case .python: "python3"
        }
    }

    fileprivate var installation: String {
        switch self {
        case .javaScript: "Node.js 20 or newer (https://nodejs.org)"
        case .python: "Python 3 (https://www.python.org)"
        }
    }
}
