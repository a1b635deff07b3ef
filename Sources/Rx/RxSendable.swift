#if Migration
    /// The bound of elements and of other types that cross threads: anything, under the package trait `Migration`.
    public typealias RxSendable = Any
#else
    /// The bound of elements and of other types that cross threads: `Sendable`, unless the package trait `Migration` is
    /// enabled.
    public typealias RxSendable = Sendable
#endif
