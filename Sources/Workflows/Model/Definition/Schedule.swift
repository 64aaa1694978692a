/// When a workflow starts by itself.
///
/// Specification: dsl-reference.md, "Schedule".
package enum Schedule: Sendable {
    /// At that interval, even if the previous run has not ended.
    case every(Duration)
    case cron(CronExpression)
    /// That long after the previous run has ended.
    case after(Duration)
    /// When those events have arrived; what is read of them is the input.
    case on(EventConsumption, reading: Workflow.Listen.Reading)
}

extension Schedule {
    private static let kinds = ["every", "cron", "after", "on"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "a schedule", known: Self.kinds + ["read"]) else { return nil }
        let given = Self.kinds.filter { node[$0] != nil }
        guard let kind = given.first, given.count == 1, let body = node[kind] else {
            decoding.report("schedule", "a schedule must have one of \(Self.kinds.quoted)", at: node.pointer)
            return nil
        }
        if let read = node["read"], kind != "on" {
            decoding.report("schedule", "'read' belongs to 'on', not to '\(kind)'", at: read.pointer, part: .key)
        }
        switch kind {
        case "every", "after":
            guard case .literal(let duration)? = decoding.duration(body) else {
                if body.value.string?.contains("${") ?? false {
                    decoding.report(
                        "duration",
                        "write the time of a schedule without expressions: there is no data to compute it from",
                        at: body.pointer)
                }
                return nil
            }
            guard duration > .zero || kind == "after" else {
                decoding.report("duration", "'every' needs a time longer than zero", at: body.pointer)
                return nil
            }
            self = kind == "every" ? .every(duration) : .after(duration)
        case "cron":
            guard let text = decoding.string(body, "'cron'") else { return nil }
            do throws(CronError) {
                self = .cron(try CronExpression(text))
            } catch {
                decoding.report("cron", error.message, hint: error.hint, at: body.pointer)
                return nil
            }
        default:
            guard let events = EventConsumption(body, decoding) else { return nil }
            // Without `read`, which version 1.0.3 does not have, the input is the events themselves.
            let reading = decoding.choice(node["read"], Workflow.Listen.Reading.self, "'read'") ?? .envelope
            self = .on(events, reading: reading)
        }
    }
}
