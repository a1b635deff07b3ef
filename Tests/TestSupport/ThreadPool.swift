internal import Glibc

/// Runs each job at once on a thread of its own. Threads are reused and never end; there are as many of them as jobs
/// ever ran at once.
// @unchecked Sendable: all state is guarded by the mutex.
final class ThreadPool: TaskExecutor, @unchecked Sendable {
    static let shared = ThreadPool()

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasJobs = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    /// Threads that wait for a job or have just been started.
    private var freeThreads = 0

    private init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasJobs, nil)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        jobs.append(job)
        let needsThread = jobs.count > freeThreads
        if needsThread { freeThreads += 1 }
        pthread_cond_signal(hasJobs)
        pthread_mutex_unlock(mutex)
        if needsThread { startThread() }
    }

    private func startThread() {
        // Like the threads of Swift's pool, it leaves signals sent to the process to the main thread.
        var (all, kept) = (sigset_t(), sigset_t())
        sigfillset(&all)
        for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &kept)
        defer { pthread_sigmask(SIG_SETMASK, &kept, nil) }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { _ in
                ThreadPool.shared.work()
                return nil
            }, nil)
        precondition(failure == 0, "cannot start a thread for a test: errno \(failure)")
        pthread_detach(thread)
    }

    private func work() {
        while true {
            pthread_mutex_lock(mutex)
            while jobs.isEmpty { pthread_cond_wait(hasJobs, mutex) }
            let job = jobs.removeFirst()
            freeThreads -= 1
            pthread_mutex_unlock(mutex)
            job.runSynchronously(on: asUnownedTaskExecutor())
            pthread_mutex_lock(mutex)
            freeThreads += 1
            pthread_mutex_unlock(mutex)
        }
    }
}
