import Essentials
import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowRuns
@testable import Workflows
@testable import graphflow

/// What is seen of a service from outside: its log, its metrics, and what its supervisor is notified of.
@Suite struct ServiceMonitorTests {
    private static let moment = Date(timeIntervalSince1970: 1_795_323_600)

    /// The lines of a service's log.
    private func lines(_ format: ServiceLog.Format, _ body: (ServiceLog, Console) -> Void) -> [String] {
        let console = TestConsole()
        let log = ServiceLog(format, now: { Self.moment }, to: console.console)
        body(log, log.console(instead: console.console))
        return console.standardError.split(separator: "\n").map(String.init)
    }

    @Test func `every line of a log has its time, level, workflow and run`() {
        let lines = lines(.text) { log, console in
            log.write(.error, workflow: "photo", run: "01J", "first\nsecond\u{1B}[2J")
            console.complain("warning: the disk is full\nlistening")
        }
        #expect(
            lines == [
                "2026-11-22T05:00:00.000Z error photo 01J first",
                "2026-11-22T05:00:00.000Z error photo 01J second\\u001b[2J",
                "2026-11-22T05:00:00.000Z warning - - the disk is full", "2026-11-22T05:00:00.000Z info - - listening",
            ])
    }

    @Test func `a log in JSON has one object a line`() throws {
        let lines = lines(.json) { log, _ in log.write(.info, workflow: "photo", run: "01J", "one\n\"two\"") }
        let line = try Value(json: #require(lines.first))
        #expect(lines.count == 1)
        #expect(
            line == [
                "time": "2026-11-22T05:00:00.000Z", "level": "info", "workflow": "photo", "run": "01J",
                "message": "one\n\"two\"",
            ])
    }

    private func event(_ kind: Event.Kind, run: String = "01J", after seconds: Double = 0) -> Event {
        let metadata = Workflow.Metadata(dsl: "1.0.3", namespace: "n", name: "pho\"to", version: "1.0.0")
        return Event(
            number: 1, run: run, workflow: metadata, time: Self.moment.addingTimeInterval(seconds), kind: kind)
    }

    @Test func `metrics count how runs ended, how long they took, and what they waited for`() {
        let metrics = Metrics()
        let held = GraphEvent(operation: "me", task: nil, kind: .held(delay: .milliseconds(1_500), reason: "429"))
        let retried = GraphEvent(
            operation: "me", task: nil, kind: .retrying(attempt: 2, reason: "503", delay: .seconds(1)))
        for event in [
            event(.workflowStarted(input: .null, context: .null)), event(.request(nil, held)),
            event(.request(nil, retried)), event(.workflowCompleted(output: .null), after: 0.5),
            event(.workflowStarted(input: .null, context: .null), run: "02J"),
        ] { metrics.recorder.record(event) }
        metrics.report(eventsWaiting: 7)
        let text = metrics.text
        for line in [
            "graphflow_runs_total{workflow=\"pho\\\"to\",state=\"completed\"} 1",
            "graphflow_runs_active{workflow=\"pho\\\"to\"} 1",
            "graphflow_run_duration_seconds_bucket{workflow=\"pho\\\"to\",le=\"0.1\"} 0",
            "graphflow_run_duration_seconds_bucket{workflow=\"pho\\\"to\",le=\"1\"} 1",
            "graphflow_run_duration_seconds_bucket{workflow=\"pho\\\"to\",le=\"+Inf\"} 1",
            "graphflow_run_duration_seconds_sum{workflow=\"pho\\\"to\"} 0.5", "graphflow_events_waiting 7",
            "graphflow_retries_total 1", "graphflow_throttled_seconds_total 1.5", "graphflow_requests_total 0",
        ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
        #expect(text.contains("\nprocess_cpu_seconds_total "))
    }

    @Test func `metrics show how many events wait in the inbox now`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "inbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let inbox = try Inbox(in: PrivateFolder(path: folder.path))
        try inbox.serve(["w"])
        let monitor = ServiceMonitor(nil, clock: .patient)
        monitor.watch(inbox)
        func page() throws -> String {
            let request = HTTPRequest("GET", try #require(URL(string: "http://127.0.0.1/metrics")))
            return String(decoding: try #require(monitor.page(request)).body, as: UTF8.self)
        }
        #expect(try page().contains("\ngraphflow_events_waiting 0\n"))
        _ = try inbox.accept(
            (0..<3).map { try CloudEvent(["specversion": "1.0", "id": "\($0)", "source": "/s", "type": "t"]) })
        #expect(try page().contains("\ngraphflow_events_waiting 3\n"))
    }

    @Test(arguments: ["@graphflow-tests-\(getpid())", "/tmp/graphflow-tests-\(getpid()).socket"])
    func `a supervisor is notified at a socket, also at one with an abstract name`(address: String) throws {
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(address.utf8)
            if bytes[0] == 0x40 { bytes[0] = 0 }
            unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let bound = unsafe withUnsafePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(2 + bytes.count))
                }
            }
            #expect(bound == 0)
            defer {
                _ = Foundation.close(descriptor)
                _ = unsafe unlink(address)
            }
            let variables = ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "4711"]
            #expect(Supervisor(variables, process: 4_712)?.watchdog == nil)
            let supervisor = try #require(Supervisor(variables, process: 4_711))
            #expect(supervisor.watchdog == .seconds(3))
            supervisor.notify(.ready, status: "2 runs\nat work")
            var buffer = [UInt8](repeating: 0, count: 200)
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self) == "READY=1\nSTATUS=2 runs at work\n")
        #endif
    }

    @Test(arguments: [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "vsock:2:1"]])
    func `without a socket nobody is notified`(variables: [String: String]) { #expect(Supervisor(variables) == nil) }

    @Test func `health and metrics are pages, and nothing else is`() throws {
        let monitor = ServiceMonitor(nil, clock: .patient)
        func status(_ path: String, _ method: String = "GET") throws -> Int? {
            monitor.page(HTTPRequest(method, try #require(URL(string: "http://localhost\(path)"))))?.status
        }
        #expect(try status("/readyz") == 503 && status("/healthz") == 200)
        monitor.start()
        #expect(try status("/readyz") == 200 && status("/metrics") == 200 && status("/metrics", "POST") == 405)
        #expect(try status("/") == nil)
        monitor.stop()
        #expect(try status("/readyz") == 503)
    }
}
