package import RxJSON
package import RxStreams

/// Something that happened in a stream.
package enum StreamEvent: Sendable {
    case element(RawJSON)
    case failure(StreamFailure)
    case firing(Firing)
    /// The execution of a firing has ended.
    case firingEnded(Firing)
    /// Elements had to be dropped before a step: their number; nil if nobody knows whether there were any.
    case lost(Int?, step: String)
    /// The source waits for its environment, with the reason; or does no longer.
    case waiting(String?)
}
