#if Migration
    internal import Rx

    /// The base class of reactors under the package trait `Migration`. Holds the store that a reactor declares itself
    /// without the trait, so that a reactor written for ReactorKit compiles unchanged.
    ///
    /// A subclass is responsible for its own mutable properties, as in ReactorKit.
    open class ReactorStorage: @unchecked Sendable {
        // Unchecked: `slot` has its own lock.
        private let slot = Locked<AnyObject?>(nil)

        /// Creates the storage of a reactor that has not started. The unused parameter lets a subclass declare `init()`
        /// without `override`.
        public init(storage: Void = ()) {}

        /// The store of the reactor that this object is, created on first use.
        fileprivate final func store<Action, Mutation, State>() -> ReactorStore<Action, Mutation, State> {
            slot.withLock { slot in
                // A class conforms to `ReactorProtocol` once, so every call has the same types.
                if let slot { return unsafeDowncast(slot, to: ReactorStore<Action, Mutation, State>.self) }
                let made = ReactorStore<Action, Mutation, State>()
                slot = made
                return made
            }
        }
    }

    extension ReactorProtocol where Self: ReactorStorage {
        /// The mutable part of this reactor, held by its base class.
        public var store: ReactorStore<Action, Mutation, State> { store() }
    }
#endif
