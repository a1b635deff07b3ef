internal import Dispatch
internal import Foundation
internal import Rx

/// Holds the thread that made it until it is lifted. The main queue's work goes on while it is held there.
final class Blockade: Sendable {
    /// How long the main thread sleeps at most when nothing can wake it for what is to be done: not noticed by people, and
    /// next to no load.
    private static let nap = DispatchTimeInterval.milliseconds(1)

    private let isOnMainQueue = MainQueue.shared.isCurrent
    private let isLifted = Locked(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets the waiting thread go, now or as soon as it waits.
    func lift() {
        isLifted.withLock { $0 = true }
        semaphore.signal()
        // Wakes the run loop.
        if isOnMainQueue { DispatchQueue.main.async {} }
    }

    /// Whether it was lifted within `timeout` seconds.
    func wait(_ timeout: TimeInterval?) -> Bool {
        let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
        if !isOnMainQueue { return semaphore.wait(timeout: deadline) == .success }
        while true {
            if isLifted.withLock({ $0 }) { return true }
            if MainQueue.shared.runNext() { continue }
            if DispatchTime.now() >= deadline { return false }
            rest(until: deadline)
        }
    }

    /// On the main thread the run loop is run, which serves the main queue too; not from within one of its turns, though.
    /// The main queue of a program with an async `main` has no run loop on Linux.
    private func rest(until deadline: DispatchTime) {
        let nap = min(deadline, .now() + Blockade.nap)
        if Thread.isMainThread {
            let seconds = RunLoop.main.currentMode == nil ? deadline.seconds : nap.seconds
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
        } else {
            _ = semaphore.wait(timeout: nap)
        }
    }
}

extension DispatchTime {
    /// From now, a day at most.
    fileprivate var seconds: TimeInterval {
        let now = DispatchTime.now().uptimeNanoseconds
        guard uptimeNanoseconds > now else { return 0 }
        return min(Double(uptimeNanoseconds - now) / 1e9, 86400)
    }
}
