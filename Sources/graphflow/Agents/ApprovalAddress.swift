/// The addresses at which a person looks at a plan of an agent, signs in, and so approves it; only this machine reaches
/// them.
final class ApprovalAddress: Sendable {
    private let pages: ApprovalPages
    private let listener = Locked<LoopbackListener?>(nil)

    init(environment: [String: String]) { pages = ApprovalPages(environment: environment) { $0.isOfAgent } }

    deinit { stop() }

    /// The address of a plan; nil if no port can be opened.
    func url(of run: String) -> String? {
        listener.withLock { listener in
            guard listener == nil else { return }
            listener = try? LoopbackListener(
                port: 0, bodyLimit: { _ in 1 << 14 },
                answer: { [pages] request in
                    (pages.answer(request) ?? ApprovalPages.page("There is no such page.", status: 404), .whole)
                })
            guard let listener else { return }
            pages.open(at: listener.port)
            listener.run()
        }
        return pages.url(of: run)
    }

    /// How a person approves the plan of a run, in words.
    func ways(to run: String) -> String {
        let opened = url(of: run).map { ", or open \($0)" } ?? ""
        return "A person has to approve the plan: run 'graphflow approve \(run)' in a terminal\(opened). "
            + "Then call run_plan again."
    }

    func stop() { listener.take()?.stop() }
}
