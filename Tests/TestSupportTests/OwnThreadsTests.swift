import Dispatch
import Synchronization
import Testing

@testable import TestSupport

@Suite("Tests on threads of their own", .ownThreads)
struct OwnThreadsTests {
    @Test("Swift's pool is free while more child tasks block than there are cores")
    func pool() async {
        let count = 16
        let (arrived, opened) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    arrived.signal()
                    block(opened)
                }
            }
            group.addTask {
                for _ in 0..<count { block(arrived) }
                // In the pool, since it is no child.
                await Task { for _ in 0..<count { opened.signal() } }.value
            }
        }
    }

    @Test("an error of the body is thrown")
    func throwing() async {
        await #expect(throws: Oops.self) {
            try await withLimit(.seconds(60), at: nil) { throw Oops() }
        }
    }

    @Test("a body that is over its limit fails and is canceled")
    func limit() async throws {
        let isCancelled = Mutex(false)
        try await withKnownIssue {
            try await withLimit(.milliseconds(1), at: nil) {
                while !Task.isCancelled { await Task.yield() }
                isCancelled.withLock { $0 = true }
            }
        } matching: { issue in
            "\(issue)".contains("took longer than")
        }
        #expect(isCancelled.withLock { $0 })
    }

    @Test("a body that blocks for good ends the process")
    func stuck() async {
        await #expect(processExitsWith: .failure) {
            await withKnownIssue {
                try await withTaskExecutorPreference(ThreadPool.shared) {
                    try await withLimit(.milliseconds(1), grace: .milliseconds(1), at: nil) {
                        block(DispatchSemaphore(value: 0))
                    }
                }
            }
        }
    }
}

@Suite("Admission", .ownThreads)
struct AdmissionTests {
    @Test("as many as its width are admitted at a time, and all in the end")
    func width() async {
        let (admission, room) = (Admission(width: 3), Room())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await admission.enter()
                    room.enter()
                    // All that are admitted at a time see each other.
                    while room.most < 3 { await Task.yield() }
                    room.leave()
                    await admission.leave()
                }
            }
        }
        #expect(room.most == 3)
        #expect(room.left == 20)
    }
}

/// Counts those who are in it.
private final class Room: Sendable {
    private let counts = Mutex((inside: 0, most: 0, left: 0))

    var most: Int { counts.withLock { $0.most } }
    var left: Int { counts.withLock { $0.left } }

    func enter() {
        counts.withLock {
            $0.inside += 1
            $0.most = max($0.most, $0.inside)
        }
    }

    func leave() {
        counts.withLock {
            $0.inside -= 1
            $0.left += 1
        }
    }
}

/// Blocks the thread, which the compiler does not let an async function do itself.
private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

private struct Oops: Error {}
