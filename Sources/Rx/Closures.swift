// The types of closures that the compiler restricts to the main actor, or to what may cross threads. Under the package
// trait `Migration` they are plain: `@preconcurrency` does not turn every error about such a closure into a warning. In
// Swift 6 mode, a closure that captures an object which is neither `Sendable` nor on the main actor would be an error.

#if Migration
    /// A closure that is called on the main thread: plain, under the package trait `Migration`.
    public typealias MainClosure<each Argument, Result> = (repeat each Argument) -> Result
    /// A closure that is called on the main thread and may throw: plain, under the package trait `Migration`.
    public typealias ThrowingMainClosure<each Argument, Result> = (repeat each Argument) throws -> Result
    /// A closure that changes its first argument, on the main thread: plain, under the package trait `Migration`.
    public typealias MainUpdate<Value, Argument> = (inout Value, Argument) -> Void
    /// A closure that changes its first argument, on the main thread, and may throw: plain, under the package trait
    /// `Migration`.
    public typealias ThrowingMainUpdate<Value, Argument> = (inout Value, Argument) throws -> Void
    /// A closure that may be called on any thread: plain, under the package trait `Migration`.
    public typealias RxSendableClosure<each Argument, Result> = (repeat each Argument) -> Result
#else
    /// A closure that is called on the main thread. It is `@MainActor`, unless the package trait `Migration` is
    /// enabled.
    public typealias MainClosure<each Argument, Result> = @MainActor (repeat each Argument) -> Result
    /// A closure that is called on the main thread and may throw. It is `@MainActor`, unless the package trait
    /// `Migration` is enabled.
    public typealias ThrowingMainClosure<each Argument, Result> = @MainActor (repeat each Argument) throws -> Result
    /// A closure that changes its first argument, on the main thread. It is `@MainActor`, unless the package trait
    /// `Migration` is enabled.
    public typealias MainUpdate<Value, Argument> = @MainActor (inout Value, Argument) -> Void
    /// A closure that changes its first argument, on the main thread, and may throw. It is `@MainActor`, unless the
    /// package trait `Migration` is enabled.
    public typealias ThrowingMainUpdate<Value, Argument> = @MainActor (inout Value, Argument) throws -> Void
    /// A closure that may be called on any thread. It is `@Sendable`, unless the package trait `Migration` is enabled.
    public typealias RxSendableClosure<each Argument, Result> = @Sendable (repeat each Argument) -> Result
#endif
