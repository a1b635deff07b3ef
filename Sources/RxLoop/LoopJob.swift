// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// Something that waits in a share of the loop's time to be served.
open class LoopJob: @unchecked Sendable {
    /// The job after this one in its share.
    final var next: LoopJob?

    init() {}

    /// Called when it is the job's turn.
    func serve() {}
}
