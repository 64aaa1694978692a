/// What calls do without saying so: their effects, and the defaults of arguments.
struct InlayHints {
    private static let mostDefaults = 3

    private let analysis: Analysis

    init(_ analysis: Analysis) { self.analysis = analysis }

    func hints(in range: Value?) -> Value {
        guard let model = analysis.model else { return [] }
        let (start, end) = (analysis.text.offset(range?["start"]), analysis.text.offset(range?["end"]))
        return .array(
            model.outline.allTasks.compactMap { task -> Value? in
                guard case .call(let call) = task.action, let effect = model.effects[task.reference],
                    let bytes = analysis.document.bytes(of: task.reference.appending("call")),
                    start...max(start, end) ~= bytes.upperBound
                else { return nil }
                let defaults = self.defaults(of: call, in: model.workflow)
                return [
                    "position": analysis.text.position(at: bytes.upperBound), "paddingLeft": true,
                    "label": .string((["→ \(effect.rawValue)"] + defaults).joined(separator: ", ")),
                    "tooltip": .string("\(effect.words)\(defaults.isEmpty ? "" : "; defaults of its arguments")"),
                ]
            })
    }

    private func defaults(of call: Workflow.Call, in workflow: Workflow) -> [String] {
        guard workflow.components.functions[call.function] == nil, let function = Catalog.default[call.function] else {
            return []
        }
        let all = (function.input["properties"]?.object ?? [:]).compactMap { name, schema -> String? in
            guard call.literal[name] == nil, let value = schema["default"] else { return nil }
            return "\(name): \(value.string ?? value.json())"
        }
        return Array(all.prefix(Self.mostDefaults))
    }
}
