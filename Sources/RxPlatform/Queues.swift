internal import Dispatch

/// Makes queues.
public struct Queues: Sendable {
    private let make: @Sendable (_ label: String) -> WorkQueue
    /// The queue for work in no order, on threads that the whole process shares.
    public let shared: WorkQueue
    /// The threads on which Swift's tasks run: few, so work on them must not block. Without timers.
    public let cooperative: WorkQueue

    /// - Parameters:
    ///   - shared: the queue for work in no order.
    ///   - cooperative: the threads on which tasks run.
    ///   - serial: makes a queue that runs its work in order; `label` is for people who debug.
    public init(
        shared: WorkQueue, cooperative: WorkQueue = CooperativeWorkQueue(),
        serial: @escaping @Sendable (_ label: String) -> WorkQueue
    ) {
        self.shared = shared
        self.cooperative = cooperative
        make = serial
    }

    /// The queues of Dispatch.
    public static let system = Queues(shared: DispatchWorkQueue(.global())) {
        DispatchWorkQueue(DispatchQueue(label: $0))
    }

    /// Makes a queue that runs one piece of work at a time, in the order in which they were added.
    public func serial(_ label: String) -> WorkQueue { make(label) }
}
