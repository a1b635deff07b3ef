internal import Rx
public import RxLoop
public import RxPlatform

// Sendable: everything but the loop's entries belongs to the loop's thread.
/// The inotify instance and the thread of all sources of files in the process.
///
/// The kernel limits inotify instances to 128 per user, so a process has one of these. The thread reads events and
/// scans directories; the instance is open while a source is started. Each source works for a few milliseconds at a
/// time. The thread ends with the object.
public final class FileWatcher: @unchecked Sendable {
    private let loop: EventLoop
    let kernel: any FileKernel
    let hub: WatchHub
    private var readiness: (descriptor: Int32, watch: Watch)?
    private var timer: Timer?
    private var isTurnPosted = false

    /// Starts the thread.
    ///
    /// - Throws: the error of creating an epoll set or an eventfd.
    public convenience init(platform: Platform) throws(SystemCallError) {
        try self.init(kernel: SystemFileKernel(platform: platform))
    }

    init(kernel: any FileKernel) throws(SystemCallError) {
        self.kernel = kernel
        loop = try EventLoop()
        hub = WatchHub(kernel: kernel)
        loop.start(name: "rx-files")
    }

    deinit { loop.stop() }

    /// Calls `body` on the thread, and gives the users of the hub a turn. Any thread.
    func execute(_ body: @escaping @Sendable () -> Void) {
        loop.execute { [weak self] in
            body()
            self?.postTurn()
        }
    }

    /// Calls `completion` on the thread, once all that was asked of it so far is done; or after a while on another
    /// thread, if a file system does not answer.
    public func drain(_ completion: @escaping @Sendable () -> Void, orAfter limit: Duration, on queue: WorkQueue) {
        let isDone = Locked(false)
        let end: @Sendable () -> Void = {
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { completion() }
        }
        let timer = queue.async(after: limit, end)
        loop.execute {
            timer.cancel()
            end()
        }
    }

    /// Calls `body` like `execute` and returns when it has ended. On the thread itself, it calls `body` at once.
    func run(_ body: @escaping @Sendable () -> Void) {
        guard !loop.isOnLoop else { return body() }
        let done = Latch()
        loop.execute {
            body()
            done.open()
        }
        done.wait()
    }

    /// Takes a turn soon, so that posted work and descriptors of the loop are served in between.
    private func postTurn() {
        guard !isTurnPosted else { return }
        isTurnPosted = true
        loop.execute { [weak self] in self?.turn() }
    }

    private func turn() {
        isTurnPosted = false
        timer?.cancel()
        timer = nil
        let next = hub.turn()
        watchDescriptor()
        switch next {
        case .now: postTurn()
        case .at(let time):
            timer = loop.schedule(after: max(.zero, time - kernel.uptime)) { [weak self] in self?.postTurn() }
        case .idle: break
        }
    }

    /// The hub opens the instance for its first watch, and closes it after its last user.
    private func watchDescriptor() {
        guard readiness?.descriptor != kernel.descriptor else { return }
        readiness?.watch.cancel()
        readiness = nil
        guard let descriptor = kernel.descriptor,
            let watch = try? loop.watch(fd: descriptor, .readable, { [weak self] _ in self?.postTurn() })
        else { return }
        readiness = (descriptor, watch)
    }

    /// Removes a user of the hub and its watches; on the thread.
    func remove(_ user: any WatchUser) {
        hub.remove(user)
        // Before another descriptor gets the same number.
        if kernel.descriptor == nil {
            readiness?.watch.cancel()
            readiness = nil
        }
    }
}
