/// `graphflow serve`: runs workflow files on their schedules, until it is stopped.
struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "Run workflow files on their schedules."
    static let examples = [
        "serve workflows/schedule.yaml --check",
        "serve workflows/schedule-on.yaml --listen 127.0.0.1:8080 --concurrency 8",
    ]
    static let discussion = """
        Runs until it is interrupted or terminated. Each run's output goes to standard output as one line of JSON. A run
        that fails is reported on standard error and stops no other run. 'every' and 'after' start at once; 'cron' waits
        for its time, and 'on' for events: posted to '--listen', emitted by the workflows, or of changes in Microsoft
        365.
        """

    @Operand("FILE…", "a workflow file", hint: "graphflow serve workflows/schedule.yaml") private var files: [String]
    @Option(
        "time-zone", "ZONE",
        "The time zone of 'cron', such as Europe/Berlin or UTC (default: the file's\n"
            + "'document.metadata.timeZone', else this machine's).", as: Conversion(zone))
    private var givenZone: SystemTimeZone?
    @Flag("check", "Print when each workflow would run, and run nothing.") private var isCheck
    @Option(
        "log-format", "FORMAT", "The format of lines on standard error: text, json.", as: .choice("log format"))
    private var logFormat = ServiceLog.Format.text
    private let sandbox = SandboxOption()
    private let receiving = ReceptionOption()
    @Option("events", "FILE|-", "Write every event of the runs as a CloudEvent, one per line.", isOutput: true)
    private var events: String?
    private let notification = NotifyOption()
    private let demand = ApprovalDemand()
    @Option(
        "approval-expires", "TIME", "How long a run waits for approval: 30m, 48h (default: 24h).", as: .time(from: 1))
    private var patience: Duration?
    @Option(
        "approval-mail", "ADDRESS", "Mail each plan that waits for approval to this address, as a page.", as: .address)
    private var approvalMail: String?
    @Option(
        "approve-url", "URL",
        "The address of the pages on which approvers sign in, for browsers of other\n"
            + "machines. A proxy passes its requests on to '--listen'.",
        as: .pages)
    private var approveURL: URL?
    private let retention = RetentionOption(withoutJournal: "Do not keep the runs; they cannot be resumed.")
    private let options = RunnerOptions()
    private let service = ServiceOptions()

    func run(on console: Console) async throws -> ExitStatus {
        let (given, machine): (SystemTimeZone?, SystemTimeZone)
        do throws(TimeZoneError) { (given, machine) = (givenZone, try .current) } catch {
            throw UsageError(error.message, hint: error.hint)
        }
        let policy = try demand.policy(console)
        let dependent: [any DeclaredOption] = [$patience, $approvalMail, $approveURL]
        for option in dependent where option.isGiven && policy == nil {
            throw UsageError("'\(option.syntax.dashed)' needs '--require-approval'")
        }
        guard policy == nil || retention.count != nil else {
            throw UsageError(
                "'--require-approval' needs journals, in which runs wait", hint: "leave out '--no-journal'")
        }
        let reception = try receiving.reception()
        guard approveURL == nil || reception != nil else {
            throw UsageError("'--approve-url' needs '--listen', where its requests arrive", hint: "add '--listen'")
        }
        // What the checks of approvals need is missed now, and not when a run waits.
        let sandbox = sandbox.served
        if policy != nil, !isCheck { try ApprovalAuthority(console, in: sandbox).demandTenant() }
        let options = try options.settings(ownFiles: [events], console)
        try options.demandJournal(retention.count != nil)
        var session = ServiceSession(
            files: files, timeZone: { given ?? $0.timeZone ?? machine }, logFormat: logFormat, sandbox: sandbox,
            options: options, events: events,
            reception: reception, hook: receiving.hook, notifier: notification.notifier(console),
            keptCount: retention.count, service: service)
        session.approvals = policy.map { ($0, patience ?? .seconds(86_400), approvalMail) }
        session.approveURL = approveURL
        return isCheck ? try session.forecast(on: console) : try await session.run(on: console)
    }

    private static func zone(_ text: String, _ name: String) throws -> SystemTimeZone {
        do throws(TimeZoneError) { return try SystemTimeZone(identifier: text) } catch {
            let nearest = Diagnostic.didYouMean(text, among: SystemTimeZone.identifiers)
            throw UsageError(error.message, hint: nearest ?? error.hint)
        }
    }
}
