internal import RxLoop

// Sendable: the mutable state belongs to the loop's thread.
/// Waits on a loop for a descriptor that is served elsewhere: each wait ends with one call, so that a loop does not
/// turn while nobody has served the descriptor yet.
final class DescriptorWait: @unchecked Sendable {
    private let loop: EventLoop
    private var watch: Watch?
    private var isCancelled = false

    init(on loop: EventLoop) { self.loop = loop }

    /// Replaces the wait that is under way, if any. Any thread.
    ///
    /// - Parameter wake: called once, on the loop: with nil when the descriptor is ready or has hung up, or with the
    ///   reason why it cannot be watched. Not called once the wait was replaced or canceled.
    func wait(
        for descriptor: Int32, _ interest: Interest, _ wake: @escaping @Sendable (SystemCallError?) -> Void
    ) {
        loop.execute { [self] in
            guard !isCancelled else { return }
            end()
            do throws(SystemCallError) {
                watch = try loop.watch(fd: descriptor, interest) { [weak self] _ in
                    self?.end()
                    wake(nil)
                }
            } catch {
                wake(error)
            }
        }
    }

    /// Ends the wait for good. Any thread.
    ///
    /// - Parameter close: called on the loop when the descriptor is no longer watched, to close it.
    func cancel(_ close: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            isCancelled = true
            end()
            close()
        }
    }

    private func end() {
        watch?.cancel()
        watch = nil
    }
}
