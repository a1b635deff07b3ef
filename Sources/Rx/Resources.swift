#if TRACE_RESOURCES
    internal import Synchronization

    /// Counts the live objects of the library: observables, subjects, stages of active subscriptions, disposables.
    ///
    /// Exists only in builds with `-DTRACE_RESOURCES`. A test compares `total` before and after; a difference is a
    /// leak.
    public struct Resources: Sendable {
        private init() {}

        private static let counter = Atomic<Int32>(0)
        private static let serialObserveOn = Atomic<Int32>(0)

        /// The number of live objects.
        public static var total: Int32 { counter.load(ordering: .sequentiallyConsistent) }

        /// Increments the count and returns it.
        @discardableResult
        public static func incrementTotal() -> Int32 {
            counter.add(1, ordering: .sequentiallyConsistent).newValue
        }

        /// Decrements the count and returns it.
        @discardableResult
        public static func decrementTotal() -> Int32 {
            counter.subtract(1, ordering: .sequentiallyConsistent).newValue
        }

        /// The number of live `observe(on:)` stages that use the faster implementation for serial dispatch queues.
        public static var numberOfSerialDispatchQueueObservables: Int32 {
            serialObserveOn.load(ordering: .sequentiallyConsistent)
        }

        static func countSerialObserveOn(_ change: Int32) {
            serialObserveOn.add(change, ordering: .sequentiallyConsistent)
        }
    }
#endif
