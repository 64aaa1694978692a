/// The permissions that a plan needs, its requests, and the time that it can take.
public struct PlanSummary: Sendable {
    /// A permission, and the functions that need it.
    public struct Need: Sendable, Hashable {
        /// The permission's name.
        public var permission: String
        /// The names of the functions.
        public var functions: [String]
    }

    /// The number of requests to a part of the service or to a host.
    public struct Load: Sendable, Hashable {
        /// The name of the part or the host.
        public var service: String
        /// The number of requests, at most if it depends on unknowns, and without retries and further pages.
        ///
        /// A request that is repeated an unknown number of times counts once.
        public var requests: Int
    }

    /// The number of requests that only read, counted like those in ``loads``.
    public var reads: Int
    /// The permissions that are needed with a signed-in user.
    public var delegatedPermissions: [Need]
    /// The permissions that are needed without a user.
    public var applicationPermissions: [Need]
    /// The requests whose permissions are not known, each as its method and its address.
    public var unknownNeeds: [String]
    /// The needed permissions that the token does not have; nil if its permissions are unknown.
    public var missingPermissions: [Need]?
    /// The number of requests by service.
    public var loads: [Load]
    /// The shortest time that a run can take, not counting requests and programs.
    public var shortestTime: Duration
    /// The longest time that a run can take with all its repetitions; nil if it has no limit.
    ///
    /// Waits for `Retry-After` are not included.
    public var longestTime: Duration?
    /// The numbers of the tasks with an effect whose outcome may remain unknown.
    public var unclear: [String]

    /// Whether a run may end with an effect whose outcome is unknown.
    public var mayRemainUnclear: Bool { !unclear.isEmpty }
}

extension PlanSummary {
    init(_ plan: Plan) {
        var collector = PlanCollector()
        collector.collect(plan.tasks)
        reads = collector.reads
        delegatedPermissions = collector.delegated.least
        applicationPermissions = collector.application.least
        unknownNeeds = collector.unknownNeeds
        loads = collector.loads
        unclear = collector.unclear
        let needed = plan.isApplication ? applicationPermissions : delegatedPermissions
        missingPermissions = plan.grantedPermissions.map { granted in
            needed.filter { !granted.cover([$0.permission]) }
        }
        let times = plan.tasks.map(\.times).inARow
        let limit = plan.workflow.timeout?.known
        shortestTime = times.shortest
        longestTime = [times.longest, limit].compactMap(\.self).min()
    }
}

extension [PlanSummary.Need] {
    /// The needs without those that another one includes, which then has their functions.
    fileprivate var least: [PlanSummary.Need] {
        let names = map(\.permission).least
        return filter { names.contains($0.permission) }.map { need in
            var need = need
            let included = filter {
                $0 != need && !names.contains($0.permission) && [need.permission].cover([$0.permission])
            }
            for name in included.flatMap(\.functions) where !need.functions.contains(name) {
                need.functions.append(name)
            }
            return need
        }
    }
}

private struct PlanCollector {
    var reads = 0
    var delegated: [PlanSummary.Need] = []
    var application: [PlanSummary.Need] = []
    var unknownNeeds: [String] = []
    var loads: [PlanSummary.Load] = []
    var unclear: [String] = []

    mutating func collect(_ tasks: [PlannedTask], times: Int = 1) {
        for task in tasks {
            for step in task.steps { collect(step, of: task) }
            count(task.steps.requests, times)
            for branch in task.branches {
                collect(branch.tasks, times: times.times(branch.certainty.repetitions ?? 1) ?? times)
            }
        }
    }

    private mutating func collect(_ step: PlannedStep, of task: PlannedTask) {
        switch step {
        case .process: break
        case .request(let request):
            let operation = request.operation
            if operation.hasUnknownNeeds {
                let name = "\(request.request.method) \(request.address)"
                if !unknownNeeds.contains(name) { unknownNeeds.append(name) }
            }
            for scope in operation.scopes { Self.add(scope, operation.name, to: &delegated) }
            for scope in operation.applicationScopes { Self.add(scope, operation.name, to: &application) }
            if request.isOnce, unclear.last != task.number { unclear.append(task.number) }
        }
    }

    private mutating func count(_ requests: [PlannedRequest], _ times: Int) {
        reads += times * (requests.filter { $0.operation.effect == .read }.counts { _ in 0 }.first?.count ?? 0)
        for (service, count) in requests.counts(by: \.service) {
            if let index = loads.firstIndex(where: { $0.service == service }) {
                loads[index].requests += times * count
            } else {
                loads.append(PlanSummary.Load(service: service, requests: times * count))
            }
        }
    }

    private static func add(_ permission: String, _ function: String, to needs: inout [PlanSummary.Need]) {
        guard let index = needs.firstIndex(where: { $0.permission == permission }) else {
            needs.append(PlanSummary.Need(permission: permission, functions: [function]))
            return
        }
        if !needs[index].functions.contains(function) { needs[index].functions.append(function) }
    }
}

extension [PlannedRequest] {
    /// The number of requests for each key, in order of appearance; of alternative kinds, the largest counts.
    func counts<Key: Hashable>(by key: (PlannedRequest) -> Key) -> [(key: Key, count: Int)] {
        var keys: [Key] = []
        var kinds: [Key: [[Int]]] = [:]
        for request in self where request.operation.condition?.isExtra != true {
            let key = key(request)
            if kinds[key] == nil { keys.append(key) }
            kinds[key, default: []].append(request.operation.condition?.kinds ?? [])
        }
        return keys.map { ($0, Self.most(kinds[$0] ?? [])) }
    }

    private static func most(_ kinds: [[Int]]) -> Int {
        let inner = Dictionary(grouping: kinds.filter { !$0.isEmpty }) { $0[0] }
        return kinds.count(where: \.isEmpty) + (inner.values.map { most($0.map { [Int]($0.dropFirst()) }) }.max() ?? 0)
    }
}
