#if TRACE_RESOURCES
    internal import Synchronization

    /// Counts what the library keeps alive: observables, subjects, stages of live subscriptions, disposables.
    ///
    /// Only in builds with `-DTRACE_RESOURCES`: a test takes `total` before and after, and a difference is a leak.
    public struct Resources: Sendable {
        private init() {}

        private static let counter = Atomic<Int32>(0)
        private static let serialObserveOn = Atomic<Int32>(0)

        /// How many are alive now.
        public static var total: Int32 { counter.load(ordering: .sequentiallyConsistent) }

        /// Counts one more and tells the new total.
        @discardableResult
        public static func incrementTotal() -> Int32 {
            counter.add(1, ordering: .sequentiallyConsistent).newValue
        }

        /// Counts one less and tells the new total.
        @discardableResult
        public static func decrementTotal() -> Int32 {
            counter.subtract(1, ordering: .sequentiallyConsistent).newValue
        }

        /// How many `observe(on:)` over a serial dispatch queue are alive, which take a shorter way than those over others.
        public static var numberOfSerialDispatchQueueObservables: Int32 {
            serialObserveOn.load(ordering: .sequentiallyConsistent)
        }

        static func countSerialObserveOn(_ change: Int32) {
            serialObserveOn.add(change, ordering: .sequentiallyConsistent)
        }
    }
#endif
