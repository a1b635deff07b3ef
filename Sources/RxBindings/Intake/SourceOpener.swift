package import Rx
package import RxJSON
package import RxStreams
package import RxTime

/// Opens the sources of streams.
package protocol SourceOpener: AnyObject, Sendable {
    /// A source for a stream; nil for a kind that this daemon does not have.
    ///
    /// - Parameters:
    ///   - stream: the name of the stream.
    ///   - place: the place in it.
    ///   - isKept: whether positions survive a restart.
    func open(_ source: ExternalSource, of stream: String, place: String, isKept: Bool) -> (any StreamSource)?

    /// Reports whether there is a file or a directory at an absolute path: at first, and at each change.
    ///
    /// - Parameter report: called on any thread; it must not wait.
    func watch(path: String, _ report: @escaping @Sendable (Bool) -> Void) -> any Disposable
}

/// A source that can state when it emits next.
package protocol ScheduledSource: AnyObject, Sendable {
    /// The next times, at most `count`.
    func upcomingSlots(_ count: Int) -> [Instant]
    /// The element of a slot that is now, in the zone of the schedule.
    var elementOfNow: RawJSON { get }
}
