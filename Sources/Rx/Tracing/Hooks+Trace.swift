extension Hooks {
    /// Whether observables remember the function that made them, and subscriptions what they are made of. False at first;
    /// set it before what is to be traced is made, in a debugging session: it costs some microseconds for each observable
    /// and each subscription. Nothing on the way of an event looks at it.
    ///
    /// ```
    /// Hooks.isTracing = true
    /// let subscription = ticks.map { $0 % 2 }.share().filter { $0 == 1 }.subscribe(onNext: …)
    /// if let trace = Hooks.trace(of: subscription) { print(trace) }
    ///
    /// timer <Int>, in main
    /// map <Int>, in main
    /// share <Int>, in main
    /// filter <Int>, in main
    /// subscribed in main
    /// ```
    public static var isTracing: Bool {
        get { Tracing.isOn }
        set { Tracing.isOn = newValue }
    }

    /// What a live subscription is made of; nil when it is over, was made while `isTracing` was not set, or `subscription`
    /// is not what a `subscribe` returned.
    public static func trace(of subscription: any Disposable) -> SubscriptionTrace? {
        Tracing.trace(of: subscription as AnyObject)
    }

    /// What every live subscription is made of that was made while `isTracing` was set, in the order they were made: those
    /// of the application, those of shared sequences to their sources, and those of operators to inner sequences.
    public static var liveSubscriptions: [SubscriptionTrace] { Tracing.live }
}

extension ObservableType {
    /// The same sequence under a name of its own in traces, with the place where this is written.
    ///
    /// Takes no part in the way of the events.
    public func trace(
        _ name: String, file: String = #file, line: UInt = #line, function: String = #function
    ) -> Observable<Element> {
        let file = file.split(separator: "/").last.map(String.init) ?? file
        return TraceMark(asObservable(), name, "\(file):\(line), in \(function)")
    }
}

final class TraceMark<Element: Sendable>: Producer<Element>, Traced, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let tracedName: String
    let tracedPlace: String?

    init(_ source: Observable<Element>, _ name: String, _ place: String) {
        self.source = source
        tracedName = name
        tracedPlace = place
        super.init()
    }

    var tracedSources: [any AnyObservable] { [source] }

    override func run(_ stage: Stage<Element>) { source.run(stage) }
}
