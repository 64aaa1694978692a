import Foundation
import Workflows

/// A plan as people read it: every request in order, in full, and what it does.
struct PlanText {
    private let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    /// The whole text, without a final line end.
    var text: String {
        let metadata = plan.workflow.metadata
        let head = "Dry run of \(metadata.name) \(metadata.version): nothing was sent. A run would send:"
        let steps = plan.steps.enumerated().map { number, step in
            switch step {
            case .request(let request): describe(request, number: number + 1)
            case .process(let process): describe(process, number: number + 1)
            }
        }
        return ([head] + steps + [summary]).joined(separator: "\n\n")
    }

    private func describe(_ process: PlannedProcess, number: Int) -> String {
        let task = process.task.tokens.last.map { "\($0): " } ?? ""
        let manner = process.isAwaited ? "" : "nobody waits for it; "
        var lines = ["\(number). \(task)a program (\(manner)\(Effect.once.explanation))"]
        lines += ("would run: " + process.call.map(\.shellWord).joined(separator: " "))
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if !process.variables.isEmpty { lines.append("environment: \(process.variables.joined(separator: ", "))") }
        if let text = process.standardInput {
            lines += ["standard input:"]
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        }
        return lines[0] + "\n" + lines.dropFirst().map { $0.isEmpty ? "" : "   \($0)" }.joined(separator: "\n")
    }

    private func describe(_ planned: PlannedRequest, number: Int) -> String {
        let request = planned.request.redacted
        let task = planned.operation.task?.tokens.last.map { "\($0): " } ?? ""
        let address = request.url.absoluteString.removingPercentEncodedSymbols
        var lines = [
            "\(number). \(task)\(planned.operation.name) (\(planned.operation.effect.explanation))",
            "\(request.method) \(address)",
        ]
        lines += request.headers.fields.map { "\($0.name): \($0.value)" }
        if let body = planned.bodyDescription {
            lines += [""] + body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        if planned.request.body.map(ExamplePhoto.occurs) ?? false {
            lines += ["", "The picture is an example; a run sends \(ExamplePhoto.symbol), as the service has it."]
        }
        return lines[0] + "\n" + lines.dropFirst().map { $0.isEmpty ? "" : "   \($0)" }.joined(separator: "\n")
    }

    private var summary: String {
        let scopes = plan.requests.flatMap(\.operation.scopes)
        let unique = scopes.enumerated().filter { scopes.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return """
            Permissions needed (delegated): \(unique.isEmpty ? "none" : unique.joined(separator: ", "))
            Output: \(plan.output.json())
            ‹…› stands for what only the service knows.
            """
    }
}

extension Effect {
    /// What the effect means, beside a request.
    fileprivate var explanation: String {
        switch self {
        case .read: "reads"
        case .idempotent: "writes; may be repeated"
        case .once: "must happen once; never repeated after an unclear outcome"
        }
    }
}

extension String {
    /// The text as a word of the shell, in quotes where it needs them.
    fileprivate var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_./:=@%+,‹›".contains(Character(scalar))
        }
        return isPlain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    /// The address with its symbols, such as `‹upload.id›`, as they are read and not as they are encoded.
    fileprivate var removingPercentEncodedSymbols: String {
        replacing(#/%E2%80%B9(.*?)%E2%80%BA/#) { match in
            "‹\(match.output.1.removingPercentEncoding ?? String(match.output.1))›"
        }
    }
}
