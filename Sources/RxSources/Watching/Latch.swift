internal import Glibc

// Sendable: the mutex protects the state.
/// Lets one thread wait until another one has done something.
final class Latch: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let opened = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(opened, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(opened)
        mutex.deallocate()
        opened.deallocate()
    }

    func open() {
        pthread_mutex_lock(mutex)
        isOpen = true
        pthread_cond_broadcast(opened)
        pthread_mutex_unlock(mutex)
    }

    func wait() {
        pthread_mutex_lock(mutex)
        while !isOpen { pthread_cond_wait(opened, mutex) }
        pthread_mutex_unlock(mutex)
    }
}
