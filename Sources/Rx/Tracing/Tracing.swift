internal import Synchronization

/// The records made while `Hooks.isTracing` is set.
enum Tracing {
    private static let flag = Atomic(false)
    private static let state = Locked(State())

    private struct State {
        /// Where observables were created.
        var made = WeakTable<[UInt]>()
        var subscriptions = WeakTable<(number: Int, trace: SubscriptionTrace)>()
        var count = 0
    }

    static var isOn: Bool {
        get { flag.load(ordering: .relaxed) }
        set {
            flag.store(newValue, ordering: .relaxed)
            if newValue { return }
            let old = state.withLock { state in
                defer { state = State() }
                return state
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Records that `observable` is being created.
    @inline(never)
    static func note(_ observable: AnyObject) {
        let addresses = CallStack.addresses()
        state.withLock { $0.made[observable] = addresses }
    }

    /// Records that `stage` is about to be subscribed to `observable`.
    @inline(never)
    static func note(_ stage: DisposeBase, subscribedTo observable: any AnyObservable) {
        var steps: [SubscriptionTrace.Step] = []
        append(observable, depth: 0, to: &steps)
        let trace = SubscriptionTrace(
            steps: steps, observer: observer(stage.heldBySubscriber), subscribedBy: .called(CallStack.addresses()))
        state.withLock {
            $0.count += 1
            $0.subscriptions[stage.heldBySubscriber] = ($0.count, trace)
        }
    }

    static func trace(of subscription: AnyObject) -> SubscriptionTrace? {
        guard let cancelable = subscription as? any Cancelable, !cancelable.isDisposed else { return nil }
        return state.withLock { $0.subscriptions[subscription]?.trace }
    }

    static var live: [SubscriptionTrace] {
        let all = state.withLock { $0.subscriptions.all }
        return all.filter { ($0.object as? any Cancelable)?.isDisposed != true }
            .sorted { $0.value.number < $1.value.number }.map(\.value.trace)
    }

    // MARK: - What it is made of

    private static func append(_ observable: any AnyObservable, depth: Int, to steps: inout [SubscriptionTrace.Step]) {
        let sources = (observable as? any Traced)?.tracedSources ?? observable.parameters
        for source in sources { append(source, depth: sources.count > 1 ? depth + 1 : depth, to: &steps) }
        let place = (observable as? any Traced)?.tracedPlace
        let addresses = state.withLock { $0.made[observable] }
        steps.append(
            SubscriptionTrace.Step(
                name: (observable as? any Traced)?.tracedName ?? name(of: observable),
                element: observable.elementName, depth: depth,
                madeBy: place.map { .named($0) } ?? addresses.map { .called($0) } ?? .unknown))
    }

    /// The class name without its parameters.
    private static func typeName(_ object: AnyObject) -> String {
        String("\(type(of: object))".prefix { $0 != "<" })
    }

    private static func name(of observable: AnyObject) -> String {
        let type = typeName(observable)
        if let known = names[type] { return known }
        // Subjects and relays are named by their type, operators by their function.
        return observable is any OperatorOrSource ? type.prefix(1).lowercased() + type.dropFirst() : type
    }

    private static func observer(_ held: DisposeBase) -> String {
        held is SubscriptionDisposable ? "subscribed" : "subscribed by \(typeName(held))"
    }

    private static let names = [
        "AnonymousObservable": "create", "BufferByTimeOrCount": "buffer", "CatchSequence": "catch",
        "CombineLatestArray": "combineLatest", "ElementAt": "element(at:)", "ElementsSource": "from",
        "Failure": "error", "MergeLimited": "merge(maxConcurrent:)", "NeverProducer": "never",
        "ObserveOn": "observe(on:)", "OneElement": "first", "OnlyElement": "single", "RangeSource": "range",
        "RetryWhen": "retry(when:)", "SkipFor": "skip", "SkipUntil": "skip(until:)", "SkipWhile": "skip(while:)",
        "SubscribeOn": "subscribe(on:)", "TakeFor": "take(for:)", "TakeUntil": "take(until:)",
        "TakeWhile": "take(while:)", "TimerSource": "timer", "WindowByTimeOrCount": "window",
        "WithoutElements": "ignoreElements", "ZipArray": "zip",
    ]
}

/// Maps objects, held weakly, to values.
private struct WeakTable<Value> {
    private struct Entry {
        weak var object: AnyObject?
        let value: Value
    }

    /// Below this size it is not worth searching for deallocated objects.
    private static var few: Int { 64 }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var limit = WeakTable.few

    subscript(object: AnyObject) -> Value? {
        get {
            guard let entry = entries[ObjectIdentifier(object)], entry.object === object else { return nil }
            return entry.value
        }
        set {
            entries[ObjectIdentifier(object)] = newValue.map { Entry(object: object, value: $0) }
            if entries.count < limit { return }
            entries = entries.filter { $0.value.object != nil }
            limit = max(WeakTable.few, entries.count * 2)
        }
    }

    var all: [(object: AnyObject, value: Value)] {
        entries.values.compactMap { entry in entry.object.map { ($0, entry.value) } }
    }
}
