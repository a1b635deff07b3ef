extension Hooks {
    /// Whether observables record the function that created them, and subscriptions their chain of operators. False by
    /// default. Set it in a debugging session before creating the objects to trace; it costs some microseconds per
    /// observable and per subscription. Delivering events never checks it.
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

    /// Returns the operators of a live subscription; nil if it has ended, was made while `isTracing` was false, or
    /// `subscription` is not a result of `subscribe`.
    public static func trace(of subscription: any Disposable) -> SubscriptionTrace? {
        Tracing.trace(of: subscription as AnyObject)
    }

    /// The operators of every live subscription made while `isTracing` was set, in order of creation: those of the
    /// application, of shared sequences to their sources, and of operators to inner sequences.
    public static var liveSubscriptions: [SubscriptionTrace] { Tracing.live }
}

extension ObservableType {
    /// Names the sequence in traces and records the location of this call.
    ///
    /// It adds no stage to the path of events.
    public func trace(
        _ name: String, file: String = #file, line: UInt = #line, function: String = #function
    ) -> Observable<Element> {
        let file = file.split(separator: "/").last.map(String.init) ?? file
        return TraceMark(asObservable(), name, "\(file):\(line), in \(function)")
    }
}

final class TraceMark<Element: RxSendable>: Producer<Element>, Traced, @unchecked Sendable {
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
