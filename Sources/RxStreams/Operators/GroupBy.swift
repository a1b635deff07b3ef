internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let groupBy = StreamOperator(
        "groupBy", .batches, .program(.one),
        summary: "Passes the elements of each key, the result of a program, through steps of their own.",
        parameters: [
            Parameter("through", .steps, required: true, "the steps, in which `$key` is the key"),
            Parameter("idle", .duration(atLeast: 1_000), standard: "1h", "how long a group lives without elements"),
        ]
    ) { step, source in
        guard let program = step.definition.program("groupBy") else { return source }
        return step.sequence(source) { output in
            let groups = Groups(step, output)
            return StepActions { element, _ in
                if let key = step.value(program, of: element.value, in: element) { groups.take(element, key) }
            } completed: {
                groups.finish()
            } dispose: {
                groups.dispose()
            }
        }
    }
}

/// The groups of a `groupBy`, by the texts of their keys.
// Unchecked: belongs to the stream's turn.
private final class Groups: @unchecked Sendable {
    private let step: StepContext
    private unowned let output: StepStage
    private let idle: Int64
    private var groups: [RawJSON: Group] = [:]
    private var nextNumber = 1
    /// Keys in the order of their uses; entries of a group that was used again later do not count.
    private var uses = UseQueue()
    private var alarm: ClockEntry?
    private var isFinishing = false

    init(_ step: StepContext, _ output: StepStage) {
        self.step = step
        self.output = output
        idle = step.definition.duration("idle") ?? 3_600_000_000
        restore()
        arm()
    }

    private func restore() {
        let suffix = "]/group"
        var found: [(key: RawJSON, use: Cell<GroupUse>, scope: StateScope)] = []
        for name in step.scope.unrestored(step.path + "[") where name.hasSuffix(suffix) {
            let text = name.dropFirst(step.path.count + 1).dropLast(suffix.count)
            guard let key = StateName.json(text) else { continue }
            let scope = step.scope.group(step.path(of: key))
            found.append((key, use(of: key, GroupUse(number: 0, last: step.clock.instant), scope), scope))
        }
        found.sort { $0.use.value.number < $1.use.value.number }
        nextNumber = (found.last?.use.value.number ?? 0) + 1
        for (key, use, scope) in found { open(key, use, scope) }
        for (key, use, _) in found.sorted(by: { $0.use.value.last < $1.use.value.last }) {
            uses.append(key, use.value.last)
        }
    }

    // MARK: Elements

    func take(_ element: StreamElement, _ key: RawJSON) {
        var element = element
        element.key = key
        let now = step.clock.instant
        let group: Group
        if let known = groups[key] {
            group = known
            if group.use.value.last != now { group.use.value.last = now }
        } else {
            if groups.count >= StreamLimits.groups { endOldest() }
            let scope = step.scope.group(step.path(of: key))
            let use = use(of: key, GroupUse(number: nextNumber, last: now), scope)
            use.store()
            nextNumber += 1
            group = open(key, use, scope)
        }
        uses.append(key, now)
        uses.compact(keeping: groups.count) { self.isCurrent($0, $1) }
        arm()
        group.subject.onNext(element)
    }

    private func use(of key: RawJSON, _ initial: GroupUse, _ scope: StateScope) -> Cell<GroupUse> {
        Cell(scope, "\(step.path(of: key))/group", initial)
    }

    @discardableResult
    private func open(_ key: RawJSON, _ use: Cell<GroupUse>, _ scope: StateScope) -> Group {
        let group = Group(use, scope)
        groups[key] = group
        let surroundings = ChainSurroundings.group(key, use.value.number, of: step, scope)
        let elements = step.chain(step.definition.steps("through"), over: group.subject, in: surroundings)
        group.disposable.setDisposable(
            elements.subscribe(
                onNext: { [unowned output] element in
                    var element = element
                    element.key = key
                    output.emit(element)
                },
                onError: { [unowned output] in output.fail($0) },
                onCompleted: { [unowned self, unowned group] in hasEnded(group) }))
        return group
    }

    /// A group that ends itself (`take`) stays, ended, until it is idle.
    private func hasEnded(_ group: Group) {
        group.hasEnded = true
        finishIfOver()
    }

    // MARK: Ends

    private func isCurrent(_ key: RawJSON, _ use: Instant) -> Bool { groups[key]?.use.value.last == use }

    private func endOldest() {
        while let (key, use) = uses.takeFirst() {
            if isCurrent(key, use) { return end(key) }
        }
    }

    /// Ends a group: what a step emits at its end is emitted, and what waits for its time is dropped.
    private func end(_ key: RawJSON) {
        guard let group = groups.removeValue(forKey: key) else { return }
        group.subject.onCompleted()
        group.disposable.dispose()
        group.scope.end()
    }

    private func arm() {
        guard alarm == nil, !isFinishing else { return }
        while let (key, use) = uses.first, !isCurrent(key, use) { _ = uses.takeFirst() }
        guard let (_, use) = uses.first else { return }
        alarm = step.clock.schedule(at: use.adding(microseconds: idle), step.rank) { [weak self] in self?.endIdle() }
    }

    private func endIdle() {
        alarm = nil
        let now = step.clock.instant
        while let (key, use) = uses.first {
            if let group = groups[key], group.use.value.last == use {
                guard use.adding(microseconds: idle) <= now else { break }
                if group.scope.isBusy {
                    // What waits is as good as an element.
                    group.use.value.last = now
                    uses.append(key, now)
                } else {
                    end(key)
                }
            }
            _ = uses.takeFirst()
            guard step.clock.mayGoOn() else { break }
        }
        arm()
    }

    func finish() {
        isFinishing = true
        alarm?.cancel()
        alarm = nil
        for group in groups.values.sorted(by: { $0.use.value.number < $1.use.value.number }) {
            group.subject.onCompleted()
        }
        finishIfOver()
    }

    private func finishIfOver() {
        if isFinishing, groups.values.allSatisfy(\.hasEnded) { output.finish() }
    }

    func dispose() {
        alarm?.cancel()
        alarm = nil
        for group in groups.values { group.disposable.dispose() }
        groups = [:]
    }
}

// Unchecked: belongs to the stream's turn.
private final class Group: @unchecked Sendable {
    let subject = PublishSubject<StreamElement>()
    let disposable = SingleAssignmentDisposable()
    let use: Cell<GroupUse>
    let scope: StateScope
    var hasEnded = false

    init(_ use: Cell<GroupUse>, _ scope: StateScope) {
        self.use = use
        self.scope = scope
    }
}

/// The number of a group, in the order in which the groups began, and its last use.
private struct GroupUse: StateValue {
    let number: Int
    var last: Instant

    init(number: Int, last: Instant) {
        self.number = number
        self.last = last
    }

    init?(stored json: JSONValue) {
        guard let number = json["number"]?.int, let last = json["last"].flatMap(Instant.init(stored:)) else {
            return nil
        }
        self.init(number: number, last: last)
    }

    var json: JSONValue { ["number": JSONValue(number), "last": last.json] }
}
