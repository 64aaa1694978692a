import Essentials

extension Metrics {
    /// The metrics in the text format of Prometheus, version 0.0.4.
    var text: String {
        let counted = counted
        var page = MetricsPage()
        page.begin("graphflow_runs_total", "counter", "Runs that ended, by workflow and state.")
        for (workflow, states) in counted.runs.sorted(by: { $0.key < $1.key }) {
            for (name, count) in states.sorted(by: { $0.key < $1.key }) {
                page.add("graphflow_runs_total", ["workflow": workflow, "state": name], String(count))
            }
        }
        page.begin("graphflow_runs_active", "gauge", "Runs in progress, by workflow.")
        let active = Dictionary(grouping: counted.active.values, by: \.workflow)
        for workflow in Set(active.keys).union(counted.runs.keys).sorted() {
            page.add("graphflow_runs_active", ["workflow": workflow], String(active[workflow]?.count ?? 0))
        }
        let name = "graphflow_run_duration_seconds"
        page.begin(name, "histogram", "How long runs took, by workflow.")
        for (workflow, histogram) in counted.durations.sorted(by: { $0.key < $1.key }) {
            for (bound, count) in zip(Self.bounds, histogram.counts) {
                page.add("\(name)_bucket", ["workflow": workflow, "le": MetricsPage.number(bound)], String(count))
            }
            page.add("\(name)_bucket", ["workflow": workflow, "le": "+Inf"], String(histogram.count))
            page.add("\(name)_sum", ["workflow": workflow], MetricsPage.number(histogram.sum))
            page.add("\(name)_count", ["workflow": workflow], String(histogram.count))
        }
        page.add(
            alone: "graphflow_events_waiting", "gauge", "Events that wait for a run.", String(counted.eventsWaiting))
        page.add(alone: "graphflow_requests_total", "counter", "Requests that runs sent.", String(counted.requests))
        page.add(
            alone: "graphflow_retries_total", "counter", "Retries of tasks and requests.",
            String(counted.retries))
        page.add(
            alone: "graphflow_throttled_seconds_total", "counter",
            "How long requests waited because a service throttled them.", MetricsPage.number(counted.throttledSeconds))
        if let bytes = ProcessUsage.residentBytes {
            page.add(
                alone: "process_resident_memory_bytes", "gauge", "Memory of the process.", String(bytes))
        }
        page.add(
            alone: "process_cpu_seconds_total", "counter", "CPU time of the process.",
            MetricsPage.number(ProcessUsage.cpuSeconds))
        return page.text
    }
}

private struct MetricsPage {
    private(set) var text = ""

    static func number(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : "\(number)"
    }

    mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func add(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: String) {
        let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(value)\n"
    }

    mutating func add(alone name: String, _ type: String, _ help: String, _ value: String) {
        begin(name, type, help)
        add(name, [:], value)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

private enum ProcessUsage {
    /// The memory in use; nil if the system has no file for it.
    static var residentBytes: Int? {
        guard let text = try? String(contentsOf: URL(fileURLWithPath: "/proc/self/statm"), encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// POSIX has a million ticks per second.
    static var cpuSeconds: Double { Double(clock()) / 1_000_000 }
}
