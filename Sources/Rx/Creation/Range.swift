/// What counting sources count in.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
    /// `count` integers from `start` on, then the end. `count` is not negative, and the last one fits in `Element`.
    ///
    /// ```
    /// range(start: 5, count: 3)  (567|)
    /// ```
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "a count is not negative")
        precondition(count == 0 || !start.addingReportingOverflow(count - 1).overflow, "the range fits in its type")
        return RangeSource(start, count, scheduler)
    }
}

private final class RangeSource<Element: RxAbstractInteger & Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let start: Element
    let count: Element
    let scheduler: any ImmediateSchedulerType

    init(_ start: Element, _ count: Element, _ scheduler: any ImmediateSchedulerType) {
        self.start = start
        self.count = count
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) { RangeLoop(stage, start, count).start(on: scheduler) }
}

private final class RangeLoop<Element: RxAbstractInteger & Sendable>: Loop<Element>, @unchecked Sendable {
    // Unchecked: see `Loop`.
    private var current: Element
    private var left: Element

    init(_ stage: Stage<Element>, _ start: Element, _ count: Element) {
        current = start
        left = count
        super.init(stage)
    }

    override func sendNext() -> Bool {
        if left == 0 { return false }
        left -= 1
        let element = current
        current &+= 1
        stage.next(element)
        return true
    }
}
