extension ObservableType {
    /// Emits `initialState` and then the results of `iterate` on the previous element while `condition` holds, then
    /// completes. An error that a closure throws ends the sequence.
    ///
    /// On a scheduler other than the current thread, each element and the end take one turn.
    ///
    /// ```
    /// generate(initialState: 1, condition: { $0 < 9 }, iterate: { $0 * 2 })  (1 2 4 8|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Generate(initialState, condition, iterate, scheduler)
    }
}

private final class Generate<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let initialState: Element
    let condition: @Sendable (Element) throws -> Bool
    let iterate: @Sendable (Element) throws -> Element
    let scheduler: any ImmediateSchedulerType

    init(
        _ initialState: Element, _ condition: @escaping @Sendable (Element) throws -> Bool,
        _ iterate: @escaping @Sendable (Element) throws -> Element, _ scheduler: any ImmediateSchedulerType
    ) {
        self.initialState = initialState
        self.condition = condition
        self.iterate = iterate
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) { GenerateLoop(stage, self).start(on: scheduler) }
}

private final class GenerateLoop<Element: RxSendable>: Loop<Element>, @unchecked Sendable {
    // Unchecked: see `Loop`.
    private let condition: @Sendable (Element) throws -> Bool
    private let iterate: @Sendable (Element) throws -> Element
    private var state: Element
    private var isFirst = true

    init(_ stage: Stage<Element>, _ parent: Generate<Element>) {
        condition = parent.condition
        iterate = parent.iterate
        state = parent.initialState
        super.init(stage)
    }

    override func sendNext() -> Bool {
        do {
            if isFirst { isFirst = false } else { state = try iterate(state) }
            guard try condition(state) else { return false }
        } catch {
            // No further turn is needed; the end is sent elsewhere.
            dispose()
            stage.error(error)
            return true
        }
        stage.next(state)
        return true
    }
}
