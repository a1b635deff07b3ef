// RxLoop: an epoll event loop on one thread, with timers, signals, and closures posted from other threads.
//
// Rules for users:
// - `execute`, `stop`, `join`, `isOnLoop`, and `turns` of an `EventLoop` may be used from any thread.
//   Everything else (sources, watches, timers) belongs to the loop's thread, or to the thread that sets things up
//   before the loop starts. Debug builds check this.
// - The loop retains a source or watch until it is closed or canceled.
// - The loop never closes a descriptor that it did not open.
//
// A loop uses the outside world (epoll, the eventfd that wakes it, the monotonic clock, its thread) only through its
// `LoopKernel`. `EventLoop(kernel:)` takes a simulated one, and `takeTurn` runs the loop on the caller's thread.
//
// Reading order: EventLoop, LoopKernel, EpollKernel; LoopSource, SourceTable, Readiness; LoopJob, LoopShare,
// TurnBudget, PostedWork, Timer, TimerHeap, TurnEnd, IdleWork; Watch, SignalWatch; LoopThread, Lock;
// SystemCallError. The module UnixSocket adds sockets and listeners.
