/// A scheduler that runs every action on the main thread.
///
/// `observe(on:)` with a scheduler of this type returns a sequence whose closures are `@MainActor`. A scheduler of your
/// own may conform if it keeps the promise; a closure that it runs on another thread traps.
#if Migration
    @preconcurrency
#endif
public protocol MainSchedulerType: SchedulerType {}
