package import Rx
package import RxJSON
package import RxStreams
package import RxTime

/// Opens the sources of streams.
package protocol SourceOpener: AnyObject, Sendable {
    /// A source for a stream. The stream tries again later if there is none at present.
    ///
    /// - Parameters:
    ///   - stream: the name of the stream.
    ///   - place: the place in it.
    ///   - isKept: whether positions survive a restart.
    func open(_ source: ExternalSource, of stream: String, place: String, isKept: Bool) throws(SourceUnavailable)
        -> any StreamSource

    /// Removes what a source of a stream has stored by itself, besides its position: it starts over, or is gone. Called
    /// when it has stopped, before another one is opened at that place.
    func forget(_ stream: String, place: String)

    /// Reports whether there is a file or a directory at an absolute path: at first, and at each change. The condition
    /// tries again later if the path cannot be watched at present.
    ///
    /// - Parameter report: called on any thread; it must not wait.
    func watch(path: String, _ report: @escaping @Sendable (Bool) -> Void) throws(SourceUnavailable)
        -> any Disposable
}

/// The environment does not let a source be opened at present.
package struct SourceUnavailable: Error {
    /// Why, in a sentence without a period.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// A source that can state when it emits next.
package protocol ScheduledSource: AnyObject, Sendable {
    /// The next times, at most `count`.
    func upcomingSlots(_ count: Int) -> [Instant]
    /// The element of a slot that is now, in the zone of the schedule.
    var elementOfNow: RawJSON { get }
}
