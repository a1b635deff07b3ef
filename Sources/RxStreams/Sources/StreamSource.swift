public import RxJSON
public import RxTime

/// Where the elements of a stream come from: a schedule, a watched folder, a program. Each kind is a file of
/// `RxSources`.
///
/// A source emits to its receiver from any thread, one call at a time, and not within `start`, `settled`, or `stop`.
public protocol StreamSource: AnyObject, Sendable {
    /// Begins to emit.
    ///
    /// - Parameters:
    ///   - position: where an earlier run stopped: the last position that was settled; nil for a first start.
    ///   - receiver: receives elements until `stop` returns.
    func start(after position: RawJSON?, into receiver: any SourceReceiver)

    /// All elements received so far have taken effect, up to this position. A source that can wait emits one batch and
    /// then waits for this call; others ignore it.
    func settled(through position: RawJSON?)

    /// The position of a first start, to be stored until the first element is settled: what happens before that is not
    /// lost. Nil if the start was not the first, if there are no positions, or if the source reports it later.
    var origin: RawJSON? { get }

    /// Stops emitting and releases what the source holds. Nothing is received once this has returned.
    func stop()
}

extension StreamSource {
    /// No position.
    public var origin: RawJSON? { nil }
}

/// The receiving end of a source.
public protocol SourceReceiver: AnyObject, Sendable {
    /// Takes elements in order.
    func receive(_ elements: [SourceElement])
    /// Reports why the source cannot emit at present (a folder or a bus that is not there), in a sentence without a
    /// period; nil once it can.
    func report(waiting reason: String?)
    /// Reports a part of the input that cannot become an element, such as a line that is not JSON; the source goes on.
    ///
    /// - Parameters:
    ///   - message: what is wrong, in a sentence without a period.
    ///   - element: the part; nil if it cannot be shown.
    func report(error message: String, element: RawJSON?)
    /// Reports elements that the source had to drop before the next one: their number; nil if nobody knows how many,
    /// or whether there were any.
    func report(lost count: Int?)
    /// Reports the position of a first start, in place of `StreamSource.origin`, once it is true.
    func report(origin position: RawJSON)
    /// Reports that nothing more will come.
    func finish()
}

extension SourceReceiver {
    /// Ignores it: positions are not stored.
    public func report(origin position: RawJSON) {}
}

/// One element of a source.
public struct SourceElement: Sendable, Hashable {
    /// The value.
    public var value: RawJSON
    /// When it happened; operators of time count from here.
    public var time: Instant
    /// Where a later run goes on after this element; nil for a source without positions.
    public var position: RawJSON?
    /// The slot, if the source is a schedule.
    public var scheduled: Instant?
    /// The causes of the event that the element stands for, as the host encodes them.
    public var causes: RawJSON?

    /// Creates an element.
    public init(
        value: RawJSON, time: Instant, position: RawJSON? = nil, scheduled: Instant? = nil, causes: RawJSON? = nil
    ) {
        self.value = value
        self.time = time
        self.position = position
        self.scheduled = scheduled
        self.causes = causes
    }
}
