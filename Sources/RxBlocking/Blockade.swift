internal import Dispatch
internal import Foundation
internal import Rx

/// Blocks the thread that created it until it is lifted. On the main thread, the main queue's work continues meanwhile.
final class Blockade: Sendable {
    /// The longest sleep of the main thread when nothing can wake it for new work: imperceptible, and almost no load.
    private static let nap = DispatchTimeInterval.milliseconds(1)

    private let isOnMainQueue = MainQueue.shared.isCurrent
    private let isLifted = Locked(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Releases the waiting thread, now or as soon as it waits.
    func lift() {
        isLifted.withLock { $0 = true }
        semaphore.signal()
        // Wakes the run loop.
        if isOnMainQueue { DispatchQueue.main.async {} }
    }

    /// Waits until it is lifted. Returns false if that takes more than `timeout` seconds; nil waits without limit.
    func wait(_ timeout: TimeInterval?) -> Bool {
        let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
        if !isOnMainQueue { return semaphore.wait(timeout: deadline) == .success }
        while true {
            let hasRun = MainQueue.shared.runNext()
            if isLifted.withLock({ $0 }) { return true }
            // Also while work keeps arriving.
            if DispatchTime.now() >= deadline { return false }
            if !hasRun { rest(until: deadline) }
        }
    }

    /// On the main thread, runs the run loop, which also serves the main queue, unless called from within one of its
    /// turns. On Linux the main queue of a program with an async `main` has no run loop.
    private func rest(until deadline: DispatchTime) {
        let nap = min(deadline, .now() + Blockade.nap)
        if Thread.isMainThread {
            let seconds = RunLoop.main.currentMode == nil ? deadline.seconds : nap.seconds
            // A run loop without sources and timers returns at once.
            if RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds)) { return }
        }
        _ = semaphore.wait(timeout: nap)
    }
}

extension DispatchTime {
    /// The time from now, at most a day.
    fileprivate var seconds: TimeInterval {
        let now = DispatchTime.now().uptimeNanoseconds
        guard uptimeNanoseconds > now else { return 0 }
        return min(Double(uptimeNanoseconds - now) / 1e9, 86400)
    }
}
