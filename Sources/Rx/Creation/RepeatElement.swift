extension ObservableType {
    /// Emits the same element until disposed; on a scheduler other than the current thread, one per turn. Never ends by
    /// itself.
    ///
    /// ```
    /// repeatElement(7).take(3)  (7 7 7|)
    /// ```
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        RepeatElement(element, scheduler)
    }
}

private final class RepeatElement<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let element: Element
    let scheduler: any ImmediateSchedulerType

    init(_ element: Element, _ scheduler: any ImmediateSchedulerType) {
        self.element = element
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) { RepeatLoop(stage, element).start(on: scheduler) }
}

private final class RepeatLoop<Element: RxSendable>: Loop<Element>, @unchecked Sendable {
    // Unchecked: see `Loop`.
    private let element: Element

    init(_ stage: Stage<Element>, _ element: Element) {
        self.element = element
        super.init(stage)
    }

    override func sendNext() -> Bool {
        stage.next(element)
        return true
    }
}
